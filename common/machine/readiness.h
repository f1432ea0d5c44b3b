// One laptop of a workshop, inspected: `lab doctor --workshop`, and what `lab doctor --room` reads of many.
//
// Enters: this machine. Leaves: rows in English, each with a verdict and, where it is not good, what to do;
// one object as JSON. Nothing is guessed where it can be tried: kernels are compiled and judged, a file is
// saved and noticed, the network is taken away.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/base/text/message.h"

namespace lab::machine {

struct ReadinessRow {
  enum class State : std::uint8_t { Good, Mind, Bad };  // Mind: the workshop goes on, but not as smoothly
  Message name;                                         // "memory"
  State state = State::Good;
  Message found;
  Message advice;  // "" when good
};

struct Readiness {
  std::string host;
  std::string when;    // "2026-11-21T08:00:00Z"
  std::string commit;  // 12 digits; "" without git
  std::string
      fingerprint;     // of all that judges but for the compiler; the same on laptops with the same course
  double seconds = 0;  // from a saved kernel to its verdict; 0: there was none
  std::vector<ReadinessRow> rows;
  [[nodiscard]] bool ready() const;
};

[[nodiscard]] Readiness look_at_laptop();

// The parts. Each adds its rows.
void add_machine_rows(Readiness& laptop);  // readiness_machine.cpp
void add_course_rows(
    Readiness& laptop);  // readiness_course.cpp: the course, compilers, offline, saving files

[[nodiscard]] base::Json readiness_json(const Readiness& laptop);

// --room: every file that `--workshop --json` wrote (in folders too) as one table. The exit code.
int show_room(const std::vector<std::string>& places, bool plain, bool json);

}  // namespace lab::machine
