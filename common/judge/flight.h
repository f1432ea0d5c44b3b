// An observer of a judged run: how far ahead of its use a thread asks for what cp.async brings.
//
// Enters: accesses and barriers. Leaves: bytes, by how many *tiles* the block stored to global memory while
// they were on their way.
//
// The clock is what a block has stored. Between two barriers the order of warps is luck, so there it is a
// thread's own: when it has stored half of what it stores there, half of what all store there is over. A
// thread that stores nothing there has no clock: its copies start behind the first barrier and land at the
// second.
//
// Nobody says what a tile is, so it is measured. Bytes that have landed lie there until somebody stores them:
// of a tile that is stored evenly, half the tile's time on average. So a tile is twice the mean time that
// bytes lie in shared memory, and that is when they are stored on average, half of all, less when they
// landed. It cannot be made smaller by waiting more often, or for smaller groups: bytes that land early lie
// longer. Load, wait, store: 0 tiles. Room for S tiles: S - 1, but for the first tiles of a block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/observe/started_copy.h"

namespace lab::judge {

struct FlightFindings {
  // Bytes that were read by cp.async and have landed: less than one, one, two or more tiles after their
  // start.
  std::array<std::uint64_t, 3> by_tiles{};
  std::string file;  // the copy of most bytes that are awaited sooner than that
  int line = 0;
  [[nodiscard]] std::uint64_t landed() const { return by_tiles[0] + by_tiles[1] + by_tiles[2]; }
};

class Flight final : public sim::Observer {
 public:
  [[nodiscard]] FlightFindings findings() const;

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override { return std::make_unique<Flight>(); }
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void copy(std::uint32_t slot, const sim::Copy& copy) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void barrier(std::uint32_t slot) override { blocks_[slot].stored.push_back(0); }
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  struct Moment {
    std::size_t epoch = 0;  // barriers before it
    std::uint64_t own = 0;  // bytes that the thread has stored since
  };
  struct OnItsWay {
    std::uint32_t pc = 0, bytes = 0;
    std::uint64_t to = 0;
    Moment started;
  };
  struct Landed {
    std::uint32_t pc = 0, bytes = 0;
    Moment started, landed;
  };
  struct Thread {
    std::vector<OnItsWay> copies;
    std::vector<Landed> done;
    std::vector<Moment> stored;  // at the end of each epoch in which it stores
    [[nodiscard]] Moment now(std::size_t epoch) const;
  };
  struct Block {
    std::vector<Thread> threads;
    sim::StartedCopy started;
    std::vector<std::uint64_t> stored;  // bytes, by epoch
  };
  struct Clock;  // of a block that is done
  void start(Block& block, const sim::Access& access);
  void land(Block& block, const sim::Access& access);

  const sim::Program* program_ = nullptr;
  std::uint32_t block_threads_ = 0;
  std::vector<Block> blocks_;  // by slot
  std::array<std::uint64_t, 3> by_tiles_{};
  std::vector<std::uint64_t> soon_by_pc_;  // bytes less than two tiles ahead
};

}  // namespace lab::judge
