// The commands of the course, each from a file of its own, and what they ask of each other.
//
// Enters: the session. Leaves: a Command for each; of those that `lab watch` and `lab judge` call, what they print.
#pragma once

#include <optional>
#include <string>

#include "common/compile/compile.h"
#include "common/course/commands/kernel_options.h"
#include "common/course/judge/examine.h"
#include "common/ui/session.h"

namespace lab::explore {
struct KernelChoice;
}

namespace lab::cli {

// `lab` with the words of the course, as `lab-course` has them.
[[nodiscard]] Command course_commands(Session& session);
Command tour_command(const Session& session);
Command list_command(const Session& session);
Command predict_command(const Session& session);
Command tables_command(const Session& session);
Command check_command(const Session& session);
Command watch_command(const Session& session);
Command hint_command(const Session& session);
Command explain_command(const Session& session);
Command solution_command(const Session& session);
Command progress_command(const Session& session);
Command reset_command(const Session& session);
Command show_command(const Session& session);
Command diff_command(const Session& session);
Command ptx_command(const Session& session);
Command step_command(const Session& session);
Command dap_command(const Session& session);
Command profile_command(const Session& session);
Command bench_command(const Session& session);
Command banks_command(const Session& session);
Command sectors_command(const Session& session);
Command swizzle_command(const Session& session);
Command limits_command(const Session& session);
Command verify_command(const Session& session);

struct CheckOptions {
  std::string chapter, kernel;
  std::string device = "auto";  // sim, gpu, auto
  int gpu_index = 0;
  bool solution = false, sandbox = false, json = false;
  bool try_fixes = false;           // in JSON
  std::int64_t rows = 0, cols = 0;  // this shape alone; 0: all
  std::string key;                  // of the inputs; "": the public one
  std::string drawn_by;             // what they are drawn by; "": the kernel
  std::string format;               // "": the card
  std::string problem;              // a problem file, in the place of a chapter
  std::int64_t seed = -1;           // of a problem's sizes; -1: drawn
};
// `lab check`: compiles, runs the cases, prints the card, remembers a student's own verdict. The exit code.
int run_check(const Session& session, const CheckOptions& options);

// What `lab hint`, `lab show` and `lab progress` print of a chapter.
int show_hint(const Session& session, const std::string& chapter);
int show_picture(const Session& session, const std::string& chapter);
int show_progress(const Session& session);
// The page of `lab show --html`, at the access that costs most. Throws as `lab show` does.
[[nodiscard]] std::string step_page(const explore::KernelChoice& choice,
                                    std::optional<compile::CompilerKind> compiler);

// The chapter of that name. Of "": the one whose folder this is called in; elsewhere the first that was not
// passed yet, the last one when all were.
[[nodiscard]] const judge::ChapterInfo& current_chapter(const std::string& name = "");
// What `lab` alone says.
int where_you_are(const Session& session);

// "chapters/05_padding/README.md", or the lesson in the chosen language.
[[nodiscard]] std::string lesson_of(std::string_view chapter);
// Its Markdown. Throws UsageError when it is not there.
[[nodiscard]] std::string lesson_text(const judge::ChapterInfo& chapter);

}  // namespace lab::cli
