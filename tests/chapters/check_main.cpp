// A chapter's checks as a program of their own: test_NN_name [--kernel FILE] [--solution] [--json].
//
// Enters: a kernel file, the student's own when none is named. Leaves: the verdict card, and the exit code of
// `lab check`. The chapter is the one that is linked in.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/base/errors.h"
#include "common/judge/checks.h"
#include "common/judge/examine.h"
#include "common/report/card.h"
#include "common/report/json.h"

namespace {

using namespace lab;

int check(int argc, char** argv) {
  CLI::App app("Judges a kernel file by the checks of one chapter.");
  std::string kernel, compiler;
  bool solution = false, json = false, plain = false;
  app.add_option("--kernel", kernel, "Kernel file (default: the chapter's own)");
  app.add_flag("--solution", solution, "Judge the reference solution");
  app.add_option("--compiler", compiler, "nvrtc, nvcc or clang")
      ->check(CLI::IsMember({"nvrtc", "nvcc", "clang"}));
  app.add_flag("--json", json, "One JSON object");
  app.add_flag("--plain", plain, "No colour");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(base::ExitCode::Usage);
  }
  const auto chapters = judge::all_chapters();
  if (chapters.size() != 1)
    throw base::EnvironmentError("This program needs the checks of exactly one chapter.");
  const judge::ChapterInfo& chapter = *chapters.front();
  const std::optional<compile::CompilerKind> kind = compile::kind_named(compiler);
  const std::filesystem::path file = solution         ? judge::solution_kernel(chapter)
                                     : kernel.empty() ? judge::chapter_kernel(chapter)
                                                      : std::filesystem::path(kernel);
  const judge::Examination examination = judge::examine(chapter, file, kind);
  if (json) {
    fmt::print("{}\n", report::dump(report::check_json(examination, "simulator")));
  } else {
    fmt::print("{}", report::card(examination, {}, report::style_for_stdout(plain)));
  }
  return judge::exit_code(examination);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return check(argc, argv);
  } catch (const base::LabError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "The check itself stopped: {}\n", error.what());
    return static_cast<int>(base::ExitCode::Environment);
  }
}
