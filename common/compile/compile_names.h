// Names of files on both sides of a compiler.
//
// Enters: a kernel file's name, which may hold anything that a file system takes, and what a compiler wrote.
// Leaves: plain names for the compiler, which it can hand to any shell, and its rows and messages with the
// names that people know. The kernel's text is always kernel.cu in the compiler's folder; its first line says
// what it is called
// (`#line`), which is the file's own name where that is plain. So equal kernels give equal PTX, whatever they
// and their folders are called.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/compile/compile_command.h"

namespace lab::compile {

inline constexpr const char* kKernelFile = "kernel.cu";
// In the compiler's folder, for files that are not judged: the kernel's own folder, the project, the toolkit.
inline constexpr const char* kBesideLink = "beside";
inline constexpr const char* kProjectLink = "project";
inline constexpr const char* kToolkitLink = "toolkit";

// Letters of English, digits, and signs that mean nothing to a shell, make or the preprocessor.
[[nodiscard]] bool is_plain_name(std::string_view name);
// The file as its PTX calls it.
[[nodiscard]] std::string label_of(const std::string& shown);
// The name of an untrusted file: its own when that is plain and short.
[[nodiscard]] std::string name_of_untrusted(const std::filesystem::path& file);
// The text with its first line, where it has another label than its name.
[[nodiscard]] std::string labelled(const CompileJob& job, const std::string& source);

// Where a file lies on this machine that the compiler names.
[[nodiscard]] std::filesystem::path on_this_machine(const CompileJob& job, const CompileFolder& folder,
                                                    const std::string& name);
// PTX and messages with people's names for files.
[[nodiscard]] std::string ptx_for_people(const CompileJob& job, const CompileFolder& folder, std::string ptx);
[[nodiscard]] std::string log_for_people(const CompileJob& job, const CompileFolder& folder, std::string log);

}  // namespace lab::compile
