// `lab completion SHELL`: a script that teaches a shell our commands, options and chapters.
#include "common/cli/completion.h"

#include <fmt/core.h>

#include "common/cli/cli.h"
#include "common/ui/counters_json.h"

namespace lab::cli {

Command completion_command(const Session& session) {
  Command command{"completion",
                  "A script that completes commands, options and chapters in your shell.\n"
                  "Example: eval \"$(./lab completion bash)\"    ./lab completion fish > lab.fish"};
  struct Options {
    std::string shell;
    bool json = false;
  };
  static Options options;
  command.option("shell", options.shell, "Which shell").required().one_of({"bash", "zsh", "fish"});
  command.json(options.json);
  command.run = [&session] {
    const std::string script = completion_script(options.shell, command_words(*session.commands));
    if (options.json) {
      print_json({{"shell", options.shell}, {"script", script}});
    } else {
      fmt::print("{}", script);
    }
    return 0;
  };
  return command;
}

}  // namespace lab::cli
