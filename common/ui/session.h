// What every command of `lab` has: the global options, and how it prints JSON and writes files that the user named.
//
// Enters: the command line as parser.cpp read it. Leaves: one line of JSON, a file.
#pragma once

#include <string>
#include <vector>

#include "common/base/text/text.h"
#include "common/ui/command.h"
#include "common/ui/style.h"

namespace lab::base {
class Json;
}

namespace lab::cli {

using text::tr;
using text::translated;

struct Session {
  bool plain = false;
  std::string compiler;                        // "", "nvrtc", "nvcc", "clang", "builtin"
  std::vector<std::string> program_arguments;  // behind `--`
  const Command* commands = nullptr;           // all of them: completion reads them
  [[nodiscard]] report::Style style() const { return report::style_for_stdout(plain); }
};

// `lab` with its own options, and no commands yet.
[[nodiscard]] Command bare_lab(Session& session, bool has_compilers);

// What --json prints: one line.
void print_json(const base::Json& json);

// Before a long run: throws UsageError where `path` is a file that begins with another byte than `begins`, a
// program for instance.
void check_named(const std::string& path, char begins);
// A file that the user named. Throws EnvironmentError, and as check_named.
void write_named(const std::string& path, const std::string& bytes);

}  // namespace lab::cli
