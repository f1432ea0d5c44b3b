// What a block begins with, and how it ends: constants and thread numbers once a launch, the rest for each.
//
// Enters: a launch and who watches it, or the number of the block that is to run. Leaves: warps at the entry
// of the kernel, their rows, and observers that know.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>

#include "common/sim/execute/block.h"
#include "common/sim/execute/cluster.h"

namespace lab::sim {
namespace {

// In a drawn order nothing is as always: what was never set holds junk, another for each warp.
void begin_registers(Warp& warp, std::uint64_t schedule) {
  std::uint64_t junk = schedule + warp.place.block_index * 64 + warp.place.warp;
  for (Arena& arena : warp.arena) {
    if (schedule == 0) {
      arena.clear();
      continue;
    }
    for (std::size_t at = 0; at < arena.size(); at += sizeof junk) {
      const std::uint64_t word = draw(junk);
      std::memcpy(arena.data() + at, &word, std::min(sizeof word, arena.size() - at));
    }
  }
}

constexpr std::uint32_t kWarpsOfMultiprocessor = 64;

// The hardware's number of a warp is no thread's index: a multiprocessor has 64, and gives them out in any order.
std::uint32_t number_of_warp(std::uint32_t index, std::uint64_t drawn) {
  if (drawn == 0) return index;
  std::array<std::uint8_t, kWarpsOfMultiprocessor> numbers;
  std::iota(numbers.begin(), numbers.end(), std::uint8_t{0});
  for (std::uint64_t k = kWarpsOfMultiprocessor; k > 1; --k)
    std::swap(numbers[k - 1], numbers[draw(drawn) % k]);
  return numbers.at(index);
}

// A number that no program can know beforehand, where the launch draws them; else the usual one.
std::uint32_t drawn_or(std::uint32_t usual, std::uint64_t drawn, std::uint64_t which) {
  std::uint64_t state = drawn + which;
  return drawn == 0 ? usual : static_cast<std::uint32_t>(draw(state));
}

// As many as GPUs of several kinds have.
std::uint32_t multiprocessors_of(const LaunchContext& launch) {
  constexpr std::uint32_t kOthers[] = {68, 84, 108, 114, 142, 144, 148};
  const std::uint64_t drawn = launch.options.numbers;
  return drawn == 0 ? launch.limits.multiprocessors : kOthers[drawn / 2 % std::size(kOthers)];
}

}  // namespace

BlockRun::BlockRun(const LaunchContext& launch, std::uint32_t slot, std::vector<Observer*> observers,
                   ClusterRun& cluster, std::uint32_t rank)
    : launch_(launch),
      program_(*launch.program),
      slot_(slot),
      observers_(std::move(observers)),
      cluster_(cluster),
      rank_(rank),
      hoisted_(launch.program->hoisted, launch.program->code, launch.parameters) {
  if (program_.reads_clock) observers_.push_back(&clock_);
  for (Observer* o : observers_) {
    values_wanted_ = values_wanted_ || o->policy().values();
    if (o->weights() != nullptr) weigher_ = o;
    if (o->ways() != nullptr) ways_ = o->ways();
    if (o->steps()) stepper_ = o;
    follows_values_ = follows_values_ || o->follows_values();
  }
  if (weigher_ != nullptr) weights_ = weigher_->weights();
  all_listeners_ = &listeners_of(~std::uint64_t{0});
  const bool alone = launch.cluster.count() == 1 && !program_.blocks_talk;
  const bool compares = alone && launch.shared_bytes != 0 && program_.shortcuts == Shortcuts::On;
  repeats_.begin_launch(observers_, program_.code, compares);
  const Dim3 block = launch.config.block, grid = launch.config.grid;
  block_threads_ = static_cast<std::uint32_t>(block.count());
  warps_.resize((block_threads_ + kWarpLanes - 1) / kWarpLanes);
  shared.resize((launch.shared_room() + 3) / 4 * 4);  // atomics on bytes swap the word around
  last_touch.resize(program_.code.size());
  back_edges_.resize(program_.code.size(), 0);
  block_special_.resize(static_cast<std::size_t>(BlockRow::Count) * row_bytes(4));
  const auto set = [&](BlockRow row, std::uint32_t value) {
    fill_row(block_special_, static_cast<std::size_t>(row), value);
  };
  fill_rows(block_special_, BlockRow::NtidX, block);
  fill_rows(block_special_, BlockRow::NctaidX, grid);
  set(BlockRow::DynamicShared, launch.config.dynamic_shared_bytes);
  set(BlockRow::TotalShared, launch.shared_bytes);
  set(BlockRow::NSmId, multiprocessors_of(launch));
  set(BlockRow::ReservedBegin, launch.reserved_at);
  set(BlockRow::ReservedMiddle, launch.reserved_at + kReservedSharedBytes / 2);
  set(BlockRow::ReservedEnd, launch.reserved_at + kReservedSharedBytes);
  set(BlockRow::EnvReg1, static_cast<std::uint32_t>(launch.grid_barrier >> 32));
  set(BlockRow::EnvReg2, static_cast<std::uint32_t>(launch.grid_barrier));
  const std::uint64_t numbers = launch.options.numbers;
  const auto warps = static_cast<std::uint32_t>(warps_.size());
  const std::uint32_t of_others = drawn_or(0, numbers, 3) % 2 == 0 ? kWarpsOfMultiprocessor : 48;
  set(BlockRow::NWarpId, numbers == 0 ? warps : std::max(warps, of_others));
  set(BlockRow::GridId, drawn_or(1, numbers, 1));
  set(BlockRow::Driver, drawn_or(0, numbers, 2));
  set(BlockRow::AllShared, launch.shared_bytes + kReservedSharedBytes);
  const Dim3 shape = launch.cluster;
  fill_rows(block_special_, BlockRow::ClusterNctaidX, shape);
  fill_rows(block_special_, BlockRow::NClusterIdX, {grid.x / shape.x, grid.y / shape.y, grid.z / shape.z});
  set(BlockRow::ClusterRank, rank);
  set(BlockRow::ClusterBlocks, static_cast<std::uint32_t>(shape.count()));
  const bool asked = launch.config.cluster.count() != 0 || program_.required_cluster[0] != 0;
  set(BlockRow::IsExplicitCluster, asked ? kFullMask : 0);
  turns_at_loads_ = launch.options.schedule != 0 || (launch.options.turn_at_loads && warps_.size() > 1);
  const std::size_t bytes = bytes_of_warp(program_.functions[0]);
  rows_.resize(bytes * warps_.size());
  for (std::uint32_t w = 0; w < warps_.size(); ++w) start_warp(w, std::span(rows_).subspan(w * bytes, bytes));
  hoisted_.begin_launch(contexts_of_hoisted(), grid);
  const bool in_order = launch.options.schedule == 0 && launch.cluster.count() == 1;
  const bool abreast = in_order && stepper_ == nullptr && ways_ == nullptr && !values_wanted_;
  abreast_.begin_launch(abreast && Abreast::suits(program_) ? warps_.size() : 0);
}

const BlockRun::Listeners& BlockRun::listeners_of(std::uint64_t observers) {
  const auto [at, fresh] = listeners_by_.try_emplace(observers);
  for (std::size_t k = 0; fresh && k < observers_.size(); ++k) {
    if ((observers >> k & 1u) == 0) continue;
    at->second.all.push_back(observers_[k]);
    if (observers_[k]->policy().repeats() == Repeats::Each) at->second.of_repeats.push_back(observers_[k]);
  }
  return at->second;
}

std::vector<WarpContext> BlockRun::contexts_of_hoisted() {
  std::vector<WarpContext> contexts;
  if (program_.hoisted.values == 0) return contexts;
  for (const Warp& warp : warps_) {
    WarpContext& w = contexts.emplace_back(warp.context);
    bind_constants(warp, w);
    w.mask = kFullMask;
  }
  return contexts;
}

// What stays the same from block to block: thread numbers, arenas, pointers.
void BlockRun::start_warp(std::uint32_t index, std::span<std::byte> rows) {
  Warp& warp = warps_[index];
  const Dim3 block = launch_.config.block;
  warp.place.warp = index;
  warp.place.first_thread = index * kWarpLanes;
  warp.special = take_rows(rows, kSpecialBytes).data();
  for (int k = 0; k < kRowFiles; ++k)
    warp.arena[k].lay_out(take_rows(rows, program_.functions[0].frame_bytes[k]));
  const auto row = [&](WarpRow r) {
    return reinterpret_cast<std::uint32_t*>(warp.special) + static_cast<std::size_t>(r) * kWarpLanes;
  };
  const std::uint32_t first = warp.place.first_thread,
                      number = number_of_warp(index, launch_.options.numbers);
  Dim3 at = block.at(first);
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    row(WarpRow::TidX)[lane] = at.x;
    row(WarpRow::TidY)[lane] = at.y;
    row(WarpRow::TidZ)[lane] = at.z;
    row(WarpRow::WarpId)[lane] = number;
    if (first + lane < block_threads_) warp.started |= 1u << lane;
    if (++at.x == block.x) at.x = 0, ++at.y;
    if (at.y == block.y) at.y = 0, ++at.z;
  }
  warp.context.block = this;
  warp.context.place = &warp.place;
  Frame frame;
  ensure_room(warp, frame);
}

// A drawn order makes a warp late, or a role (a row of warps) in every other one: it runs when the others
// wait.
void BlockRun::draw_late_warps() {
  late_ = {};
  if (launch_.options.schedule == 0 || warps_.size() < 2 || draw(schedule_) % 2 == 0) return;
  const std::size_t count = warps_.size();
  late_.first = draw(schedule_) % count;
  const std::size_t most = std::min(count - late_.first, count - 1);
  late_.last = late_.first + (draw(schedule_) % 2 == 0 ? 1 : 1 + draw(schedule_) % most);
}

// Which warp goes first this time.
std::size_t BlockRun::first_warp() {
  return launch_.options.schedule == 0 ? 0 : draw(schedule_) % warps_.size();
}

// What an earlier block may have left in a warp. A kernel of one function that starts nothing leaves little.
void BlockRun::begin_warp(Warp& warp) {
  warp.place.block_index = place_.block_index;
  warp.place.block = place_.block;
  warp.live = warp.started;
  warp.spins = 0;
  warp.polled_memory = false;
  warp.context.carry = 0;
  warp.undefined.reset();
  if (program_.starts_work) {
    warp.copies.clear();
    warp.copy_groups.fill(0);
    warp.bulk_groups.fill(0);
    warp.waiters = {};
    warp.timed_waits.clear();
    warp.product_groups = 0;
    warp.cluster_arrived = warp.cluster_passed = 0;
  }
  if (!warp.local.empty()) std::fill(warp.local.begin(), warp.local.end(), std::byte{0xcd});
  if (program_.clear_registers || !program_.unset.empty()) begin_registers(warp, launch_.options.schedule);
  const bool first = warp.splits.empty();
  if (first) warp.splits.emplace_back();
  Split& split = warp.splits[0];
  if (program_.functions.size() > 1 || warp.splits.size() > 1) {
    for (Split& s : warp.splits) s.state = SplitState::Dead;
    split = Split{};
  }
  split.state = SplitState::Ready;
  split.mask = warp.started;
  split.pc = program_.functions[0].entry_pc;
  warp.current = 0;
  if (first || program_.functions.size() > 1) bind(warp, split);
}

void BlockRun::begin(std::uint64_t block_index) {
  place_.block_index = block_index;
  place_.block = launch_.config.grid.at(block_index);
  const Dim3 at = place_.block, shape = launch_.cluster;
  fill_rows(block_special_, BlockRow::CtaidX, at);
  const bool alone = cluster_.size() == 1;
  fill_rows(block_special_, BlockRow::ClusterIdX,
            alone ? at : Dim3{at.x / shape.x, at.y / shape.y, at.z / shape.z});
  if (!alone)  // else these rows hold zeros
    fill_rows(block_special_, BlockRow::ClusterCtaidX, {at.x % shape.x, at.y % shape.y, at.z % shape.z});
  fill_row(block_special_, static_cast<std::size_t>(BlockRow::SmId),
           launch_.options.numbers == 0
               ? static_cast<std::uint32_t>(block_index % multiprocessors_of(launch_))
               : drawn_or(0, launch_.options.numbers, 3 + block_index) % multiprocessors_of(launch_));
  hoisted_.begin_block(at);
  std::fill(std::begin(barriers_), std::end(barriers_), BarrierState{});
  std::fill(back_edges_.begin(), back_edges_.end(), 0);
  std::fill(shared.begin(), shared.end(), std::byte{0xcd});
  if (launch_.reserved_at != 0) std::fill_n(&shared[launch_.reserved_at], kReservedSharedBytes, std::byte{0});
  mbarriers.clear();
  ended_mbarriers = 0;
  schedule_ = launch_.options.schedule + block_index;
  draw_late_warps();
  undefined_reads_.clear();
  undefined_read.described.clear();
  vain_rounds_ = idle_rounds_ = vying_rounds_ = waited_ticks_ = 0;
  knows_peers_ = has_released_ = false;
  live_threads_ = block_threads_;
  block_start_instructions_ = warp_instructions;
  block_start_work_ = work();
  extra_work += work_of_begin();
  for (Warp& warp : warps_) begin_warp(warp);
  if (follows_values_ && !program_.unset.empty()) begin_unset();
  for (Observer* o : observers_) o->block_begin(slot_, place_);
  weight_ = {};
  repeats_.begin_block(slot_, place_);
}

// Shared memory, local memory and what hangs on a block are laid out anew for each.
std::uint64_t BlockRun::work_of_begin() const {
  constexpr std::uint64_t kPerBlock = 24, kPerWarp = 8, kBytesPerUnit = 512;
  const std::uint64_t local_bytes = std::uint64_t{warps_[0].local_stride} * kWarpLanes;
  return kPerBlock + shared.size() / kBytesPerUnit + warps_.size() * (kPerWarp + local_bytes / kBytesPerUnit);
}

void BlockRun::end() {
  for (const Warp& warp : warps_)
    for (const TimedWait& wait : warp.timed_waits)
      notify<&Observer::sleep>(warp.place.warp, warp.started, wait.nanoseconds);
  repeats_.end_block();
  if (weigher_ != nullptr) weigher_->weighed(slot_, weight_);
  for (Observer* o : observers_) o->block_end(slot_, place_);
}

}  // namespace lab::sim
