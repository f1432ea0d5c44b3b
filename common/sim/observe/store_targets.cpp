// The targets of bulk stores. See store_targets.h.
#include "common/sim/observe/store_targets.h"

#include <algorithm>
#include <bit>

#include "common/sim/base/lanes.h"

namespace lab::sim {

void StoreTargets::begin_block(std::uint32_t slot) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  blocks_[slot].clear();
  count();
}

void StoreTargets::count() {
  count_ = left_.size();
  for (const std::vector<Target>& targets : blocks_) count_ += targets.size();
}

void StoreTargets::start(std::uint32_t slot, const BulkCopy& copy, std::uint32_t group) {
  Target target;
  target.low = ~std::uint64_t{0};
  target.runs.reserve(copy.pieces.size());
  for (const BulkPiece& piece : copy.pieces) {
    if (piece.last <= piece.first) continue;
    target.runs.emplace_back(piece.global + piece.first, piece.global + piece.last);
    target.low = std::min(target.low, piece.global + piece.first);
    target.high = std::max(target.high, piece.global + piece.last);
  }
  if (target.runs.empty()) return;
  target.pc = copy.pc;
  target.thread = copy.place->first_thread + copy.lane;
  target.group = group;
  std::vector<Target>& targets = blocks_[slot];
  if (targets.size() == kMostOfBlock) targets.erase(targets.begin());
  targets.push_back(std::move(target));
  count();
}

void StoreTargets::waited(std::uint32_t slot, std::uint32_t thread, std::uint32_t groups) {
  std::erase_if(blocks_[slot],
                [&](const Target& target) { return target.thread == thread && target.group < groups; });
  count();
}

void StoreTargets::end_block(std::uint32_t slot, bool stay) {
  if (stay) std::move(blocks_[slot].begin(), blocks_[slot].end(), std::back_inserter(left_));
  if (left_.size() > kMostLeft) left_.erase(left_.begin(), left_.end() - kMostLeft);
  blocks_[slot].clear();
  count();
}

bool StoreTargets::touches(const Access& access, std::uint32_t& lane, std::uint32_t& pc) const {
  const auto is_hit = [&](const Target& target, std::uint64_t low, std::uint64_t high) {
    if (low >= target.high || high <= target.low) return false;
    return std::any_of(target.runs.begin(), target.runs.end(),
                       [&](const auto& run) { return low < run.second && high > run.first; });
  };
  for (Mask rest = access.mask; rest != 0; rest &= rest - 1) {
    lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t low = access.address[lane], high = low + access.width_bytes;
    const auto look = [&](const std::vector<Target>& targets) {
      const auto hit = std::find_if(targets.begin(), targets.end(),
                                    [&](const Target& target) { return is_hit(target, low, high); });
      if (hit != targets.end()) pc = hit->pc;
      return hit != targets.end();
    };
    if (look(left_) || std::any_of(blocks_.begin(), blocks_.end(), look)) return true;
  }
  return false;
}

}  // namespace lab::sim
