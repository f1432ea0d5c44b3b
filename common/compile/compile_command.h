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
  std::string shown;                   // its name for people
  std::string label;                   // its name in what a compiler writes: plain; see compile_names.h
  std::vector<std::string> arguments;  // without the names of outputs
  bool sandbox = false;
  bool kernel_rules = false;
};

// Throws EnvironmentError when there is no compiler or no sandbox.
[[nodiscard]] CompileJob plan_compile(const CompileRequest& request);

[[nodiscard]] std::string key_of(const CompileJob& job, const std::string& source);

// A folder for one run of a compiler. In work/, where it runs, lies the kernel's text beside links to what it
// may include; out/ is what it may write. All names that it gets are relative, so that no folder's name
// reaches the shells that nvcc calls.
struct CompileFolder {
  std::filesystem::path folder;
  [[nodiscard]] std::filesystem::path work() const { return folder / "work"; }
  [[nodiscard]] std::filesystem::path outputs() const { return folder / "out"; }
  [[nodiscard]] std::filesystem::path output() const { return outputs() / "output"; }
  [[nodiscard]] std::filesystem::path rule() const { return outputs() / "rule.d"; }
};

// The program that loads NVRTC; empty where it was not built.
[[nodiscard]] const std::filesystem::path& nvrtc_process();
// A program of this build, by its place under common/; empty where this program is a copy elsewhere.
[[nodiscard]] std::filesystem::path built_program(const std::filesystem::path& name);

// Fills the folder.
[[nodiscard]] base::Subprocess compiler_process(const CompileJob& job, const CompileFolder& folder,
                                                const std::string& source, const CompileLimits& limits);

}  // namespace lab::compile
