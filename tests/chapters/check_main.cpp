// A chapter's checks as a program of their own: test_NN_name [--kernel FILE] [--solution] [--json].
//
// Enters: a kernel file, the student's own when none is named. Leaves: the verdict card, and the exit code of
// `lab check`. The chapter is the one that is linked in.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/harness/checks.h"
#include "common/harness/errors.h"
#include "common/harness/examine.h"
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
  app.add_option("--compiler", compiler, "nvcc or clang")->check(CLI::IsMember({"nvcc", "clang"}));
  app.add_flag("--json", json, "One JSON object");
  app.add_flag("--plain", plain, "No colour");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(harness::ExitCode::Usage);
  }
  const auto chapters = harness::all_chapters();
  if (chapters.size() != 1)
    throw harness::EnvironmentError("This program needs the checks of exactly one chapter.");
  const harness::ChapterInfo& chapter = *chapters.front();
  std::optional<harness::CompilerKind> kind;
  if (!compiler.empty())
    kind = compiler == "nvcc" ? harness::CompilerKind::Nvcc : harness::CompilerKind::Clang;
  const std::filesystem::path file = solution         ? harness::solution_kernel(chapter)
                                     : kernel.empty() ? harness::chapter_kernel(chapter)
                                                      : std::filesystem::path(kernel);
  const harness::Examination examination = harness::examine(chapter, file, kind);
  if (json) {
    fmt::print("{}\n", report::dump(report::check_json(examination, "simulator")));
  } else {
    fmt::print("{}", report::card(examination, {}, report::style_for_stdout(plain)));
  }
  return harness::exit_code(examination);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return check(argc, argv);
  } catch (const harness::LabError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "The check itself stopped: {}\n", error.what());
    return static_cast<int>(harness::ExitCode::Environment);
  }
}
