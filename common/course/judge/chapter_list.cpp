// See the header. tools/chapters.py makes the tables when the build is configured, and again when the list
// changes.
#include "common/course/judge/chapter_list.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace lab::judge {
namespace {

#include "chapters/chapter_list.inc"

}  // namespace

ChapterInfo listed_chapter(std::string_view name) {
  const auto found = std::find_if(std::begin(kChapters), std::end(kChapters),
                                  [&](const ChapterInfo& c) { return c.name == name; });
  if (found != std::end(kChapters)) return *found;
  throw std::logic_error("Chapter " + std::string(name) + " does not stand in chapters/chapters.toml.");
}

std::span<const FormerTitle> former_titles() { return kFormerTitles; }

}  // namespace lab::judge
