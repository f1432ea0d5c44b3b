// Which chapter of the course a file's or a folder's name means: "05_padding (1)", "Padding", "hw2_05".
//
// Enters: names as students write them. Leaves: the chapter, how plainly it is named, and whether the name
// fits several. Case, separators, versions and the marks of copies do not matter.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/course/judge/verdict.h"

namespace lab::grade {

using Chapters = std::vector<const judge::ChapterInfo*>;

// How plainly a part of a path names a chapter.
enum Clarity { kSilent = 0, kNumber = 1, kName = 2, kBoth = 3, kExact = 4 };
struct Mention {
  Clarity clarity = kSilent;
  int chapter = 0;
  bool torn = false;  // it names several
};

// "05 Padding (1)" → "05padding1".
[[nodiscard]] std::string letters_of(std::string_view text);

class ChapterNames {
 public:
  explicit ChapterNames(const Chapters& all);
  [[nodiscard]] const Chapters& all() const { return all_; }

  // One folder's name, or a file's without its ending.
  [[nodiscard]] Mention read(std::string_view whole) const;
  // A folder of one's work: "05", "chapter5", "padding", "chapters". "user5" is a person.
  [[nodiscard]] bool is_work(std::string_view folder) const;

 private:
  [[nodiscard]] Mention read_form(std::string_view text) const;
  [[nodiscard]] bool is_chapter(int number) const;
  std::set<int> take_names(std::string& text) const;

  // Letters of a chapter's name, and of what stands behind its number.
  struct Name {
    std::string whole, idea;
    int number = 0;
  };
  const Chapters& all_;
  std::vector<Name> names_;  // the longest idea first, so that the 4 of float4 is no number
};

}  // namespace lab::grade
