// What this machine has of what the lab needs: the rows of `lab doctor`.
//
// Enters: nothing. Leaves: one row for each part, with its version and place, and for what is missing the
// line that installs it.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/base/text/message.h"

namespace lab::machine {

struct EnvironmentRow {
  enum class State { Ok, Missing, Absent };  // Absent: not here, and not needed
  Message name;                              // "kernel compiler nvcc"
  State state = State::Ok;
  Message version;  // "13.0.88", may be empty
  Message where;    // "on PATH", ".venv/…", a folder; may be empty
  Message advice;   // what to do when Missing, what it would give when Absent
};

// All but GPUs: those are gpu_rows.h.
[[nodiscard]] std::vector<EnvironmentRow> describe_environment();

// Nothing that is needed is missing: exit 0 of `lab doctor`, else 3.
[[nodiscard]] bool is_complete(const std::vector<EnvironmentRow>& rows);

// One line per row, in columns.
[[nodiscard]] std::string environment_text(const std::vector<EnvironmentRow>& rows, text::Lookup lookup);

// {"complete": bool, "rows": [{"name", "state": "ok"|"missing"|"absent", "version", "where", "advice"}]}
[[nodiscard]] base::Json environment_json(const std::vector<EnvironmentRow>& rows);

}  // namespace lab::machine
