// How far ahead copies are started. See flight.h.
#include "common/judge/flight.h"

#include <algorithm>
#include <numeric>

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
  block.threads.resize(sim::warps_of(block_threads_) * sim::kWarpLanes);
  for (Thread& thread : block.threads) thread = Thread{};
  block.started = {};
  block.stored.assign(1, 0);
}

Flight::Moment Flight::Thread::now(std::size_t epoch) const {
  return stored.empty() || stored.back().epoch != epoch ? Moment{epoch, 0} : stored.back();
}

void Flight::copy(std::uint32_t slot, const sim::Copy& copy) { blocks_[slot].started.tell(copy); }

void Flight::access(std::uint32_t slot, const sim::Access& access) {
  Block& block = blocks_[slot];
  if (access.path == sim::Path::GlobalAsync) return start(block, access);
  if (access.path == sim::Path::SharedAsync) return land(block, access);
  if (access.space != sim::Space::Global || !sim::writes(access.path)) return;
  sim::for_lanes(access.mask, [&](std::uint32_t lane) {
    Thread& thread = block.threads[access.place->first_thread + lane];
    const std::size_t epoch = block.stored.size() - 1;
    if (thread.stored.empty() || thread.stored.back().epoch != epoch) thread.stored.push_back({epoch, 0});
    thread.stored.back().own += access.width_bytes;
    block.stored.back() += access.width_bytes;
  });
}

void Flight::start(Block& block, const sim::Access& access) {
  if (!block.started.take()) return;
  sim::for_lanes(block.started.reads(), [&](std::uint32_t lane) {
    Thread& thread = block.threads[access.place->first_thread + lane];
    thread.copies.push_back({access.pc, block.started.lane_bytes(), block.started.target(lane),
                             thread.now(block.stored.size() - 1)});
  });
}

void Flight::land(Block& block, const sim::Access& access) {
  sim::for_lanes(access.mask, [&](std::uint32_t lane) {
    Thread& thread = block.threads[access.place->first_thread + lane];
    const auto found = std::find_if(thread.copies.begin(), thread.copies.end(), [&](const OnItsWay& one) {
      return one.pc == access.pc && one.to == access.address[lane];
    });
    if (found == thread.copies.end()) return;  // it read nothing: zeros have landed
    thread.done.push_back({found->pc, found->bytes, found->started, thread.now(block.stored.size() - 1)});
    thread.copies.erase(found);
  });
}

struct Flight::Clock {
  explicit Clock(const Block& block) : stored(block.stored), before(block.stored.size() + 1) {
    std::partial_sum(stored.begin(), stored.end(), before.begin() + 1);
  }
  // Bytes that the block has stored by then. Between two barriers a thread that stores nothing keeps nobody
  // waiting: what it asks for may start at once, and what it waits for is needed by others behind the second.
  enum class Event : std::uint8_t { Start, Landing };
  [[nodiscard]] double at(const Thread& thread, const Moment& moment, Event event) const {
    const auto whole = std::find_if(thread.stored.begin(), thread.stored.end(),
                                    [&](const Moment& m) { return m.epoch == moment.epoch; });
    const auto base = static_cast<double>(before[moment.epoch]);
    if (whole == thread.stored.end() && event == Event::Landing && moment.epoch + 1 < stored.size())
      return static_cast<double>(before[moment.epoch + 1]);
    if (moment.own == 0) return base;
    return base + static_cast<double>(stored[moment.epoch]) * static_cast<double>(moment.own) /
                      static_cast<double>(whole->own);
  }
  // 0 or less: nothing of what lands is stored behind it.
  [[nodiscard]] double tile(const Block& block) const {
    double landed = 0, bytes = 0;
    for (const Thread& thread : block.threads) {
      for (const Landed& one : thread.done) {
        landed += one.bytes * at(thread, one.landed, Event::Landing);
        bytes += one.bytes;
      }
    }
    return bytes == 0 ? 0 : static_cast<double>(before.back()) - 2 * landed / bytes;
  }
  const std::vector<std::uint64_t>& stored;
  std::vector<std::uint64_t> before;  // by epoch, and the sum
};

void Flight::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  // Room for two tiles is never enough for 1.75: one and a half may be on their way on average.
  constexpr double kNearly = 0.25;
  const Block& block = blocks_[slot];
  const Clock clock(block);
  const double tile = clock.tile(block);
  for (const Thread& thread : block.threads) {
    for (const Landed& one : thread.done) {
      const double time = clock.at(thread, one.landed, Clock::Event::Landing) -
                          clock.at(thread, one.started, Clock::Event::Start);
      const double tiles = tile <= 0 ? 0 : time / tile + kNearly;
      const std::size_t whole = tiles >= 2 ? 2 : tiles >= 1 ? 1 : 0;
      by_tiles_[whole] += one.bytes;
      if (whole < 2) soon_by_pc_[one.pc] += one.bytes;
    }
  }
}

void Flight::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const Flight&>(other);
  if (program_ == nullptr) program_ = from.program_;
  soon_by_pc_.resize(std::max(soon_by_pc_.size(), from.soon_by_pc_.size()));
  for (std::size_t pc = 0; pc < from.soon_by_pc_.size(); ++pc) soon_by_pc_[pc] += from.soon_by_pc_[pc];
  for (std::size_t k = 0; k < by_tiles_.size(); ++k) by_tiles_[k] += from.by_tiles_[k];
}

FlightFindings Flight::findings() const {
  FlightFindings found{by_tiles_, {}, 0};
  const auto most = std::max_element(soon_by_pc_.begin(), soon_by_pc_.end());
  if (program_ == nullptr || most == soon_by_pc_.end() || *most == 0) return found;
  const auto source = program_->source(static_cast<std::uint32_t>(most - soon_by_pc_.begin()));
  found.line = source.line;
  found.file = program_->file_name(source.file);
  return found;
}

}  // namespace lab::judge
