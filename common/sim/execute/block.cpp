// Runs the warps of a block, round by round, until all have exited or one has made a mistake.
//
// Enters: a block index. Leaves: nothing left to run. The inner loop is run_split: straight runs of
// instructions without a single question asked, then one that the scheduler must see.
#include "common/sim/execute/block.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/sim/execute/cluster.h"
#include "common/sim/execute/exec_sync.h"

namespace lab::sim {
namespace {

constexpr std::uint32_t kFuel = 256;             // rounds of a loop before other warps get their turn
constexpr std::uint64_t kMostVyingRounds = 256;  // after which some turns are cut short
constexpr std::uint64_t kMostVainRounds = 1 << 18;
constexpr std::uint32_t kPatience = 512;  // rounds of watching memory before lanes that wait are let go

}  // namespace

// Code that only watches memory may watch a clock beside it and give up. The longer there is no news, the
// faster time passes: for one warp, 50 rounds take about 3 us, a thousand 20 ms, those before a deadlock 42
// years.
void BlockRun::let_time_pass(bool news) {
  idle_rounds_ = news ? 0 : idle_rounds_ + warps_.size();
  waited_ticks_ += idle_rounds_ * idle_rounds_ / 16;
}

bool BlockRun::run(std::uint64_t quantum) {
  waits_ = stalled_ = false;
  if (run_abreast()) return true;
  for (std::uint64_t round = 0; round < quantum; ++round) {
    bool moved = false, news = false, spun = false;
    // What takes back within its turn what others wait for would do so for ever, were its turns all whole.
    cuts_turns_ = vying_rounds_ > kMostVyingRounds && draw(schedule_) % 4 == 0;
    const std::size_t first = first_warp(), count = warps_.size();
    const auto give_turn = [&](Warp& warp) {
      const bool ran = run_warp(warp);
      moved |= ran;
      news |= ran && !warp.spinning;
      spun |= ran && warp.spinning;
    };
    const auto let_run = [&](bool late) {
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t index = first + k < count ? first + k : first + k - count;
        Warp& warp = warps_[index];
        if (warp.live == 0 || late_.contains(index) != late) continue;
        give_turn(warp);
        // The one that stood back has its next turn behind all others.
        while (chosen_ != nullptr) give_turn(*std::exchange(chosen_, nullptr));
      }
    };
    let_run(false);
    if (!news && late_.first != late_.last) let_run(true);
    if (done()) return true;
    if (complete_barriers()) moved = news = true;
    if (!moved && part_from_syncs()) moved = news = true;
    if (!moved && cluster_.size() == 1) report_stuck();
    const bool changed = std::exchange(seen_changes_, changes) != changes;
    vying_rounds_ = spun && (changed || news) ? vying_rounds_ + 1 : 0;
    const bool was_late = std::exchange(seen_late_answers_, late_answers) != late_answers;
    news |= changed || was_late;  // who is put off by a copy that takes long is not stuck
    vain_rounds_ = !was_late && only_waits_in_vain() ? vain_rounds_ + 1 : 0;
    if (vain_rounds_ > kMostVainRounds) report_waiting();
    let_time_pass(news);
    if (!moved || (!news && quantum != kAlone)) {
      waits_ = true;
      stalled_ = !moved;
      return false;
    }
    if (idle_rounds_ > kMostIdleRounds) report_waiting();
  }
  return false;
}

bool BlockRun::run_warp(Warp& warp) {
  bool moved = false;
  std::uint32_t fuel = launch_.options.schedule == 0 ? kFuel : 1 + draw(schedule_) % kFuel;
  const bool was_spinning = std::exchange(warp.spinning, false);
  warp.waited_in_vain = warp.made_progress = false;
  for (;;) {
    const auto count = static_cast<std::uint32_t>(warp.splits.size());
    std::uint32_t index = warp.current < count ? warp.current : 0;
    std::uint32_t seen = 0;
    while (seen < count && warp.splits[index].state != SplitState::Ready) {
      index = index + 1 == count ? 0 : index + 1;
      ++seen;
    }
    if (seen == count) {
      if (warp.live == 0) return moved;
      if (settle_syncs(warp)) continue;
      settle_barriers(warp);
      return moved;
    }
    warp.current = index;
    moved = true;
    const Turn turn = run_split(warp, index, fuel);
    if (warp.live == 0) return true;
    if (turn == Turn::StandsBack) {
      warp.spinning = was_spinning && !warp.made_progress;  // no news, if it was none before
      return true;
    }
    if (turn == Turn::OthersFirst) {
      warp.current = index + 1;
      if (warp.spins > kPatience && release_spinning(warp)) warp.spins = 0;
      return true;
    }
  }
}

void BlockRun::bind_constants(const Warp& warp, WarpContext& w) {
  w.file[static_cast<int>(RowFile::Constant)] = const_cast<std::byte*>(program_.constants.data());
  w.file[static_cast<int>(RowFile::WarpSpecial)] = warp.special;
  w.file[static_cast<int>(RowFile::BlockSpecial)] = block_special_.data();
  w.file[static_cast<int>(RowFile::Hoisted)] = hoisted_.rows_of(warp.place.warp);
}

void BlockRun::bind(Warp& warp, Split& split) {
  WarpContext& w = warp.context;
  for (int f = 0; f < kRowFiles; ++f) w.file[f] = warp.arena[f].data() + split.frame.base[f];
  bind_constants(warp, w);
  w.local_base = split.frame.local_base;
  rows_collide_ = warp.splits.size() > 1 && program_.functions.size() > 1 && collides(warp, split);
}

bool BlockRun::back_edge(Warp& warp, std::uint32_t target, std::uint32_t& fuel) {
  ++back_edges_[target];
  if (warp_instructions - block_start_instructions_ > launch_.options.most_of_a_block()) report_budget(warp);
  if (work_since_begin() > launch_.options.budget_work) report_work(warp, target);
  return --fuel != 0;
}

Stepped BlockRun::stepped(const Warp& warp, const Inst& inst) const {
  const WarpContext& w = warp.context;
  return {inst.pc, warp.live, w.mask, acting_lanes(w, inst), w.place, &w};
}

// Whether another warp was chosen to go on before this instruction, and can.
bool BlockRun::stands_back(const Warp& warp, const Inst& inst) {
  const std::optional<std::uint32_t> first = stepper_->goes_first(slot_, stepped(warp, inst));
  if (!first || *first >= warps_.size() || &warps_[*first] == &warp) return false;
  Warp& other = warps_[*first];
  const auto ready = [](const Split& split) { return split.state == SplitState::Ready; };
  if (other.live != 0 && std::any_of(other.splits.begin(), other.splits.end(), ready)) chosen_ = &other;
  return chosen_ != nullptr;
}

// One by one, each reported before it runs. Where it stopped.
[[gnu::noinline]] const Inst* BlockRun::execute_stepped(Warp& warp) {
  WarpContext& w = warp.context;
  const Inst* inst = w.run_first;
  for (; inst < w.run_stop && !stands_back(warp, *inst); inst += inst->step) {
    stepper_->instruction(slot_, stepped(warp, *inst));
    if (warp.undefined != nullptr)
      warp.undefined->execute(w, *inst);
    else
      (inst->has_guard ? inst->enter_masked : inst->masked)(w, *inst);
  }
  return inst;
}

bool BlockRun::ends_turn(const Inst& inst, bool first) {
  if (cuts_turns_) return draw(schedule_) % 8 == 0;
  return !first && inst.needs_load;
}

// From `w.run_first` to the end of the straight run, or to where a load is waited for: in the way that this
// warp's lanes and checks ask for. Where it stopped.
[[gnu::always_inline]] inline const Inst* BlockRun::execute_run(Warp& warp, Mask lanes) {
  WarpContext& w = warp.context;
  const Inst* inst = w.run_first;
  if (stepper_ != nullptr) [[unlikely]]
    return execute_stepped(warp);
  const bool may_end = turns_at_loads_ || cuts_turns_;
  if (warp.undefined != nullptr) [[unlikely]] {
    for (; inst < w.run_stop && !(may_end && ends_turn(*inst, inst == w.run_first)); inst += inst->step) {
      if (warp.undefined->concerns(*inst))
        warp.undefined->execute(w, *inst);
      else
        (lanes == kFullMask ? inst->enter_full : inst->enter_masked)(w, *inst);
    }
  } else if (rows_collide_) [[unlikely]] {
    for (; inst < w.run_stop; inst += inst->step)
      (inst->has_guard ? inst->enter_masked : inst->masked)(w, *inst);
  } else if (may_end) {
    for (; inst < w.run_stop && !ends_turn(*inst, inst == w.run_first); inst += inst->step)
      (lanes == kFullMask ? inst->enter_full : inst->enter_masked)(w, *inst);
  } else if (lanes == kFullMask) {
    for (; inst < w.run_stop; inst += inst->step) inst->enter_full(w, *inst);
  } else {
    for (; inst < w.run_stop; inst += inst->step) inst->enter_masked(w, *inst);
  }
  return inst;
}

// A straight run of plain instructions, and what it cost. False: it stopped before what it stands back from.
[[gnu::always_inline]] inline bool BlockRun::straight_run(Warp& warp, Split& split, const Inst& first) {
  WarpContext& w = warp.context;
  w.mask = split.mask;
  w.run_first = &first;
  w.run_stop = &first + first.run;
  const Inst* const stop = execute_run(warp, split.mask);
  const auto run = static_cast<std::uint32_t>(stop - &first);
  const bool whole = run == first.run;
  count_run(first, run, split.mask);
  split.pc += run;
  return whole || (chosen_ == nullptr && !cuts_turns_ && (!turns_at_loads_ || !stop->needs_load));
}

// An instruction that the scheduler must see.
void BlockRun::execute_control(Warp& warp, std::uint32_t index, const Inst& inst) {
  const Mask acting = acting_lanes(warp.context, inst);
  if (acting == 0) {
    ++warp.splits[index].pc;
    return;
  }
  switch (inst.control) {
    case Control::Branch:
      return branch(warp, index, inst, acting);
    case Control::BranchIndirect:
      return branch_indirect(warp, index, inst, acting);
    case Control::Call:
      return call(warp, index, inst, acting);
    case Control::Return:
      return return_from(warp, index);
    case Control::Exit:
      return exit_lanes(warp, index, acting, warp.splits[index].pc++);
    case Control::Barrier:
      return barrier(warp, index, inst, acting);
    case Control::ClusterWait:
      return wait_for_cluster(warp, index, inst, acting);
    case Control::WarpSync:
      return warp_sync(warp, index, inst, acting);
    case Control::Product:
      return wait_for_warpgroup(warp, index, inst, acting);
    default:
      trap(warp.context, inst, acting);
  }
}

void BlockRun::trap(const WarpContext& w, const Inst& inst, Mask acting) const {
  const int lane = std::countr_zero(acting);
  fault(FaultKind::Trap, w, inst.pc, lane, 0,
        msg("{} ran into a trap: {}", thread_name(w, lane), why_trapped(inst.pc)));
}

// Whether the warp is in a loop that only polls memory: then other warps take turns. A round that executed none
// of its atomics polled nothing, and continues.
void BlockRun::note_spinning(Warp& warp, bool went_back, bool watches_memory, std::uint32_t& fuel) {
  const bool watches = went_back && watches_memory;
  warp.spinning = watches && (warp.polled_memory || warp.waited_in_vain);
  warp.made_progress |= went_back && !warp.spinning;
  if (watches) warp.polled_memory = false;
  if (!warp.spinning) return;
  ++warp.spins;
  fuel = 1;
}

// Forward and all together: no other lane need be asked. False: it is no such branch.
[[gnu::always_inline]] inline bool BlockRun::jumps_together(Warp& warp, Split& split, const Inst& inst) {
  if (inst.control != Control::Branch || inst.target <= split.pc ||
      (warp.undefined != nullptr && warp.undefined->concerns(inst)))
    return false;
  const Mask taken = acting_lanes(warp.context, inst);
  if (taken != 0 && taken != split.mask) return false;
  split.pc = taken == 0 ? split.pc + 1 : inst.target;
  warp.spinning = false;
  return true;
}

// What lanes go through that jump to the end.
void BlockRun::count_to_exit(std::uint32_t pc, Mask lanes) {
  for (;; pc = program_.code[pc].target) {
    count_control(program_.code[pc], lanes);
    if (program_.code[pc].control == Control::Exit) break;
  }
}

// Round a straight run to where all lanes meet, or end: the others run it, and none parts. False: it is no such
// branch, or other lanes could run instead.
[[gnu::always_inline]] inline bool BlockRun::jumps_over(Warp& warp, std::uint32_t index, const Inst& inst) {
  if (!inst.jumps_over || stepper_ != nullptr || warp.undefined != nullptr || warp.has_unset) return false;
  Split& split = warp.splits[index];
  const Mask all = split.mask, taken = acting_lanes(warp.context, inst);
  extra_work += 2 * kWorkOfSplit;
  split.mask = all & ~taken;
  ++split.pc;
  while (split.pc != inst.target) straight_run(warp, split, program_.code[split.pc]);
  warp.spins = 0;
  warp.spinning = false;
  if (inst.reconverge != program_.functions[0].exit_pc) {
    split.mask = all;
    return true;
  }
  count_to_exit(inst.target, taken);
  exit_lanes(warp, index, taken, inst.reconverge);
  return true;
}

BlockRun::Turn BlockRun::run_split(Warp& warp, std::uint32_t index, std::uint32_t& fuel) {
  WarpContext& w = warp.context;
  if (program_.functions.size() > 1)
    bind(warp, warp.splits[index]);
  else  // as begin() bound it; only these rows may have moved
    w.file[static_cast<int>(RowFile::Hoisted)] = hoisted_.rows_of(warp.place.warp);
  const Inst* const code = program_.code.data();
  bool others = false;  // that could run instead
  if (warp.splits.size() > 1)
    for (const Split& s : warp.splits) others |= s.state == SplitState::Ready && &s != &warp.splits[index];
  for (;;) {
    // `splits` may move when lanes part: take the reference anew each time.
    Split& split = warp.splits[index];
    const Inst& inst = code[split.pc];
    if (warp.has_unset && split.pc < program_.names_unset.size() && program_.names_unset[split.pc])
        [[unlikely]]
      follow_unset(warp);
    if (inst.control == Control::Plain) {
      const bool done = straight_run(warp, split, inst);
      if (warp.undefined != nullptr && program_.shortcuts == Shortcuts::On && warp.undefined->is_over())
          [[unlikely]]
        warp.undefined.reset();
      if (split.pc == split.meet && join_if_met(warp, index)) return Turn::Over;
      if (!done) return Turn::StandsBack;
      continue;
    }
    w.mask = split.mask;
    if (stepper_ != nullptr) [[unlikely]] {
      if (stands_back(warp, inst)) return Turn::StandsBack;
      stepper_->instruction(slot_, stepped(warp, inst));
    }
    count_control(inst, split.mask);
    if (ways_ != nullptr && inst.has_guard && inst.control == Control::Branch) [[unlikely]]
      note_way(split.pc, split.mask, acting_lanes(w, inst));
    if (jumps_together(warp, split, inst) || (!others && jumps_over(warp, index, inst))) {
      if (split.pc == split.meet && join_if_met(warp, index)) return Turn::Over;
      continue;
    }
    const std::uint32_t from = split.pc;
    if (warp.undefined != nullptr) [[unlikely]]
      warp.undefined->follow(w, inst);
    execute_control(warp, index, inst);
    // A jump back is paid for before lanes meet: a loop whose ways all meet at its head must not run for
    // free. Nor must a recursion that branches out and never goes deep.
    const bool jumps = inst.control == Control::Branch || inst.control == Control::BranchIndirect;
    const bool calls = inst.control == Control::Call && warp.splits[index].pc != from + 1;
    const bool went_back = calls || (jumps && warp.splits[index].pc <= from);
    note_spinning(warp, went_back, inst.watches_memory, fuel);
    const std::uint32_t spins = warp.spins;
    const bool fuel_left = !went_back || back_edge(warp, warp.splits[index].pc, fuel);
    Split& after = warp.splits[index];
    const Turn turn = fuel_left ? Turn::Over : Turn::OthersFirst;
    if (after.state != SplitState::Ready) return turn;
    if (after.pc == after.meet && join_if_met(warp, index)) {
      if (went_back) warp.spins = spins;  // meeting again at the head of a loop is no news
      return turn;
    }
    if (went_back && (others || !fuel_left)) return Turn::OthersFirst;
  }
}

}  // namespace lab::sim
