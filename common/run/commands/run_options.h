// What `lab run` was asked for.
//
// Enters: the words of its command line, without what stands behind `--`. Leaves: its own options, which its help
// and the shells' completion list too, and what to run: source files with the compiler's flags, a program, or a command that loads CUDA while it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/run/programs/run_build.h"
#include "common/ui/command.h"

namespace lab::cli {

struct RunOptions {
  programs::BuildRequest build;
  std::string binary;  // instead of files
  // A command that is no CUDA program itself, `python3 script.py`, with its own words.
  bool command = false;
  std::vector<std::string> words;
  std::string gpu = "h200", json, sarif, budget;
  std::int64_t gpus = 1, launches = 0, schedules = 0, threads = 0, check_memory = 0;  // 0: not said
  bool lines = false, quiet = false, no_check = false, plain = false, as_ptxas = false, go_on = false,
       time = false, every_launch = false, strict = false;
};

// `lab run`'s own options, each with its place in `into`.
[[nodiscard]] std::vector<Option> run_options(RunOptions& into);
// Throws UsageError.
[[nodiscard]] RunOptions parse_run(const std::vector<std::string>& given);

}  // namespace lab::cli
