// From the words of a command line to chapters, compiled files and their kernels.
#pragma once

#include <optional>
#include <string>

#include "common/compile/compile.h"
#include "common/judge/checks.h"
#include "common/judge/subject.h"

namespace lab::judge {

// "5", "05_padding" or "padding" → the chapter. Throws UsageError that lists the chapters.
[[nodiscard]] const ChapterInfo& chapter_named(const std::string& name);

// 5 for 05_padding: what a student types.
[[nodiscard]] int number_of(const ChapterInfo& chapter);

// A compiled kernel file. Throws UsageError for a file that is none; `ok` false when it does not compile.
[[nodiscard]] compile::CompileResult compile_file(const std::string& file,
                                                  std::optional<compile::CompilerKind> compiler);

// The kernel that a chapter measures; "transpose" where there is none.
[[nodiscard]] std::string own_entry(const ChapterInfo* chapter);

// The entry of that name, or own_entry for "": as it stands, or the one C++ function that was mangled from
// it. Throws UsageError that says which entries there are.
[[nodiscard]] std::string resolve_entry(const Subject& subject, const std::string& file, std::string wanted,
                                        const ChapterInfo* chapter);

}  // namespace lab::judge
