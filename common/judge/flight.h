// An observer of a judged run: how far ahead of its use a thread asks for what cp.async brings.
//
// Enters: accesses, of which each thread's own order alone is looked at: neither the order of warps nor any
// clock counts. Leaves: bytes, by how many *tiles* were stored to global memory while they were on their way.
//
// Nobody says what a tile is, so it is measured. A thread's clock is what it has stored, as a share of all it
// stores. Bytes that have landed lie there until somebody stores them: of a tile that is stored evenly, half
// the tile's time on average. So a tile is twice the mean time that bytes of a block lie in shared memory,
// which is landed minus stored, added up over the clock. What cannot be had by waiting more often, or for
// smaller groups: bytes that land early lie longer. Load, wait, store: 0 tiles. Room for S tiles: S - 1, but
// for the first tiles of a block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/sim/base/observer.h"

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
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  struct OnItsWay {
    std::uint32_t pc = 0, bytes = 0;
    std::uint64_t to = 0, stored = 0;  // stored: by its thread, when it started
  };
  struct Landed {
    std::uint32_t pc = 0, bytes = 0;
    std::uint64_t stored = 0;  // by its thread, while it was on its way
  };
  struct Thread {
    std::vector<OnItsWay> copies;
    std::vector<Landed> done;
    std::uint64_t landed = 0, stored = 0;  // bytes
    std::uint64_t landed_when_stored = 0;  // bytes that had landed, once for each byte stored
  };
  // A copy is told before the access that says whose it is.
  struct Started {
    sim::Copy copy;
    std::array<std::uint64_t, sim::kWarpLanes> to{};
    bool told = false;
  };
  struct Block {
    std::vector<Thread> threads;
    Started started;
  };
  void start(Block& block, const sim::Access& access);
  void land(Block& block, const sim::Access& access);
  [[nodiscard]] static double tile_of(const Block& block);

  const sim::Program* program_ = nullptr;
  std::uint32_t block_threads_ = 0;
  std::vector<Block> blocks_;  // by slot
  std::array<std::uint64_t, 3> by_tiles_{};
  std::vector<std::uint64_t> soon_by_pc_;  // bytes less than two tiles ahead
};

}  // namespace lab::judge
