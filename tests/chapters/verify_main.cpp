// The course verifies itself, as a test of the build: the same as `lab verify`. verify_course [WORD …]: only
// files with such a word in their path; with `!WORD` those that have it are left out; with `key=KEY` under
// that key in place of the public one; with `with=nvrtc` by that compiler alone;
// with `one-a-case` only mistakes, of a chapter's the first that fails each of its cases; with `every=N` every
// N-th of those that are no solutions.
#include <cstdio>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/course/report/verify_text.h"

int main(int argc, char** argv) {
  try {
    lab::course::CourseOptions options;
    options.lessons = false;  // a test of its own, beside this one
    bool one_a_case = false;
    std::size_t every = 1, found_so_far = 0;
    std::set<std::pair<std::string, std::string>> seen;
    std::vector<std::string_view> words(argv + 1, argv + argc);
    std::erase_if(words, [&](std::string_view word) {
      const bool is_key = word.starts_with("key=");
      if (is_key) options.key = word.substr(4);
      if (word == "with=nvrtc") options.compilers = {lab::compile::CompilerKind::Nvrtc};
      if (word == "one-a-case") one_a_case = true;
      const bool is_share = word.starts_with("every=");
      if (is_share) every = std::stoul(std::string(word.substr(6)));
      return is_key || is_share || word == "with=nvrtc" || word == "one-a-case";
    });
    options.only = [&](const lab::course::CourseItem& item) {
      if (one_a_case && (item.task != lab::course::CourseTask::Mutant ||
                         !seen.emplace(item.chapter, item.case_name).second))
        return false;
      const std::string file = item.file.string();
      bool asks = false, has = false;
      for (const std::string_view word : words) {
        const bool leaves_out = word.starts_with('!');
        const bool found = file.find(word.substr(leaves_out ? 1 : 0)) != std::string::npos;
        if (leaves_out && found) return false;
        asks |= !leaves_out;
        has |= !leaves_out && found;
      }
      if (asks && !has) return false;
      return item.task == lab::course::CourseTask::Solution || found_so_far++ % every == 0;
    };
    const lab::course::CourseReport report = lab::course::verify_course(options);
    std::fputs(lab::report::course_text(report, lab::report::style_for_stdout(false)).c_str(), stdout);
    return report.kept() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "verify: %s\n", error.what());
    return 3;
  }
}
