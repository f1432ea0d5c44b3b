// `lab dev verify`: the course keeps its own promises.
//
// Enters: every solution, skeleton and wrong kernel. Leaves: the matrix of solutions against chapters, the
// size of each step, and what is not as promised. Exit 0 only when all is.
#include <fmt/core.h>

#include "common/base/errors.h"
#include "common/base/text/text.h"
#include "common/course/commands/commands.h"
#include "common/course/lessons/course_verify.h"
#include "common/course/report/verify_text.h"
#include "common/ui/waiting.h"

namespace lab::cli {
namespace {

int verify(const Session& session, bool json) {
  course::CourseOptions options;
  if (const auto kind = compile::kind_named(session.compiler)) options.compilers = {*kind};
  const course::CourseReport report = [&] {
    Waiting waiting(text::tr("verifying the course"), !json);
    options.progress = [&waiting](std::size_t done, std::size_t all) { waiting.reached(done, all); };
    return course::verify_course(options);
  }();
  const auto code = report.kept() ? base::ExitCode::Passed : base::ExitCode::NotYet;
  if (json) {
    fmt::print("{}\n", report::course_json(report));
    return static_cast<int>(code);
  }
  fmt::print("{}", report::course_text(report, session.style()));
  return static_cast<int>(code);
}

}  // namespace

Command verify_command(const Session& session) {
  Command command{
      "verify",
      "Holds the course to its promises: solutions, skeletons, wrong kernels.\nExample: ./lab dev verify"};
  static bool json = false;
  command.json(json);
  command.run = [&session] { return verify(session, json); };
  return command;
}

}  // namespace lab::cli
