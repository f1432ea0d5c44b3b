// How much of what a launch moves has to be moved one warp after the other.
//
// Enters: the bytes that warps move in global memory, and what makes a warp wait for another one: barriers,
// objects at which threads meet, and words that one warp stores and another loads by strong accesses. Leaves:
// the longest chain of bytes that wait for each other, of loads and of stores, beside what is moved in all.
//
// Each warp has two clocks, which go on by the bytes that it moves and, where it waits for another warp, to
// what that one's show: those of its block begin with 0, and those of the launch follow blocks as well. An
// atomic takes no other warp's time: a warp that draws the next number from a counter does not wait.
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
