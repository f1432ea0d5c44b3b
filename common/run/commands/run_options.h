// What `lab run` was asked for.
//
// Enters: the words of its command line, without what stands behind `--`. Leaves: its own options, which its help
// and the shells' completion list too, and what to run: source files with the compiler's flags, a program, or a command that loads CUDA while it runs.
#pragma once

#include <string>
#include <vector>

#include "common/run/cudart/request.h"
#include "common/run/programs/run_build.h"
#include "common/ui/command.h"

namespace lab::cli {

struct RunOptions {
  programs::BuildRequest build;
  std::string binary;  // instead of files
  // A command that is no CUDA program itself, `python3 script.py`, with its own words.
  bool command = false;
  std::vector<std::string> words;
  cudart::Request request;  // what the program's own process does
  std::string json, sarif, budget;
  bool lines = false, quiet = false, plain = false, strict = false;
};

// `lab run`'s own options, each with its place in `into`.
[[nodiscard]] std::vector<Option> run_options(RunOptions& into);
// Throws UsageError.
[[nodiscard]] RunOptions parse_run(const std::vector<std::string>& given);

}  // namespace lab::cli
