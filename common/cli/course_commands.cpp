// The words of the course: what `lab-course` has, which is built first.
//
// Whoever adds one adds it to the list in ./lab, too; tests/cli/test_course_program.py holds the two
// together.
#include "common/cli/cli.h"

namespace lab::cli {

Command course_commands(Session& s) {
  Command lab{"lab", "Transpose Lab: GPU memory performance, one matrix transpose at a time."};
  static std::string
      language;  // read before everything else (language.cpp); here for the help, and to be checked
  lab.option("--plain", s.plain, "No colour");
  lab.option("--compiler", s.compiler, "Kernel compiler: nvrtc, nvcc, clang or builtin")
      .one_of({"nvrtc", "nvcc", "clang", "builtin"});
  lab.option("--lang", language,
             "Language of messages: en or zh (default: LAB_LANG, LC_ALL, LC_MESSAGES, LANG)")
      .one_of({"en", "zh"});
  lab.add(/* message */ "The course",
          {tour_command(s), list_command(s), predict_command(s), check_command(s), watch_command(s),
           hint_command(s), explain_command(s), tables_command(s), solution_command(s), progress_command(s),
           reset_command(s)});
  lab.add(/* message */ "Pictures and counters",
          {show_command(s), diff_command(s), profile_command(s), ptx_command(s)});
  return lab;
}

}  // namespace lab::cli
