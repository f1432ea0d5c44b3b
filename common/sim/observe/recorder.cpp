// Recording.
//
// Enters: accesses. Leaves: the first of each instruction.
#include "common/sim/observe/recorder.h"

#include <algorithm>
#include <tuple>

#include "common/sim/observe/link_cost.h"
#include "common/sim/program/program.h"

namespace lab::sim {
namespace {

bool earlier(const RecordedAccess& a, const RecordedAccess& b) {
  return std::tie(a.place.block_index, a.place.warp, a.order) <
         std::tie(b.place.block_index, b.place.warp, b.order);
}

}  // namespace

std::unique_ptr<Observer> Recorder::clone() const { return std::make_unique<Recorder>(filter_); }

void Recorder::launch_begin(const LaunchInfo& info) {
  const std::size_t count = info.program->instruction_count();
  memory_ = info.shared_memory;
  wanted_.assign(count, filter_.lines.empty());
  for (std::uint32_t pc = 0; pc < count && !filter_.lines.empty(); ++pc) {
    const int line = info.program->source(pc).line;
    wanted_[pc] = std::find(filter_.lines.begin(), filter_.lines.end(), line) != filter_.lines.end();
  }
  kept_.assign(count, {});
  orders_.clear();
}

void Recorder::block_begin(std::uint32_t slot, const WarpPlace& /*place*/) {
  if (slot >= orders_.size()) orders_.resize(slot + 1);
  orders_[slot].assign(wanted_.size(), 0);
}

bool Recorder::may_keep(std::uint32_t pc, std::uint64_t block_index) const {
  const Kept& known = kept_[pc];
  if (known.size() < filter_.requests_per_instruction) return wanted_[pc];
  return wanted_[pc] && !known.empty() && block_index <= known.back().place.block_index;
}

void Recorder::keep(Kept& kept, const RecordedAccess& record) const {
  if (kept.size() >= most_of(record)) {
    if (kept.empty() || !earlier(record, kept.back())) return;
    kept.pop_back();
  }
  kept.insert(std::upper_bound(kept.begin(), kept.end(), record, earlier), record);
}

void Recorder::access(std::uint32_t slot, const Access& access) {
  if (!may_keep(access.pc, access.place->block_index)) return;
  RecordedAccess record;
  record.pc = access.pc;
  record.place = *access.place;
  record.order = orders_[slot][access.pc]++;
  record.space = access.space;
  record.path = access.path;
  record.width_bytes = access.width_bytes;
  record.mask = access.mask;
  record.over_link =
      memory_ != nullptr && access.space == Space::Global && link_cost(*memory_, access).requests != 0;
  for (std::size_t i = 0; i < kWarpLanes; ++i)
    record.address[i] = (access.mask >> i) & 1u ? access.address[i] : 0;
  keep(kept_[access.pc], record);
}

void Recorder::merge(const Observer& other) {
  const auto& from = dynamic_cast<const Recorder&>(other).kept_;
  if (kept_.size() < from.size()) kept_.resize(from.size());
  for (std::size_t pc = 0; pc < from.size(); ++pc) {
    for (const RecordedAccess& record : from[pc]) keep(kept_[pc], record);
  }
}

std::vector<RecordedAccess> Recorder::recorded() const {
  std::vector<RecordedAccess> all;
  for (const Kept& kept : kept_) all.insert(all.end(), kept.begin(), kept.end());
  return all;
}

}  // namespace lab::sim
