// What a student has reached, in one small file.
#include "common/course/progress.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "common/base/files.h"
#include "common/base/json.h"
#include "common/base/project.h"

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

}  // namespace

Progress Progress::load() {
  Progress progress;
  const std::optional<std::string> text = base::read_file(file());
  const Json json = Json::try_parse(text.value_or("")).value_or(nullptr);
  if (!json.is_object() || !json.contains("chapters") || !json["chapters"].is_object()) return progress;
  for (const auto& [name, entry] : json["chapters"].items()) {
    if (!entry.is_object()) continue;
    progress.chapters_[name] = {value_or(entry, "passed", false), value_or(entry, "points", 0),
                                value_or(entry, "hints", 0),      code_or_nothing(entry, "diagnosis"),
                                value_or(entry, "line", 0),       value_or(entry, "diagnosis_hinted", false)};
  }
  return progress;
}

ChapterProgress Progress::of(const std::string& chapter) const {
  const auto found = chapters_.find(chapter);
  return found == chapters_.end() ? ChapterProgress{} : found->second;
}

void Progress::save() const {
  Json chapters = Json::object();
  for (const auto& [name, c] : chapters_) {
    chapters[name] = {{"passed", c.passed}, {"points", c.points},
                      {"hints", c.hints},   {"diagnosis", c.diagnosis},
                      {"line", c.line},     {"diagnosis_hinted", c.diagnosis_hinted}};
  }
  std::error_code ignored;
  const std::optional<std::string> old = base::read_file(file());
  if (old && !old->empty() && !Json::try_parse(*old))
    fs::copy_file(file(), file().string() + ".bak", fs::copy_options::skip_existing, ignored);
  (void)base::write_file_atomically(file(), Json{{"chapters", chapters}}.dump(2) + "\n");
}

}  // namespace lab::course
