// How many bytes of a launch must be moved by one warp after the other.
//
// Enters: bytes that warps move in global memory, and what makes a warp wait for another: barriers, mbarriers,
// words that one warp stores and another loads by strong accesses. Leaves: the longest chain of bytes that wait
// for each other, of loads and of stores, beside all bytes moved.
// Each warp has two clocks, one within its block and one within the launch. A clock advances by the bytes that
// the warp moves, and to another warp's clock where it waits for that warp. An atomic is no wait.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/sim/base/observer.h"

namespace lab::judge {

// Bytes; of two entries the first is of loads.
struct TurnFindings {
  std::array<std::uint64_t, 2> chain{}, busiest{};  // by block, all blocks added up: of a warp by itself
  std::array<std::uint64_t, 2> launch_chain{}, moved{}, busiest_block{};
  void operator+=(const TurnFindings& other);  // of other blocks of the same launch
};

class Turns {
 public:
  void block_begin(std::uint32_t slot, std::size_t warps);
  void moved(std::uint32_t slot, std::uint32_t warp, bool store, std::uint64_t bytes);
  // A strong load or store; `beside`: of device memory beside the matrices, which all blocks see.
  void flag(std::uint32_t slot, const sim::Access& access, bool beside);
  void barrier(std::uint32_t slot);
  void meet(std::uint32_t slot, const sim::Meeting& meeting);
  void block_end(std::uint32_t slot, TurnFindings& found);
  void launch_begin() { beside_.clear(); }

 private:
  struct Clock {
    std::array<std::uint64_t, 2> block{}, launch{};
    void wait_for(const Clock& other, bool of_block);
  };
  struct Object {
    Clock coming, turned;
  };
  using Flags = std::unordered_map<std::uint64_t, Clock>;  // by address
  struct Block {
    std::vector<Clock> clocks;  // by warp
    std::vector<std::array<std::uint64_t, 2>> own;
    Flags flags;
    std::unordered_map<std::uint64_t, Object> objects;
  };
  std::vector<Block> blocks_;  // by slot
  Flags beside_;
};

}  // namespace lab::judge
