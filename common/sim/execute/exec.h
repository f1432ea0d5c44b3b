// What an instruction sees while a warp executes it: 32 lanes, side by side.
//
// Enters: a WarpContext with the mask of lanes that act. Leaves: changed rows. Each handler is a plain loop
// over 32 lanes that the compiler turns into vector instructions; that is where the speed comes from.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/sim/base/observer.h"
#include "common/sim/program/program.h"

namespace lab::sim {

class Abreast;   // common/sim/execute/abreast.h
class BlockRun;  // common/sim/execute/block.h: the block that the warp belongs to

struct WarpContext {
  std::byte* file[kRowFiles] = {};  // base of each row file for the current call frame
  Mask mask = 0;                    // lanes that execute this instruction
  Mask carry = 0;                   // CC.CF, one bit a lane
  BlockRun* block = nullptr;
  const WarpPlace* place = nullptr;
  std::uint32_t local_base = 0;        // start of the current frame in local memory, bytes
  const Inst* run_first = nullptr;     // where the straight run that executes was entered,
  const Inst* run_stop = nullptr;      // and behind its last instruction; a handler may end it early
  UndefinedRead* undefined = nullptr;  // of the load or store that executes
  Abreast* abreast = nullptr;          // set: the block's warps go so, and accesses are taken down

  template <class T>
  [[nodiscard]] T* row(const RowRef& ref) const {
    return reinterpret_cast<T*>(file[static_cast<int>(ref.file)] + ref.offset_bytes);
  }
  [[nodiscard]] Mask predicate(const RowRef& ref) const { return *row<Mask>(ref); }
  // Sets the predicate of the acting lanes and leaves the others.
  void set_predicate(const RowRef& ref, Mask bits) const {
    Mask& p = *row<Mask>(ref);
    p = (p & ~mask) | (bits & mask);
  }
};

// Lanes of the mask that the instruction's guard lets act.
inline Mask acting_lanes(const WarpContext& w, const Inst& inst) {
  if (!inst.has_guard) return w.mask;
  const Mask guard = w.predicate(inst.guard);
  return w.mask & (inst.guard_negated ? ~guard : guard);
}

inline bool lane_in(Mask mask, int lane) { return (mask >> lane) & 1u; }
// The bit of each lane, for loops that turn masks into vectors and back.
inline constexpr std::array<Mask, kWarpLanes> kLaneBit = [] {
  std::array<Mask, kWarpLanes> bits{};
  for (int k = 0; k < kWarpLanes; ++k) bits[static_cast<std::size_t>(k)] = Mask{1} << k;
  return bits;
}();
// `yes` where the lane is in the mask. Both values are at hand, so that no branch is needed.
template <class T>
T choose(Mask mask, int lane, T yes, T no) {
  return (mask & kLaneBit[static_cast<std::size_t>(lane)]) != 0 ? yes : no;
}

// Stands before a loop over lanes: no lane reads what another lane of the loop writes, though a row may be
// both source and destination. Without it the compiler checks for overlap and takes the slow loop.
#if defined(__clang__)
#define LAB_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define LAB_LANES _Pragma("GCC ivdep")
#endif

// Runs a whole-warp handler that writes the row `dst`, then puts back the lanes that do not act. Serves as
// the masked handler of every form that cannot fault: no loop has to be written twice.
void masked_row(WarpContext& w, const Inst& i);

template <int n>
const RowRef& source(const Inst& i) {
  static_assert(n < 4);
  return n == 0 ? i.a : n == 1 ? i.b : n == 2 ? i.c : i.d;
}

template <class Op, int count, class D, class... S>
void apply_lanes(D* d, const S*... s) {
  LAB_LANES
  for (int k = 0; k < count; ++k) d[k] = Op::apply(s[k]...);
}

// The handlers of d = op(a, b, …), lane by lane, from a type Op with a static `D apply(S…)`. All rows hold
// exactly the C++ types named, `per_lane` of them in each lane.
template <int per_lane, class Op, class D, class... S>
struct PackedOp {
  static void full(WarpContext& w, const Inst& i) {
    [&]<std::size_t... n>(std::index_sequence<n...>) {
      apply_lanes<Op, kWarpLanes * per_lane>(w.row<D>(i.dst),
                                             static_cast<const S*>(w.row<S>(source<n>(i)))...);
    }
    (std::index_sequence_for<S...>{});
  }
};
template <class Op, class D, class... S>
struct LaneOp : PackedOp<1, Op, D, S...> {
  static void masked(WarpContext& w, const Inst& i) { keep_idle_lanes<D>(w, i, &LaneOp::full); }
};

}  // namespace lab::sim
