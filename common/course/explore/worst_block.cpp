// The worst block of a launch. See worst_block.h.
#include "common/course/explore/worst_block.h"

#include <utility>

#include "common/course/explore/recording.h"
#include "common/sim/observe/access_analysis.h"
#include "common/sim/program/program.h"

namespace lab::explore {
namespace {

std::uint64_t waste_of(const sim::Access& a) {
  if (a.space == sim::Space::Shared) {
    const auto cost = sim::shared_cost(a.address, a.width_bytes, a.mask, sim::reads(a.path));
    return cost.wavefronts - cost.ideal_wavefronts;
  }
  const auto cost = sim::global_cost(a.address, a.width_bytes, a.mask);
  return cost.sectors - cost.ideal_sectors;
}

}  // namespace

std::unique_ptr<sim::Observer> WorstBlock::clone() const {
  return std::make_unique<WorstBlock>(line_, path_);
}

void WorstBlock::merge(const sim::Observer& other) {
  auto from = dynamic_cast<const WorstBlock&>(other);
  if (from.any_) take(from.best_);
}

void WorstBlock::launch_begin(const sim::LaunchInfo& info) {
  blamed_.clear();
  for (std::uint32_t pc = 0; pc < info.program->instruction_count(); ++pc)
    blamed_.push_back(info.program->source(pc).line == line_);
  blocks_.clear();
  best_ = {};
  any_ = false;
}

void WorstBlock::block_begin(std::uint32_t slot, const sim::WarpPlace& place) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  blocks_[slot] = {};
  blocks_[slot].index = place.block_index;
  blocks_[slot].orders.assign(blamed_.size(), 0);
}

void WorstBlock::access(std::uint32_t slot, const sim::Access& access) {
  Block& block = blocks_[slot];
  sim::RecordedAccess record;
  record.pc = access.pc;
  record.place = *access.place;
  record.order = block.orders[access.pc]++;
  record.space = access.space;
  record.path = access.path;
  record.width_bytes = access.width_bytes;
  record.mask = access.mask;
  for (std::size_t lane = 0; lane < record.address.size(); ++lane)
    record.address[lane] = (access.mask >> lane) & 1u ? access.address[lane] : 0;
  block.accesses.push_back(record);
  if (blamed_[access.pc] && drawn_path(access.path) == path_) block.waste += waste_of(access);
}

void WorstBlock::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) { take(blocks_[slot]); }

// The lowest number among equals, so that host threads decide nothing.
void WorstBlock::take(Block& block) {
  const bool better =
      !any_ || block.waste > best_.waste || (block.waste == best_.waste && block.index < best_.index);
  if (better) best_ = std::move(block);
  any_ = true;
}

}  // namespace lab::explore
