// What an instruction sees while a warp executes it: 32 lanes, side by side.
//
// Enters: a WarpContext with the mask of lanes that act. Leaves: changed rows. Each handler is a plain loop
// over 32 lanes that the compiler turns into vector instructions; that is where the speed comes from.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "common/sim/observer.h"
#include "common/sim/program.h"

namespace lab::sim {

class BlockRun;  // common/sim/block.h: the block that the warp belongs to

struct WarpContext {
  std::byte* file[kRowFiles] = {};  // base of each row file for the current call frame
  Mask mask = 0;                    // lanes that execute this instruction
  Mask carry = 0;                   // CC.CF, one bit a lane
  BlockRun* block = nullptr;
  const WarpPlace* place = nullptr;
  std::uint32_t warp = 0;

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

inline bool lane_in(Mask mask, int lane) { return (mask >> lane) & 1u; }

// Handlers for d = op(a), d = op(a, b), d = op(a, b, c), lane by lane, from any function or functor type Op
// with a static `D apply(A…)`. All rows hold exactly the C++ types named.
template <class Op, class D, class... S>
struct LaneOp;

template <class Op, class D, class A>
struct LaneOp<Op, D, A> {
  static void full(WarpContext& w, const Inst& i) {
    D* d = w.row<D>(i.dst);
    const A* a = w.row<A>(i.a);
    for (int k = 0; k < kWarpLanes; ++k) d[k] = Op::apply(a[k]);
  }
  static void masked(WarpContext& w, const Inst& i) {
    D* d = w.row<D>(i.dst);
    const A* a = w.row<A>(i.a);
    for (int k = 0; k < kWarpLanes; ++k) {
      if (lane_in(w.mask, k)) d[k] = Op::apply(a[k]);
    }
  }
};

template <class Op, class D, class A, class B>
struct LaneOp<Op, D, A, B> {
  static void full(WarpContext& w, const Inst& i) {
    D* d = w.row<D>(i.dst);
    const A* a = w.row<A>(i.a);
    const B* b = w.row<B>(i.b);
    for (int k = 0; k < kWarpLanes; ++k) d[k] = Op::apply(a[k], b[k]);
  }
  static void masked(WarpContext& w, const Inst& i) {
    D* d = w.row<D>(i.dst);
    const A* a = w.row<A>(i.a);
    const B* b = w.row<B>(i.b);
    for (int k = 0; k < kWarpLanes; ++k) {
      if (lane_in(w.mask, k)) d[k] = Op::apply(a[k], b[k]);
    }
  }
};

template <class Op, class D, class A, class B, class C>
struct LaneOp<Op, D, A, B, C> {
  static void full(WarpContext& w, const Inst& i) {
    D* d = w.row<D>(i.dst);
    const A* a = w.row<A>(i.a);
    const B* b = w.row<B>(i.b);
    const C* c = w.row<C>(i.c);
    for (int k = 0; k < kWarpLanes; ++k) d[k] = Op::apply(a[k], b[k], c[k]);
  }
  static void masked(WarpContext& w, const Inst& i) {
    D* d = w.row<D>(i.dst);
    const A* a = w.row<A>(i.a);
    const B* b = w.row<B>(i.b);
    const C* c = w.row<C>(i.c);
    for (int k = 0; k < kWarpLanes; ++k) {
      if (lane_in(w.mask, k)) d[k] = Op::apply(a[k], b[k], c[k]);
    }
  }
};

}  // namespace lab::sim
