// The lanes that do not act keep what they have. See exec.h.
//
// A file of its own: decode compares with this function, and of an inline one the linker takes the copy that
// was compiled there, to be small.
#include <concepts>
#include <cstring>

#include "common/sim/execute/exec.h"

namespace lab::sim {
namespace {

template <std::unsigned_integral T>
void keep_idle_lanes(WarpContext& w, const Inst& i) {
  T* row = w.row<T>(i.dst);
  T before[kWarpLanes];
  std::memcpy(before, row, sizeof before);
  i.full(w, i);
  LAB_LANES  // by arithmetic: of a choice GCC makes no vectors here
      for (unsigned k = 0; k < kWarpLanes; ++k) {
    const T acts = static_cast<T>(T{0} - static_cast<T>(w.mask >> k & 1u));
    row[k] = static_cast<T>((row[k] & acts) | (before[k] & ~acts));
  }
}

}  // namespace

void masked_row(WarpContext& w, const Inst& i) {
  switch (i.dst.lane_bytes) {
    case 2:
      return keep_idle_lanes<std::uint16_t>(w, i);
    case 4:
      return keep_idle_lanes<std::uint32_t>(w, i);
    default:
      return keep_idle_lanes<std::uint64_t>(w, i);
  }
}

}  // namespace lab::sim
