// What a kernel file leaves unsaid, for commands that run any kernel: its launch shape, the size of an
// element.
//
// Enters: a compiled file, the options of the command line. Leaves: a shape and a size, and a sentence for
// each that was assumed, so that no guess is taken for a fact.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text/message.h"
#include "common/compile/compile.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/verdict.h"

namespace lab::explore {

// A compiled kernel file. Where it does not compile: prints the compiler's log, and throws LabError.
[[nodiscard]] compile::CompileResult compiled_kernel(const std::filesystem::path& file,
                                                     std::optional<compile::CompilerKind> compiler);

struct KernelOptions {
  std::string block, tile;  // "32x8"; "" where the command line does not say
  int elem_bytes = 0;       // 0: not said
};

struct KernelFacts {
  LaunchShape shape;
  int elem_bytes = 4;
  std::vector<Message> assumed;  // whole sentences
};

// The command line decides; then the file; where neither says, 32 × 8 threads, an
// element each. Throws UsageError for a shape that makes no sense.
[[nodiscard]] KernelFacts facts_of(judge::Subject& subject, const std::filesystem::path& file,
                                   const std::string& entry, const KernelOptions& kernel_options);

// Throws UsageError for a matrix that cannot be run here, or whose rows the kernels of this chapter cannot take; null:
// of no chapter.
void must_fit(const judge::Problem& problem, const judge::ChapterInfo* chapter);

// Bytes of the elements that the first parameter of `entry` points to, by the mangled name or by the text of
// the file: 8 for `double* out`. 0: it has another type, or cannot be seen.
[[nodiscard]] int elem_bytes_of(const std::string& entry, const std::string& source);

}  // namespace lab::explore
