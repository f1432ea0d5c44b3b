// The chapters of chapters/chapters.toml, compiled in: name, idea, what the skeleton must fail, titles of
// before.
//
// Enters: a chapter's name. Leaves: what the list says of it. A chapter's test file begins with
// CHAPTER(listed_chapter("05_padding")).
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "common/course/judge/verdict.h"

namespace lab::judge {

// A title that a case once had. Rubrics and records of then still name the case by it.
struct FormerTitle {
  const char* chapter;
  const char* title;
  const char* id;
};

[[nodiscard]] std::span<const ChapterInfo> listed_chapters();
// Throws std::logic_error when the list has no such chapter.
[[nodiscard]] ChapterInfo listed_chapter(std::string_view name);
[[nodiscard]] std::span<const FormerTitle> former_titles();

// chapters/NAME/transpose.cu, solutions/NAME/transpose.cu, and solutions/NAME/skeleton.cu: what the first one
// was before a student touched it.
[[nodiscard]] std::filesystem::path chapter_kernel(const ChapterInfo& chapter);
[[nodiscard]] std::filesystem::path solution_kernel(const ChapterInfo& chapter);
[[nodiscard]] std::filesystem::path skeleton_kernel(const ChapterInfo& chapter);

}  // namespace lab::judge
