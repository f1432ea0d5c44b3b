// CUDA programs made ready to run on the simulator: .cu files compiled, binaries inspected.
//
// Enters: files and compiler flags. Leaves: a program linked against the shared runtime, or the compiler's
// own words; for a binary that cannot work, what is wrong with it and how to fix it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/run/cudart/request.h"

namespace lab::programs {

struct BuildRequest {
  std::vector<std::string> files;
  std::vector<std::string> flags;  // of the compiler, in their order
  bool relocatable = false;        // -rdc=true
  int architecture = 90;
  bool specific = false;            // with the instructions that no other one has: compute_90a
  std::filesystem::path libraries;  // folder of ours: the driver, cuBLAS, …
};

struct BuildResult {
  bool ok = false;
  std::filesystem::path program;
  std::string log;
  std::string failed;  // the file that does not compile; "": all compiled, and they do not link
  bool older = false;  // some file wants names of an older CUDA (older_cuda.h)
};

// Throws UsageError, EnvironmentError (no nvcc), LimitError. What does not compile is `ok` false.
[[nodiscard]] BuildResult build_program(const BuildRequest& request);

// Fills in where libraries of the toolkit lie that need no GPU, the compiler of kernels and the generators of random
// numbers, where the user has not said so.
void name_toolkit_libraries(cudart::Request& request);

// Throws UsageError when this binary cannot run on the simulator: why, and the fix. Else the name of the
// runtime library of ours that it gets. That must be loaded before all others: the binary may insist on a
// folder for its own (DT_RPATH), or carry one inside, whose place ours takes (cudart/static_runtime.cpp), or
// load one of the two later.
[[nodiscard]] std::string check_binary(const std::filesystem::path& program);

}  // namespace lab::programs
