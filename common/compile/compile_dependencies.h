// Which files a compiler read, from the make rule that it left.
//
// Enters: the rule. Leaves: the files as the cache remembers them, and the first one that a judged kernel may
// not read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/compile/compile_cache.h"
#include "common/compile/compile_command.h"

namespace lab::compile {

// As they are named on this machine, without the kernel file. None when there is no rule.
[[nodiscard]] std::optional<std::vector<std::filesystem::path>> files_read(const CompileJob& job,
                                                                           const CompileFolder& folder);

// None when one of them cannot be described: then the result is not kept.
[[nodiscard]] std::optional<std::vector<Dependency>> describe_all(
    const std::vector<std::filesystem::path>& files);

// The first that is neither the kernel file, nor of common/kernel/, nor among the headers of the system and
// the compiler; empty when there is none.
[[nodiscard]] std::filesystem::path foreign_file(const CompileJob& job,
                                                 const std::vector<std::filesystem::path>& files);

// A name in PTX for people that is neither: the row was written by hand, to have lines searched in
// another file. Empty when there is none.
[[nodiscard]] std::string forged_file_name(const CompileJob& job, const std::string& ptx);

}  // namespace lab::compile
