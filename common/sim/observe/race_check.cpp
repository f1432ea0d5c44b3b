// The race check as an observer: which touch an access is, who synchronises by it, what is found.
//
// Enters: accesses and what orders them. Leaves: findings, or FaultError.
#include "common/sim/observe/race_check.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "common/sim/observe/place_text.h"
#include "common/sim/observe/race_words.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

bool is_narrow(FaultKind kind) { return kind == FaultKind::MissingSyncwarp; }

std::string global_place(const Memory& memory, DeviceAddress address) {
  const Allocation* a = memory.find(address, 1);
  if (a == nullptr) return "global memory";
  const std::string name = a->name.empty() ? "a buffer" : "`" + a->name + "`";
  return name + " + " + with_commas(address - a->base) + " bytes";
}

}  // namespace

std::unique_ptr<Observer> RaceCheck::clone() const { return std::make_unique<RaceCheck>(memory_, stop_); }

void RaceCheck::launch_begin(const LaunchInfo& info) {
  launch_ = info;
  if (launch_.smallest_shared_access_bytes == 0) launch_.smallest_shared_access_bytes = 1;
  sites_.assign(info.program->instruction_count(), Site{});
  std::map<std::pair<int, int>, std::uint32_t> first_of_line;
  for (std::uint32_t pc = 0; pc < sites_.size(); ++pc) {
    const InstSource source = info.program->source(pc);
    sites_[pc].line_pc =
        source.line == 0 ? pc : first_of_line.try_emplace({source.file, source.line}, pc).first->second;
  }
  site_count_ = 0;
  slots_.clear();
  found_.clear();
  offers_.clear();
  global_.reset();
  if (memory_ != nullptr && info.smallest_global_access_bytes != 0)
    global_ = std::make_unique<GlobalShadow>(launch_, *memory_, info.program->data().code);
}

void RaceCheck::block_begin(std::uint32_t index, const WarpPlace& place) {
  if (index >= slots_.size()) slots_.resize(index + 1);
  if (slots_[index] == nullptr) {
    slots_[index] = std::make_unique<Slot>();
    if (launch_.shared_bytes != 0)
      slots_[index]->shared = std::make_unique<RaceShadow>(
          launch_.shared_bytes, launch_.smallest_shared_access_bytes, site_count_);
  }
  Slot& slot = *slots_[index];
  slot.clock.begin(place.block_index);
  slot.kept.clear();
  slot.offers.clear();
  if (slot.targets.on_their_way != 0) slot.targets = {};
  if (slot.shared != nullptr) slot.shared->barrier(slot.clock);
  if (global_ != nullptr) global_->begin_block(index, place.block_index);
}

void RaceCheck::barrier(std::uint32_t index) {
  if (index >= slots_.size()) return;
  slots_[index]->clock.barrier();
  if (slots_[index]->shared != nullptr) slots_[index]->shared->barrier(slots_[index]->clock);
}

void RaceCheck::warp_sync(std::uint32_t slot, std::uint32_t warp, Mask mask) {
  if (slot < slots_.size()) slots_[slot]->clock.warp_sync(warp, mask);
}

void RaceCheck::fence(std::uint32_t slot, std::uint32_t warp, Mask lanes, bool whole_warp, Scope scope) {
  slots_[slot]->clock.fence(warp, lanes, whole_warp, scope);
}

void RaceCheck::meet(std::uint32_t slot, const Meeting& meeting, bool whole_warp) {
  slots_[slot]->clock.meet(meeting, whole_warp);
}

RaceCheck::Site& RaceCheck::site_of(std::uint32_t pc) {
  Site& site = sites_[pc];
  if (site.number != 0) return site;
  site.number = ++site_count_;
  for (auto& slot : slots_) {
    if (slot != nullptr && slot->shared != nullptr) slot->shared->add_sites(site_count_);
  }
  return site;
}

Touch RaceCheck::touch_of(const Access& access) const {
  const Inst& inst = launch_.program->data().code[access.pc];
  const Direction direction = info(access.path).direction;
  const bool atomic = direction == Direction::Update || inst.checked_by_cas ||
                      (inst.order.strong() && !inst.order.is_volatile);
  return atomic ? Touch::Atomic : direction == Direction::Read ? Touch::Read : Touch::Write;
}

void RaceCheck::access(std::uint32_t index, const Access& access) {
  Slot& slot = *slots_[index];
  if (access.space == Space::Shared) {
    shared_access(slot, access);
  } else if (access.space == Space::Global && global_ != nullptr) {
    GlobalCollision collision;
    if (global_->touch(index, access, slot.clock, collision))
      report_global(slot, access, touch_of(access), collision);
  } else {
    return;
  }
  if (launch_.program->data().code[access.pc].order.strong()) synchronise(slot, access);
}

void RaceCheck::shared_access(Slot& slot, const Access& access) {
  if (slot.targets.on_their_way != 0) check_targets(slot, access);
  const Site& site = site_of(access.pc);
  const Touch how = touch_of(access);
  Collision collision;
  if (slot.shared->touch(access, how, launch_.program->data().code, site.number - 1, slot.clock, collision))
    report_shared(slot, access, how, collision);
}

// What a strong access reads and leaves for others at its words.
void RaceCheck::synchronise(Slot& slot, const Access& access) {
  const Ordering& order = launch_.program->data().code[access.pc].order;
  auto& offers = access.space == Space::Shared ? slot.offers : offers_;
  const bool reads = sim::reads(access.path), writes = sim::writes(access.path);
  const bool releases = writes && slot.clock.may_release(order);
  if (offers.empty() && !releases) return;
  for (Mask rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const auto there = offers.find(access.address[lane]);
    // What it releases itself it may take along: it knows that already.
    if (releases) {
      Offer& offer = offers[access.address[lane]];
      slot.clock.release(access.place->warp, lane, order, reads, offer);
      if (reads) slot.clock.acquire(access.place->warp, lane, order, offer);
      continue;
    }
    if (reads && there != offers.end()) slot.clock.acquire(access.place->warp, lane, order, there->second);
    if (writes && !reads && there != offers.end()) offers.erase(there);
  }
}

// A copy has started: from now on its target may change at any moment.
void RaceCheck::copy(std::uint32_t index, const Copy& copy) {
  if (copy.written != Path::SharedAsync) return;
  Targets& targets = slots_[index]->targets;
  const std::uint32_t granule = launch_.smallest_shared_access_bytes;
  targets.pc.resize((launch_.shared_bytes + granule - 1) / granule);
  for (Mask rest = copy.mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t first = copy.to[std::countr_zero(rest)] / granule;
    for (std::uint32_t k = 0; k < std::max(1u, copy.width_bytes / granule); ++k) {
      std::uint32_t& pc = targets.pc[first + k];
      targets.on_their_way += pc == 0;
      pc = copy.pc + 1;
    }
  }
}

void RaceCheck::check_targets(Slot& slot, const Access& access) {
  Targets& targets = slot.targets;
  const std::uint32_t granule = launch_.smallest_shared_access_bytes;
  const bool lands = access.path == Path::SharedAsync;
  for (Mask rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t first = access.address[lane] / granule;
    for (std::uint32_t k = 0; k < std::max(1u, access.width_bytes / granule); ++k) {
      std::uint32_t& pc = targets.pc[first + k];
      if (pc == 0) continue;
      if (lands) {
        targets.on_their_way -= 1;
        pc = 0;
        continue;
      }
      const std::uint64_t offset = (first + k) * granule;
      const std::uint32_t copy_pc = pc - 1;
      const Key key = key_of(access.pc, copy_pc, FaultKind::SharedRace);
      if (seen(slot, key, access)) return;
      Fault fault = fault_at(FaultKind::SharedRace, launch_, access, lane, offset);
      const InstSource source = launch_.program->source(access.pc),
                       copy = launch_.program->source(copy_pc);
      const bool shared_by_all = launch_.block.count() > 1;
      fault.message = act_text(touch_of(access), text_of(fault.thread, launch_.block),
                               text_of(fault.block, launch_.grid), shared_place(*launch_.program, offset),
                               line_text(source)) +
                      ", while the asynchronous copy of " + line_text(copy) +
                      " is still on its way there: wait for it before " + line_text(source) +
                      " (__pipeline_wait_prior, cp.async.wait_group, or the pipeline's consumer_wait)" +
                      (shared_by_all ? ", then __syncthreads() if another thread started it" : "");
      return found(slot, key, std::move(fault));
    }
  }
}

void RaceCheck::report_shared(Slot& slot, const Access& access, Touch how, const Collision& collision) {
  const Program& program = *launch_.program;
  const std::uint32_t thread = access.place->first_thread + collision.lane;
  const bool same_warp = thread / kWarpLanes == collision.earlier_thread / kWarpLanes;
  const bool lanes_of_one_store = collision.same_instruction;
  const std::uint64_t offset = std::uint64_t{collision.granule} * launch_.smallest_shared_access_bytes;
  const FaultKind kind =
      same_warp && !lanes_of_one_store ? FaultKind::MissingSyncwarp : FaultKind::SharedRace;
  Fault fault = fault_at(kind, launch_, access, collision.lane, offset);
  const InstSource later = program.source(access.pc), earlier = program.source(collision.earlier_pc);
  const std::string me = text_of(fault.thread, launch_.block);
  const std::string other = text_of(thread_at(collision.earlier_thread, launch_.block), launch_.block);
  const std::string block = text_of(fault.block, launch_.grid);
  const std::string place = shared_place(program, offset);
  const Key key = key_of(access.pc, collision.earlier_pc, kind);
  if (seen(slot, key, access)) return;
  if (lanes_of_one_store) {
    fault.message = "threads " + me + " and " + other + " of block " + block + " write different values to " +
                    place + " at " + line_text(later) +
                    " in one instruction, and nobody knows which one stays: let one thread " +
                    "write, or give each its own place";
    return found(slot, key, std::move(fault));
  }
  const std::string now = act_text(how, me, block, place, line_text(later));
  const std::string before = earlier_act_text(collision.earlier, other, line_text(earlier));
  const std::string put = put_text(collision.earlier_pc, access.pc);
  fault.message = same_warp ? now + ", " + before +
                                  ", both in one warp, with no __syncwarp between: put __syncwarp() " + put
                            : now + ", " + before + ", with no barrier between: put __syncthreads() " + put;
  if (same_warp && launch_.block.count() > kWarpLanes)
    fault.message = fault.message + "; __syncthreads() if other warps share it";
  found(slot, key, std::move(fault));
}

void RaceCheck::report_global(Slot& slot, const Access& access, Touch how,
                              const GlobalCollision& collision) {
  const Program& program = *launch_.program;
  const std::uint32_t thread = access.place->first_thread + collision.lane;
  const bool same_block = collision.earlier_block == access.place->block_index;
  const bool same_warp = same_block && thread / kWarpLanes == collision.earlier_thread / kWarpLanes;
  const FaultKind kind =
      same_warp && !collision.same_instruction ? FaultKind::MissingSyncwarp : FaultKind::GlobalRace;
  Fault fault = fault_at(kind, launch_, access, collision.lane, collision.address);
  const InstSource later = program.source(access.pc), earlier = program.source(collision.earlier_pc);
  const std::string me = text_of(fault.thread, launch_.block);
  std::string other = text_of(thread_at(collision.earlier_thread, launch_.block), launch_.block);
  const std::string block = text_of(fault.block, launch_.grid);
  const std::string place = global_place(*memory_, collision.address);
  const Key key = key_of(access.pc, collision.earlier_pc, kind);
  if (seen(slot, key, access)) return;
  if (collision.same_instruction) {
    fault.message = "threads " + me + " and " + other + " of block " + block + " write different values to " +
                    place + " at " + line_text(later) +
                    " in one instruction, and nobody knows which one stays: let one thread " +
                    "write, or give each its own place";
    return found(slot, key, std::move(fault));
  }
  const Inst& earlier_inst = program.data().code[collision.earlier_pc];
  const bool earlier_atomic = earlier_inst.order.strong() && !earlier_inst.order.is_volatile;
  const Touch before_touch = earlier_atomic               ? Touch::Atomic
                             : collision.earlier_writes ? Touch::Write
                                                        : Touch::Read;
  if (!same_block) {
    const Dim3& grid = launch_.grid;
    const std::uint64_t b = collision.earlier_block;
    other += " of block " + text_of({static_cast<std::uint32_t>(b % grid.x),
                                     static_cast<std::uint32_t>(b / grid.x % grid.y),
                                     static_cast<std::uint32_t>(b / grid.x / grid.y)},
                                    grid);
  }
  const std::string now = act_text(how, me, block, place, line_text(later));
  const std::string before = earlier_act_text(before_touch, other, line_text(earlier));
  const std::string put = put_text(collision.earlier_pc, access.pc);
  const std::string between =
      advice_between_blocks(program.data(), access.pc, collision.earlier_pc, collision.earlier_writes);
  fault.message = same_warp ? now + ", " + before +
                                  ", both in one warp, with no __syncwarp between: put __syncwarp() " + put
                  : same_block
                      ? now + ", " + before + ", with no barrier between: put __syncthreads() " + put
                      : now + ", " + before + ", and nothing orders the two: " + between;
  if (same_warp && launch_.block.count() > kWarpLanes)
    fault.message = fault.message + "; __syncthreads() if other warps share it";
  found(slot, key, std::move(fault));
}

// Counts what was told of this block or one before it.
bool RaceCheck::seen(Slot& slot, const Key& key, const Access& access) {
  if (const auto kept = slot.kept.find(key); kept != slot.kept.end()) {
    kept->second.count += 1;
    return true;
  }
  const auto told = found_.find(key);
  if (told == found_.end() || told->second.block_index > access.place->block_index) return false;
  told->second.count += 1;
  return true;
}

void RaceCheck::found(Slot& slot, const Key& key, Fault fault) {
  if (stop_ == Stop::AtOnce) throw FaultError(std::move(fault));
  slot.kept.emplace(key, std::move(fault));
}

void RaceCheck::note(const Key& key, const Fault& fault) {
  const auto [at, fresh] = found_.try_emplace(key, fault);
  if (fresh) return;
  const std::uint64_t count = at->second.count + fault.count;
  if (fault.block_index < at->second.block_index) at->second = fault;
  at->second.count = count;
}

void RaceCheck::block_end(std::uint32_t index, const WarpPlace& /*place*/) {
  const std::map<Key, Fault>& kept = slots_[index]->kept;
  if (kept.empty()) return;
  if (stop_ == Stop::WithBlock) throw FaultError(worth_telling(kept).front());
  for (const auto& [key, fault] : kept) note(key, fault);
}

void RaceCheck::merge(const Observer& other) {
  // A clone that is done with: its lines are taken over, not copied.
  auto& from = const_cast<RaceCheck&>(dynamic_cast<const RaceCheck&>(other));
  for (const auto& [key, fault] : from.found_) note(key, fault);
  if (global_ != nullptr && from.global_ != nullptr) global_->merge(*from.global_);
}

Fault RaceCheck::fault_of(const BlocksMet& met) const {
  const Program& program = *launch_.program;
  const Dim3& grid = launch_.grid;
  const auto block_at = [&](std::uint32_t b) {
    return Dim3{b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
  };
  const InstSource writer = program.source(met.writer.pc), other = program.source(met.other.pc);
  Fault fault;
  fault.kind = FaultKind::GlobalRace;
  fault.file = program.file_name(writer.file);
  fault.line = writer.line;
  fault.block = block_at(met.writer.block);
  fault.block_index = met.writer.block;
  fault.address = met.address;
  fault.count = met.count;
  const std::string me = text_of(fault.block, grid), them = text_of(block_at(met.other.block), grid);
  const std::string place = global_place(*memory_, met.address);
  const std::string advice =
      advice_between_blocks(program.data(), met.writer.pc, met.other.pc, met.both_write);
  fault.message =
      met.both_write
          ? "block " + me + " writes " + place + " at " + line_text(writer) + ", and so does block " + them +
                " at " + line_text(other) + ", with different values; nothing orders the two: " + advice
          : "block " + me + " writes " + place + " at " + line_text(writer) + ", which block " + them +
                " reads at " + line_text(other) + "; nothing orders the two: " + advice;
  return fault;
}

RaceCheck::Key RaceCheck::key_of(std::uint32_t pc, std::uint32_t earlier_pc, FaultKind kind) const {
  return {sites_[pc].line_pc, sites_[earlier_pc].line_pc, kind};
}

// Whether a thread can come from one instruction to the other and pass no barrier.
bool RaceCheck::leads_to(std::uint32_t from, std::uint32_t to) const {
  const std::vector<Inst>& code = launch_.program->data().code;
  std::vector<bool> seen(code.size(), false);
  std::vector<std::uint32_t> next{from + 1};
  while (!next.empty()) {
    const std::uint32_t pc = next.back();
    next.pop_back();
    if (pc >= code.size() || seen[pc]) continue;
    if (pc == to) return true;
    seen[pc] = true;
    const Inst& inst = code[pc];
    if (inst.control == Control::Barrier && !inst.has_guard) continue;
    if (inst.control == Control::Branch) next.push_back(inst.target);
    const bool ends = (inst.control == Control::Branch || inst.control == Control::Exit ||
                       inst.control == Control::Return) &&
                      !inst.has_guard;
    if (!ends) next.push_back(pc + 1);
  }
  return false;
}

// Where the barrier is missing: on the way that a thread can take from one to the other, whichever of them came
// first here. The order of the text decides when there are both ways.
std::string RaceCheck::put_text(std::uint32_t earlier_pc, std::uint32_t pc) const {
  const Program& program = *launch_.program;
  const InstSource earlier = program.source(earlier_pc), later = program.source(pc);
  const auto copies = [](const InstSource& source) { return source.text.starts_with("cp.async"); };
  if (copies(earlier) && copies(later)) return "behind the last use of the copy, before the next one starts";
  if (copies(earlier)) return "between the wait for the copy of " + line_text(earlier) + " and " + line_text(later);
  if (copies(later)) return "after " + line_text(earlier) + ", before the copy of " + line_text(later) + " starts";
  const bool there = leads_to(earlier_pc, pc), back = leads_to(pc, earlier_pc);
  const bool turned = there == back ? earlier.line > later.line : back;
  return (turned ? where_to_put(later, earlier) : where_to_put(earlier, later)) + branch_text(earlier_pc, pc);
}

// A barrier belongs where every thread comes by: not where a jump leads around the accesses.
std::string RaceCheck::branch_text(std::uint32_t pc, std::uint32_t other) const {
  const std::uint32_t low = std::min(pc, other), high = std::max(pc, other);
  for (const Inst& inst : launch_.program->data().code) {
    const bool around = inst.control == Control::Branch && inst.has_guard && inst.target != kNoPc;
    if (around && inst.pc < low && inst.target > low && inst.target != high && inst.pc + 1 != inst.target)
      return ", outside of the branch, so that every thread reaches it";
  }
  return "";
}

// Of several findings those that mend: not one inside a warp where another warp takes part at the same line; and
// of two lines that collide both ways round the order of the text, since that barrier orders the other way too.
std::vector<Fault> RaceCheck::worth_telling(const std::map<Key, Fault>& all) const {
  std::set<std::uint32_t> wide;
  for (const auto& [key, fault] : all) {
    if (!is_narrow(fault.kind)) wide.insert({std::get<0>(key), std::get<1>(key)});
  }
  const auto other_way_round = [&](const Key& key) {
    const Key turned{std::get<1>(key), std::get<0>(key), std::get<2>(key)};
    return std::get<0>(key) < std::get<1>(key) && all.contains(turned);
  };
  std::vector<Fault> list;
  for (const bool narrow : {false, true}) {
    for (const auto& [key, fault] : all) {
      const bool covered = wide.contains(std::get<0>(key)) || wide.contains(std::get<1>(key));
      if (is_narrow(fault.kind) != narrow || (narrow && covered) || other_way_round(key)) continue;
      list.push_back(fault);
    }
  }
  return list;
}

std::vector<Fault> RaceCheck::findings() {
  if (global_ != nullptr) {
    for (const BlocksMet& met : global_->blocks_met())
      note(key_of(met.writer.pc, met.other.pc, FaultKind::GlobalRace), fault_of(met));
  }
  return worth_telling(found_);
}

}  // namespace lab::sim
