// What is wrong as places in files, for editors and for pages of pull requests.
//
// Enters: annotations, a compiler's log. Leaves: SARIF 2.1.0, lines as GitHub's workflows read them, or lines as compilers
// write them, which VS Code (.vscode/tasks.json), Vim and Emacs read. Paths are relative to the course, where
// editors and checkouts start.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace lab::report {

struct Annotation {
  std::string code;     // the diagnosis: "bank-conflict"
  std::string title;    // the case that failed
  std::string message;  // whole sentences, with the counted figures
  std::string file;     // never empty: the kernel, when no line is to blame
  int line = 1;
  bool is_error = true;  // false: a prediction, which breaks nothing
};

// The file's name inside of the folder; a file elsewhere keeps the name that it has.
[[nodiscard]] std::string inside(const std::string& file, const std::filesystem::path& folder);
// The same for the folder in which the command was typed.
[[nodiscard]] std::string from_here(const std::string& file);

// Each error that a compiler's log names; all of it at the source's first line, where it names none.
[[nodiscard]] std::vector<Annotation> compiler_errors(const std::string& log, const std::string& source);
[[nodiscard]] std::string compiler_lines(const std::vector<Annotation>& annotations);
[[nodiscard]] std::string github_lines(const std::vector<Annotation>& annotations);
// What stands in a command of GitHub's workflows: it ends at the line's end, its properties at commas and
// colons.
[[nodiscard]] std::string workflow_escaped(std::string_view text, bool is_property);
[[nodiscard]] base::Json sarif(const std::vector<Annotation>& annotations);

}  // namespace lab::report
