// Pairs of similar kernels as text, JSON and a page. See similar_class.h.
#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "common/base/markup.h"
#include "common/base/printable.h"
#include "common/class/grade/similar/similar_class.h"
#include "common/ui/table.h"

namespace lab::grade {
namespace {

using report::Align;
using report::Ink;
using report::Json;
using report::tr;

constexpr const char* kCaution =
    "These numbers are reasons to look, not verdicts. Small correct kernels converge: there are few good "
    "ways to write a transpose, and students read the same lesson. Copying shows in what no transpose needs: "
    "odd steps, odd constants, the same mistake.";

constexpr const char* kWeaker =
    "Weaker signs. These do what most right kernels do, and are written alike beyond skeleton and solution:";

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string what_is_equal(const SimilarPair& pair) {
  if (pair.same_text) return tr("same text");
  if (pair.same_ptx) return tr("same instructions");
  return pair.does_own >= kSameBehaviour ? tr("does the same") : "";
}

std::string lines_text(const std::vector<SharedPart>& parts) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), kMost); ++i) {
    const SharedPart& p = parts[i];
    text += fmt::format("{}{}–{} = {}–{}", i == 0 ? "" : ", ", p.first_a, p.last_a, p.first_b, p.last_b);
  }
  return text + (parts.size() > kMost ? ", …" : "");
}

std::string escaped(std::string_view raw) { return base::markup_escaped(base::printable(raw)); }

// The source with its shared lines marked.
std::string source_html(const std::string& source, const SimilarPair& pair, bool is_a) {
  std::istringstream in(source);
  std::string html = "<pre>";
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const bool shared = std::any_of(pair.parts.begin(), pair.parts.end(), [&](const SharedPart& p) {
      return number >= (is_a ? p.first_a : p.first_b) && number <= (is_a ? p.last_a : p.last_b);
    });
    html += fmt::format("<span class=\"{}\">{:3} {} {}</span>\n", shared ? "shared" : "other", number,
                        shared ? "=" : " ", escaped(line));
  }
  return html + "</pre>";
}

std::string pair_html(const ChapterSimilarity& chapter, const SimilarPair& pair) {
  const KernelToCompare& a = chapter.kernels[pair.a];
  const KernelToCompare& b = chapter.kernels[pair.b];
  const std::string equal = what_is_equal(pair);
  const std::string words =
      tr("{} and {}: {} shared, {} of what solutions lack, {} of what both do, {} of the words",
         "<b>" + escaped(a.student) + "</b>", "<b>" + escaped(b.student) + "</b>", percent(pair.shared),
         percent(pair.own), percent(pair.does_own), percent(pair.written));
  return fmt::format(
      "<details><summary>{}{}</summary>\n"
      "<div class=\"two\"><section><h4>{}</h4>{}</section><section><h4>{}</h4>{}</section></div></details>\n",
      words, equal.empty() ? "" : "; " + equal, escaped(a.student), source_html(a.source, pair, true),
      escaped(b.student), source_html(b.source, pair, false));
}

constexpr const char* kHead = R"(<!doctype html>
<html lang="{0}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{1}</title><style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 1200px; margin: 2rem auto; padding: 0 1rem; }}
.two {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 500px), 1fr)); gap: 1rem; }}
:focus-visible {{ outline: 3px solid #0b57a4; outline-offset: 2px; }}
section {{ min-width: 0; }}
pre {{ font: 12px/1.45 ui-monospace, monospace; overflow-x: auto; border: 1px solid #8886; padding: .5rem; }}
.shared {{ background: #f5b94155; font-weight: 600; }}
.caution {{ border-left: 4px solid #d08a00; padding-left: 1rem; }}
summary {{ cursor: pointer; padding: .2rem 0; }}
</style></head><body>
<h1>{1}</h1>
)";

std::string pairs_text(const ChapterSimilarity& chapter, const std::vector<SimilarPair>& pairs,
                       std::size_t found, const report::Style& style) {
  report::Table table;
  table.column("student", Align::Left)
      .column("student", Align::Left)
      .column("shared")
      .column("beyond the solutions")
      .column("does")
      .column("written");
  table.column("", Align::Left).column("lines", Align::Left);
  for (const SimilarPair& pair : pairs) {
    table.row({{base::printable_line(chapter.kernels[pair.a].student)},
               {base::printable_line(chapter.kernels[pair.b].student)},
               {percent(pair.shared)},
               {percent(pair.own), pair.own >= 0.8 ? Ink::Bad : Ink::Plain},
               {percent(pair.does_own), pair.does_own >= kSameBehaviour ? Ink::Bad : Ink::Plain},
               {percent(pair.written)},
               {what_is_equal(pair), Ink::Bad},
               {lines_text(pair.parts), Ink::Faint}});
  }
  std::string text = table.text(style, "  ");
  if (found > pairs.size()) text += "  " + tr("and {} more pairs", found - pairs.size()) + "\n";
  return text;
}

Json pairs_json(const ChapterSimilarity& chapter, const std::vector<SimilarPair>& pairs) {
  Json list = Json::array();
  for (const SimilarPair& pair : pairs) {
    Json parts = Json::array();
    for (const SharedPart& p : pair.parts)
      parts.push_back(
          {{"a", {p.first_a, p.last_a}}, {"b", {p.first_b, p.last_b}}, {"instructions", p.instructions}});
    list.push_back({{"a", chapter.kernels[pair.a].student},
                    {"b", chapter.kernels[pair.b].student},
                    {"same_text", pair.same_text},
                    {"same_instructions", pair.same_ptx},
                    {"shared", pair.shared},
                    {"beyond_solutions", pair.own},
                    {"does", pair.does},
                    {"does_beyond_solutions", pair.does_own},
                    {"written", pair.written},
                    {"parts", parts}});
  }
  return list;
}

}  // namespace

std::string similar_text(const std::vector<ChapterSimilarity>& chapters, const report::Style& style) {
  std::string text;
  for (const ChapterSimilarity& chapter : chapters) {
    if (chapter.kernels.empty() && chapter.not_compiled == 0) continue;  // not handed in
    text += style.paint(chapter.chapter, Ink::Strong) + "   " +
            tr("{} kernels compared", chapter.found.kernels) +
            (chapter.not_compiled == 0 ? "" : ", " + tr("{} do not compile", chapter.not_compiled)) + "\n";
    if (!chapter.found.like_solution.empty()) {
      text +=
          "  " + tr("{} consist of the solution's instructions", chapter.found.like_solution.size()) + "\n";
    }
    const Similarity& found = chapter.found;
    text += found.pairs.empty() ? "  " + tr("no pair stands out") + "\n"
                                : pairs_text(chapter, found.pairs, found.pairs_found, style);
    if (!found.weaker.empty()) {
      text += "\n  " + report::translated(kWeaker) + "\n" +
              pairs_text(chapter, found.weaker, found.weaker_found, style);
    }
    text += "\n";
  }
  return text + text::translated_form(kCaution) + "\n";
}

Json similar_json(const std::vector<ChapterSimilarity>& chapters) {
  Json list = Json::array();
  for (const ChapterSimilarity& chapter : chapters) {
    Json like = Json::array();
    for (const std::size_t i : chapter.found.like_solution) like.push_back(chapter.kernels[i].student);
    list.push_back({{"chapter", chapter.chapter},
                    {"kernels", chapter.found.kernels},
                    {"not_compiled", chapter.not_compiled},
                    {"like_solution", like},
                    {"pairs_found", chapter.found.pairs_found},
                    {"pairs", pairs_json(chapter, chapter.found.pairs)},
                    {"weaker_found", chapter.found.weaker_found},
                    {"weaker", pairs_json(chapter, chapter.found.weaker)}});
  }
  return {{"chapters", list}, {"caution", kCaution}};
}

std::string similar_page(const std::vector<ChapterSimilarity>& chapters) {
  std::string html = fmt::format(kHead, report::language_of_page(), tr("Similar kernels")) +
                     fmt::format("<p class=\"caution\">{}</p>\n", escaped(text::translated_form(kCaution)));
  html += "<p>" +
          tr("Compared are the compiled instructions, without names of registers, comments and layout. What "
             "the skeleton has is left out; of what solutions lack leaves out the reference solutions too. "
             "Lines marked with = are shared.") +
          "</p>\n";
  for (const ChapterSimilarity& chapter : chapters) {
    html +=
        fmt::format("<h2>{}</h2><p>{}</p>\n", escaped(chapter.chapter),
                    tr("{} kernels compared, {} pairs.", chapter.found.kernels, chapter.found.pairs_found));
    for (const SimilarPair& pair : chapter.found.pairs) html += pair_html(chapter, pair);
    if (!chapter.found.weaker.empty())
      html += fmt::format("<h3>{}</h3>\n", escaped(report::translated(kWeaker)));
    for (const SimilarPair& pair : chapter.found.weaker) html += pair_html(chapter, pair);
    if (chapter.found.pairs.empty() && chapter.found.weaker.empty())
      html += "<p>" + tr("No pair stands out.") + "</p>\n";
  }
  return html + "</body></html>\n";
}

}  // namespace lab::grade
