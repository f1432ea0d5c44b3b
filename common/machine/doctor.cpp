// `lab doctor`: what this machine has of what the lab needs; with --workshop whether it is ready for one,
// with --room whether all are.
#include <fmt/core.h>

#include <algorithm>

#include "common/base/errors.h"
#include "common/machine/doctor.h"
#include "common/machine/environment.h"
#include "common/machine/gpu_rows.h"
#include "common/machine/readiness.h"
#include "common/ui/waiting.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

struct DoctorOptions {
  bool workshop = false, json = false;
  std::vector<std::string> room;
};

int doctor(bool json) {
  std::vector<machine::EnvironmentRow> rows = machine::describe_environment();
  for (machine::EnvironmentRow& row : machine::describe_gpus()) rows.push_back(std::move(row));
  if (json) {
    print_json(machine::environment_json(rows));
  } else {
    fmt::print("{}", machine::environment_text(rows, text::form_in_language));
  }
  return static_cast<int>(machine::is_complete(rows) ? base::ExitCode::Passed : base::ExitCode::Environment);
}

// Rows, then one line between two bars: to be seen from the front of the room.
void print_laptop(const machine::Readiness& laptop, const report::Style& style) {
  using State = machine::ReadinessRow::State;
  std::size_t name_width = 0;
  for (const machine::ReadinessRow& row : laptop.rows)
    name_width = std::max(name_width, report::width(translated(row.name)));
  for (const machine::ReadinessRow& row : laptop.rows) {
    const std::string state = row.state == State::Good   ? tr("ok")
                              : row.state == State::Mind ? tr("mind")
                                                         : tr("NO");
    const report::Ink ink = row.state == State::Good ? report::Ink::Good : report::Ink::Bad;
    fmt::print("  {}  {}  {}\n", style.paint(report::pad_right(state, 4), ink),
               report::pad_right(translated(row.name), name_width), translated(row.found));
    if (!row.advice.empty()) {
      const std::string indent(name_width + 10, ' ');
      fmt::print("{}", report::wrapped(translated(row.advice), report::terminal_columns(), indent, indent));
    }
  }
  const bool mind = std::any_of(laptop.rows.begin(), laptop.rows.end(),
                                [](const machine::ReadinessRow& row) { return row.state == State::Mind; });
  const std::string verdict = !laptop.ready() ? tr("NOT READY")
                              : mind          ? tr("READY, but mind what is said above")
                                              : tr("READY");
  const std::string bar(72, '=');
  fmt::print("\n  {}\n  {}\n  {}\n", bar,
             style.paint(fmt::format("  {}   {}   {}", verdict, laptop.host, laptop.fingerprint.substr(0, 8)),
                         laptop.ready() ? report::Ink::Good : report::Ink::Bad),
             bar);
}

int workshop(const Session& session, bool json) {
  const machine::Readiness laptop = [&] {
    const Waiting waiting(tr("trying out this laptop"), !json);
    return machine::look_at_laptop();
  }();
  if (json) {
    print_json(machine::readiness_json(laptop));
  } else {
    print_laptop(laptop, session.style());
  }
  return static_cast<int>(laptop.ready() ? base::ExitCode::Passed : base::ExitCode::Environment);
}

int run_doctor(const Session& session, const DoctorOptions& options) {
  if (!options.room.empty()) {
    if (options.workshop)
      throw base::UsageError("--workshop looks at this laptop, --room at records of many: give one of them.");
    return machine::show_room(options.room, session.plain, options.json);
  }
  return options.workshop ? workshop(session, options.json) : doctor(options.json);
}

}  // namespace

Command doctor_command(const Session& session) {
  Command command{"doctor",
                  "What was found on this machine, and what is missing.\nExample: ./lab "
                  "doctor    ./lab doctor --workshop    ./lab doctor --room FOLDER"};
  static DoctorOptions options;
  command.option("--workshop", options.workshop, "Try out whether this laptop is ready for a workshop");
  command.option("--room", options.room, "Files that --workshop --json wrote, or folders of them: one table");
  command.json(options.json);
  command.run = [&session] { return run_doctor(session, options); };
  return command;
}

}  // namespace lab::cli
