// `lab completion SHELL`: a script that teaches a shell our commands, options and chapters.
#include "common/cli/completion.h"

#include <fmt/format.h>

#include <cstdio>

#include "common/cli/cli.h"
#include "common/report/json.h"

namespace lab::cli {

void add_completion(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("completion",
                         "A script that completes commands, options and chapters in your shell.\n"
                         "Example: eval \"$(./lab completion bash)\"    "
                         "./lab completion fish > lab.fish");
  struct Options {
    std::string shell;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command->add_option("shell", options->shell, "Which shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->add_flag("--json", options->json, "One JSON object");
  command->callback([&app, &session, options] {
    session.action = [&app, options] {
      const std::string script = completion_script(options->shell, command_words(app));
      if (options->json) {
        fmt::print("{}\n", report::dump({{"shell", options->shell}, {"script", script}}));
      } else {
        fmt::print("{}", script);
      }
      return 0;
    };
  });
}

}  // namespace lab::cli
