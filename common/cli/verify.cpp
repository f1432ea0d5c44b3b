// `lab verify`: the course keeps its own promises.
//
// Enters: every solution, skeleton and wrong kernel. Leaves: the matrix of solutions against chapters, the
// size of each step, and what is not as promised. Exit 0 only when all is.
#include <fmt/format.h>

#include <cstdio>

#include "common/cli/cli.h"
#include "common/harness/course_verify.h"
#include "common/harness/errors.h"
#include "common/harness/project.h"
#include "common/report/course.h"
#include "common/report/json.h"

namespace lab::cli {
namespace {

using harness::CourseReport;

report::Json verify_json(const CourseReport& report) {
  report::Json items = report::Json::array();
  for (std::size_t i = 0; i < report.items.size(); ++i) {
    const harness::CourseItem& item = report.items[i];
    const harness::CourseOutcome& outcome = report.outcomes[i];
    items.push_back({{"task", name(item.task)},
                     {"file", harness::shown_path(item.file)},
                     {"compiler", harness::name(item.compiler)},
                     {"chapter", item.chapter},
                     {"kept", outcome.kept},
                     {"passed", outcome.passed},
                     {"case", outcome.case_name},
                     {"code", outcome.code},
                     {"message", outcome.message},
                     {"line", outcome.line},
                     {"wrong", outcome.wrong}});
  }
  return {{"kept", report.kept()},
          {"compilers", report.compilers},
          {"compile_seconds", report.compile_seconds},
          {"judge_seconds", report.judge_seconds},
          {"differences", report.differences},
          {"items", items}};
}

int verify(const Session& session, bool json) {
  harness::CourseOptions options;
  if (const auto kind = session.compiler_kind()) options.compilers = {*kind};
  const CourseReport report = harness::verify_course(options);
  const auto code = report.kept() ? harness::ExitCode::Passed : harness::ExitCode::NotYet;
  if (json) {
    fmt::print("{}\n", report::dump(verify_json(report)));
    return static_cast<int>(code);
  }
  fmt::print("{}", report::course_text(report, session.style()));
  return static_cast<int>(code);
}

}  // namespace

void add_verify(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "verify",
      "Holds the course to its promises: solutions, skeletons, wrong kernels.\nExample: ./lab verify");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object");
  command->callback(
      [&session, json] { session.action = [&session, json] { return verify(session, *json); }; });
}

}  // namespace lab::cli
