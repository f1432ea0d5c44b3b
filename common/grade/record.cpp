// Writes records. See record.h.
#include "common/grade/record.h"

namespace lab::grade {
namespace {

// 7.2, or 13 without a dot: as short as JSON allows, and one way only.
report::Json points_json(std::int64_t hundredths) {
  if (hundredths % 100 == 0) return hundredths / 100;
  return double(hundredths) / 100;
}

report::Json cases_json(const Judgement& judgement, const Rubric& rubric) {
  report::Json cases = to_json(judgement).at("cases");
  const Score scored = score(judgement.evaluation, rubric);
  for (std::size_t i = 0; i < scored.cases.size(); ++i) {
    report::Json& c = cases.at(i);
    c.erase("shapes");
    c["points"] = points_json(scored.cases[i].points);
    c["points_possible"] = points_json(scored.cases[i].points_possible);
    c["credit"] = scored.cases[i].credit;
    const report::Json reasons = c["reasons"];
    c.erase("reasons");
    c["reasons"] = reasons;  // last: what is long stands behind what is short
  }
  return cases;
}

}  // namespace

Graded graded(Record record, const Rubric& rubric) {
  Graded g;
  g.record = std::move(record);
  const harness::Evaluation& evaluation = g.record.judgement.evaluation;
  const Score scored = score(evaluation, rubric);
  g.points = scored.points();
  g.points_possible = scored.points_possible();
  g.passed = g.record.judgement.state == "judged" && evaluation.passed();
  if (const harness::CaseResult* failure = evaluation.first_failure(); failure && !failure->reasons.empty()) {
    g.diagnosis = failure->reasons.front().code;
    const std::string& message = failure->reasons.front().message;
    g.message = message.substr(0, message.find('\n'));
  }
  return g;
}

std::string record_text(const Graded& g, const Rubric& rubric) {
  const Record& r = g.record;
  report::Json hashes = {{"submission", r.source}};
  for (const auto& [key, value] : r.tools.listed()) hashes[key] = value;
  const report::Json json = {{"format", kRecordFormat},
                             {"student", r.student},
                             {"chapter", r.chapter},
                             {"state", r.judgement.state},
                             {"passed", g.passed},
                             {"points", points_json(g.points)},
                             {"points_possible", points_json(g.points_possible)},
                             {"diagnosis", g.diagnosis},
                             {"file", r.file},
                             {"hashes", hashes},
                             {"cases", cases_json(r.judgement, rubric)}};
  return json.dump(1, ' ', false, report::Json::error_handler_t::replace) + "\n";
}

}  // namespace lab::grade
