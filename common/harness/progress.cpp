// What a student has reached, in one small file.
#include "common/harness/progress.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "common/harness/project.h"

namespace lab::harness {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path file() { return project_root() / ".lab" / "progress.json"; }

template <class T>
T value_or(const Json& object, const char* key, T otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if constexpr (std::is_same_v<T, bool>) {
    return found->is_boolean() ? found->get<bool>() : otherwise;
  } else {
    return found->is_number_integer()
               ? static_cast<T>(std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, 1000))
               : otherwise;
  }
}

}  // namespace

Progress Progress::load() {
  Progress progress;
  std::ifstream in(file());
  const Json json = in ? Json::parse(in, nullptr, false) : Json();
  if (!json.is_object() || !json.contains("chapters") || !json["chapters"].is_object()) return progress;
  for (const auto& [name, entry] : json["chapters"].items()) {
    if (!entry.is_object()) continue;
    progress.chapters_[name] = {value_or(entry, "passed", false), value_or(entry, "points", 0),
                                value_or(entry, "hints", 0)};
  }
  return progress;
}

ChapterProgress Progress::of(const std::string& chapter) const {
  const auto found = chapters_.find(chapter);
  return found == chapters_.end() ? ChapterProgress{} : found->second;
}

void Progress::save() const {
  Json chapters = Json::object();
  for (const auto& [name, c] : chapters_)
    chapters[name] = {{"passed", c.passed}, {"points", c.points}, {"hints", c.hints}};
  std::error_code ignored;
  fs::create_directories(file().parent_path(), ignored);
  const fs::path fresh = file().string() + "." + std::to_string(getpid());
  {
    std::ofstream out(fresh);
    out << Json{{"chapters", chapters}}.dump(2) << "\n";
    if (!out) return;
  }
  fs::rename(fresh, file(), ignored);
  if (ignored) fs::remove(fresh, ignored);
}

}  // namespace lab::harness
