// The commands as `lab` has them, in the order in which a student meets them.
#include "common/cli/cli.h"

namespace lab::cli {
namespace {

Command holding(const char* name, const char* about, std::initializer_list<Command> commands) {
  Command command{name, about};
  command.commands = commands;
  return command;
}

Command inspect(const Session& session) {
  return holding(
      "inspect",
      "What one access, one layout or one GPU costs, without a chapter.\n"
      "Example: ./lab inspect banks --step 128    ./lab inspect swizzle \"(x + 5) % 32\"",
      {banks_command(session), sectors_command(session), swizzle_command(session), limits_command(session)});
}

void add(Command& lab, const char* heading, std::initializer_list<Command> commands) {
  for (const Command& command : commands) {
    lab.commands.push_back(command);
    lab.commands.back().group = heading;
  }
}

}  // namespace

Command all_commands(Session& s) {
  Command lab{"lab", "Transpose Lab: GPU memory performance, one matrix transpose at a time."};
  static std::string
      language;  // read before everything else (language.cpp); here for the help, and to be checked
  lab.option("--plain", s.plain, "No colour");
  lab.option("--compiler", s.compiler, "Kernel compiler: nvrtc, nvcc or clang")
      .one_of({"nvrtc", "nvcc", "clang"});
  lab.option("--lang", language,
             "Language of messages: en or zh (default: LAB_LANG, LC_ALL, LC_MESSAGES, LANG)")
      .one_of({"en", "zh"});
  add(lab, /* message */ "The course",
      {tour_command(s), list_command(s), predict_command(s), check_command(s), watch_command(s),
       hint_command(s), explain_command(s), tables_command(s), solution_command(s), progress_command(s),
       reset_command(s)});
  add(lab, /* message */ "Pictures and counters",
      {show_command(s), diff_command(s), profile_command(s), bench_command(s), run_command(s), inspect(s)});
  add(lab, /* message */ "For a class", {grade_command(s)});
  add(lab, /* message */ "This machine", {doctor_command(s), completion_command(s)});
  add(lab, /* message */ "For those who change the course", {dev_command(s)});
  return lab;
}

}  // namespace lab::cli
