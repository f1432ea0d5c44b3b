// What every command of `lab` has.
#include "common/ui/session.h"

#include <fmt/core.h>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/json.h"

namespace lab::cli {

Command bare_lab(Session& s, bool has_compilers) {
  Command lab{"lab", "Transpose Lab: GPU memory performance, one matrix transpose at a time."};
  static std::string
      language;  // read before everything else (language.cpp); here for the help, and to be checked
  lab.option("--plain", s.plain, "No colour");
  if (has_compilers)
    lab.option("--compiler", s.compiler, "Kernel compiler: nvrtc, nvcc, clang or builtin")
        .one_of({"nvrtc", "nvcc", "clang", "builtin"});
  lab.option("--lang", language,
             "Language of messages: en or zh (default: LAB_LANG, LC_ALL, LC_MESSAGES, LANG)")
      .one_of({"en", "zh"});
  return lab;
}

void print_json(const base::Json& json) { fmt::print("{}\n", json.dump()); }

namespace {
// The byte that a kind of file begins with; of JSON one, whatever it holds.
char first_byte(std::string_view bytes) {
  const std::size_t at = bytes.find_first_not_of(" \t\r\n");
  return at == bytes.npos ? '\0' : bytes[at] == '[' ? '{' : bytes[at];
}
}  // namespace

void check_named(const std::string& path, char begins) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  const char there = first_byte(base::read_file(path).value_or(""));
  if (there == '\0' || there == first_byte({&begins, 1})) return;
  throw base::UsageError(
      msg("{} holds something else, which would be lost. Name another file, or remove it first.", path));
}

void write_named(const std::string& path, const std::string& bytes) {
  check_named(path, first_byte(bytes));
  if (!base::write_file_atomically(path, bytes))
    throw base::EnvironmentError(msg("Cannot write {}. Choose another place.", path));
}

}  // namespace lab::cli
