// See the header. tools/chapters.py makes the tables when the build is configured, and again when the list
// changes.
#include "common/course/judge/chapter_list.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "common/base/project.h"

namespace lab::judge {
namespace {

#include "chapters/chapter_list.inc"

}  // namespace

std::span<const ChapterInfo> listed_chapters() { return kChapters; }

ChapterInfo listed_chapter(std::string_view name) {
  const auto found = std::find_if(std::begin(kChapters), std::end(kChapters),
                                  [&](const ChapterInfo& c) { return c.name == name; });
  if (found != std::end(kChapters)) return *found;
  throw std::logic_error("Chapter " + std::string(name) + " does not stand in chapters/chapters.toml.");
}

std::span<const FormerTitle> former_titles() { return kFormerTitles; }

std::filesystem::path chapter_kernel(const ChapterInfo& chapter) {
  return base::project_root() / "chapters" / chapter.name / "transpose.cu";
}

std::filesystem::path solution_kernel(const ChapterInfo& chapter) {
  return base::project_root() / "solutions" / chapter.name / "transpose.cu";
}

std::filesystem::path skeleton_kernel(const ChapterInfo& chapter) {
  return base::project_root() / "solutions" / chapter.name / "skeleton.cu";
}

}  // namespace lab::judge
