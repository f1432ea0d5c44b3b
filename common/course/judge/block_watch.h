// An observer of a counted run: warps that do nothing, and warps that stand still.
//
// Enters: accesses, and what puts threads in order. Leaves: blocks that write nothing to global memory; warps
// that have next to no part in what their block moves; how often warps wait, and how long they sleep.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/course/judge/turns.h"
#include "common/sim/base/observer.h"

namespace lab::judge {

// A warp is idle when it moves less than this part of what the busiest warp of its block moves, bulk copies
// that it asks for added. One warp that copies for all others of a block moves some ten times as much as each
// of them.
inline constexpr std::uint64_t kLeastPart = 16;
// A fence for the whole GPU waits until all that was written has arrived: several barriers' time.
inline constexpr std::uint64_t kGpuFence = 4, kSystemFence = 8;
// Where an element of the matrices itself acquires or releases: no thread waits for it.
inline constexpr std::uint64_t kOrderedElement = 16;

// Requests whose lanes all touch one word of shared memory, or of device memory beside the matrices: flags
// and counters.
struct OneWord {
  std::uint64_t loads = 0, stores = 0, atomics = 0;
  std::uint64_t polls = 0;  // more loads: of a warp that looks at the same word again, and does nothing else
  std::uint64_t device_loads = 0, device_stores = 0, device_atomics = 0;
  [[nodiscard]] std::array<std::uint64_t*, 7> all() {
    return {&loads, &stores, &atomics, &polls, &device_loads, &device_stores, &device_atomics};
  }
  [[nodiscard]] OneWord of_one(std::uint64_t launches) const {
    OneWord one = *this;
    for (std::uint64_t* n : one.all()) *n /= launches;
    return one;
  }
  void operator+=(OneWord o) {
    for (std::size_t k = 0; k < all().size(); ++k) *all()[k] += *o.all()[k];
  }
};

// By instruction: Observer::kTaken, kNotTaken.
using Ways = std::vector<std::uint8_t>;

struct BlockFindings {
  std::uint64_t idle_blocks = 0;
  std::uint64_t idle_warps = 0, warps = 0;  // of blocks that move anything
  std::uint64_t waits = 0;                  // of warps, at barriers and fences; a fence of the GPU is four
  std::uint64_t slept = 0;                  // nanoseconds: of each block's longest sleeper, added up
  std::uint64_t prints = 0;                 // of threads: printf
  std::uint64_t allocations = 0;            // of threads: malloc and free
  std::uint64_t more_issues = 0;  // besides the first of each instruction: divisions, functions, clocks,
                                  // further addresses of constant memory
  bool writes_beside = false;     // to device memory beside the matrices
  OneWord one_word;
  TurnFindings turns;  // of all launches
  // The findings of one of several launches that do the same.
  [[nodiscard]] BlockFindings of_one(std::uint64_t launches) const {
    return {idle_blocks / launches,
            idle_warps / launches,
            warps / launches,
            waits / launches,
            slept / launches,
            prints / launches,
            allocations / launches,
            more_issues / launches,
            writes_beside,
            one_word.of_one(launches),
            turns};
  }
};

void add_ways(Ways& to, const Ways& from);

class BlockWatch final : public sim::Observer {
 public:
  struct Range {
    std::uint64_t begin = 0, end = ~std::uint64_t{0};
  };
  // Where they are not said, nothing lies beside them.
  void matrices_are(Range out, Range in) { out_ = out, in_ = in; }
  [[nodiscard]] const BlockFindings& findings() const { return found_; }
  // The ways that lanes took at each branch of the program.
  [[nodiscard]] const Ways& branches() const { return ways_; }
  [[nodiscard]] const sim::Program* program() const { return program_; }

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    auto made = std::make_unique<BlockWatch>();
    made->matrices_are(out_, in_);
    return made;
  }
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void bulk(std::uint32_t slot, const sim::BulkCopy& copy) override;
  void barrier(std::uint32_t slot) override {
    found_.waits += warps_;
    turns_.barrier(slot);
  }
  void meet(std::uint32_t slot, const sim::Meeting& meeting, bool whole_warp) override;
  void fence(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes, bool whole_warp,
             sim::Scope scope) override;
  void sleep(std::uint32_t slot, std::uint32_t warp, sim::Mask /*lanes*/,
             std::uint64_t nanoseconds) override {
    blocks_[slot].slept[warp] += nanoseconds;
  }
  void system_call(std::uint32_t /*slot*/, std::uint32_t /*warp*/, sim::Mask lanes, bool allocates) override {
    (allocates ? found_.allocations : found_.prints) += static_cast<std::uint64_t>(std::popcount(lanes));
  }
  [[nodiscard]] std::uint8_t* ways() override { return ways_.data(); }
  [[nodiscard]] const Weights* weights() const override { return sums_.empty() ? nullptr : sums_.data(); }
  void weighed(std::uint32_t /*slot*/, const Weighed& sum) override { found_.more_issues += sum.front(); }
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  struct Block {
    bool writes = false;
    std::vector<std::uint64_t> bytes;  // moved, by warp
    std::vector<std::uint64_t> asked;  // bytes of the bulk copies that it asked for, by warp
    std::vector<std::uint64_t> slept;  // nanoseconds, by warp
    std::vector<std::uint64_t> looks;  // by warp: the word that it polled, and has done nothing since
  };
  // Whether it is one.
  bool count_one_word(Block& block, const sim::Access& access);
  [[nodiscard]] bool lies_beside(std::uint64_t address) const;
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};
  [[nodiscard]] bool knows_matrices() const { return out_.end != Range().end; }
  Range out_, in_;
  std::size_t warps_ = 0;      // of a block
  std::vector<Block> blocks_;  // by slot
  Turns turns_;
  BlockFindings found_;
  Ways ways_;
  std::vector<Weights> sums_;  // more_issues, of the code up to there; empty: none has any
  const sim::Program* program_ = nullptr;
};

}  // namespace lab::judge
