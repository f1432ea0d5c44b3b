// Writes records. See record.h.
#include "common/class/grade/record.h"

#include <fmt/core.h>

#include <cmath>
#include <sstream>

#include "common/base/text/text.h"
#include "common/class/grade/times.h"
#include "common/course/judge/checks.h"

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
    if (!g.score.cases[i].gate.empty()) c["gate"] = g.score.cases[i].gate;
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

namespace {

// Answers of another seat's exam are answers to other questions.
void hold_to_seat(Record& record) {
  Judgement& judgement = record.judgement;
  if (!record.seat || !judgement.seat || *record.seat == *judgement.seat) return;
  const judge::ChapterInfo* chapter = judge::find_chapter(record.chapter);
  if (chapter == nullptr) return;
  const std::optional<int> named = judgement.seat;
  judgement = not_judged(*chapter, "refused", "another-seat",
                         msg("SEAT is {}, and the roster has seat {} for this person: these are answers to "
                             "another seat's questions.",
                             *named, *record.seat));
  judgement.seat = named;
}

// A finding that is right by now is practice.
void hold_to_first_findings(Record& record) {
  for (judge::CaseResult& c : record.judgement.evaluation.cases)
    if (const auto first = record.first_findings.find(c.id); first != record.first_findings.end())
      c.finding = first->second;
}

void say_first_failure(Graded& g) {
  if (const judge::CaseResult* failure = g.record.judgement.evaluation.first_failure();
      failure && !failure->reasons.empty()) {
    g.diagnosis = failure->reasons.front().code;
    g.message = one_line(failure->reasons.front().message.english());
  }
}

std::int64_t hundredths_of(const report::Json& points) {
  return points.is_number() ? std::llround(points.get<double>() * 100) : 0;
}

}  // namespace

std::string Graded::shown_message() const {
  const judge::CaseResult* failure = record.judgement.evaluation.first_failure();
  return failure == nullptr || failure->reasons.empty()
             ? ""
             : one_line(text::translated(failure->reasons.front().message));
}

Graded graded(Record record, const Rubric& rubric) {
  Graded g;
  hold_to_seat(record);
  hold_to_first_findings(record);
  g.record = std::move(record);
  const Record& r = g.record;
  const judge::Evaluation& evaluation = r.judgement.evaluation;
  g.score = score(evaluation, rubric);
  const std::optional<std::int64_t> submitted = seconds_of(r.submitted);
  if (submitted) g.late_percent = rubric.late().percent(r.chapter, *submitted, r.extension);
  g.judged_points = g.score.points() * (100 - g.late_percent) / 100;
  g.points = r.by_hand && r.by_hand->points ? *r.by_hand->points : g.judged_points;
  g.points_possible = g.score.points_possible();
  g.bonus = rubric.bonus(r.chapter);
  g.passed = r.judgement.state == "judged" && evaluation.passed();
  g.terms = rubric.terms(r.chapter, submitted, r.extension, evaluation);
  say_first_failure(g);
  return g;
}

std::map<std::string, judge::SaidFinding> first_findings_in(const report::Json& record,
                                                            const std::string& key) {
  std::map<std::string, judge::SaidFinding> findings;
  if (record.value("key", std::string()) != key || !record.contains("cases")) return findings;
  for (const report::Json& c : record.at("cases"))
    if (const report::Json* finding = c.find("finding"))
      findings[c.at("id").get<std::string>()] = finding_from(*finding);
  return findings;
}

report::Json by_hand_json(const Graded& g) {
  if (!g.record.by_hand) return {};
  const ByHand& decided = *g.record.by_hand;
  return {{"points", decided.points ? points_json(*decided.points) : report::Json()},
          {"comment", decided.comment},
          {"judged", points_json(g.judged_points)}};
}

std::optional<ByHand> by_hand_of(const report::Json& record) {
  if (!record.contains("by_hand")) return std::nullopt;
  const report::Json& json = record.at("by_hand");
  ByHand decided;
  if (json.at("points").is_number()) decided.points = hundredths_of(json.at("points"));
  decided.comment = json.at("comment");
  return decided;
}

std::optional<Graded> graded_before(const std::string& text) {
  try {
    const report::Json json = report::Json::parse(text);
    Graded g;
    g.earlier = true;
    Record& r = g.record;
    r.student = json.at("student");
    r.chapter = json.at("chapter");
    r.file = json.at("file");
    r.source = json.at("hashes").at("submission");
    r.key = json.value("key", std::string());
    r.submitted = json.value("submitted", std::string());
    r.by_hand = by_hand_of(json);
    auto judgement = judgement_from(text, r.chapter);
    if (!judgement) return std::nullopt;
    r.judgement = *std::move(judgement);
    for (const report::Json& c : json.at("cases"))
      g.score.cases.push_back({hundredths_of(c.at("points")), hundredths_of(c.at("points_possible")),
                               c.at("credit").get<int>(), c.value("gate", std::string())});
    g.points = hundredths_of(json.at("points"));
    g.judged_points = r.by_hand ? hundredths_of(json.at("by_hand").at("judged")) : g.points;
    g.points_possible = hundredths_of(json.at("points_possible"));
    g.late_percent = json.value("late_percent", 0);
    g.bonus = json.contains("terms") && json.at("terms").value("bonus", false);
    g.passed = json.at("passed");
    say_first_failure(g);
    return g;
  } catch (const report::Json::exception&) {
    return std::nullopt;
  }
}

std::string record_text(const Graded& g) {
  const Record& r = g.record;
  report::Json hashes = {{"submission", r.source}};
  for (const auto& [key, value] : r.tools.listed()) hashes[key] = value;
  report::Json json = {
      {"format", kRecordFormat},
      {"student", r.student},
      {"chapter", r.chapter},
      {"state", r.judgement.state},
      {"untouched", r.judgement.untouched},
      {"key", r.key},
      {"passed", g.passed},
      {"points", r.judgement.is_verdict() || r.by_hand ? points_json(g.points) : report::Json()},
      {"points_possible", points_json(g.points_possible)},
      {"diagnosis", g.diagnosis},
      {"file", r.file},
      {"hashes", hashes},
      {"cases", cases_json(g)}};
  if (!r.submitted.empty()) {
    json["submitted"] = r.submitted;
    json["late_percent"] = g.late_percent;
  }
  if (r.seat && r.judgement.seat) json["seat"] = *r.seat;
  if (r.by_hand) json["by_hand"] = by_hand_json(g);
  json["terms"] = g.terms;
  return json.dump(1) + "\n";
}

}  // namespace lab::grade
