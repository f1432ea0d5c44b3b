// From a request to a compiler's command line.
//
// Enters: a CompileRequest. Leaves: the program, its arguments and its environment, with and without a
// sandbox, and the key under which the cache keeps what comes of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/subprocess.h"
#include "common/compile/compile.h"

namespace lab::compile {

struct CompileJob {
  KernelCompiler compiler;
  std::filesystem::path source;        // on this machine
  std::string name;                    // as the compiler gets it: relative to its folder, else absolute
  std::vector<std::string> arguments;  // without the names of outputs
  bool sandbox = false;
  bool kernel_rules = false;
  [[nodiscard]] std::string root() const;  // the compiler's current folder as it sees it; ends in no slash
};

// Throws UsageError for a name that compilers stumble over, EnvironmentError when there is no compiler or no
// sandbox.
[[nodiscard]] CompileJob plan_compile(const CompileRequest& request);

[[nodiscard]] std::string key_of(const CompileJob& job, const std::string& source);

// A folder for one run of a compiler: out/ is what it may write; in a sandbox the kernel file lies beside it,
// copied.
struct CompileFolder {
  std::filesystem::path folder;
  [[nodiscard]] std::filesystem::path outputs() const { return folder / "out"; }
  [[nodiscard]] std::filesystem::path output() const { return outputs() / "output"; }
  [[nodiscard]] std::filesystem::path rule() const { return outputs() / "rule.d"; }
};

// The program that loads NVRTC; empty where it was not built.
[[nodiscard]] const std::filesystem::path& nvrtc_process();

// Makes out/ and, for a sandbox, the copy of `source`.
[[nodiscard]] base::Subprocess compiler_process(const CompileJob& job, const CompileFolder& folder,
                                                const std::string& source, const CompileLimits& limits);

}  // namespace lab::compile
