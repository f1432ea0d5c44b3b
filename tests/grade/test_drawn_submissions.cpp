// Drawn submissions: chapters of the course, in the layouts and names that docs/grading.md accepts.
//
// Enters: a seed. Leaves: for each drawn submission whether every chapter's kernel was found, in the file
// that was written for it, with nothing to say about it. The course's own names are used, so that a new
// chapter's name is tried against all others.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <filesystem>

#include "common/base/project.h"
#include "common/class/grade/chapter_names.h"
#include "common/class/grade/match.h"
#include "tests/drawn/draws.h"

using namespace lab;
using namespace lab::grade;
using drawn::Draws;

namespace {

struct Course {
  std::deque<std::string> names;
  std::deque<judge::ChapterInfo> chapters;
  Chapters all;
};

const Course& course() {
  static const Course course = [] {
    Course c;
    for (const auto& folder : std::filesystem::directory_iterator(base::project_root() / "chapters")) {
      if (folder.is_directory()) c.names.push_back(folder.path().filename().string());
    }
    std::sort(c.names.begin(), c.names.end());
    for (const std::string& name : c.names) {
      c.chapters.push_back({.name = name.c_str(), .idea = ""});
      c.all.push_back(&c.chapters.back());
    }
    return c;
  }();
  return course;
}

// Another spelling of the same words: 05-padding, 05 Padding, 05Padding, 05_PADDING.
std::string respelled(const std::string& name, Draws& draw) {
  constexpr std::string_view kSeparators = "_- ";
  const std::size_t separator = draw.below(4), letters = draw.below(4);
  std::string text;
  bool word_begins = true;
  for (char c : name) {
    if (c == '_') {
      if (separator < kSeparators.size()) text += kSeparators[separator];
      word_begins = true;
      continue;
    }
    const bool upper = letters == 1 || (letters == 2 && word_begins);
    text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    word_begins = false;
  }
  return text;
}

// A name for the chapter alone: its own, the idea, or its number among words that say nothing.
std::string name_of(const std::string& chapter, Draws& draw) {
  const int number = std::atoi(chapter.c_str());
  const std::string padded = chapter.substr(0, 2);
  switch (draw.below(6)) {
    case 0:
    case 1:
      return respelled(chapter, draw);
    case 2:
      return respelled(chapter.substr(3), draw);
    case 3:  // "hw2_05": the padded number is the chapter's
      if (number < 10) return fmt::format("hw{}_{}", 1 + draw.below(9), padded);
      return fmt::format("hw_{}", padded);
    case 4:
      return draw.among(
                 std::vector<std::string>{"chapter", "Chapter ", "ch", "transpose", "transpose_", "ex"}) +
             (draw.one_in(2) ? padded : std::to_string(number));
    default:
      return draw.one_in(2) ? padded : std::to_string(number);
  }
}

const std::vector<std::string> kCopyMarks = {" (1)",  " (12)",    " - Copy", " - Copy (2)",
                                             " copy", " copy 2",  " (copy)", "_copy",
                                             "-Copy", " - Kopie", " - 副本"};

struct Layout {
  std::string prefix;
  std::size_t kind = 0;  // the course's own, folders, flat files
};

std::string path_of(const std::string& chapter, const Layout& layout, Draws& draw) {
  if (layout.kind == 0) return layout.prefix + "chapters/" + chapter + "/transpose.cu";
  std::string name = name_of(chapter, draw);
  if (draw.one_in(4)) name += draw.among(std::vector<std::string>{"_v2", " v3", "_final", "-FINAL"});
  if (draw.one_in(4)) name += draw.among(kCopyMarks);
  if (layout.kind == 2) return layout.prefix + name + (draw.one_in(8) ? ".CU" : ".cu");
  return layout.prefix + name + "/" +
         draw.among(std::vector<std::string>{"transpose", "kernel", "solution", "main"}) + ".cu";
}

std::vector<const judge::ChapterInfo*> chapters_of(std::size_t index, Draws& draw) {
  const Chapters& all = course().all;
  if (draw.one_in(8)) return all;
  const std::size_t a = index % all.size(),
                    b = index / all.size() % all.size();  // every pair, one after the other
  if (a == b) return {all[a]};
  return {all[std::min(a, b)], all[std::max(a, b)]};
}

// One drawn submission; the failing seeds of before are tried like any other.
void try_submission(std::uint64_t seed, std::size_t index) {
  Draws draw(seed + index);
  const auto chapters = chapters_of(index, draw);
  const bool one_layout = draw.one_in(2);
  Layout layout;
  layout.prefix =
      draw.among(std::vector<std::string>{"", "", "work/", "repo-main/", "hw1/", "submission_12345/",
                                          "Ada Lovelace_4711_assignsubmission_file/"});
  layout.kind = draw.below(3);
  Submission submission;
  std::vector<std::string> paths;
  for (const auto* chapter : chapters) {
    if (!one_layout) layout.kind = draw.below(3);
    paths.push_back(path_of(chapter->name, layout, draw));
    submission.files.push_back({paths.back(), std::string("// ") + chapter->name});
  }
  std::sort(submission.files.begin(), submission.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  const auto kernels = find_kernels(submission, chapters, course().all);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    INFO("LAB_SEED=", seed, ", submission ", index, ", ", std::string(chapters[i]->name), " as ", paths[i]);
    CHECK(kernels[i].state == ChapterKernel::State::Found);
    CHECK(kernels[i].file.path == paths[i]);
    CHECK(kernels[i].reason == "");
  }
}

}  // namespace

TEST_CASE("drawn submissions: every chapter is found in every layout and name") {
  REQUIRE(course().all.size() > 1);
  const std::uint64_t seed = drawn::seed_of_run("drawn submissions");
  const std::size_t draws = drawn::draws_of_run(8 * course().all.size() * course().all.size());
  for (std::size_t i = 0; i < draws; ++i) try_submission(seed, i);
}
