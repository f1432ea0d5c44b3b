// Block-wide barriers: which warps have arrived, which are missing, and the fault when they cannot arrive.
//
// Enters: splits that reach bar.sync and its relatives. Leaves: released splits, or a fault that says where
// each lane waits. The lanes of a warp count as one: they arrive when all live lanes of the warp stand at the
// barrier.
#include "common/sim/execute/barrier.h"

#include <bit>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/cluster.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

Message lanes_text(Mask mask) {
  std::string out;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if (!lane_in(mask, lane)) continue;
    int last = lane;
    while (last + 1 < kWarpLanes && lane_in(mask, last + 1)) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(lane) + (last > lane ? "-" + std::to_string(last) : "");
    lane = last;
  }
  return std::popcount(mask) == 1 ? msg("lane {}", out) : msg("lanes {}", out);
}

}  // namespace

void BlockRun::barrier(Warp& warp, std::uint32_t index, const Inst& inst, Mask lanes) {
  WarpContext& w = warp.context;
  Split& split = warp.splits[index];
  if (lanes != split.mask) report_divergence(warp, split);
  const int first = std::countr_zero(lanes);
  const std::uint64_t id = lane_value(w, inst.a, first);
  if (id >= 16) {
    fault(FaultKind::BarrierDivergence, w, inst.pc, first, 0,
          msg("{} names barrier {}; a block has barriers 0 to 15.", thread_name(w, first), id));
  }
  BarrierState& state = barriers_[id];
  if (is_set(inst.b)) {
    const auto expected = static_cast<std::uint32_t>(lane_value(w, inst.b, first));
    if (expected == 0 || expected % kWarpLanes != 0) {
      fault(FaultKind::BarrierDivergence, w, inst.pc, first, 0,
            msg("{} gives a barrier {} threads; it must be a multiple of 32, the lanes of a warp.",
                thread_name(w, first), expected));
    }
    state.expected = expected;
  }
  if (static_cast<BarrierAction>(inst.extra) == BarrierAction::Arrive) {
    state.arrived += kWarpLanes;
    meet(Meeting::Act::Arrive, id, warp.place.warp, lanes);
    ++split.pc;
    complete_counted(static_cast<std::uint32_t>(id));
    return;
  }
  split.state = SplitState::AtBarrier;
  split.barrier = static_cast<std::uint32_t>(id);
  split.arrived = false;
  warp.spins = 0;
  if (split.mask != warp.live) return;
  arrive(warp, split);
  complete_counted(static_cast<std::uint32_t>(id));
}

// A barrier with a count is complete when the count is reached: later arrivals belong to its next phase.
void BlockRun::complete_counted(std::uint32_t id) {
  const BarrierState& state = barriers_[id];
  if (state.expected != 0 && state.arrived >= state.expected) release_barrier(id);
}

void BlockRun::arrive(Warp& warp, Split& split) {
  const Inst& inst = program_.code[split.pc];
  BarrierState& state = barriers_[split.barrier];
  split.arrived = true;
  // With a thread count, a warp counts whole, as PTX says; else the live threads of the block must come.
  if (is_set(inst.b)) {
    if (split.mask == warp.live || std::countr_zero(split.mask) == std::countr_zero(warp.live))
      state.arrived += kWarpLanes;
  } else {
    state.arrived += static_cast<std::uint32_t>(std::popcount(split.mask));
  }
  if (is_set(inst.c)) {
    state.votes += static_cast<std::uint32_t>(std::popcount(warp.context.predicate(inst.c) & split.mask));
    state.voters += static_cast<std::uint32_t>(std::popcount(split.mask));
  }
}

void BlockRun::settle_barriers(Warp& warp) {
  Mask waiting = 0;
  Split* any = nullptr;
  bool one_place = true;
  for (Split& s : warp.splits) {
    if (s.state != SplitState::AtBarrier || s.arrived) continue;
    waiting |= s.mask;
    one_place &= any == nullptr || (any->barrier == s.barrier && any->pc == s.pc);
    any = &s;
  }
  if (any == nullptr) return;
  if (waiting != warp.live || !one_place) report_divergence(warp, *any);
  const std::uint32_t id = any->barrier;
  for (Split& s : warp.splits) {
    if (s.state == SplitState::AtBarrier && !s.arrived) arrive(warp, s);
  }
  complete_counted(id);
}

bool BlockRun::complete_barriers() {
  bool any = false;
  for (std::uint32_t id = 0; id < 16; ++id) {
    const BarrierState& state = barriers_[id];
    if (state.arrived == 0) continue;
    const bool complete =
        state.expected == 0 ? state.arrived >= live_threads_ : state.arrived >= state.expected;
    if (!complete) continue;
    release_barrier(id);
    any = true;
  }
  any |= complete_products();
  return cluster_.complete_barrier() || any;
}

void BlockRun::wait_for_cluster(Warp& warp, std::uint32_t index, const Inst& inst, Mask lanes) {
  WarpContext& w = warp.context;
  Split& split = warp.splits[index];
  if (lanes != split.mask) return part(warp, index, inst, lanes, inst.pc + 1);
  if (const Mask never = lanes & ~(warp.cluster_arrived | warp.cluster_passed); never != 0) {
    const int lane = std::countr_zero(never);
    fault(FaultKind::BarrierDivergence, w, inst.pc, lane, 0,
          msg("{} waits at the barrier of its cluster and has not arrived there. Each thread arrives "
              "(barrier.cluster.arrive) and then waits.",
              thread_name(w, lane)));
  }
  warp.spins = 0;
  split.state = SplitState::AtCluster;
  if ((lanes & ~warp.cluster_passed) != 0) return;
  warp.cluster_passed &= ~lanes;
  knows_peers_ = true;
  split.state = SplitState::Ready;
  ++split.pc;
}

// All threads of the cluster have arrived.
void BlockRun::pass_cluster_barrier(bool orders) {
  has_released_ = false;
  for (Warp& warp : warps_) {
    warp.cluster_passed |= warp.cluster_arrived;
    warp.cluster_arrived = 0;
    for (std::uint32_t k = 0; k < warp.splits.size(); ++k) {
      Split& s = warp.splits[k];
      if (s.state != SplitState::AtCluster || (s.mask & ~warp.cluster_passed) != 0) continue;
      warp.cluster_passed &= ~s.mask;
      knows_peers_ = true;
      s.state = SplitState::Ready;
      ++s.pc;
      if (s.pc == s.meet) join_if_met(warp, k);
    }
  }
  if (orders) in_order();
}

// Warps that wait at barriers on different lines make one barrier by luck: the program says something else.
void BlockRun::check_one_line(std::uint32_t id) {
  const Split* first = nullptr;
  const auto line_of = [&](const Split& s) { return launch_.program->origins.at(s.pc).source.line; };
  for (const Warp& warp : warps_) {
    for (const Split& s : warp.splits) {
      if (s.state != SplitState::AtBarrier || s.barrier != id || !s.arrived) continue;
      if (first == nullptr) first = &s;
      if (s.pc == first->pc) continue;
      const int here = line_of(s), there = line_of(*first);
      if (here == there || here == 0 || there == 0) continue;
      const int lane = std::countr_zero(s.mask);
      Fault fault =
          fault_at(FaultKind::BarrierDivergence, warp.context, s.pc, lane, 0,
                   msg("warp {} waits at the barrier at {} while others wait at {}. Every thread of "
                       "a block must reach the same __syncthreads().",
                       warp.place.warp, line_name(s.pc), line_name(first->pc)));
      fault.fix = {Fix::Act::MoveBarrier, fault.file, there, here};
      forbid(s.pc, std::move(fault));
    }
  }
}

// Threads that returned before a barrier that others reach: PTX says that a barrier does not wait for them,
// so it is no mistake by itself, and good to know.
void BlockRun::note_who_left(std::uint32_t id) {
  const Warp* left = nullptr;
  const Warp* waits = nullptr;
  const Split* split = nullptr;
  for (const Warp& warp : warps_) {
    if (warp.live != warp.started && (left == nullptr || left->live == 0)) left = &warp;
    for (const Split& s : warp.splits) {
      if (s.state == SplitState::AtBarrier && s.barrier == id && split == nullptr) {
        split = &s;
        waits = &warp;
      }
    }
  }
  if (left == nullptr || split == nullptr) return;
  const Mask gone = left->started & ~left->live;
  const Message where = left->exit_pc == kNoPc ? Message() : msg(" ({})", line_name(left->exit_pc));
  const auto [at, fresh] = notes.try_emplace({split->pc, FaultKind::BarrierDivergence});
  at->second.count += !fresh;
  if (!fresh) return;
  at->second =
      fault_at(FaultKind::BarrierDivergence, waits->context, split->pc, std::countr_zero(split->mask), 0,
               msg("only some threads reach the barrier at {}: {} of warp {} returned before it{}. A thread "
                   "that has exited releases the barrier, so the others go on without it: make sure that "
                   "none of them needs what it would have done.",
                   line_name(split->pc), lanes_text(gone), left->place.warp, where));
  if (left->exit_pc != kNoPc) at->second.other_line = launch_.handle->source(left->exit_pc).line;
}

void BlockRun::release_barrier(std::uint32_t id) {
  const BarrierState state = barriers_[id];
  if (state.expected == 0) {
    check_one_line(id);
    if (live_threads_ != block_threads_) note_who_left(id);
  }
  barriers_[id] = BarrierState{};
  const bool all = put_in_order(id, state.expected == 0 ? live_threads_ : block_threads_);
  for (Warp& warp : warps_) {
    for (Split& s : warp.splits) {
      if (s.state != SplitState::AtBarrier || s.barrier != id || !s.arrived) continue;
      const Inst& inst = program_.code[s.pc];
      bind(warp, s);
      warp.context.mask = s.mask;
      const bool all_held = state.votes == state.voters;
      switch (static_cast<BarrierAction>(inst.extra)) {
        case BarrierAction::Popc:
          for (const int k : lanes_of<int>(s.mask)) set_lane_value(warp.context, inst.dst, k, state.votes);
          break;
        case BarrierAction::And:
          warp.context.set_predicate(inst.dst, all_held ? kFullMask : 0);
          break;
        case BarrierAction::Or:
          warp.context.set_predicate(inst.dst, state.votes != 0 ? kFullMask : 0);
          break;
        default:
          break;
      }
      s.state = SplitState::Ready;
      s.arrived = false;
      ++s.pc;
    }
    // A barrier may be the last thing before a meeting.
    for (std::uint32_t k = 0; k < warp.splits.size(); ++k) {
      if (warp.splits[k].state == SplitState::Ready && warp.splits[k].pc == warp.splits[k].meet)
        join_if_met(warp, k);
    }
  }
  if (!all) return;
  repeats_.barrier();
  for (Observer* o : observers_) o->barrier(slot_);
}

// Orders the threads that wait at a barrier which not all threads of the block reach. True when all wait there.
bool BlockRun::put_in_order(std::uint32_t id, std::uint32_t everybody) {
  std::uint32_t waiting = 0;
  const auto for_waiting = [&](const auto& act) {
    for (const Warp& warp : warps_) {
      Mask lanes = 0;
      for (const Split& s : warp.splits) {
        if (s.state == SplitState::AtBarrier && s.barrier == id && s.arrived) lanes |= s.mask;
      }
      if (lanes != 0) act(warp.place.warp, lanes);
    }
  };
  for_waiting(
      [&](std::uint32_t, Mask lanes) { waiting += static_cast<std::uint32_t>(std::popcount(lanes)); });
  if (waiting == everybody) return true;
  for_waiting([&](std::uint32_t w, Mask lanes) { meet(Meeting::Act::Arrive, id, w, lanes); });
  meet(Meeting::Act::Turn, id, 0, 0);
  for_waiting([&](std::uint32_t w, Mask lanes) { meet(Meeting::Act::Leave, id, w, lanes); });
  return false;
}

Message BlockRun::where_lanes_wait(const Warp& warp) const {
  Message out;
  const auto add = [&](const Message& what) { out = out.empty() ? what : msg("{}; {}", out, what); };
  for (const Split& s : warp.splits) {
    switch (s.state) {
      case SplitState::AtBarrier:
        add(msg("{} at the barrier at {}", lanes_text(s.mask), line_name(s.pc)));
        break;
      case SplitState::AtCluster:
        add(msg("{} at the barrier of the cluster at {}", lanes_text(s.mask), line_name(s.pc)));
        break;
      case SplitState::AtSync:
        add(msg("{} at the warp operation at {}", lanes_text(s.mask), line_name(s.pc)));
        break;
      case SplitState::AtProduct:
        add(msg("{} at the product (wgmma) at {}", lanes_text(s.mask), line_name(s.pc)));
        break;
      case SplitState::Meeting:
        if (s.joined != 0 && launch_.handle->source(s.pc).line != 0)
          add(msg("{} past the branch, before {}", lanes_text(s.joined), line_name(s.pc)));
        if (s.joined != 0 && launch_.handle->source(s.pc).line == 0)
          add(msg("{} past the branch", lanes_text(s.joined)));
        break;
      case SplitState::Ready:
        add(msg("{} running at {}", lanes_text(s.mask), line_name(s.pc)));
        break;
      default:
        break;
    }
  }
  const Mask gone = warp.started & ~warp.live;
  if (gone != 0 && warp.exit_pc == kNoPc) add(msg("{} returned", lanes_text(gone)));
  if (gone != 0 && warp.exit_pc != kNoPc)
    add(msg("{} returned ({})", lanes_text(gone), line_name(warp.exit_pc)));
  return out;
}

void BlockRun::report_divergence(const Warp& warp, const Split& split) {
  const int lane = std::countr_zero(split.mask);
  fault(FaultKind::BarrierDivergence, warp.context, split.pc, lane, 0,
        msg("only some lanes of warp {} reach the barrier at {}: {}. Move __syncthreads() out of the branch, "
            "so that every thread of the block reaches it.",
            warp.place.warp, line_name(split.pc), where_lanes_wait(warp)),
        Fix::Act::MoveBarrier);
}

Message BlockRun::warp_waits(const Warp& warp) const {
  return msg("Warp {}: {}.", warp.place.warp, where_lanes_wait(warp));
}

Message BlockRun::sync_in_vain(std::uint32_t pc, const Message& where) const {
  Message words = msg("the warp operation at {} waits for lanes that never come.", line_name(pc));
  return words.then(where).then("Every lane named in the mask must execute it.");
}

// No warp can move: say where each waits, and name the cause that is certain.
void BlockRun::report_stuck() {
  Message where;
  const Warp* blamed = nullptr;
  const Split* split = nullptr;
  bool sync = false;
  int shown = 0;
  for (const Warp& warp : warps_) {
    if (warp.live == 0) continue;
    for (const Split& s : warp.splits) {
      if (s.state != SplitState::AtBarrier && s.state != SplitState::AtSync &&
          s.state != SplitState::AtCluster && s.state != SplitState::AtProduct)
        continue;
      if (split == nullptr || (s.state == SplitState::AtSync && !sync)) {
        blamed = &warp;
        split = &s;
        sync = s.state == SplitState::AtSync;
      }
    }
    if (shown++ >= 4) continue;
    where.then(warp_waits(warp));
  }
  if (split == nullptr) {
    Message words = "no warp of the block can go on.";
    fault(FaultKind::Deadlock, warps_[0].context, 0, 0, 0, words.then(where));
  }
  const int lane = std::countr_zero(split->mask);
  const Message at = line_name(split->pc);
  const auto stuck = [&](FaultKind kind, Message words, const char* rule) {
    fault(kind, blamed->context, split->pc, lane, 0, words.then(where).then(rule));
  };
  if (sync) fault(FaultKind::WarpSync, blamed->context, split->pc, lane, 0, sync_in_vain(split->pc, where));
  if (split->state == SplitState::AtProduct)
    stuck(FaultKind::WarpSync,
          msg("the product (wgmma) at {} waits for warps of its warpgroup that never come.", at),
          "All four warps of a warpgroup must execute it: a GPU ends the kernel (illegal instruction).");
  if (split->state == SplitState::AtCluster)
    stuck(FaultKind::Deadlock, msg("the barrier of the cluster at {} waits for threads that never come.", at),
          "Every thread of every block of the cluster must arrive.");
  if (const BarrierState& state = barriers_[split->barrier]; state.expected != 0)
    stuck(
        FaultKind::Deadlock,
        msg("barrier {} at {} waits for threads that never come: its count is {}, and {} have arrived since "
            "it was last complete.",
            split->barrier, at, state.expected, state.arrived),
        "The count must be 32 times the number of warps that come to it.");
  fault(FaultKind::Deadlock, blamed->context, split->pc, lane, 0,
        msg("the barrier at {} waits for threads that never come.", at).then(where));
}

}  // namespace lab::sim
