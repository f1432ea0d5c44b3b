// The chapters of chapters/chapters.toml, compiled in: name, idea, what the skeleton must fail, titles of
// before.
//
// Enters: a chapter's name. Leaves: what the list says of it. A chapter's test file begins with
// CHAPTER(listed_chapter("05_padding")).
#pragma once

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

// Throws std::logic_error when the list has no such chapter.
[[nodiscard]] ChapterInfo listed_chapter(std::string_view name);
[[nodiscard]] std::span<const FormerTitle> former_titles();

}  // namespace lab::judge
