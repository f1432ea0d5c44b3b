// Warps that do nothing, and warps that stand still. See block_watch.h.
#include "common/course/judge/block_watch.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/gpu/model/machine_code.h"
#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::judge {
namespace {

std::uint64_t first_address(const sim::Access& access) {
  return access.address[std::countr_zero(access.mask)];
}

std::uint64_t waits_of(sim::Scope scope) {
  return scope <= sim::Scope::Block ? 1 : scope == sim::Scope::System ? kSystemFence : kGpuFence;
}

// Constant memory gives a warp one word at a time.
std::uint64_t addresses_of(const sim::Access& access) {
  std::array<std::uint64_t, sim::kWarpLanes> all;
  std::size_t count = 0;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) all[count++] = access.address[lane];
  std::sort(all.begin(), all.begin() + count);
  return static_cast<std::uint64_t>(std::unique(all.begin(), all.begin() + count) - all.begin());
}

std::vector<sim::Observer::Weights> sums_of_issues(const sim::ProgramData& program) {
  std::vector<sim::Observer::Weights> sums(program.code.size() + 1);
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    sums[pc + 1] = sums[pc];
    if (!program.continues(pc)) sums[pc + 1].front() += model::more_issues(program.text(pc));
  }
  return sums.back().front() == 0 ? std::vector<sim::Observer::Weights>() : sums;
}

}  // namespace

void add_ways(Ways& to, const Ways& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t pc = 0; pc < from.size(); ++pc) to[pc] |= from[pc];
}

void BlockWatch::merge(const sim::Observer& other) {
  const BlockWatch& one = dynamic_cast<const BlockWatch&>(other);
  add_ways(ways_, one.ways_);
  const BlockFindings& from = one.found_;
  found_.idle_blocks += from.idle_blocks;
  found_.idle_warps += from.idle_warps;
  found_.warps += from.warps;
  found_.waits += from.waits;
  found_.slept += from.slept;
  found_.prints += from.prints;
  found_.allocations += from.allocations;
  found_.more_issues += from.more_issues;
  found_.writes_beside |= from.writes_beside;
  found_.one_word += from.one_word;
  found_.turns += from.turns;
}

void BlockWatch::launch_begin(const sim::LaunchInfo& info) {
  warps_ = sim::warps_of(info.block.count());
  program_ = info.program;
  ways_.resize(program_->instruction_count());
  sums_ = sums_of_issues(program_->data());
  turns_.launch_begin();
}

void BlockWatch::block_begin(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  Block& block = blocks_[slot];
  block.writes = false;
  block.bytes.assign(warps_, 0);
  block.asked.assign(warps_, 0);
  block.slept.assign(warps_, 0);
  block.looks.assign(warps_, kNothing);
  turns_.block_begin(slot, warps_);
}

void BlockWatch::access(std::uint32_t slot, const sim::Access& access) {
  const bool global = access.space == sim::Space::Global;
  if (access.space == sim::Space::Const) found_.more_issues += addresses_of(access) - 1;
  if (!global && access.space != sim::Space::Shared && access.space != sim::Space::Cluster) return;
  Block& block = blocks_[slot];
  const sim::Ordering order = program_->data().code[access.pc].order;
  const bool one_word = count_one_word(block, access), beside = global && lies_beside(first_address(access));
  if (order.acquire || order.release)
    found_.waits += global && !beside && knows_matrices() ? kOrderedElement : waits_of(order.scope);
  const bool stores = sim::writes(access.path),
             atomic = sim::info(access.path).direction == sim::Direction::Update;
  block.writes |= global && stores;
  found_.writes_beside |= stores && beside;
  if (order.strong() && !atomic && (beside || access.space == sim::Space::Shared))
    turns_.flag(slot, access, beside);
  if (one_word) return;  // who only looks at a flag moves nothing
  // Another block's memory is reported there: in a cluster all do the same.
  const std::uint64_t bytes = static_cast<std::uint64_t>(std::popcount(access.mask)) * access.width_bytes;
  block.bytes[access.place->warp] += bytes;
  if (global && !beside) turns_.moved(slot, access.place->warp, stores, bytes);
}

bool BlockWatch::lies_beside(std::uint64_t address) const {
  const auto in = [&](const Range& range) { return address >= range.begin && address < range.end; };
  return !in(out_) && !in(in_);
}

bool BlockWatch::count_one_word(Block& block, const sim::Access& access) {
  std::uint64_t& looks = block.looks[access.place->warp];
  const std::uint64_t before = std::exchange(looks, kNothing);
  const std::uint64_t at = first_address(access);
  const bool device = access.space == sim::Space::Global && lies_beside(at);
  if (access.space != sim::Space::Shared && !device) return false;
  bool one = access.width_bytes <= sizeof(std::uint64_t);
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) one = one && access.address[lane] == at;
  if (!one) return false;
  OneWord& found = found_.one_word;
  if (device && access.path == sim::Path::GlobalAtomic)
    ++found.device_atomics;
  else if (device && sim::writes(access.path))
    ++found.device_stores;
  else if (device)
    ++found.device_loads;
  if (access.path == sim::Path::SharedLoad) {
    if (before == at)
      ++found.polls;
    else
      ++found.loads;
    looks = at;
  }
  if (access.path == sim::Path::SharedStore) ++found.stores;
  if (access.path == sim::Path::SharedAtomic) ++found.atomics;
  return true;
}

void BlockWatch::meet(std::uint32_t slot, const sim::Meeting& meeting, bool /*whole_warp*/) {
  found_.waits += meeting.act == sim::Meeting::Act::Leave;
  turns_.meet(slot, meeting);
}

// One for the block costs next to nothing.
void BlockWatch::fence(std::uint32_t /*slot*/, std::uint32_t /*warp*/, sim::Mask /*lanes*/,
                       bool /*whole_warp*/, sim::Scope scope) {
  found_.waits += waits_of(scope);
}

void BlockWatch::bulk(std::uint32_t slot, const sim::BulkCopy& copy) {
  Block& block = blocks_[slot];
  block.asked[copy.place->warp] += copy.shared_bytes;
  if (sim::info(copy.written).space != sim::Space::Global) return;
  block.writes |= std::any_of(copy.pieces.begin(), copy.pieces.end(),
                              [](const sim::BulkPiece& piece) { return piece.first < piece.last; });
}

void BlockWatch::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  const Block& block = blocks_[slot];
  found_.idle_blocks += !block.writes;
  turns_.block_end(slot, found_.turns);
  found_.slept += *std::max_element(block.slept.begin(), block.slept.end());
  const std::uint64_t most = *std::max_element(block.bytes.begin(), block.bytes.end());
  if (most == 0) return;  // copies alone
  found_.warps += warps_;
  for (std::size_t warp = 0; warp < warps_; ++warp)
    found_.idle_warps += (block.bytes[warp] + block.asked[warp]) * kLeastPart < most;
}

}  // namespace lab::judge
