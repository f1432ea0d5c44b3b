// The commands of the lab as WebAssembly, in a browser and in the pip package for Windows and macOS: those that
// need neither a compiler nor a process nor a GPU. Linked in the place of commands.cpp.
#include "common/cli/cli.h"
#include "common/course/commands/commands.h"

namespace lab::cli {

Command all_commands(Session& s) {
  Command lab = bare_lab(s, false);
  lab.run = [&s] { return where_you_are(s); };
  Command inspect{"inspect", "What one access, one layout or one GPU costs, without a chapter."};
  inspect.commands = {banks_command(s), sectors_command(s), swizzle_command(s), limits_command(s)};
  lab.commands = {tour_command(s),     list_command(s),    predict_command(s), check_command(s),
                  tables_command(s),   hint_command(s),    explain_command(s), solution_command(s),
                  progress_command(s), reset_command(s),   show_command(s),    step_command(s),
                  diff_command(s),     profile_command(s), ptx_command(s),     std::move(inspect)};
  return lab;
}

}  // namespace lab::cli
