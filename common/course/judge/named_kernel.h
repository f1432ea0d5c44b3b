// From the words of a command line to chapters, compiled files and their kernels.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/errors.h"
#include "common/compile/compile.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/subject.h"

namespace lab::judge {

// "5", "05_padding" or "padding" → the chapter. Throws UsageError that lists the chapters.
[[nodiscard]] const ChapterInfo& chapter_named(const std::string& name);

// 5 for 05_padding: what a student types.
[[nodiscard]] int number_of(const ChapterInfo& chapter);

// The file that a word means: a chapter's kernel or its solution, else the file of that name. Throws UsageError
// for a word that is neither.
struct NamedFile {
  std::filesystem::path path;
  const ChapterInfo* chapter = nullptr;  // whose it is
};
[[nodiscard]] NamedFile file_named(const std::string& name, bool solution);

// A chapter's kernel, its solution, or another file in its place. Throws UsageError for both.
[[nodiscard]] std::filesystem::path kernel_of(const ChapterInfo& chapter, const std::string& other,
                                              bool solution = false);

// A compiled kernel file. Throws UsageError for a file that is none; `ok` false when it does not compile.
[[nodiscard]] compile::CompileResult compile_file(const std::string& file,
                                                  std::optional<compile::CompilerKind> compiler,
                                                  std::vector<std::string> flags = {});

// The kernel that a chapter measures; "transpose" where there is none.
[[nodiscard]] std::string own_entry(const ChapterInfo* chapter);

// The entry of that name, or own_entry for "": as it stands, or the one C++ function that was mangled from
// it. Throws UsageError that says which entries there are.
[[nodiscard]] std::string resolve_entry(const Subject& subject, const std::string& file, std::string wanted,
                                        const ChapterInfo* chapter);

// What that entry is started with. Throws UsageError where its parameters are none of a transpose, too.
[[nodiscard]] Target target_named(Subject& subject, const std::string& file, const std::string& wanted,
                                  const ChapterInfo* chapter);

// The exit code of a command that needed this run.
[[nodiscard]] base::ExitCode exit_code(const Run& run);

}  // namespace lab::judge
