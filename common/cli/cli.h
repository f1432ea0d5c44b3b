// What the commands of `lab` share: global options, how a command registers, how kernels are named.
//
// Enters: the command line. Leaves: one action, which prints and returns the exit code. A command that cannot
// do its work throws base::LabError; main turns it into a message and its exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text/text.h"
#include "common/compile/compile.h"
#include "common/explore/plain_kernel.h"
#include "common/judge/examine.h"
#include "common/judge/named_kernel.h"
#include "common/report/style.h"

namespace lab::cli {

using text::retell;
using text::tr;

struct Session {
  bool plain = false;
  std::string compiler;                        // "", "nvcc", "clang"
  std::vector<std::string> program_arguments;  // behind `--`
  std::function<int()> action;                 // of the command that was chosen
  [[nodiscard]] report::Style style() const { return report::style_for_stdout(plain); }
  [[nodiscard]] std::optional<compile::CompilerKind> compiler_kind() const;
};

// One function a command, each in its own file.
void add_tour(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_profile(CLI::App& app, Session& session);
void add_list(CLI::App& app, Session& session);
void add_show(CLI::App& app, Session& session);
void add_swizzle(CLI::App& app, Session& session);
void add_doctor(CLI::App& app, Session& session);
void add_verify(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_calculators(CLI::App& app, Session& session);  // banks, sectors
void add_explain(CLI::App& app, Session& session);
void add_watch(CLI::App& app, Session& session);
void add_hint(CLI::App& app, Session& session);
void add_solution(CLI::App& app, Session& session);
void add_progress(CLI::App& app, Session& session);
void add_diff(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_limits(CLI::App& app, Session& session);
void add_grade(CLI::App& app, Session& session);
void add_similar(CLI::App& app, Session& session);
void add_reset(CLI::App& app, Session& session);
void add_predict(CLI::App& app, Session& session);
void add_completion(CLI::App& app, Session& session);

struct CheckOptions {
  std::string chapter, kernel;
  std::string device = "auto";  // sim, gpu, auto
  int gpu_index = 0;
  bool solution = false, sandbox = false, json = false;
  std::int64_t rows = 0, cols = 0;  // this shape alone; 0: all
  std::string key;                  // of the inputs; "": the public one
};
// `lab check`: compiles, runs the cases, prints the card, remembers a student's own verdict. The exit code.
int run_check(const Session& session, const CheckOptions& options);

// --device sim|gpu|auto and --gpu-index, the same in every command that has them.
void add_device_options(CLI::App& command, std::string& device, int& gpu_index);
[[nodiscard]] judge::DeviceChoice device_choice(const std::string& device);

// --block, --tile, --elem-bytes, the same in every command that takes any kernel.
void add_kernel_options(CLI::App& command, explore::KernelOptions& options);

// The first chapter that was not passed yet; the last one when all were.
[[nodiscard]] const judge::ChapterInfo& current_chapter();
// What `lab` alone says.
int where_you_are(const Session& session);

// "chapters/05_padding/README.md", or the lesson in the chosen language.
[[nodiscard]] std::string lesson_of(std::string_view chapter);

}  // namespace lab::cli
