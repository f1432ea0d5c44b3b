// `lab doctor`: what this machine has of what the lab needs.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/cli/cli.h"
#include "common/harness/environment.h"
#include "common/harness/errors.h"
#include "common/harness/gpu_rows.h"

namespace lab::cli {
namespace {

int doctor(bool json) {
  std::vector<harness::EnvironmentRow> rows = harness::describe_environment();
  for (harness::EnvironmentRow& row : harness::describe_gpus()) rows.push_back(std::move(row));
  if (json) {
    fmt::print("{}\n", harness::environment_json(rows).dump());
  } else {
    fmt::print("{}", harness::environment_text(rows, retell));
  }
  return static_cast<int>(harness::is_complete(rows) ? harness::ExitCode::Passed
                                                     : harness::ExitCode::Environment);
}

}  // namespace

void add_doctor(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "doctor", "What was found on this machine, and what is missing.\nExample: ./lab doctor");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object");
  command->callback([&session, json] { session.action = [json] { return doctor(*json); }; });
}

}  // namespace lab::cli
