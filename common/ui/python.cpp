// What the Python package does for the program: problem files, and tools for models.
//
// Enters: the words of a command line that the parser has understood. Leaves: this process, which becomes
// Python with the package (python/transpose_lab) in reach; that one starts this program for each kernel.
#include "common/ui/python.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/base/errors.h"
#include "common/base/project.h"

namespace lab::cli {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

}  // namespace

int become_python(std::vector<std::string> words) {
  const std::string python = variable("LAB_PYTHON", "python3");
  // A clone brings the package, whichever Python it is; that of the pip package has it in reach already.
  if (const fs::path package = base::project_root() / "python"; fs::exists(package / "transpose_lab")) {
    const std::string others = variable("PYTHONPATH");
    ::setenv("PYTHONPATH", (others.empty() ? package.string() : package.string() + ":" + others).c_str(), 1);
  }
  const fs::path here = fs::read_symlink("/proc/self/exe");
  if (here.filename() == "lab")
    ::setenv("LAB_PROGRAM", here.c_str(), 1);  // not lab-course, which judges no requests
  words.insert(words.begin(), {python, "-m", "transpose_lab.commands"});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers.front(), pointers.data());
  throw base::EnvironmentError(msg("Cannot start {}: {}. Install python3, or set LAB_PYTHON to a Python.",
                                   python, std::string(std::strerror(errno))));
}

Command mcp_command() {
  struct McpOptions {
    bool allow_run = false;
    std::vector<std::string> problems;
  };
  static McpOptions options;
  Command command{"mcp",
                  "Serves tools to models by the Model Context Protocol, over standard input and output.\n"
                  "Example: ./lab mcp --problem reduction.py"};
  command.option("--problem", options.problems, "The tool solve, too, for this problem file (docs/python.md)")
      .one_each();
  command.option("--allow-run", options.allow_run,
                 "The tool run, too: whole programs, with your rights and no walls");
  command.run = [] {
    std::vector<std::string> words{"mcp"};
    if (options.allow_run) words.emplace_back("--allow-run");
    for (const std::string& problem : options.problems) words.insert(words.end(), {"--problem", problem});
    return become_python(words);
  };
  return command;
}

}  // namespace lab::cli
