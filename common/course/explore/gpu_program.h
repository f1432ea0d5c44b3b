// Programs of tools/bench: compiled by nvcc for this machine's GPU, once for each state of their sources.
//
// Enters: a source, words. Leaves: the program in the cache; what it printed. Each runs as a process, so that
// what it does to the GPU ends with it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/subprocess.h"

namespace lab::explore {

// `source` below the clone, such as tools/bench/fast_bench.cu, with further words for nvcc. Throws
// EnvironmentError without nvcc, or when it does not compile.
[[nodiscard]] std::filesystem::path gpu_program(const std::string& source,
                                                const std::vector<std::string>& words);

[[nodiscard]] base::SubprocessResult run_program(std::vector<std::string> arguments);
// What went wrong is at the end of what a program prints.
[[nodiscard]] std::string last_words(const base::SubprocessResult& result);

}  // namespace lab::explore
