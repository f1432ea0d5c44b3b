// The `lab` program: reads the command line, runs one command, returns its exit code.
//
// Exit codes: 0 passed, 1 not yet, 2 usage, 3 environment, 4 budget or time limit.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "common/base/errors.h"
#include "common/base/text/text.h"
#include "common/cli/cli.h"
#include "common/cli/language.h"
#include "common/cli/suggest.h"
#include "common/report/printable.h"
#include "common/report/wrap.h"

namespace {

using lab::base::ExitCode;
using lab::cli::Session;

int say(ExitCode code, const std::string& message) {
  std::fflush(stdout);
  const std::string words = "lab: " + lab::report::printable(lab::text::retell(message));
  fmt::print(stderr, "{}", lab::report::wrapped(words, lab::report::terminal_columns(2)));
  return static_cast<int>(code);
}

void add_commands(CLI::App& app, Session& session) {
  app.set_version_flag("--version", "lab " LAB_VERSION);
  app.add_flag("--plain", session.plain, "No colour");
  app.add_option("--compiler", session.compiler, "Kernel compiler: nvrtc, nvcc or clang")
      ->check(CLI::IsMember({"nvrtc", "nvcc", "clang"}));
  lab::cli::add_language(app);
  lab::cli::add_tour(app, session);
  lab::cli::add_list(app, session);
  lab::cli::add_predict(app, session);
  lab::cli::add_check(app, session);
  lab::cli::add_watch(app, session);
  lab::cli::add_hint(app, session);
  lab::cli::add_explain(app, session);
  lab::cli::add_solution(app, session);
  lab::cli::add_progress(app, session);
  lab::cli::add_reset(app, session);
  lab::cli::add_show(app, session);
  lab::cli::add_diff(app, session);
  lab::cli::add_profile(app, session);
  lab::cli::add_bench(app, session);
  lab::cli::add_run(app, session);
  lab::cli::add_calculators(app, session);
  lab::cli::add_swizzle(app, session);
  lab::cli::add_grade(app, session);
  lab::cli::add_similar(app, session);
  lab::cli::add_doctor(app, session);
  lab::cli::add_completion(app, session);
  lab::cli::add_limits(app, session);
  lab::cli::add_verify(app, session);
  lab::cli::group_commands(app);
  app.require_subcommand(0, 1);
  for (CLI::App* command : app.get_subcommands({})) {
    if (!command->get_prefix_command()) command->fallthrough();  // --plain may stand anywhere
  }
}

int run(int argc, char** argv) {
  CLI::App app("Transpose Lab: GPU memory performance, one matrix transpose at a time.", "lab");
  Session session;
  // Behind `--` stands what belongs to the program that `run` starts.
  int own = 1;
  while (own < argc && std::string_view(argv[own]) != "--") ++own;
  for (int k = own + 1; k < argc; ++k) session.program_arguments.emplace_back(argv[k]);
  lab::text::set_language(lab::cli::chosen_language(own, argv));
  add_commands(app, session);
  lab::cli::retell_help(app);
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_name() == "CallForHelp") {
      fmt::print("{}", lab::report::wrapped_help(app.help(), lab::report::terminal_columns()));
      return 0;
    }
    if (error.get_exit_code() == 0) return app.exit(error);  // --version
    return say(ExitCode::Usage, lab::cli::usage_words(app, error));
  }
  if (!session.action) return lab::cli::where_you_are(session);
  return session.action();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const lab::base::LabError& error) {
    return say(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return say(ExitCode::Environment,
               "This machine has not enough free memory for that; take a smaller matrix.");
  } catch (const std::exception& error) {
    return say(ExitCode::Environment,
               fmt::format("Something went wrong inside lab: {}. Please report it.", error.what()));
  }
}
