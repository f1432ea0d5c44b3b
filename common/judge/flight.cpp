// How far ahead copies are started. See flight.h.
#include "common/judge/flight.h"

#include <algorithm>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"

namespace lab::judge {

void Flight::launch_begin(const sim::LaunchInfo& info) {
  program_ = info.program;
  block_threads_ = static_cast<std::uint32_t>(info.block.count());
  soon_by_pc_.resize(info.program->instruction_count());
}

void Flight::block_begin(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  Block& block = blocks_[slot];
  block.threads.resize((block_threads_ + sim::kWarpLanes - 1) / sim::kWarpLanes * sim::kWarpLanes);
  for (Thread& thread : block.threads) thread = Thread{};
  block.started.told = false;
}

void Flight::copy(std::uint32_t slot, const sim::Copy& copy) {
  Started& started = blocks_[slot].started;
  started.copy = copy;
  sim::for_lanes(copy.mask, [&](std::uint32_t lane) { started.to[lane] = copy.to[lane]; });
  started.told = true;
}

void Flight::access(std::uint32_t slot, const sim::Access& access) {
  Block& block = blocks_[slot];
  if (access.path == sim::Path::GlobalAsync) return start(block, access);
  if (access.path == sim::Path::SharedAsync) return land(block, access);
  if (access.space != sim::Space::Global || !sim::writes(access.path)) return;
  sim::for_lanes(access.mask, [&](std::uint32_t lane) {
    Thread& thread = block.threads[access.place->first_thread + lane];
    thread.round += !thread.stores;
    thread.stores = true;
  });
}

// The first access of a copy tells the warp; those of its shorter lanes follow, and say nothing new.
void Flight::start(Block& block, const sim::Access& access) {
  Started& started = block.started;
  if (!started.told) return;
  started.told = false;
  sim::for_lanes(started.copy.reads, [&](std::uint32_t lane) {
    Thread& thread = block.threads[access.place->first_thread + lane];
    thread.copies.push_back(
        {.pc = access.pc, .bytes = started.copy.width_bytes, .round = thread.round, .to = started.to[lane]});
  });
}

void Flight::land(Block& block, const sim::Access& access) {
  sim::for_lanes(access.mask, [&](std::uint32_t lane) {
    Thread& thread = block.threads[access.place->first_thread + lane];
    const auto found = std::find_if(thread.copies.begin(), thread.copies.end(), [&](const OnItsWay& one) {
      return one.pc == access.pc && one.to == access.address[lane];
    });
    if (found == thread.copies.end()) return;  // it read nothing: zeros have landed
    const std::uint32_t rounds = std::min(thread.round - found->round, 2u);
    by_rounds_[rounds] += found->bytes;
    if (rounds < 2) soon_by_pc_[access.pc] += found->bytes;
    thread.copies.erase(found);
    thread.landed = true;
  });
}

void Flight::barrier(std::uint32_t slot) {
  for (Thread& thread : blocks_[slot].threads) thread.meet();
}

void Flight::warp_sync(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes) {
  sim::for_lanes(lanes,
                 [&](std::uint32_t lane) { blocks_[slot].threads[warp * sim::kWarpLanes + lane].meet(); });
}

void Flight::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const Flight&>(other);
  if (program_ == nullptr) program_ = from.program_;
  soon_by_pc_.resize(std::max(soon_by_pc_.size(), from.soon_by_pc_.size()));
  for (std::size_t pc = 0; pc < from.soon_by_pc_.size(); ++pc) soon_by_pc_[pc] += from.soon_by_pc_[pc];
  for (std::size_t k = 0; k < by_rounds_.size(); ++k) by_rounds_[k] += from.by_rounds_[k];
}

FlightFindings Flight::findings() const {
  FlightFindings found{by_rounds_, {}, 0};
  const auto most = std::max_element(soon_by_pc_.begin(), soon_by_pc_.end());
  if (program_ == nullptr || most == soon_by_pc_.end() || *most == 0) return found;
  const auto source = program_->source(static_cast<std::uint32_t>(most - soon_by_pc_.begin()));
  found.line = source.line;
  found.file = program_->file_name(source.file);
  return found;
}

}  // namespace lab::judge
