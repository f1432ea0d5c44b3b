// The kernels of tests/mutants/faults/wrong and right: what each asks for, and one run of it on the simulated
// GPU.
//
// Enters: a file with `// launch: BLOCKS THREADS` and, in wrong ones, `// FAULT CODE` behind the lines that
// may be named. Leaves: what was found.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "common/sim/base/fault.h"

namespace lab::test {

struct FaultyKernel {
  std::filesystem::path file;
  std::string text;
  unsigned blocks = 1, threads = 32;
  std::set<int> lines;  // marked
  std::set<std::string> codes;
};

// All of a folder, by name.
[[nodiscard]] std::vector<FaultyKernel> read_kernels(const std::filesystem::path& folder);

struct FaultyRun {
  std::string compile_error;
  std::vector<sim::Fault> found;  // faults and findings
  std::vector<sim::Fault> notes;  // no mistakes
};
// `check_memory_bytes`: as LaunchOptions has it.
[[nodiscard]] FaultyRun run_kernel(const FaultyKernel& kernel, const std::string& ptx, unsigned host_threads,
                                   std::uint64_t check_memory_bytes = 0);
[[nodiscard]] std::string code_and_line(const sim::Fault& fault);

}  // namespace lab::test
