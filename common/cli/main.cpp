// The `lab` program: reads the command line, runs one command, returns its exit code.
//
// Exit codes: 0 passed, 1 not yet, 2 usage, 3 environment, 4 budget or time limit.
#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "common/base/errors.h"
#include "common/base/printable.h"
#include "common/base/temporary_folder.h"
#include "common/base/text/text.h"
#include "common/cli/cli.h"
#include "common/compile/compile_command.h"
#include "common/ui/language.h"
#include "common/ui/parser.h"
#include "common/ui/wrap.h"

namespace {

using lab::base::ExitCode;
using lab::cli::Session;

int say(ExitCode code, const std::string& message) {
  std::fflush(stdout);
  const std::string words = "lab: " + lab::base::printable(message);
  fmt::print(stderr, "{}", lab::report::wrapped(words, lab::report::terminal_columns(2)));
  return static_cast<int>(code);
}

// What stands behind `--` belongs to the program that `run` starts.
std::vector<std::string> own_words(int argc, char** argv, std::vector<std::string>& of_program) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto end = std::find(words.begin(), words.end(), "--");
  if (end == words.end()) return words;
  of_program.assign(end + 1, words.end());
  words.erase(end, words.end());
  return words;
}

#ifdef __EMSCRIPTEN__
void remove_folders_on_signals() {}  // a page has none
void name_missing_programs() {}
#else
// A copy of this program elsewhere finds neither: it would take another compiler than ./lab does.
void name_missing_programs() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const bool at_home = folder.filename() == "cli" && folder.parent_path().filename() == "common";
  if (error || at_home || !lab::compile::built_program("compile/lab-nvrtc").empty()) return;
  say(ExitCode::Passed,
      lab::text::tr("this is a copy outside of its build folder, without NVRTC and the built-in compiler: "
                    "results may differ. Run ./lab instead."));
}

void remove_folder(const char* path) {
  // Not fork(): the signal may have come within one, whose locks are held.
  const pid_t child = ::_Fork();
  if (child == 0) {
    ::execl("/bin/rm", "rm", "-rf", "--", path, static_cast<char*>(nullptr));
    _exit(1);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
}

// The signal ends this process as ever, after its temporary folders. Commands that have work to end take its
// place.
void end_by_signal(int signal) {
  lab::base::each_temporary_folder(remove_folder);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void remove_folders_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (::signal(signal, end_by_signal) == SIG_IGN) ::signal(signal, SIG_IGN);
}
#endif

int run(int argc, char** argv) {
  Session session;
  const std::vector<std::string> words = own_words(argc, argv, session.program_arguments);
  const lab::cli::Command commands = lab::cli::all_commands(session);
  lab::text::set_language(lab::cli::chosen_language(commands, words));
  session.commands = &commands;
  const lab::cli::Parsed parsed = lab::cli::parse_command_line(commands, "lab " LAB_VERSION, words);
  if (!parsed.wrong.empty()) return say(ExitCode::Usage, parsed.wrong);
  if (!parsed.print.empty()) {
    fmt::print("{}", lab::report::wrapped_help(parsed.print, lab::report::terminal_columns()));
    return 0;
  }
  name_missing_programs();
  return parsed.command->run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    remove_folders_on_signals();
    return run(argc, argv);
  } catch (const lab::base::LabError& error) {
    return say(error.exit_code(), lab::text::translated(error.message()));
  } catch (const std::bad_alloc&) {
    return say(ExitCode::Environment,
               lab::text::tr("This machine has not enough free memory for that; take a smaller matrix."));
  } catch (const std::exception& error) {
    return say(ExitCode::Environment,
               lab::text::tr("Something went wrong inside lab: {}. Please report it.", error.what()));
  }
}
