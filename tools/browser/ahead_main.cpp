// Kernels for the lab in a browser: compiled here, so that none needs a compiler there.
//
// Enters: a folder to write to; names of kernel files on standard input, one a line. Leaves: a text for each
// (common/compile/ahead.h), and the name of each that no text can be made for on standard output: its
// compiler needs longer than it may.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/compile/ahead.h"

namespace {

using lab::compile::CompileResult;
namespace fs = std::filesystem;

CompileResult compiled(const fs::path& file, bool kernel_rules) {
  lab::compile::CompileRequest request;
  request.file = file;
  request.kernel_rules = kernel_rules;
  return lab::compile::compile(request);
}

void write(const fs::path& folder, const fs::path& file, bool kernel_rules, const std::string& text) {
  const fs::path place = folder / lab::compile::ahead_place(file, kernel_rules);
  if (!lab::base::write_file_atomically(place, text))
    throw lab::base::EnvironmentError(place.string() + " cannot be written.");
}

void make(const fs::path& folder, const fs::path& file) {
  const CompileResult judged = compiled(file, true);
  write(folder, file, true, lab::compile::ahead_text(judged));
  // The rules refuse, or change nothing.
  if (!judged.refusal.empty()) write(folder, file, false, lab::compile::ahead_text(compiled(file, false)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "lab-ahead FOLDER: names of kernel files come on standard input\n");
    return 2;
  }
  std::string file;
  while (std::getline(std::cin, file)) {
    try {
      make(argv[1], file);
    } catch (const lab::base::LimitError&) {
      fmt::print("{}\n", file);
    } catch (const std::exception& error) {
      fmt::print(stderr, "lab-ahead: {}: {}\n", file, error.what());
      return 3;
    }
  }
  return 0;
}
