// The commands of `lab-course`. Linked in the place of commands.cpp.
#include "common/cli/cli.h"
#include "common/course/commands/commands.h"

namespace lab::cli {

Command all_commands(Session& s) { return course_commands(s); }

}  // namespace lab::cli
