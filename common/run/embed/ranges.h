// Memory of the caller's process, lent to a module for one launch.
//
// Enters: ranges of addresses, which kernels know by the same addresses. Leaves: a Memory that has them while
// this lives. Throws Refused for a range that cannot be.
#pragma once

#include <vector>

#include "common/run/embed/module.h"

namespace lab::embed {

// Where a module's own buffers end: its variables, what kernels allocate, 36 GiB of addresses.
inline constexpr sim::DeviceAddress kOwnEnd = 0x0000'0010'0000'0000ull;

class LentRanges {
 public:
  LentRanges(sim::Memory& memory, const lab_ptx_request& request);
  ~LentRanges() { take_back(); }
  LentRanges(const LentRanges&) = delete;
  LentRanges& operator=(const LentRanges&) = delete;

 private:
  void lend(const lab_ptx_range& range, std::size_t number);
  void lend_all_between();
  void take_back() noexcept;

  sim::Memory& memory_;
  std::vector<sim::DeviceAddress> bases_;
};

}  // namespace lab::embed
