// `lab doctor --workshop`: one laptop, its rows and a verdict that can be read across a room. See laptop.h.
#include "common/machine/laptop.h"

#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

namespace lab::machine {

bool Laptop::ready() const {
  return std::none_of(rows.begin(), rows.end(),
                      [](const LaptopRow& row) { return row.state == LaptopRow::State::Bad; });
}

Laptop look_at_laptop() {
  Laptop laptop;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) laptop.host = name.data();
  laptop.when =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                  fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  add_machine_rows(laptop);
  add_course_rows(laptop);
  return laptop;
}

nlohmann::json laptop_json(const Laptop& laptop) {
  constexpr std::array<const char*, 3> kStates{"good", "mind", "bad"};
  nlohmann::json rows = nlohmann::json::array();
  for (const LaptopRow& row : laptop.rows) {
    rows.push_back({{"name", row.name},
                    {"state", kStates[static_cast<std::size_t>(row.state)]},
                    {"found", row.found},
                    {"advice", row.advice}});
  }
  return {{"format", "transpose-lab laptop 1"},
          {"host", laptop.host},
          {"when", laptop.when},
          {"ready", laptop.ready()},
          {"commit", laptop.commit},
          {"fingerprint", laptop.fingerprint},
          {"edit_to_verdict_seconds", laptop.seconds},
          {"rows", rows}};
}

}  // namespace lab::machine
