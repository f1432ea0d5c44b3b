// Warps that do nothing, and warps that stand still. See block_watch.h.
#include "common/judge/block_watch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"

namespace lab::judge {
namespace {

std::uint64_t first_address(const sim::Access& access) {
  return access.address[std::countr_zero(access.mask)];
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
  found_.writes_beside |= from.writes_beside;
  found_.one_word += from.one_word;
}

void BlockWatch::launch_begin(const sim::LaunchInfo& info) {
  warps_ = sim::warps_of(info.block.count());
  program_ = info.program;
  ways_.resize(program_->instruction_count());
}

void BlockWatch::block_begin(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  Block& block = blocks_[slot];
  block.writes = false;
  block.bytes.assign(warps_, 0);
  block.asked.assign(warps_, 0);
  block.slept.assign(warps_, 0);
  block.looks.assign(warps_, kNothing);
}

void BlockWatch::access(std::uint32_t slot, const sim::Access& access) {
  const bool global = access.space == sim::Space::Global;
  if (!global && access.space != sim::Space::Shared && access.space != sim::Space::Cluster) return;
  Block& block = blocks_[slot];
  const bool one_word = count_one_word(block, access);
  block.writes |= global && sim::writes(access.path);
  found_.writes_beside |= global && sim::writes(access.path) && lies_beside(first_address(access));
  if (one_word) return;  // who only looks at a flag moves nothing
  // Another block's memory is reported there: in a cluster all do the same.
  block.bytes[access.place->warp] +=
      static_cast<std::uint64_t>(std::popcount(access.mask)) * access.width_bytes;
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
  if (device)
    ++(access.path == sim::Path::GlobalAtomic ? found.device_atomics
       : sim::writes(access.path)             ? found.device_stores
                                              : found.device_loads);
  if (access.path == sim::Path::SharedLoad) ++(before == at ? found.polls : found.loads), looks = at;
  if (access.path == sim::Path::SharedStore) ++found.stores;
  if (access.path == sim::Path::SharedAtomic) ++found.atomics;
  return true;
}

void BlockWatch::meet(std::uint32_t /*slot*/, const sim::Meeting& meeting, bool /*whole_warp*/) {
  found_.waits += meeting.act == sim::Meeting::Act::Leave;
}

// One for the block costs next to nothing.
void BlockWatch::fence(std::uint32_t /*slot*/, std::uint32_t /*warp*/, sim::Mask /*lanes*/,
                       bool /*whole_warp*/, sim::Scope scope) {
  found_.waits += scope == sim::Scope::Block ? 1 : kGpuFence;
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
  found_.slept += *std::max_element(block.slept.begin(), block.slept.end());
  const std::uint64_t most = *std::max_element(block.bytes.begin(), block.bytes.end());
  if (most == 0) return;  // copies alone
  found_.warps += warps_;
  for (std::size_t warp = 0; warp < warps_; ++warp)
    found_.idle_warps += (block.bytes[warp] + block.asked[warp]) * kLeastPart < most;
}

}  // namespace lab::judge
