// What a student has reached, in one small file.
#include "common/course/lessons/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "common/base/files.h"
#include "common/base/json.h"
#include "common/base/project.h"
#include "common/course/judge/predictions.h"

namespace lab::course {
namespace {

namespace fs = std::filesystem;
using base::Json;

fs::path file() { return base::project_root() / ".lab" / "progress.json"; }

// Only what a code can be: this text is printed.
std::string code_or_nothing(const Json& object, const char* key) {
  const Json* found = object.find(key);
  if (found == nullptr || !found->is_string()) return {};
  const std::string text = found->get<std::string>();
  const bool plain = text.size() <= 64 && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == text.npos;
  return plain ? text : std::string();
}

bool is_true(const Json& object, const char* key) {
  const Json* found = object.find(key);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

// The whole range of an int is read back as it was written; what no int holds was not written here.
std::optional<int> as_int(const Json& number) {
  if (!number.is_number_integer()) return std::nullopt;
  const auto value = number.get<std::int64_t>();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(value);
}

// What is counted from 0 on.
int count_of(const Json& object, const char* key) {
  const Json* found = object.find(key);
  return found == nullptr ? 0 : std::max(0, as_int(*found).value_or(0));
}

std::vector<std::string> facts_of(const Json& object) {
  std::vector<std::string> facts;
  const Json* found = object.find("facts");
  if (found == nullptr || !found->is_array()) return facts;
  for (const Json& fact : *found) {
    if (fact.is_string()) facts.push_back(fact.get<std::string>());
  }
  return facts;
}

std::map<std::string, int> guesses_of(const Json& object) {
  std::map<std::string, int> guesses;
  const Json* found = object.find("first_guesses");
  if (found == nullptr || !found->is_object()) return guesses;
  for (const auto& [question, guess] : found->items()) {
    if (const auto answer = as_int(guess)) guesses[question] = *answer;
  }
  return guesses;
}

std::map<std::string, judge::SaidFinding> findings_of(const Json& object) {
  std::map<std::string, judge::SaidFinding> findings;
  const Json* found = object.find("first_findings");
  if (found == nullptr || !found->is_object()) return findings;
  for (const auto& [name, finding] : found->items()) {
    if (!finding.is_object()) continue;
    findings[name] = {count_of(finding, "seat"), count_of(finding, "line"), count_of(finding, "cause"),
                      count_of(finding, "worth"), is_true(finding, "right")};
  }
  return findings;
}

Json json_of(const std::map<std::string, judge::SaidFinding>& findings) {
  Json all = Json::object();
  for (const auto& [name, finding] : findings) all[name] = judge::to_json(finding);
  return all;
}

}  // namespace

std::map<std::string, int> note_first_findings(ChapterProgress& chapter,
                                               const judge::Evaluation& evaluation) {
  std::map<std::string, int> cost;
  for (const judge::CaseResult& c : evaluation.cases) {
    if (!c.finding) continue;
    const auto& [name, first] =
        *chapter.first_findings.emplace(fmt::format("{}/{}", c.finding->seat, c.id), *c.finding).first;
    if (c.passed && !first.right) cost[c.id] = c.finding->worth;
  }
  return cost;
}

void note_first_guesses(ChapterProgress& chapter, const Predictions& predictions) {
  for (const judge::Question& question : judge::all_questions()) {
    const int answer = predictions.*question.member;
    if (answer != 0) chapter.first_guesses.emplace(question.name, answer);
  }
}

std::optional<int> wrong_first_guess(const ChapterProgress& chapter, const judge::CaseResult& prediction) {
  for (judge::Answer answer : prediction.answers) {
    const auto first = chapter.first_guesses.find(answer.question);
    if (first == chapter.first_guesses.end()) continue;
    answer.answer = first->second;
    if (!answer.right()) return first->second;
  }
  return std::nullopt;
}

Progress Progress::load() { return parse(base::read_file(file()).value_or("")).value_or(Progress()); }

std::optional<Progress> Progress::parse(std::string_view text) {
  Progress progress;
  const Json json = Json::try_parse(text).value_or(nullptr);
  if (!json.is_object() || !json.contains("chapters") || !json["chapters"].is_object()) return std::nullopt;
  for (const auto& [name, entry] : json["chapters"].items()) {
    if (!entry.is_object()) continue;
    ChapterProgress& chapter = progress.chapters_[name];
    chapter.passed = is_true(entry, "passed");
    chapter.points = count_of(entry, "points");
    chapter.hints = count_of(entry, "hints");
    chapter.again = is_true(entry, "again");
    chapter.diagnosis = code_or_nothing(entry, "diagnosis");
    chapter.line = count_of(entry, "line");
    chapter.diagnosis_hinted = is_true(entry, "diagnosis_hinted");
    chapter.asked = is_true(entry, "asked");
    chapter.prediction = is_true(entry, "prediction");
    chapter.facts = facts_of(entry);
    chapter.first_guesses = guesses_of(entry);
    chapter.first_findings = findings_of(entry);
  }
  return progress;
}

ChapterProgress Progress::of(const std::string& chapter) const {
  const auto found = chapters_.find(chapter);
  return found == chapters_.end() ? ChapterProgress{} : found->second;
}

void Progress::merge(const Progress& other) {
  for (const auto& [name, theirs] : other.chapters_) {
    const bool known_here = chapters_.contains(name);
    ChapterProgress& ours = chapters_[name];
    // The last check is one thing: never the code of one and the line of another.
    ChapterProgress more = known_here && (ours.passed || !theirs.passed) ? ours : theirs;
    more.passed = ours.passed || theirs.passed;
    more.points = std::max(ours.points, theirs.points);
    more.hints = std::max(ours.hints, theirs.hints);
    more.asked = ours.asked || theirs.asked;
    more.first_guesses = ours.first_guesses;
    more.first_guesses.insert(theirs.first_guesses.begin(), theirs.first_guesses.end());
    more.first_findings = ours.first_findings;
    more.first_findings.insert(theirs.first_findings.begin(), theirs.first_findings.end());
    ours = std::move(more);
  }
}

std::string Progress::text() const {
  Json chapters = Json::object();
  for (const auto& [name, c] : chapters_) {
    Json guesses = Json::object();
    for (const auto& [question, guess] : c.first_guesses) guesses[question] = guess;
    chapters[name] = {{"passed", c.passed},       {"points", c.points},
                      {"hints", c.hints},         {"diagnosis", c.diagnosis},
                      {"line", c.line},           {"diagnosis_hinted", c.diagnosis_hinted},
                      {"asked", c.asked},         {"prediction", c.prediction},
                      {"again", c.again},         {"facts", c.facts},
                      {"first_guesses", guesses}, {"first_findings", json_of(c.first_findings)}};
  }
  return Json{{"chapters", chapters}}.dump(2) + "\n";
}

void Progress::save() const {
  std::error_code ignored;
  const std::optional<std::string> old = base::read_file(file());
  if (old && !old->empty() && !Json::try_parse(*old))
    fs::copy_file(file(), file().string() + ".bak", fs::copy_options::skip_existing, ignored);
  (void)base::write_file_atomically(file(), text());
}

}  // namespace lab::course
