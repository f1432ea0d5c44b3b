// `lab doctor --workshop`: one laptop, its rows and a verdict that can be read across a room. See
// readiness.h.
#include "common/machine/readiness.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/base/clock.h"
#include "common/base/text/message_json.h"

namespace lab::machine {

bool Readiness::ready() const {
  return std::none_of(rows.begin(), rows.end(),
                      [](const ReadinessRow& row) { return row.state == ReadinessRow::State::Bad; });
}

Readiness look_at_laptop() {
  Readiness laptop;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) laptop.host = name.data();
  laptop.when = base::utc_now("%Y-%m-%dT%H:%M:%SZ");
  add_machine_rows(laptop);
  add_course_rows(laptop);
  return laptop;
}

base::Json readiness_json(const Readiness& laptop) {
  constexpr std::array<const char*, 3> kStates{"good", "mind", "bad"};
  base::Json rows = base::Json::array();
  for (const ReadinessRow& row : laptop.rows) {
    rows.push_back({{"advice", row.advice.english()},
                    {"found", row.found.english()},
                    {"name", row.name.english()},
                    {"said", text::json(msg("{}: {}", row.name, row.found))},
                    {"state", kStates[static_cast<std::size_t>(row.state)]}});
  }
  return {{"commit", laptop.commit},
          {"edit_to_verdict_seconds", laptop.seconds},
          {"fingerprint", laptop.fingerprint},
          {"format", "transpose-lab laptop 1"},
          {"host", laptop.host},
          {"ready", laptop.ready()},
          {"rows", rows},
          {"when", laptop.when}};
}

}  // namespace lab::machine
