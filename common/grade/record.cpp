// Writes records. See record.h.
#include "common/grade/record.h"

#include <sstream>

#include "common/grade/times.h"

namespace lab::grade {
namespace {

report::Json cases_json(const Graded& g) {
  report::Json cases = to_json(g.record.judgement).at("cases");
  for (std::size_t i = 0; i < g.score.cases.size(); ++i) {
    report::Json& c = cases.at(i);
    c.erase("shapes");
    c.erase("earns");
    c["points"] = points_json(g.score.cases[i].points);
    c["points_possible"] = points_json(g.score.cases[i].points_possible);
    c["credit"] = g.score.cases[i].credit;
    const report::Json reasons = c["reasons"];
    c.erase("reasons");
    c["reasons"] = reasons;  // last: what is long stands behind what is short
  }
  return cases;
}

// The first line; where it only announces what follows ("the compiler says:"), the first error with it.
std::string one_line(const std::string& message) {
  const std::size_t end = message.find('\n');
  std::string line = message.substr(0, end);
  if (end == std::string::npos || !line.ends_with(':')) return line;
  std::istringstream rest(message.substr(end + 1));
  std::string first;
  for (std::string next; std::getline(rest, next);) {
    const bool is_error = next.find("error") != std::string::npos;
    if (first.empty() || is_error) first = next;
    if (is_error) break;
  }
  return line + " " + first;
}

}  // namespace

report::Json points_json(std::int64_t hundredths) {
  if (hundredths % 100 == 0) return hundredths / 100;
  return double(hundredths) / 100;
}

Graded graded(Record record, const Rubric& rubric) {
  Graded g;
  g.record = std::move(record);
  const judge::Evaluation& evaluation = g.record.judgement.evaluation;
  g.score = score(evaluation, rubric);
  if (const auto seconds = seconds_of(g.record.submitted))
    g.late_percent = rubric.late().percent(g.record.chapter, g.record.student, *seconds);
  g.points = g.score.points() * (100 - g.late_percent) / 100;
  g.points_possible = g.score.points_possible();
  g.passed = g.record.judgement.state == "judged" && evaluation.passed();
  if (const judge::CaseResult* failure = evaluation.first_failure(); failure && !failure->reasons.empty()) {
    g.diagnosis = failure->reasons.front().code;
    g.message = one_line(failure->reasons.front().message);
  }
  return g;
}

std::string record_text(const Graded& g) {
  const Record& r = g.record;
  report::Json hashes = {{"submission", r.source}};
  for (const auto& [key, value] : r.tools.listed()) hashes[key] = value;
  report::Json json = {{"format", kRecordFormat},
                       {"student", r.student},
                       {"chapter", r.chapter},
                       {"state", r.judgement.state},
                       {"untouched", r.judgement.untouched},
                       {"key", r.key},
                       {"passed", g.passed},
                       {"points", points_json(g.points)},
                       {"points_possible", points_json(g.points_possible)},
                       {"diagnosis", g.diagnosis},
                       {"file", r.file},
                       {"hashes", hashes},
                       {"cases", cases_json(g)}};
  if (!r.submitted.empty()) {
    json["submitted"] = r.submitted;
    json["late_percent"] = g.late_percent;
  }
  return json.dump(1) + "\n";
}

}  // namespace lab::grade
