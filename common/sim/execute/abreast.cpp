// Warps abreast. See abreast.h.
#include "common/sim/execute/abreast.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <tuple>

#include "common/sim/base/lanes.h"
#include "common/sim/base/vec.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/observe/access_analysis.h"
#include "common/sim/program/work.h"

namespace lab::sim {
namespace {

bool is_access(const Inst& inst) { return inst.elem_bytes != 0 && inst.space == Space::Global; }

bool suits_abreast(const Inst& inst, const ptx::OpcodeRow& opcode) {
  if (inst.control == Control::Exit) return true;
  if (inst.control == Control::Branch) return inst.target > inst.pc;
  if (inst.control != Control::Plain) return false;
  if (inst.is_pure) return true;
  return (opcode.loads() || opcode.stores()) && is_access(inst) && inst.a.file == RowFile::Hoisted &&
         inst.a.lane_bytes == 8 && !inst.order.strong() && !inst.watches_memory && !inst.may_be_narrow &&
         !inst.checked_by_cas;
}

}  // namespace

bool Abreast::suits(const ProgramData& program) {
  return program.shortcuts == Shortcuts::On && program.functions.size() == 1 && !program.blocks_talk &&
         program.functions[0].local_bytes == 0 && !program.reads_clock && !program.clear_registers &&
         program.unset.empty() &&
         std::all_of(program.code.begin(), program.code.end(),
                     [&](const Inst& inst) { return suits_abreast(inst, program.opcode(inst.pc)); });
}

void Abreast::part(std::uint32_t pc, const std::vector<Warp>& warps) {
  for (std::size_t k = 0; k < warps.size(); ++k) places_[k] = {pc, kNoPc, warps[k].started, 0};
}

Abreast::Row& Abreast::new_row(const Inst& inst, const Ramp* ramps) {
  if (used_ == rows_.size()) rows_.emplace_back();
  Row& row = rows_[used_++];
  row.masks.assign(places_.size(), 0);
  row.band.reset();
  row.ends.resize(places_.size());
  row.inst = &inst;
  row.width_bytes = inst.elem_bytes * std::uint32_t{inst.vector};
  row.ramps = ramps;
  const std::size_t bytes = inst.writes_global ? places_.size() * kWarpLanes * row.width_bytes : 0;
  if (row.values.size() < bytes) row.values.resize(bytes);
  return row;
}

constexpr std::uint64_t kFar = std::uint64_t{1} << 40;

// Sets the band, where it is one.
bool Abreast::Row::becomes_band() {
  const std::size_t warps = masks.size();
  const std::uint64_t lane_step = ramps[0].step, warp_step = ramps[1].start - ramps[0].start;
  std::uint64_t off = 0;
  for (std::size_t w = 1; w < warps; ++w)
    off |= (ramps[w].start - ramps[w - 1].start - warp_step) | (ramps[w].step - lane_step);
  if (off != 0 || lane_step + kFar > 2 * kFar || warp_step + kFar > 2 * kFar) return false;
  band = WarpBand{start(0), lane_step, warp_step};
  const std::uint64_t first = start(0), last = first + (kWarpLanes - 1) * lane_step;
  low = std::min(first, last), end = std::max(first, last) + width_bytes;
  for (std::size_t w = 0; w < warps; ++w) ends[w] = {low + w * warp_step, end + w * warp_step};
  climbs = static_cast<std::int64_t>(warp_step) >= static_cast<std::int64_t>(end - low);
  steps = lane_step != 0;
  low = std::min(low, ends[warps - 1].low), end = std::max(end, ends[warps - 1].end);
  return true;
}

bool Abreast::Row::describe_each() {
  climbs = steps = true;
  low = ~std::uint64_t{0}, end = 0;
  for (std::size_t k = 0; k < masks.size(); ++k) {
    const Mask mask = masks[k];
    if (mask == 0) continue;
    if (ramps[k].step + kFar > 2 * kFar) return false;
    const std::uint64_t first = start(k) + static_cast<unsigned>(std::countr_zero(mask)) * ramps[k].step,
                        last =
                            start(k) + (31u - static_cast<unsigned>(std::countl_zero(mask))) * ramps[k].step;
    ends[k] = {std::min(first, last), std::max(first, last) + width_bytes};
    climbs &= ends[k].low >= end;
    steps &= ramps[k].step != 0;
    low = std::min(low, ends[k].low);
    end = std::max(end, ends[k].end);
  }
  return true;
}

// Whether a lane that acts does: where others all stand at one place, mostly none.
bool Abreast::Row::comes_to(std::size_t warp, const Ends& place) const {
  std::uint64_t met = 0;
  for (const std::uint64_t lane : lanes_of<std::uint64_t>(masks[warp])) {
    const std::uint64_t at = start(warp) + lane * ramps[warp].step;
    met |= static_cast<std::uint64_t>(at < place.end && place.low < at + width_bytes);
  }
  return met != 0;
}

// Whether threads of two warps do. What a thread stores where it loaded or stored before is in order.
bool Abreast::Row::meets(std::size_t warp, const Row& later, std::size_t other) const {
  if (masks[warp] == 0 || later.masks[other] == 0) return false;
  if (ends[warp].end <= later.ends[other].low || later.ends[other].end <= ends[warp].low) return false;
  const std::uint64_t step = ramps[warp].step, start_here = start(warp), start_there = later.start(other);
  if (step == 0 && later.ramps[other].step != 0) return later.comes_to(other, ends[warp]);
  if (step != 0 && later.ramps[other].step == 0) return comes_to(warp, later.ends[other]);
  const bool alone = std::popcount(masks[warp] | later.masks[other]) == 1;
  if (step != later.ramps[other].step || (step == 0 && !alone)) return true;
  if (warp == other && start_here == start_there) return !later.inst->writes_global;
  // Lanes of one between lanes of the other.
  const auto stride = static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(step)));
  const std::uint64_t behind =
      start_here <= start_there
          ? (start_there - start_here) % std::max<std::uint64_t>(1, stride)
          : stride - 1 - (start_here - start_there - 1) % std::max<std::uint64_t>(1, stride);
  return behind < width_bytes || stride - behind < later.width_bytes;
}

bool Abreast::Row::meets(const Row& later) const {
  if (end <= later.low || later.end <= low) return false;
  const std::size_t warps = masks.size();
  const bool same =
      ramps == later.ramps && inst->immediate == later.inst->immediate && width_bytes == later.width_bytes;
  if (same && later.inst->writes_global && whole && climbs && steps) return false;
  if (climbs && later.climbs) {
    for (std::size_t a = 0, b = 0; a < warps && b < warps;) {
      if (meets(a, later, b)) return true;
      const bool earlier = masks[a] == 0 || (later.masks[b] != 0 && ends[a].end < later.ends[b].end);
      earlier ? ++a : ++b;
    }
    return false;
  }
  for (std::size_t a = 0; a < warps; ++a)
    for (std::size_t b = 0; b < warps; ++b)
      if (meets(a, later, b)) return true;
  return false;
}

bool Abreast::Row::meets_itself() const {
  for (std::size_t a = 0; a < masks.size(); ++a) {
    const std::int64_t step = std::abs(static_cast<std::int64_t>(ramps[a].step));
    if (step < std::int64_t{width_bytes} && std::popcount(masks[a]) > 1) return true;
    for (std::size_t b = 0; !climbs && b < a; ++b)
      if (meets(a, *this, b)) return true;
  }
  return false;
}

bool Abreast::keeps_apart() {
  for (std::size_t k = 0; k < used_; ++k) {
    const bool writes = rows_[k].inst->writes_global;
    if (writes && rows_[k].meets_itself()) return false;
    for (std::size_t j = 0; j < k; ++j)
      if ((writes || rows_[j].inst->writes_global) && rows_[j].meets(rows_[k])) return false;
  }
  return true;
}

namespace {

AddressRow addresses_of(const Abreast::Row& row, std::size_t warp) {
  AddressRow at;
  const Mask mask = row.masks[warp];
  const std::uint64_t step = row.ramps[warp].step;
  const bool single = std::has_single_bit(mask);
  at.ramps() = {.affine = true, .stride_bytes = single ? 0 : static_cast<std::int64_t>(step)};
  at.low = row.ends[warp].low;
  at.high = row.ends[warp].end - row.width_bytes;
  at.start = single ? at.low : row.start(warp);
  return at;
}

void store(const BlockRun::LastTouch& window, const Abreast::Row& row, std::size_t warp) {
  const HostBase base = host_of(window);
  const Mask mask = row.masks[warp];
  const std::size_t width = row.width_bytes;
  const std::byte* const values = row.values_of(warp);
  const std::uint64_t start = row.start(warp), step = row.ramps[warp].step;
  if (step == width && is_run(mask)) {
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    std::memcpy(base.at(start + first * width), values + first * width,
                static_cast<std::size_t>(std::popcount(mask)) * width);
    return;
  }
  with_constant(width, [&](auto bytes) {
    for (const std::size_t lane : lanes_of<std::size_t>(mask))
      std::memcpy(base.at(start + lane * step), values + lane * width, bytes);
  });
}

// Counts all of a band as the window's counter counted last. False: they cost something else.
bool costs_as_before(const BlockRun::LastTouch& window, const WarpBand& band, std::size_t warps) {
  RampPriced* const last = window.priced;
  const LaneRamps lanes{.affine = true, .stride_bytes = static_cast<std::int64_t>(band.lane_step)};
  const bool same = last != nullptr && last->mask == kFullMask && last->lanes == lanes &&
                    band.warp_step % kSectorBytes == 0 && band.start % kSectorBytes == last->in_sector;
  if (same) last->times += warps;
  return same;
}

}  // namespace

// Reports what a row holds, and stores it.
void BlockRun::finish_abreast(const Abreast::Row& row) {
  const LastTouch& window = last_touch[row.inst->pc];
  const bool writes = row.inst->writes_global;
  const std::optional<WarpBand>& band = row.band;
  AddressRow at;
  const auto access = [&](std::size_t warp) {
    WarpContext& w = warps_[warp].context;
    w.mask = row.masks[warp];
    const Path path = path_of(Space::Global, writes ? Direction::Write : Direction::Read);
    return access_of(w, *row.inst, Space::Global, path, at, row.width_bytes,
                     writes ? row.values_of(warp) : nullptr);
  };
  const auto each = [&](const auto& act) {
    for (std::size_t warp = 0; warp < warps_.size(); ++warp)
      if (row.masks[warp] != 0) act(warp);
  };
  const auto all = static_cast<std::uint32_t>(warps_.size());
  for (Observer* o : window.listeners->all) {
    if (band && o->band(slot_, access(0), *band, all)) continue;
    each([&](std::size_t warp) {
      if (o->band(slot_, access(warp), {row.start(warp), row.ramps[warp].step, 0}, 1)) return;
      at = addresses_of(row, warp);
      fill_lanes(at);
      o->access(slot_, access(warp));
    });
  }
  if (window.counter != nullptr && !(band && costs_as_before(window, *band, all))) {
    each([&](std::size_t warp) {
      at = addresses_of(row, warp);
      const Access one = access(warp);
      if (costs_as_before(warps_[warp].context, window, at, Space::Global)) return;
      fill_lanes(at);
      window.counter->access(slot_, one);
    });
  }
  if (writes) each([&](std::size_t warp) { store(window, row, warp); });
}

// An access of the warps that act. False: they must run one after another.
bool BlockRun::access_abreast(const Inst& inst) {
  const Ramp* const ramps = hoisted_.ramp(inst.a, 0);
  const LastTouch& touch = last_touch[inst.pc];
  const Beginnings& window = touch.window;
  if (ramps == nullptr || !touch.may_wait || (window.while_set != nullptr && *window.while_set == 0))
    return false;
  Abreast::Row& row = abreast_.new_row(inst, ramps);
  row.whole = abreast_.acting().size() == warps_.size();
  Mask any = 0;
  for (const Warp* const warp : abreast_.acting()) {
    const Mask mask = row.masks[warp->place.warp] = acting_lanes(warp->context, inst);
    row.whole &= mask == kFullMask;
    any |= mask;
  }
  if (any == 0) return abreast_.drop_row(), true;
  if (!row.describe() || row.low - window.low >= window.size ||
      row.end - row.width_bytes - window.low >= window.size)
    return false;
  std::uint64_t bits = static_cast<std::uint64_t>(inst.immediate);
  const auto charge = [&](std::size_t warp, std::uint64_t warps) {
    bits |= ramps[warp].start | ramps[warp].step;
    const int lanes = std::popcount(row.masks[warp]);
    extra_work += warps * work_of_access(lanes, row.width_bytes, true);
    if (launch_.options.check_global_races)
      extra_work += warps * work_of_watching(lanes, row.width_bytes, true);
  };
  if (row.band) {
    bits |= row.band->warp_step;
    charge(0, warps_.size());
  } else {
    for (std::size_t k = 0; k < warps_.size(); ++k)
      if (row.masks[k] != 0) charge(k, 1);
  }
  if ((bits & (row.width_bytes - 1)) != 0) return false;
  inst.masked(warps_[0].context, inst);
  return true;
}

// A straight run of the warps that act, or of it what they run in one turn: how much of it. 0: they must run one
// after another.
std::uint32_t BlockRun::execute_abreast(const Inst& first) {
  const Inst *inst = &first, *const stop = &first + first.run;
  do {
    if (is_access(*inst) && !inst->is_pure) {
      if (!access_abreast(*inst)) return 0;
    } else {
      for (Warp* warp : abreast_.acting())
        (warp->context.mask == kFullMask ? inst->enter_full : inst->enter_masked)(warp->context, *inst);
    }
    inst += inst->step;
  } while (inst < stop && !(turns_at_loads_ && inst->needs_load));
  return static_cast<std::uint32_t>(inst - &first);
}

// The same of the warps that stand there.
bool BlockRun::run_abreast(const Inst& first) {
  std::vector<Abreast::Place>& places = abreast_.places();
  std::vector<Warp*>& acting = abreast_.acting();
  acting.clear();
  for (Warp& warp : warps_) {
    const Abreast::Place& place = places[warp.place.warp];
    warp.context.mask = place.mask;
    if (place.mask != 0 && place.pc == first.pc) acting.push_back(&warp);
  }
  const std::uint32_t run = execute_abreast(first);
  if (run == 0) return false;
  for (const Warp* warp : acting) {
    Abreast::Place& place = places[warp->place.warp];
    count_run(first, run, place.mask);
    place.pc += run;
    if (place.pc == place.meet) place.mask = place.at_meet, place.meet = kNoPc;
  }
  return true;
}

// A branch or an exit of a warp.
bool BlockRun::step_abreast(Warp& warp, Abreast::Place& place, const Inst& inst) {
  warp.context.mask = place.mask;
  const Mask acting = acting_lanes(warp.context, inst), all = place.mask;
  const bool exits = inst.control == Control::Exit, together = acting == 0 || acting == all;
  if (!together && (exits || !inst.jumps_over)) return false;
  count_control(inst, all);
  place.pc = acting == all && !exits ? inst.target : inst.pc + 1;
  if (acting == all && exits) place.mask = 0;
  if (together) return true;
  extra_work += 2 * kWorkOfSplit;
  place.mask = all & ~acting;
  if (inst.reconverge != program_.functions[0].exit_pc) {
    place.meet = inst.target;
    place.at_meet = all;
  } else {
    count_to_exit(inst.target, acting);
  }
  return true;
}

// From the entry as long as all go one way: where they part, or kNoPc at the end. False: as run_abreast.
bool BlockRun::go_together(std::uint32_t& pc) {
  std::vector<Warp*>& all = abreast_.acting();
  all.clear();
  for (Warp& warp : warps_) warp.context.mask = warp.started, all.push_back(&warp);
  while (pc != kNoPc) {
    const Inst& inst = program_.code[pc];
    if (inst.control == Control::Plain) {
      const std::uint32_t run = execute_abreast(inst);
      if (run == 0) return false;
      for (const Warp* const warp : all) count_run(inst, run, warp->started);
      pc += run;
      continue;
    }
    bool none = true, each = true;
    for (const Warp* const warp : all) {
      const Mask acting = acting_lanes(warp->context, inst);
      none &= acting == 0, each &= acting == warp->started;
    }
    if (!none && !each) return true;
    for (const Warp* const warp : all) count_control(inst, warp->started);
    pc = none ? pc + 1 : inst.control == Control::Exit ? kNoPc : inst.target;
  }
  return true;
}

bool BlockRun::go_abreast() {
  std::uint32_t parting = program_.functions[0].entry_pc;
  if (!go_together(parting)) return false;
  if (parting == kNoPc) return true;
  abreast_.part(parting, warps_);
  std::vector<Abreast::Place>& places = abreast_.places();
  for (;;) {
    std::uint32_t pc = kNoPc;
    for (const Abreast::Place& place : places)
      if (place.mask != 0) pc = std::min(pc, place.pc);
    if (pc == kNoPc) return true;
    const Inst& inst = program_.code[pc];
    if (inst.control == Control::Plain) {
      if (!run_abreast(inst)) return false;
      continue;
    }
    for (Warp& warp : warps_) {
      Abreast::Place& place = places[warp.place.warp];
      if (place.mask != 0 && place.pc == pc && !step_abreast(warp, place, inst)) return false;
    }
  }
}

bool BlockRun::run_abreast() {
  if (!abreast_.is_worth_it()) return false;
  const auto before = std::tuple(warp_instructions, lane_instructions, extra_work, weight_, parameters);
  abreast_.begin_block();
  for (Warp& warp : warps_) {
    warp.context.abreast = &abreast_;
    warp.context.file[static_cast<int>(RowFile::Hoisted)] = hoisted_.rows_of(warp.place.warp);
  }
  const bool well = go_abreast() && abreast_.keeps_apart();
  abreast_.ended(well);
  for (Warp& warp : warps_) warp.context.abreast = nullptr;
  if (!well) {
    std::tie(warp_instructions, lane_instructions, extra_work, weight_, parameters) = before;
    return false;
  }
  for (const Abreast::Row& row : abreast_.rows()) finish_abreast(row);
  for (Warp& warp : warps_) {
    warp.live = 0;
    warp.splits[0].state = SplitState::Dead;
    warp.splits[0].mask = 0;
  }
  live_threads_ = 0;
  return true;
}

}  // namespace lab::sim
