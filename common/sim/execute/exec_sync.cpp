// Waiting for the lanes of a *.sync operation, and handing them their results.
//
// Enters: a split at a WarpSync instruction. Leaves: the split behind it, or waiting (AtSync) for the other
// lanes that its member mask names. Lanes with different masks (tiles of a warp) form groups of their own.
#include "common/sim/execute/exec_sync.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"

namespace lab::sim {
namespace {

// The values of these lanes; others keep what `into` has.
template <class Number>
void gather_row(const WarpContext& w, const RowRef& row, Mask lanes, Number (&into)[kWarpLanes]) {
  if (!is_set(row)) return;
  if (row.lane_bytes != sizeof(std::uint32_t)) {
    for (const int k : lanes_of<int>(lanes)) into[k] = static_cast<Number>(lane_value(w, row, k));
    return;
  }
  const std::uint32_t* const from = w.row<std::uint32_t>(row);
  LAB_LANES
  for (int k = 0; k < kWarpLanes; ++k) into[k] = choose(lanes, k, Number{from[k]}, into[k]);
}

void gather(const WarpContext& w, const Inst& inst, Mask lanes, Exchange& x) {
  x.is_signed = inst.sign_extend;
  x.numbers = w.block->launch().options.numbers;
  if (inst.a.file == RowFile::Predicate || (is_set(inst.a) && inst.a.lane_bytes == 0))
    x.votes |= w.predicate(inst.a) & lanes;
  else
    gather_row(w, inst.a, lanes, x.a);
  gather_row(w, inst.b, lanes, x.b);
  gather_row(w, inst.c, lanes, x.c);
}

void scatter(const WarpContext& w, const Inst& inst, Mask lanes, const Exchange& x) {
  const auto set_predicate = [&](const RowRef& row) {
    Mask& p = *w.row<Mask>(row);
    p = (p & ~lanes) | (x.predicate & lanes);
  };
  if (is_set(inst.dst2)) set_predicate(inst.dst2);
  if (!is_set(inst.dst)) return;
  if (inst.dst.file == RowFile::Predicate) {
    set_predicate(inst.dst);
    return;
  }
  if (inst.dst.lane_bytes != sizeof(std::uint32_t)) {
    for (const int k : lanes_of<int>(lanes)) set_lane_value(w, inst.dst, k, x.result[k]);
    return;
  }
  std::uint32_t* const to = w.row<std::uint32_t>(inst.dst);
  LAB_LANES
  for (int k = 0; k < kWarpLanes; ++k)
    to[k] = choose(lanes, k, static_cast<std::uint32_t>(x.result[k]), to[k]);
}

}  // namespace

// Time does not pass here; observers learn how much of it would.
void exec_sleep(WarpContext& w, const Inst& inst) {
  std::uint64_t longest = 0;
  for (const int lane : lanes_of<int>(w.mask)) longest = std::max(longest, lane_value(w, inst.a, lane));
  w.block->notify<&Observer::sleep>(w.place->warp, w.mask, longest);
}

// They are done already; observers learn that this one knows.
void exec_wait_for_kernels(WarpContext& w, const Inst& /*inst*/) {
  w.block->notify<&Observer::wait_for_kernels>(w.place->warp);
}

void BlockRun::warp_sync(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting) {
  WarpContext& w = warp.context;
  Split& split = warp.splits[index];
  if (acting != split.mask) return part(warp, index, inst, acting, inst.pc + 1);
  // The common case: one mask, and all its live lanes are here.
  const std::uint32_t* members = w.row<std::uint32_t>(inst.d);
  const int first = std::countr_zero(split.mask);
  std::uint32_t differ = 0;
  for (int k = 0; k < kWarpLanes; ++k) differ |= choose(split.mask, k, members[k] ^ members[first], 0u);
  const bool uniform = differ == 0;
  const auto exchange_here = [&] {
    Exchange x;
    x.op = static_cast<SyncOp>(inst.extra);
    x.lanes = split.mask;
    gather(w, inst, split.mask, x);
    perform(x);
    if (x.reads_absent >= 0) report_absent(warp, inst, x);
    scatter(w, inst, split.mask, x);
    if (warp.undefined != nullptr) warp.undefined->exchanged(w, inst, x);
    ++split.pc;
    report_order(warp, x);
  };
  if (uniform && (members[first] & warp.live) == split.mask) return exchange_here();
  for (const int k : lanes_of<int>(split.mask)) {
    if (lane_in(members[k], k)) continue;
    char mask[16];
    std::snprintf(mask, sizeof mask, "0x%08x", members[k]);
    const Message what =
        msg("{} executes a warp operation whose mask {} does not name its own lane {}. Each lane that "
            "executes it must be in its mask.",
            thread_name(w, k), mask, k);
    // A GPU waits for the lanes of the mask, and all that are here take part (measured on an H100). Where
    // masks differ, each lane has what the manual says of its own.
    Mask named = 0;
    for (const std::uint32_t lane : lanes_of(split.mask)) named |= members[lane];
    if ((named & warp.live & ~split.mask) != 0)
      fault(FaultKind::WarpSync, w, inst.pc, k, 0, what, Fix::Act::OwnMask);
    forbid(FaultKind::WarpSync, w, inst.pc, k, what, Fix::Act::OwnMask);
    return uniform ? exchange_here() : exchange_by_own_masks(warp, split, inst);
  }
  split.state = SplitState::AtSync;
}

// Lanes that are here together and name each its own lanes, some without themselves.
void BlockRun::exchange_by_own_masks(Warp& warp, Split& split, const Inst& inst) {
  WarpContext& w = warp.context;
  const std::uint32_t* members = w.row<std::uint32_t>(inst.d);
  std::array<Exchange, kWarpLanes> of_lane;  // the results may take the place of the masks
  for (const std::uint32_t lane : lanes_of(split.mask)) {
    Exchange& x = of_lane[lane];
    x.op = static_cast<SyncOp>(inst.extra);
    x.lanes = members[lane] & split.mask;
    const bool is_vote = x.op >= SyncOp::VoteAll && x.op <= SyncOp::VoteBallot;
    if (!is_vote) x.lanes |= Mask{1} << lane;
    gather(w, inst, split.mask, x);
    perform(x);
  }
  for (const std::uint32_t lane : lanes_of(split.mask)) {
    Exchange& x = of_lane[lane];
    scatter(w, inst, Mask{1} << lane, x);
    x.lanes = Mask{1} << lane;
    if (warp.undefined != nullptr) warp.undefined->exchanged(w, inst, x);
  }
  ++split.pc;
}

// Lanes that are past a branch wait there for lanes at a warp operation, which wait for them. A GPU does not
// hold the former back, so they go on alone: to their end, or to where they are waited for. True when some
// do.
bool BlockRun::part_from_syncs() {
  for (Warp& warp : warps_) {
    if (warp.live == 0) continue;
    for (Split& s : warp.splits) {
      if (s.state != SplitState::AtSync) continue;
      bind(warp, s);
      const int lane = std::countr_zero(s.mask);
      const Mask named = warp.context.row<std::uint32_t>(program_.code[s.pc].d)[lane];
      bool held = false;
      for (std::int32_t at = s.parent; at >= 0; at = warp.splits[static_cast<std::size_t>(at)].parent)
        held |= (warp.splits[static_cast<std::size_t>(at)].joined & named) != 0;
      if (!held) continue;
      forbid(FaultKind::WarpSync, warp.context, s.pc, lane, sync_in_vain(s.pc, warp_waits(warp)));
      return release_spinning(warp);
    }
  }
  return false;
}

// Lanes that execute a warp operation together and name others than those they meet. What comes of it is
// undefined, and GPUs run it.
void BlockRun::check_one_mask(const WarpContext& w, const Inst& inst, Mask lanes, Mask met) {
  const std::uint32_t* named = w.row<std::uint32_t>(inst.d);
  for (const int k : lanes_of<int>(lanes)) {
    if ((named[k] & warp_of(w).live) == met) continue;
    char masks[2][16];
    std::snprintf(masks[0], sizeof masks[0], "0x%08x", named[k]);
    std::snprintf(masks[1], sizeof masks[1], "0x%08x", met);
    return forbid(FaultKind::WarpSync, w, inst.pc, k,
                  msg("{} executes a warp operation with the mask {}, and lanes that it meets there name the "
                      "lanes {}. All lanes of a mask must execute the operation with this same mask.",
                      thread_name(w, k), masks[0], masks[1]),
                  Fix::Act::OwnMask);
  }
}

// Executes every group of waiting lanes that is complete. True when one was.
bool BlockRun::settle_syncs(Warp& warp) {
  WarpContext& w = warp.context;
  bool any = false;
  Mask waiting = 0;
  for (const Split& s : warp.splits) waiting |= s.state == SplitState::AtSync ? s.mask : 0;
  Mask finished = 0;
  for (std::uint32_t k = 0; k < warp.splits.size(); ++k) {
    if (warp.splits[k].state != SplitState::AtSync) continue;
    bind(warp, warp.splits[k]);
    const Inst& inst = program_.code[warp.splits[k].pc];
    for (Mask left = warp.splits[k].mask & ~finished; left != 0;) {
      const Mask group_mask = w.row<std::uint32_t>(inst.d)[std::countr_zero(left)] & warp.live;
      left &= ~group_mask;
      if ((group_mask & ~waiting) != 0) continue;
      Exchange x;
      x.op = static_cast<SyncOp>(inst.extra);
      x.lanes = group_mask;
      const auto for_members = [&](auto act) {
        for (Split& s : warp.splits) {
          if (s.state != SplitState::AtSync || (s.mask & group_mask) == 0) continue;
          bind(warp, s);
          act(program_.code[s.pc], s.mask & group_mask, s);
        }
      };
      for_members([&](const Inst& other, Mask lanes, const Split&) {
        if (other.extra != inst.extra) {
          const int lane = std::countr_zero(lanes);
          fault(FaultKind::WarpSync, w, other.pc, lane, 0,
                msg("{} executes another warp operation ({}) than the lanes it is meant to meet ({}).",
                    thread_name(w, lane), line_name(other.pc), line_name(inst.pc)));
        }
        check_one_mask(w, other, lanes, group_mask);
        gather(w, other, lanes, x);
      });
      perform(x);
      bind(warp, warp.splits[k]);
      if (x.reads_absent >= 0) report_absent(warp, inst, x);
      for_members([&](const Inst& other, Mask lanes, const Split&) { scatter(w, other, lanes, x); });
      finished |= group_mask;
      report_order(warp, x);
      bind(warp, warp.splits[k]);
      if (warp.undefined != nullptr) warp.undefined->exchanged(w, inst, x);
    }
  }
  for (std::uint32_t k = 0; k < warp.splits.size(); ++k) {
    if (warp.splits[k].state != SplitState::AtSync || (warp.splits[k].mask & finished) == 0) continue;
    if (const Mask rest = warp.splits[k].mask & ~finished; rest != 0) {
      // Some of its lanes still wait: they stay behind as a split of their own.
      const std::uint32_t behind = new_split(warp);
      warp.splits[behind] = warp.splits[k];
      warp.splits[behind].mask = rest;
      if (warp.splits[k].parent >= 0) ++warp.splits[static_cast<std::size_t>(warp.splits[k].parent)].children;
      warp.splits[k].mask &= finished;
    }
    Split& s = warp.splits[k];
    s.state = SplitState::Ready;
    ++s.pc;
    any = true;
    if (s.pc == s.meet) join_if_met(warp, k);
  }
  return any;
}

// Shuffles, votes and their like hand over values; memory is put in order by __syncwarp alone.
void BlockRun::report_order(const Warp& warp, const Exchange& x) {
  if (x.op == SyncOp::SyncWarp) notify<&Observer::warp_sync>(warp.place.warp, x.lanes);
}

void BlockRun::report_absent(const Warp& warp, const Inst& inst, const Exchange& x) {
  forbid(FaultKind::WarpSync, warp.context, inst.pc, x.reads_absent,
         msg("{} reads from lane {}, which takes no part in this shuffle: the value is undefined. Name that "
             "lane in the mask and let it execute the shuffle too.",
             thread_name(warp.context, x.reads_absent), x.absent_source));
}

}  // namespace lab::sim
