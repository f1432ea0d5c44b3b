// The class report as pages that need nothing else: no network, no server. See formats.h.
//
// Everything that a student wrote passes markup_escaped on its way into a page.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "common/base/markup.h"
#include "common/base/printable.h"
#include "common/class/grade/formats.h"
#include "common/class/grade/report_files.h"
#include "common/class/grade/summary.h"
#include "common/ui/explain.h"

namespace lab::grade {
namespace {

using report::tr;

// In the reader's language; it may hold a student's words.
std::string said(const Message& message) { return base::markup_escaped(report::translated(message)); }

std::string share_text(const std::string& part, const std::string& whole) { return part + " / " + whole; }

std::string kind_text(judge::CaseKind kind) {
  switch (kind) {
    case judge::CaseKind::Holds:
      return tr("holds");
    case judge::CaseKind::Goal:
      return tr("goal");
    case judge::CaseKind::Prediction:
      break;
  }
  return tr("prediction");
}

// As reasons_text, for a reader.
std::string words_of(const judge::CaseResult& result) {
  std::string text;
  for (const judge::Reason& reason : result.reasons) {
    if (!text.empty()) text += "\n";
    if (reason.line != 0) text += fmt::format("{}:{}: ", reason.file, reason.line);
    text += report::translated(reason.message);
    for (const judge::Figure& f : reason.figures)
      text += fmt::format("\n  {} {}   {}", report::translated(f.name), report::grouped(f.value),
                          tr("goal {}", report::grouped(f.goal)));
  }
  return text;
}

std::string page(const std::string& title, const std::string& body, bool script) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}{}</body>\n</html>\n",
      report::language_of_page(), base::markup_escaped(title), kFileClassReportCss, body,
      script ? "<script>\n" + kFileClassReportJs + "</script>\n" : std::string());
}

const char* look_of(const Graded& g) {
  if (g.passed) return "passed";
  if (g.record.source.empty()) return "none";
  return g.points > 0 ? "part" : "failed";
}

// What a person decided, as a sentence.
std::string by_hand_text(const Graded& g) {
  const ByHand& decided = *g.record.by_hand;
  const std::string points = decided.points ? tr("{} points, set by hand (judged: {})",
                                                 points_text(*decided.points), points_text(g.judged_points))
                                            : "";
  return points + (points.empty() || decided.comment.empty() ? "" : ": ") + base::printable(decided.comment);
}

// A word or sign beside every colour.
std::string cell_of(const Graded& g, const std::string& link) {
  const std::string points = points_text(g.points);
  const std::string sort = fmt::format("{}", g.points);
  if (g.record.by_hand)
    return fmt::format("<td class=\"{}\" data-sort=\"{}\" title=\"{}\"><a href=\"{}#{}\">✎ {}</a></td>",
                       look_of(g), sort, base::markup_escaped(by_hand_text(g)), link, g.record.chapter,
                       points);
  if (g.record.judgement.state == "missing")
    return fmt::format("<td class=\"none\" data-sort=\"-1\" title=\"{}\">–</td>", tr("no kernel"));
  if (!g.has_points())
    return fmt::format("<td class=\"none\" data-sort=\"-1\" title=\"{}\">?</td>",
                       base::markup_escaped(g.shown_message()));
  const std::string sign = g.passed ? "✓" : g.record.judgement.untouched ? tr("untouched") : "✗";
  const std::string title = g.passed ? tr("passed") : g.diagnosis + ": " + g.shown_message();
  return fmt::format("<td class=\"{}\" data-sort=\"{}\" title=\"{}\"><a href=\"{}#{}\">{} {}</a></td>",
                     look_of(g), sort, base::markup_escaped(title), link, g.record.chapter, sign, points);
}

std::string class_table(const ClassResult& result) {
  const std::vector<StudentView> students = by_student(result);
  const std::vector<ChapterStatistics> chapters = statistics(result);
  std::string text = fmt::format(
      "<div class=\"scroll\">\n<table class=\"sortable\">\n<thead><tr><th scope=\"col\">{}</th>"
      "<th scope=\"col\">{}</th>",
      tr("student"), tr("points"));
  std::int64_t possible = 0;
  for (const StudentView& student : students) possible = std::max(possible, student.points_possible());
  for (const ChapterStatistics& s : chapters)
    text += fmt::format("<th scope=\"col\">{}{}</th>", s.chapter, s.bonus ? "<br>" + tr("bonus") : "");
  text += "</tr></thead>\n<tbody>\n";
  for (const StudentView& student : students) {
    const std::string link = student_link(student.student);
    text +=
        fmt::format("<tr><td><a href=\"{}\">{}</a></td><td data-sort=\"{}\">{}</td>", link,
                    base::markup_escaped(student.student), student.points(), points_text(student.points()));
    for (const ChapterStatistics& s : chapters) {
      const Graded* g = student.of(s.chapter);
      std::string cell = g != nullptr ? cell_of(*g, link) : "<td class=\"none\" data-sort=\"-1\"></td>";
      if (student.dropped.contains(s.chapter))
        cell.replace(cell.rfind("</td>"), 5, "<br>" + tr("does not count") + "</td>");
      text += cell;
    }
    text += "</tr>\n";
  }
  text += fmt::format("</tbody>\n<tfoot><tr><td>{}</td><td>{}</td>", tr("possible"), points_text(possible));
  for (const ChapterStatistics& s : chapters)
    text += fmt::format("<td>{}</td>", points_text(s.points_possible));
  text += fmt::format("</tr>\n<tr><td>{}</td><td></td>", tr("mean"));
  for (const ChapterStatistics& s : chapters) text += fmt::format("<td>{}</td>", mean_points_text(s));
  text += fmt::format("</tr>\n<tr><td>{}</td><td></td>", tr("passed"));
  for (const ChapterStatistics& s : chapters) text += fmt::format("<td>{} / {}</td>", s.passed, s.students);
  return text + "</tr></tfoot>\n</table>\n</div>\n";
}

std::string diagnosis_table(const ClassResult& result) {
  std::string text = fmt::format(
      "<h2>{}</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\">{}</th>"
      "<th scope=\"col\">{}</th><th scope=\"col\" class=\"words\">{}</th>"
      "<th scope=\"col\" class=\"words\">{}</th></tr></thead>\n<tbody>\n",
      tr("Common diagnoses"), tr("chapter"), tr("students"), tr("first failure"), tr("what it means"));
  bool any = false;
  for (const ChapterStatistics& s : statistics(result)) {
    for (const auto& [code, count] : s.diagnoses) {
      const report::Explanation* explanation = report::find_explanation(code);
      text += fmt::format(
          "<tr><td>{}</td><td>{}</td><td class=\"words\">{}</td><td class=\"words\">{}</td></tr>\n",
          s.chapter, count, base::markup_escaped(code),
          explanation ? said(Message(explanation->meaning, {})) : "");
      any = true;
    }
  }
  return any ? text + "</tbody>\n</table>\n</div>\n" : "";
}

std::string hashes_block(const Record& record) {
  std::string text = "<details><summary>" + tr("Fingerprints of what judged") + "</summary>\n<pre>";
  for (const auto& [key, value] : record.tools.listed())
    text += fmt::format("{:<14} {}\n", key, base::markup_escaped(value));
  return text + "</pre></details>\n";
}

// What has no verdict, by name: it is no zero.
std::string open_block(const ClassResult& result) {
  std::string list;
  std::size_t count = 0;
  for (const Graded& g : result.graded) {
    if (g.record.judgement.is_verdict()) continue;
    ++count;
    list += fmt::format("<li><a href=\"{}\">{}</a> {}: {}</li>\n", student_link(g.record.student),
                        base::markup_escaped(g.record.student), g.record.chapter,
                        base::markup_escaped(g.shown_message()));
  }
  if (count == 0) return "";
  const std::string whole =
      result.complete ? "" : "<p class=\"bad\">" + tr("This report is not whole.") + "</p>\n";
  return whole + fmt::format("<h2 class=\"bad\">{}</h2>\n<p>{}</p>\n<ul>\n{}</ul>\n",
                             tr("{} without a verdict", count), tr("They are no zeros: sums leave them out."),
                             list);
}

std::string problems_block(const ClassResult& result) {
  if (result.problems.empty()) return "";
  std::string text = "<h2>" + tr("Refused") + "</h2>\n<ul>\n";
  for (const auto& [student, problems] : result.problems) {
    for (const Message& problem : problems)
      text += fmt::format("<li><a href=\"{}\">{}</a>: {}</li>\n", student_link(student),
                          base::markup_escaped(student), said(problem));
  }
  return text + "</ul>\n";
}

std::string case_table(const Graded& g) {
  std::string text = fmt::format(
      "<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th>"
      "<th scope=\"col\" class=\"words\">{}</th></tr></thead>\n<tbody>\n",
      tr("case"), tr("points"), tr("verdict"));
  for (std::size_t i = 0; i < g.score.cases.size(); ++i) {
    const judge::CaseResult& c = g.record.judgement.evaluation.cases[i];
    const CaseScore& s = g.score.cases[i];
    const char* look = c.passed ? "passed" : !c.reached ? "none" : s.points > 0 ? "part" : "failed";
    const std::string gate = s.gate.empty() ? "" : "; " + report::translated_form(s.gate);
    const std::string verdict =
        c.passed ? "✓ " + tr("passed") + gate : (c.reached ? "✗ " : "– ") + words_of(c);
    text += fmt::format(
        "<tr><td>{}<br><span class=\"faint\">{}</span></td><td>{}</td><td class=\"words {}\">{}</td></tr>\n",
        said(Message(c.name, {})), kind_text(c.kind),
        share_text(points_text(s.points), points_text(s.points_possible)), look,
        base::markup_escaped(verdict));
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

// The kernel's text, with the lines that some case blames.
std::string source_block(const Graded& g, const std::string& source) {
  std::set<int> blamed;
  for (const judge::CaseResult& c : g.record.judgement.evaluation.cases) {
    for (const judge::Reason& reason : c.reasons) {
      if (reason.line != 0 && reason.file == kKernelName) blamed.insert(reason.line);
    }
  }
  std::string text = "<details><summary>" + tr("The kernel as handed in") + "</summary>\n<pre>";
  int number = 1;
  const std::string valid = report::Json::parse(report::dump(report::Json(source))).get<std::string>();
  for (std::size_t at = 0; at < valid.size(); ++number) {
    const std::size_t end = std::min(valid.find('\n', at), valid.size());
    text += fmt::format("<span class=\"line{}\"><span class=\"number\">{}</span>{}</span>",
                        blamed.count(number) ? " blamed" : "", number,
                        base::markup_escaped(valid.substr(at, end - at)));
    at = end + 1;
  }
  return text + "</pre></details>\n";
}

// Our own sentences mark code with backticks; one without a partner stays as it is.
std::string with_code_spans(const std::string& escaped) {
  std::string html;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = escaped.find('`', at);
    const std::size_t close = open == std::string::npos ? open : escaped.find('`', open + 1);
    if (close == std::string::npos) return html + escaped.substr(at);
    html += escaped.substr(at, open - at) + "<code>" + escaped.substr(open + 1, close - open - 1) + "</code>";
    at = close + 1;
  }
}

// What the student does now: what the first failure means, and the commands that say more.
std::string next_block(const Graded& g) {
  if (g.passed) return "";
  const report::Explanation* e = report::find_explanation(g.diagnosis);
  const int number = std::atoi(g.record.chapter.c_str());
  const std::string meaning =
      e == nullptr ? "" : with_code_spans(said(Message(e->meaning, {}).then(Message(e->remedy, {}))));
  const std::string next =
      tr("In your clone: `./lab check {}`, then `./lab hint {}`; the lesson is chapters/{}/README.md.",
         number, number, g.record.chapter);
  return fmt::format("<p><strong>{}</strong> {}</p>\n<p>{}</p>\n", base::markup_escaped(g.diagnosis), meaning,
                     with_code_spans(base::markup_escaped(next)));
}

}  // namespace

std::string student_link(const std::string& student) {
  std::string link = "students/";
  for (const char c : student + ".html") {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    link += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return link;
}

std::string class_page(const ClassResult& result) {
  const std::string title = tr("Transpose Lab: class report");
  const std::size_t students = result.students.size();
  std::string body = fmt::format(
      "<h1>{}</h1>\n<p class=\"faint\">{}</p>\n", title,
      students == 1
          ? tr("1 submission, {} kernels, {} different", result.kernels, result.different)
          : tr("{} submissions, {} kernels, {} different", students, result.kernels, result.different));
  body += open_block(result);
  body += "<main>\n" + class_table(result) + diagnosis_table(result) + problems_block(result);
  if (!result.graded.empty()) body += hashes_block(result.graded.front().record);
  return page(title, body + "</main>\n", true);
}

std::string student_page(const StudentView& student, const std::vector<Message>& problems,
                         const std::function<std::string(const std::string& sha256)>& source, bool alone) {
  std::string body = alone ? "" : fmt::format("<nav><a href=\"../index.html\">← {}</a></nav>\n", tr("class"));
  body += "<main>\n";
  body += fmt::format(
      "<h1>{}</h1>\n<p>{}</p>\n", base::markup_escaped(student.student),
      tr("{} of {} points", points_text(student.points()), points_text(student.points_possible())));
  for (const Message& problem : problems) body += fmt::format("<p class=\"bad\">{}</p>\n", said(problem));
  for (const Graded* g : student.chapters) {
    body += fmt::format("<section id=\"{}\">\n<h2>{} · {}</h2>\n", g->record.chapter, g->record.chapter,
                        share_text(points_text(g->points), points_text(g->points_possible)));
    if (student.dropped.contains(g->record.chapter))
      body += "<p>" + tr("Does not count: it is among the lowest, which the rubric drops.") + "</p>\n";
    if (g->late_percent != 0)
      body += fmt::format("<p class=\"bad\">{}</p>\n",
                          tr("Handed in {}: {} % of the points are taken off for being late.",
                             base::markup_escaped(g->record.submitted), g->late_percent));
    if (g->record.by_hand)
      body += fmt::format("<p><strong>{}</strong></p>\n", base::markup_escaped(by_hand_text(*g)));
    if (g->earlier) body += "<p class=\"faint\">" + tr("Of an earlier run.") + "</p>\n";
    if (g->record.source.empty()) {
      body +=
          fmt::format("<p class=\"faint\">{}</p>\n</section>\n", base::markup_escaped(g->shown_message()));
      continue;
    }
    body += fmt::format("<p class=\"faint\">{}</p>\n", base::markup_escaped(g->record.file));
    body += next_block(*g);
    body += case_table(*g) + source_block(*g, source(g->record.source)) + "</section>\n";
  }
  if (!student.chapters.empty()) body += hashes_block(student.chapters.front()->record);
  return page(student.student, body + "</main>\n", false);
}

}  // namespace lab::grade
