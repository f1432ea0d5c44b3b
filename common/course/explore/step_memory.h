// What an array holds as a step begins, played from the recording alone.
//
// Enters: a StepRun, a step, an array. Leaves: its bytes, which of them are known, and who wrote them. What the
// TMA unit and atomics write has no values in a recording; what no recorded block wrote is unwritten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/course/explore/step_run.h"

namespace lab::explore {

struct StepMemory {
  enum class State : std::uint8_t { Unwritten, Known, Unknown };
  std::vector<std::byte> bytes;
  std::vector<State> states;           // by byte
  std::vector<std::uint32_t> writers;  // by byte: the warp; of a byte that is written
  // That all these bytes have; of several: Unknown.
  [[nodiscard]] State state(std::size_t at, std::size_t count) const;
};

// `shared`: of StepRun::arrays, in that block; none: `out`.
[[nodiscard]] StepMemory memory_before(const StepRun& run, std::size_t step, std::uint32_t block,
                                       std::optional<std::size_t> shared);

}  // namespace lab::explore
