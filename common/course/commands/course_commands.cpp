// The words of the course: what `lab-course` has.
//
// Who adds one adds it to the list in ./lab, too; tests/cli/test_course_program.py holds the two
// together.
#include "common/course/commands/commands.h"

namespace lab::cli {

Command course_commands(Session& s) {
  Command lab = bare_lab(s, true);
  lab.run = [&s] { return where_you_are(s); };
  lab.add(/* message */ "The course",
          {tour_command(s), list_command(s), predict_command(s), check_command(s), watch_command(s),
           hint_command(s), explain_command(s), tables_command(s), solution_command(s), progress_command(s),
           reset_command(s)});
  lab.add(/* message */ "Pictures and counters", {show_command(s), step_command(s), dap_command(s),
                                                  diff_command(s), profile_command(s), ptx_command(s)});
  return lab;
}

}  // namespace lab::cli
