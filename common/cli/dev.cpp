// `lab dev`: what those need who change the course. `new-chapter` and `messages` are scripts of tools/.
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/cli/cli.h"
#include "common/course/commands/commands.h"

namespace lab::cli {
namespace {

// Becomes that script.
int start_tool(const char* name, const std::vector<std::string>& words) {
  const std::string path = (base::project_root() / "tools" / name).string();
  std::vector<char*> pointers{const_cast<char*>(path.c_str())};
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execv(path.c_str(), pointers.data());
  throw base::EnvironmentError(
      msg("cannot start {}: {}", base::shown_path(path), std::string(std::strerror(errno))));
}

Command tool(const char* name, const char* about, const char* script) {
  static std::vector<std::string> words;  // of the one that was chosen
  Command command{name, about};
  command.all_words = &words;
  command.run = [script] { return start_tool(script, words); };
  return command;
}

}  // namespace

Command dev_command(const Session& session) {
  Command command{"dev",
                  "Tools for those who change the course.\n"
                  "Example: ./lab dev verify    ./lab dev new-chapter 19_my_idea"};
  command.commands = {verify_command(session),
                      tool("new-chapter",
                           "Makes the files of a new chapter, which then wait for its words and kernels.\n"
                           "Example: ./lab dev new-chapter 19_my_idea",
                           "new-chapter"),
                      tool("messages",
                           "Which sentences have no Chinese yet; --update adds them to the catalogue.\n"
                           "Example: ./lab dev messages --update",
                           "messages.py")};
  return command;
}

}  // namespace lab::cli
