// The lesson of a chapter: where it lies, in the chosen language, and its text.
#include <fmt/core.h>

#include <filesystem>
#include <optional>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"

namespace lab::cli {

std::string lesson_of(std::string_view chapter) {
  return fmt::format("chapters/{}/README{}.md", chapter,
                     text::language() == text::Language::Chinese ? ".zh" : "");
}

std::string lesson_text(const judge::ChapterInfo& chapter) {
  const std::filesystem::path path = base::project_root() / lesson_of(chapter.name);
  const std::optional<std::string> lesson = base::read_file(path);
  if (!lesson) throw base::UsageError(msg("There is no lesson {}.", base::shown_path(path)));
  return *lesson;
}

}  // namespace lab::cli
