// What the commands of `lab` share: global options, how kernels are named.
//
// Enters: the command line as parser.cpp read it. Leaves: what each command prints, and its exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/text/text.h"
#include "common/cli/command.h"
#include "common/compile/compile.h"
#include "common/judge/examine.h"
#include "common/report/style.h"

namespace lab::base {
class Json;
}
namespace lab::explore {
struct KernelOptions;
struct KernelChoice;
}  // namespace lab::explore

namespace lab::cli {

using text::tr;
using text::translated;

struct Session {
  bool plain = false;
  std::string compiler;                        // "", "nvrtc", "nvcc", "clang", "builtin"
  std::vector<std::string> program_arguments;  // behind `--`
  const Command* commands = nullptr;           // all of them: completion reads them
  [[nodiscard]] report::Style style() const { return report::style_for_stdout(plain); }
  [[nodiscard]] std::optional<compile::CompilerKind> compiler_kind() const;
};

// `lab` with its own options, and no commands yet.
[[nodiscard]] Command bare_lab(Session& session, bool has_compilers);
// The commands as `lab` has them, each from a file of its own.
[[nodiscard]] Command all_commands(Session& session);
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
Command profile_command(const Session& session);
Command bench_command(const Session& session);
Command run_command(const Session& session);
Command judge_command(const Session& session);
Command banks_command(const Session& session);
Command sectors_command(const Session& session);
Command swizzle_command(const Session& session);
Command limits_command(const Session& session);
Command grade_command(const Session& session);
Command similar_command(const Session& session);
Command doctor_command(const Session& session);
Command completion_command(const Session& session);
Command dev_command(const Session& session);
Command verify_command(const Session& session);

struct CheckOptions {
  std::string chapter, kernel;
  std::string device = "auto";  // sim, gpu, auto
  int gpu_index = 0;
  bool solution = false, sandbox = false, json = false;
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

// --device sim|gpu|auto and --gpu-index, the same in every command that has them.
void add_device_options(Command& command, std::string& device, int& gpu_index);
[[nodiscard]] judge::DeviceChoice device_choice(const std::string& device);

// --block, --tile, --elem-bytes, the same in every command that takes any kernel.
void add_kernel_options(Command& command, explore::KernelOptions& options);

// --rows, --cols, --pitch, --batch, --entry: which matrix, and which kernel of the file; the same in every
// command that runs one launch.
struct LaunchOptions {
  std::int64_t rows = 1024, cols = 1024, batch = 1;
  std::string pitch, entry;
  bool rows_given = false, cols_given = false;
  [[nodiscard]] bool names_matrix() const { return rows_given || batch != 1 || !pitch.empty(); }
};
void add_launch_options(Command& command, LaunchOptions& options);
// `otherwise` for what the options leave unsaid. Throws UsageError.
[[nodiscard]] judge::Problem problem_of(const LaunchOptions& options, judge::Problem otherwise);
// The same as words of a command line, so that it can be repeated: " --rows 777 --cols 1000".
[[nodiscard]] std::string launch_words(const judge::Reason& reason);

// What --json prints: one line.
void print_json(const base::Json& json);

// Before a long run: throws UsageError where `path` is a file that begins with another byte than `begins`, a
// program for instance.
void check_named(const std::string& path, char begins);
// A file that the user named. Throws EnvironmentError, and as check_named.
void write_named(const std::string& path, const std::string& bytes);

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
