// The commands of `lab-tour`. Linked in the place of commands.cpp.
#include "common/cli/cli.h"
#include "common/course/commands/commands.h"

namespace lab::cli {

Command all_commands(Session& s) {
  Command lab = bare_lab(s, true);
  lab.run = [&s] { return tour_command(s).run(); };
  lab.add(/* message */ "The course", {tour_command(s)});
  return lab;
}

}  // namespace lab::cli
