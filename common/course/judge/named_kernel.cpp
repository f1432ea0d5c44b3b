// From words to chapters, compiled files and their kernels. See named_kernel.h.
#include "common/course/judge/named_kernel.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "common/base/nearest.h"
#include "common/base/words.h"
#include "common/course/judge/examine.h"

namespace lab::judge {

const ChapterInfo& chapter_named(const std::string& name) {
  if (const ChapterInfo* chapter = find_chapter(name)) return *chapter;
  std::vector<std::string> names;
  for (const ChapterInfo* chapter : all_chapters()) names.emplace_back(chapter->name);
  if (name.ends_with(".cu"))
    throw base::UsageError(
        msg("\"{}\" is a file, and a chapter is wanted: ./lab check 5 --kernel {}", name, name));
  std::vector<std::string> short_names;
  for (const std::string& one : names) short_names.push_back(one.substr(one.find('_') + 1));
  const std::string meant = base::did_you_mean(name, short_names);
  if (!meant.empty()) throw base::UsageError(msg("There is no chapter \"{}\".{}", name, meant));
  throw base::UsageError(msg("There is no chapter \"{}\". The chapters are: {}.", name, base::joined(names)));
}

int number_of(const ChapterInfo& chapter) { return std::atoi(chapter.name); }

NamedFile file_named(const std::string& name, bool solution) {
  if (const ChapterInfo* chapter = find_chapter(name))
    return {solution ? solution_kernel(*chapter) : chapter_kernel(*chapter), chapter};
  const bool looks_like_a_file = name.ends_with(".cu") || name.find('/') != name.npos;
  if (!looks_like_a_file && !std::filesystem::exists(name))
    (void)chapter_named(name);  // says which there are
  if (solution) throw base::UsageError("--solution goes with a chapter, not with a file.");
  return {name};
}

std::filesystem::path kernel_of(const ChapterInfo& chapter, const std::string& other, bool solution) {
  if (solution && !other.empty()) throw base::UsageError("Give --kernel or --solution, not both.");
  if (!other.empty()) return other;
  return solution ? solution_kernel(chapter) : chapter_kernel(chapter);
}

compile::CompileResult compile_file(const std::string& file, std::optional<compile::CompilerKind> compiler,
                                    std::vector<std::string> flags) {
  compile::CompileRequest request;
  request.flags = std::move(flags);
  request.file = file;
  request.compiler = compiler;
  return compile::compile(request);
}

std::string own_entry(const ChapterInfo* chapter) {
  return chapter != nullptr ? chapter->entry : "transpose";
}

std::string resolve_entry(const Subject& subject, const std::string& file, std::string wanted,
                          const ChapterInfo* chapter) {
  if (wanted.empty()) wanted = own_entry(chapter);
  const std::vector<std::string> entries = subject.entries();
  if (std::find(entries.begin(), entries.end(), wanted) != entries.end()) return wanted;
  const std::string mangled = fmt::format("_Z{}{}", wanted.size(), wanted);
  std::vector<std::string> matches;
  for (const std::string& entry : entries) {
    if (entry.starts_with(mangled)) matches.push_back(entry);
  }
  if (matches.size() == 1) return matches.front();
  if (matches.size() > 1) {
    throw base::UsageError(msg("{} has {} kernels that C++ calls `{}`: {}. Name one of these with --entry.",
                               file, matches.size(), wanted, base::joined(matches)));
  }
  if (entries.empty()) {
    throw base::UsageError(
        msg("{} has no kernel. Write one: extern \"C\" __global__ void {}(float* out, const float* in, int "
            "rows, int cols).",
            file, wanted));
  }
  throw base::UsageError(
      msg("{} has no kernel `{}`; it has: {}. Name one with --entry.", file, wanted, base::joined(entries)));
}

Target target_named(Subject& subject, const std::string& file, const std::string& wanted,
                    const ChapterInfo* chapter) {
  Target target = subject.target_of(resolve_entry(subject, file, wanted, chapter));
  if (const Message wrong = subject.signature_problem(target); !wrong.empty()) throw base::UsageError(wrong);
  return target;
}

base::ExitCode exit_code(const Run& run) {
  return run.correct()       ? base::ExitCode::Passed
         : run.over_budget() ? base::ExitCode::Limit
                             : base::ExitCode::NotYet;
}

}  // namespace lab::judge
