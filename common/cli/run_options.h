// What `lab run` was asked for.
//
// Enters: the words of its command line, without what stands behind `--`. Leaves: its own options, and what
// to run: source files with the compiler's flags, a program, or a command that loads CUDA while it runs.
#pragma once

#include <string>
#include <vector>

#include "common/programs/run_build.h"

namespace lab::cli {

struct RunOptions {
  programs::BuildRequest build;
  std::string binary;  // instead of files
  // A command that is no CUDA program itself, `python3 script.py`, with its own words.
  bool command = false;
  std::vector<std::string> words;
  std::string gpu = "h200", gpus = "1", json, launches, schedules, threads, check_memory, sarif, budget;
  bool lines = false, quiet = false, check = true, plain = false, as_ptxas = false, go_on = false,
       time = false, every_launch = false, strict = false;
};

// Throws UsageError.
[[nodiscard]] RunOptions parse_run(const std::vector<std::string>& given);

}  // namespace lab::cli
