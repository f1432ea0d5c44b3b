// The commands as `lab` has them, in the order in which a student meets them.
#include "common/class/commands/commands.h"
#include "common/cli/cli.h"
#include "common/course/commands/commands.h"
#include "common/machine/doctor.h"
#include "common/run/commands/commands.h"
#include "common/ui/python.h"

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

}  // namespace

Command all_commands(Session& s) {
  Command lab = course_commands(s);
  lab.add("Pictures and counters", {bench_command(s), run_command(s), inspect(s)});
  lab.add(/* message */ "For a class", {grade_command(s)});
  lab.add(/* message */ "For programs", {judge_command(s), mcp_command()});
  lab.add(/* message */ "This machine", {doctor_command(s), completion_command(s)});
  lab.add(/* message */ "For those who change the course", {dev_command(s)});
  return lab;
}

}  // namespace lab::cli
