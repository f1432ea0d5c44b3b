// The walls around a compiler that reads an untrusted file: bubblewrap.
//
// Enters: what the compiler needs to see. Leaves: the words that go before its command line, and the names
// under which things stand inside. In there is no network, no other process, no home, no device but
// /dev/null; one folder can be written. The compiler sees its own parts, the system's headers and libraries,
// common/kernel/, and one kernel file. It has a limit of processes; limits of time and memory are not set
// here: subprocess.h sets them with and without walls.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/compile/compile.h"

namespace lab::compile {

// Inside, the project and the kernel file stand here, wherever they lie on this machine.
inline constexpr const char* kSandboxRoot = "/lab";
inline constexpr const char* kSandboxOutput = "/out";
inline constexpr const char* kSandboxToolkit = "/toolkit";  // of nvcc and NVRTC
inline constexpr const char* kSandboxNvrtcProcess = "/lab-nvrtc";

// "" when bubblewrap is here and works, else a sentence that says what is wrong and what to do. Asked once.
[[nodiscard]] const Message& sandbox_problem();

// The compiler's own name inside; of NVRTC the library's.
[[nodiscard]] std::string compiler_in_sandbox(const KernelCompiler& compiler);

// bwrap and all words in front of the compiler's own. `source` is the file on this machine, `name` its name
// under kSandboxRoot, `output` the folder that may be written.
[[nodiscard]] std::vector<std::string> sandbox_command(const KernelCompiler& compiler,
                                                       const std::filesystem::path& source,
                                                       const std::string& name,
                                                       const std::filesystem::path& output);

}  // namespace lab::compile
