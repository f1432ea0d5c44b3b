// How the lanes of a warp part at a branch and meet again at its immediate post-dominator; calls and returns.
//
// A split that diverges waits (state Meeting) at the meeting point; its children run there one after the
// other and hand over their lanes. Where paths only meet at the end of the kernel none waits.
#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/builtins.h"

namespace lab::sim {

std::uint32_t BlockRun::new_split(Warp& warp) {
  for (std::uint32_t k = 0; k < warp.splits.size(); ++k) {
    if (warp.splits[k].state == SplitState::Dead) return k;
  }
  warp.splits.emplace_back();
  return static_cast<std::uint32_t>(warp.splits.size() - 1);
}

void BlockRun::branch(Warp& warp, std::uint32_t index, const Inst& inst, Mask taken) {
  Split& split = warp.splits[index];
  if (taken == split.mask) {
    split.pc = inst.target;
  } else {
    const std::pair<std::uint32_t, Mask> ways[] = {{split.pc + 1, split.mask & ~taken}, {inst.target, taken}};
    diverge(warp, index, inst, ways);
  }
}

void BlockRun::branch_indirect(Warp& warp, std::uint32_t index, const Inst& inst, Mask taken) {
  Split& split = warp.splits[index];
  const std::vector<std::uint32_t>& table = program_.branch_tables[inst.extra];
  std::vector<std::pair<std::uint32_t, Mask>> ways;
  if (taken != split.mask) ways.emplace_back(split.pc + 1, split.mask & ~taken);
  for (const int lane : lanes_of<int>(taken)) {
    const std::uint64_t choice = lane_value(warp.context, inst.a, lane);
    if (choice >= table.size()) {
      fault(FaultKind::BadPtx, warp.context, inst.pc, lane, 0,
            msg("{} jumps to entry {} of a table of {}.", thread_name(warp.context, lane), choice,
                table.size()));
    }
    const std::uint32_t target = table[choice];
    auto way = std::find_if(ways.begin(), ways.end(), [&](const auto& x) { return x.first == target; });
    if (way == ways.end()) way = ways.insert(ways.end(), {target, 0});
    way->second |= 1u << lane;
  }
  if (ways.size() == 1) {
    split.pc = ways[0].first;
  } else {
    diverge(warp, index, inst, ways);
  }
}

void BlockRun::diverge(Warp& warp, std::uint32_t index, const Inst& inst,
                       std::span<const std::pair<std::uint32_t, Mask>> ways) {
  extra_work += kWorkOfSplit * ways.size();
  const auto depth = static_cast<std::uint32_t>(warp.splits[index].callers.size());
  std::uint32_t meet = inst.reconverge;
  // Paths that meet only where the kernel ends need not wait for each other.
  if (depth == 0 && meet == program_.functions[0].exit_pc) meet = kNoPc;
  const bool same_meeting =
      meet != kNoPc && meet == warp.splits[index].meet && depth == warp.splits[index].meet_depth;
  std::int32_t parent = warp.splits[index].parent;
  std::uint32_t parent_meet = warp.splits[index].meet, parent_depth = warp.splits[index].meet_depth;
  const Split original = warp.splits[index];
  if (meet != kNoPc && !same_meeting) {
    // This split becomes the meeting itself; `index` goes on as its first child.
    const std::uint32_t waiting = new_split(warp);
    Split& m = warp.splits[waiting];
    m = original;
    m.state = SplitState::Meeting;
    m.pc = meet;
    m.children = 1;
    m.joined = 0;
    m.mask = 0;
    parent = static_cast<std::int32_t>(waiting);
    parent_meet = meet;
    parent_depth = depth;
  }
  bool first = true;
  for (const auto& [pc, mask] : ways) {
    std::uint32_t child = index;
    if (!first) {
      child = new_split(warp);
      if (parent >= 0) ++warp.splits[static_cast<std::size_t>(parent)].children;
    }
    Split& s = warp.splits[child];
    if (!first) s = original;
    s.state = SplitState::Ready;
    s.pc = pc;
    s.mask = mask;
    s.parent = parent;
    s.meet = parent_meet;
    s.meet_depth = parent_depth;
    first = false;
  }
  // Children that stand at the meeting already have arrived.
  for (std::uint32_t k = 0; k < warp.splits.size(); ++k) {
    Split& s = warp.splits[k];
    if (k != index && s.state == SplitState::Ready && s.parent == parent && s.pc == s.meet)
      join_if_met(warp, k);
  }
}

void BlockRun::part(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting, std::uint32_t rest) {
  const std::pair<std::uint32_t, Mask> ways[] = {{inst.pc, acting},
                                                 {rest, warp.splits[index].mask & ~acting}};
  Inst parting = inst;
  parting.reconverge = inst.pc + 1;
  diverge(warp, index, parting, ways);
}

bool BlockRun::join_if_met(Warp& warp, std::uint32_t index) {
  Split& split = warp.splits[index];
  if (split.pc != split.meet || split.callers.size() != split.meet_depth || split.parent < 0) return false;
  const std::int32_t parent = split.parent;
  warp.splits[static_cast<std::size_t>(parent)].joined |= split.mask;
  split.state = SplitState::Dead;
  warp.spins = 0;
  child_gone(warp, parent);
  return true;
}

void BlockRun::child_gone(Warp& warp, std::int32_t parent) {
  while (parent >= 0) {
    Split& p = warp.splits[static_cast<std::size_t>(parent)];
    if (--p.children != 0) return;
    if (p.joined != 0) {
      p.mask = p.joined;
      p.joined = 0;
      p.state = SplitState::Ready;
      // It may stand at its own meeting as well.
      join_if_met(warp, static_cast<std::uint32_t>(parent));
      return;
    }
    p.state = SplitState::Dead;
    parent = p.parent;
  }
}

void BlockRun::exit_lanes(Warp& warp, std::uint32_t index, Mask lanes, std::uint32_t pc) {
  Split& split = warp.splits[index];
  split.mask &= ~lanes;
  warp.live &= ~lanes;
  warp.exit_pc = pc;
  warp.spins = 0;
  live_threads_ -= static_cast<std::uint32_t>(std::popcount(lanes));
  if (split.mask != 0) return;
  split.state = SplitState::Dead;
  child_gone(warp, split.parent);
}

// Room in the warp's arenas and local memory for one more frame.
void BlockRun::ensure_room(Warp& warp, const Frame& frame) {
  const FunctionInfo& f = program_.functions[frame.function];
  for (int k = 0; k < kRowFiles; ++k) {
    const std::size_t need = std::size_t{frame.base[k]} + f.frame_bytes[k];
    if (warp.arena[k].size() < need) {
      const std::size_t spare = frame.base[k] == 0 ? 0 : need / 2;  // who calls once will call again
      warp.arena[k].grow(need + spare);
    }
  }
  const std::uint32_t need = frame.local_base + f.local_bytes;
  if (need <= warp.local_stride) return;
  const std::uint32_t stride =
      std::min(std::max(need, warp.local_stride * 2), std::max(need, kMaxLocalBytes));
  std::vector<std::byte> moved(std::size_t{stride} * kWarpLanes, std::byte{0xcd});
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    std::copy_n(warp.local.begin() + static_cast<std::ptrdiff_t>(lane * warp.local_stride), warp.local_stride,
                moved.begin() + static_cast<std::ptrdiff_t>(lane * stride));
  }
  warp.local = std::move(moved);
  warp.local_stride = stride;
}

namespace {

// Bytes of every acting lane from one frame slot to another.
void copy_slot(Warp& warp, Mask lanes, std::uint32_t from, std::uint32_t to, std::uint32_t size_bytes) {
  if (warp.undefined != nullptr) warp.undefined->passed(lanes, from, to, size_bytes);
  for (const std::size_t lane : lanes_of<std::size_t>(lanes)) {
    std::byte* base = warp.local.data() + lane * warp.local_stride;
    std::copy_n(base + from, size_bytes, base + to);
  }
}

}  // namespace

void BlockRun::report_frame(const Warp& warp, Mask lanes, const Frame& frame, const FunctionInfo& of) {
  if (of.local_bytes == 0) return;
  const auto report = [&](const LocalFrame& made) {
    for (Observer* o : observers_) o->frame(slot_, warp.place.warp, lanes, made);
  };
  report({frame.local_base, of.local_bytes, false});
  for (const FrameSlot& slot : of.parameters)
    report({frame.local_base + static_cast<std::uint32_t>(slot.offset_bytes),
            static_cast<std::uint32_t>(slot.size_bytes), true});
}

void BlockRun::call(Warp& warp, std::uint32_t index, const Inst& inst, Mask lanes) {
  WarpContext& w = warp.context;
  const CallSite& site = program_.calls[inst.extra];
  if (site.builtin != Builtin::None) {
    w.mask = lanes;
    run_builtin(*this, w, site, inst);
    ++warp.splits[index].pc;
    return;
  }
  std::uint32_t callee = site.callee;
  if (callee == kNoPc) {
    // Lanes that call another function part here and meet behind the call.
    const int first = std::countr_zero(lanes);
    const std::uint64_t pointer = lane_value(w, site.pointer, first);
    Mask same = 0;
    for (const int k : lanes_of<int>(lanes)) same |= Mask{lane_value(w, site.pointer, k) == pointer} << k;
    const std::uint64_t entry = (pointer - kFunctionBase) / 16;
    if (pointer < kFunctionBase || entry >= program_.function_of_module.size() ||
        program_.function_of_module[entry] == kNoPc) {
      fault(FaultKind::Trap, w, inst.pc, first, pointer,
            pointer == 0 ? msg("{} calls a null function pointer. Store the address of a __device__ function "
                               "there first, in a kernel: the host cannot take it.",
                               thread_name(w, first))
                         : msg("{} calls through a pointer that is no function of this module.",
                               thread_name(w, first)));
    }
    callee = program_.function_of_module[entry];
    if (same != lanes || lanes != warp.splits[index].mask) {
      part(warp, index, inst, same, inst.pc);
      lanes = same;
    }
  } else if (lanes != warp.splits[index].mask) {
    part(warp, index, inst, lanes, inst.pc + 1);
  }
  Split& split = warp.splits[index];
  const FunctionInfo& own = program_.functions[split.frame.function];
  const FunctionInfo& other = program_.functions[callee];
  if (other.parameters.size() != site.arguments.size() || other.returns.size() != site.results.size()) {
    fault(FaultKind::BadPtx, w, inst.pc, std::countr_zero(lanes), 0,
          msg("the call of `{}` passes the wrong number of values.", other.name));
  }
  Frame frame;
  frame.function = callee;
  frame.return_pc = inst.pc + 1;
  frame.call = inst.extra;
  frame.local_base = split.frame.local_base + own.local_bytes;
  for (int k = 0; k < kRowFiles; ++k) frame.base[k] = split.frame.base[k] + own.frame_bytes[k];
  if (split.callers.size() + 1 > kMaxCallDepth || frame.local_base + other.local_bytes > kMaxLocalBytes) {
    const int lane = std::countr_zero(lanes);
    fault(FaultKind::StackOverflow, w, inst.pc, lane, 0,
          msg("{} calls `{}` {} levels deep and its stack is full. Does the recursion ever end?",
              thread_name(w, lane), other.name, split.callers.size() + 1));
  }
  ensure_room(warp, frame);
  report_frame(warp, lanes, frame, other);
  for (std::size_t k = 0; k < site.arguments.size(); ++k) {
    copy_slot(warp, lanes, split.frame.local_base + site.arguments[k].offset_bytes,
              frame.local_base + other.parameters[k].offset_bytes,
              std::min(site.arguments[k].size_bytes, other.parameters[k].size_bytes));
  }
  split.callers.push_back(split.frame);
  split.frame = frame;
  split.pc = other.entry_pc;
  bind(warp, split);
}

void BlockRun::return_from(Warp& warp, std::uint32_t index) {
  Split& split = warp.splits[index];
  const Frame done = split.frame;
  split.frame = split.callers.back();
  split.callers.pop_back();
  const CallSite& site = program_.calls[done.call];
  const FunctionInfo& callee = program_.functions[done.function];
  for (std::size_t k = 0; k < site.results.size(); ++k) {
    copy_slot(warp, split.mask, done.local_base + callee.returns[k].offset_bytes,
              split.frame.local_base + site.results[k].offset_bytes,
              std::min(site.results[k].size_bytes, callee.returns[k].size_bytes));
  }
  split.pc = done.return_pc;
  bind(warp, split);
}

// Lanes that wait for a spinning sibling may be the ones that it spins for: let them go on alone.
// A GPU schedules such lanes independently (since Volta), so waiting here would be our deadlock, not the
// program's.
bool BlockRun::release_spinning(Warp& warp) {
  for (std::uint32_t k = 0; k < warp.splits.size(); ++k) {
    if (warp.splits[k].state != SplitState::Meeting || warp.splits[k].joined == 0) continue;
    const std::uint32_t freed = new_split(warp);
    Split& meeting = warp.splits[k];
    Split& s = warp.splits[freed];
    s = meeting;
    s.state = SplitState::Ready;
    s.mask = meeting.joined;
    s.joined = 0;
    s.children = 0;
    meeting.joined = 0;
    if (s.parent >= 0) ++warp.splits[static_cast<std::size_t>(s.parent)].children;
    if (s.pc == s.meet) join_if_met(warp, freed);
    return true;
  }
  return false;
}

// Whether lanes that are elsewhere have registers in the rows of this function: after a call that they did
// not make. Rows that are short-lived here may be kept for long there.
bool BlockRun::collides(const Warp& warp, const Split& split) const {
  const auto end = [&](const Frame& frame, int file) {
    return frame.base[file] + program_.functions[frame.function].frame_bytes[file];
  };
  return std::any_of(warp.splits.begin(), warp.splits.end(), [&](const Split& other) {
    const Frame &one = split.frame, &two = other.frame;
    if (other.state == SplitState::Dead) return false;
    if (split.callers.empty() && other.callers.empty()) return false;  // mostly: no calls, one frame
    if (one.function == two.function && std::equal(std::begin(one.base), std::end(one.base), two.base))
      return false;
    bool overlap = false;
    for (int f = 0; f < kRowFiles; ++f) overlap |= one.base[f] < end(two, f) && two.base[f] < end(one, f);
    return overlap;
  });
}

}  // namespace lab::sim
