// An observer of a judged run: how far ahead of its use a thread asks for what cp.async brings.
//
// Enters: accesses and barriers, of which each thread's own order alone is looked at: neither the order of
// warps nor any clock counts. Leaves: bytes, by the number of rounds that they were on their way. A *round*
// is what a thread stores to global memory between two of its waits that let something land and that a
// barrier follows. A copy is n rounds ahead when it starts before n of them and lands after them. Load, wait,
// store: 0 rounds. Room for S tiles: S - 1 rounds, but for the first tiles of a block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/sim/base/observer.h"

namespace lab::judge {

struct FlightFindings {
  // Bytes that were read by cp.async and have landed: none, one, two or more rounds after their start.
  std::array<std::uint64_t, 3> by_rounds{};
  std::string file;  // the copy of most bytes that are awaited sooner than that
  int line = 0;
  [[nodiscard]] std::uint64_t landed() const { return by_rounds[0] + by_rounds[1] + by_rounds[2]; }
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
  void barrier(std::uint32_t slot) override;
  void warp_sync(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes) override;

 private:
  struct OnItsWay {
    std::uint32_t pc = 0, bytes = 0, round = 0;
    std::uint64_t to = 0;
  };
  struct Thread {
    std::vector<OnItsWay> copies;
    std::uint32_t round = 0;  // rounds that have begun
    bool stores = false;      // one is going on; it ends
    bool landed = false;      // when something has landed, and a barrier comes
    void meet() { stores = stores && !landed, landed = false; }
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

  const sim::Program* program_ = nullptr;
  std::uint32_t block_threads_ = 0;
  std::vector<Block> blocks_;  // by slot
  std::array<std::uint64_t, 3> by_rounds_{};
  std::vector<std::uint64_t> soon_by_pc_;  // bytes less than two rounds ahead
};

}  // namespace lab::judge
