// What a student has reached, in one small file.
#include "common/course/progress.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "common/base/files.h"
#include "common/base/json.h"
#include "common/base/project.h"
#include "common/judge/predictions.h"

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

template <class T>
T value_or(const Json& object, const char* key, T otherwise) {
  const Json* found = object.find(key);
  if (found == nullptr) return otherwise;
  if constexpr (std::is_same_v<T, bool>) {
    return found->is_boolean() ? found->get<bool>() : otherwise;
  } else {
    return found->is_number_integer()
               ? static_cast<T>(std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, 1'000'000))
               : otherwise;
  }
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
  for (const auto& [question, guess] : found->items())
    guesses[question] = value_or(*found, question.c_str(), 0);
  return guesses;
}

}  // namespace

void note_first_guesses(ChapterProgress& chapter, const Predictions& predictions) {
  for (const judge::Question& question : judge::all_questions()) {
    const int answer = predictions.*question.member;
    if (answer > 0) chapter.first_guesses.emplace(question.name, answer);
  }
}

int wrong_first_guess(const ChapterProgress& chapter, const judge::CaseResult& prediction) {
  for (const judge::Answer& answer : prediction.answers) {
    const auto first = chapter.first_guesses.find(answer.question);
    if (first != chapter.first_guesses.end() && static_cast<std::uint64_t>(first->second) != answer.counted)
      return first->second;
  }
  return 0;
}

Progress Progress::load() { return parse(base::read_file(file()).value_or("")).value_or(Progress()); }

std::optional<Progress> Progress::parse(std::string_view text) {
  Progress progress;
  const Json json = Json::try_parse(text).value_or(nullptr);
  if (!json.is_object() || !json.contains("chapters") || !json["chapters"].is_object()) return std::nullopt;
  for (const auto& [name, entry] : json["chapters"].items()) {
    if (!entry.is_object()) continue;
    ChapterProgress& chapter = progress.chapters_[name];
    chapter.passed = value_or(entry, "passed", false);
    chapter.points = value_or(entry, "points", 0);
    chapter.hints = value_or(entry, "hints", 0);
    chapter.diagnosis = code_or_nothing(entry, "diagnosis");
    chapter.line = value_or(entry, "line", 0);
    chapter.diagnosis_hinted = value_or(entry, "diagnosis_hinted", false);
    chapter.asked = value_or(entry, "asked", false);
    chapter.prediction = value_or(entry, "prediction", false);
    chapter.facts = facts_of(entry);
    chapter.first_guesses = guesses_of(entry);
  }
  return progress;
}

ChapterProgress Progress::of(const std::string& chapter) const {
  const auto found = chapters_.find(chapter);
  return found == chapters_.end() ? ChapterProgress{} : found->second;
}

void Progress::merge(const Progress& other) {
  for (const auto& [name, theirs] : other.chapters_) {
    ChapterProgress& ours = chapters_[name];
    ChapterProgress more =
        std::pair(theirs.passed, theirs.points) > std::pair(ours.passed, ours.points) ? theirs : ours;
    more.hints = std::max(ours.hints, theirs.hints);
    more.asked = ours.asked || theirs.asked;
    more.first_guesses = ours.first_guesses;
    more.first_guesses.insert(theirs.first_guesses.begin(), theirs.first_guesses.end());
    ours = std::move(more);
  }
}

std::string Progress::text() const {
  Json chapters = Json::object();
  for (const auto& [name, c] : chapters_) {
    Json guesses = Json::object();
    for (const auto& [question, guess] : c.first_guesses) guesses[question] = guess;
    chapters[name] = {{"passed", c.passed}, {"points", c.points},
                      {"hints", c.hints},   {"diagnosis", c.diagnosis},
                      {"line", c.line},     {"diagnosis_hinted", c.diagnosis_hinted},
                      {"asked", c.asked},   {"prediction", c.prediction},
                      {"facts", c.facts},   {"first_guesses", guesses}};
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
