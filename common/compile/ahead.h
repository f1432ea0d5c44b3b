// Kernels compiled ahead, for where no compiler runs: in a browser.
//
// Enters: what compile() made of a kernel file. Leaves: a text that holds it, and the same again from that
// text. The texts lie in a folder of their own, each at its kernel file's place in the project; what a file
// that is judged got (CompileRequest::kernel_rules) apart from what any other got.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/compile/compile.h"

namespace lab::compile {

inline constexpr const char* kAheadFolder = ".ahead";

// "judged/solutions/05_padding/transpose.cu" in that folder.
[[nodiscard]] std::filesystem::path ahead_place(const std::filesystem::path& file, bool kernel_rules);

[[nodiscard]] std::string ahead_text(const CompileResult& result);
// None: the text is none of those.
[[nodiscard]] std::optional<CompileResult> read_ahead(const std::string& text);

}  // namespace lab::compile
