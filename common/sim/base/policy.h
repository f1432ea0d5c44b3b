// Which events an observer needs, and which the simulator may leave out for it.
//
// Enters: an instruction, an address, a block. Leaves: answers, asked while a launch runs; they change what
// an observer is called with, never what a kernel does. The defaults are those of an observer that wants
// each event as it comes and no value that has to be fetched for it.
#pragma once

#include <cstdint>

#include "common/sim/base/access.h"

namespace lab::sim {

// Addresses at which an access may begin.
struct Beginnings {
  std::uint64_t low = 0, size = 0;
  const std::uint8_t* while_set = nullptr;  // only as long as this is not 0
};
// Where accesses so wide may begin, in an array of so many bytes.
inline constexpr Beginnings beginnings_in(std::uint64_t low, std::uint64_t bytes, std::uint32_t width_bytes) {
  return {low, bytes < width_bytes ? 0 : bytes - width_bytes + 1};
}
inline constexpr Beginnings kEverywhere{0, ~std::uint64_t{0}};

// Which plain shared accesses an observer needs of a block that repeats an earlier one: each; or, if the block
// deviates later, those since the last barrier, or all places that it stored to.
enum class Repeats : std::uint8_t { Each, SinceBarrier, StoresOfBlock };

class Policy {
 public:
  // Access::value of every access, not only of shared stores. Asked once, before the launch runs.
  [[nodiscard]] virtual bool values() const { return false; }
  // The accesses of this bulk copy too, 16 bytes a piece.
  [[nodiscard]] virtual bool pieces(std::uint32_t /*pc*/, const WarpPlace&) const { return false; }
  // Where accesses of this instruction may begin that are not needed; `at` is one of them.
  [[nodiscard]] virtual Beginnings ignored_range(std::uint32_t /*pc*/, Space, std::uint32_t /*width_bytes*/,
                                                 std::uint64_t /*at*/) {
    return {};
  }
  // Accesses to global memory where no two threads of a block meet may be reported when the block has run: it takes no
  // values from the answer.
  [[nodiscard]] virtual bool may_wait(bool /*writes*/) { return false; }
  [[nodiscard]] virtual Repeats repeats() const { return Repeats::Each; }
  // The shared accesses of this block were skipped: no findings in them, their stores not examined.
  [[nodiscard]] virtual bool found_nothing(std::uint32_t /*slot*/) const { return true; }

 protected:
  ~Policy() = default;
};

// The policy of an observer that names no other: it sees every event.
[[nodiscard]] inline Policy& every_event() {
  static struct final : Policy {
  } defaults;
  return defaults;
}

}  // namespace lab::sim
