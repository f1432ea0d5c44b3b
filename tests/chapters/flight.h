// An observer of a judged run: how far ahead of its use a thread issues a cp.async.
//
// Enters: accesses, and what orders threads. Leaves: how long blocks take when copies take no time, and when each
// copy takes as long as storing two tiles. A block is a graph of steps: a step follows the step before it in its
// lanes, the steps that release it (a barrier's last arrival, a phase, a flag), and the landing of copies that it
// waits for; a copy follows the reads of what its target held. Only stores to global memory take time, by bytes.
// A tile is found: elements of one request belong together, transitively. The time of a tile is twice the mean
// time from a landing to the store that waited for it, with tiles far apart; two groups of warps in turns halve it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/course/judge/word_table.h"
#include "common/sim/base/observer.h"
#include "common/sim/observe/started_copy.h"

namespace lab::course {

struct FlightFindings {
  std::uint64_t handed = 0;  // bytes that cp.async loaded and that were stored to global memory
  // All blocks, one after the other, in stored bytes: when copies take no time, and when each takes as long
  // as two tiles take to be stored.
  std::uint64_t at_once = 0, with_copies = 0;
  std::uint64_t tiles = 0;  // how long each block stores a tile, in the same way
  std::string file;         // the copy for which most time is spent waiting
  int line = 0;
};

class Flight final : public sim::Observer, public sim::Policy {
 public:
  // Watches all blocks, or one in `every`: those whose number leaves `rest`.
  explicit Flight(std::uint64_t every = 1, std::uint64_t rest = 0) : every_(every), rest_(rest) {}
  [[nodiscard]] FlightFindings findings() const;

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<Flight>(every_, rest_);
  }
  [[nodiscard]] sim::Policy& policy() override { return *this; }
  [[nodiscard]] bool values() const override { return true; }
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void copy(std::uint32_t slot, const sim::Copy& copy) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void barrier(std::uint32_t slot) override;
  void warp_sync(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes) override;
  void meet(std::uint32_t slot, const sim::Meeting& meeting, bool whole_warp) override;
  void copies_arrive(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes, std::uint64_t object) override;
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  using StepIndex = std::uint32_t;
  static constexpr StepIndex kNoStep = ~0u;
  static constexpr std::uint32_t kWholeBlock = ~0u, kNoWarp = ~0u - 1;  // in place of a warp
  // What a step waits for: the end of another one, or the landing of the copies that it has started.
  struct Wait {
    StepIndex step = 0;
    bool landing = false;
    bool operator==(const Wait&) const = default;
  };
  struct Step {
    std::uint32_t pc = 0, warp = 0;
    sim::Mask lanes = 0;
    std::uint32_t stored = 0;                 // bytes: the time that it takes
    std::uint32_t first_wait = 0, waits = 0;  // in Block::waits
  };
  // Elements that a step stores and that another step's copies have loaded.
  struct Handed {
    StepIndex stored = 0, started = 0;
    std::uint32_t words = 0;
  };
  struct Word {
    std::vector<StepIndex> written;  // by stores and atomics, since a copy was last started there
    std::vector<StepIndex> read;     // since a copy was last started there
    StepIndex copied = kNoStep;
  };
  struct Landing {
    std::uint32_t pc = 0;
    std::uint64_t to = 0;
    StepIndex started = 0;
  };
  struct Object {
    std::vector<Wait> coming;
    std::size_t known = 0;  // of these, up to the last arrival of a thread
    StepIndex turned = kNoStep;
  };
  // The start of the copy that brought a value, by value. Empty again at no cost.
  struct Block {
    void begin(std::size_t shared_words, std::size_t threads);  // keeps its room
    bool watched = false;
    std::vector<Step> steps;
    std::vector<Wait> waits;
    std::vector<Handed> handed;
    std::vector<Word> words;                                     // of shared memory
    std::map<std::uint64_t, Object> objects;                     // mbarriers and named barriers
    std::vector<std::vector<Landing>> on_their_way;              // by thread
    judge::WordTable<StepIndex> copied;                          // by value: the step that copied it
    std::unordered_map<std::uint64_t, std::uint32_t> last_seen;  // thread and word: how many were written
    sim::StartedCopy started;
  };
  struct Times;  // of a block that is done, with copies of some length
  static constexpr std::uint32_t kNoTile = ~0u;
  [[nodiscard]] static std::vector<std::uint32_t> tiles_of(const Block& block);
  StepIndex add(Block& block, Step step, const std::vector<Wait>& waits);
  void start(Block& block, const sim::Access& access);
  void land(Block& block, const sim::Access& access);
  void read(Block& block, const sim::Access& access);
  void write(Block& block, const sim::Access& access);
  void store(Block& block, const sim::Access& access);
  [[nodiscard]] std::uint64_t time_of_tile(const Block& block, const std::vector<std::uint32_t>& tiles,
                                           std::uint64_t at_once) const;
  template <class Act>
  static void for_words(Block& block, std::uint64_t address, std::uint32_t bytes, const Act& act);
  template <class Act>
  static void for_values(const sim::Access& access, const Act& act);

  std::uint64_t every_, rest_;
  const sim::Program* program_ = nullptr;
  bool states_are_read_ = false;  // a thread asks an mbarrier's state how many have arrived
  std::size_t block_threads_ = 0, shared_words_ = 0;
  std::vector<Block> blocks_;  // by slot
  std::uint64_t handed_ = 0, at_once_ = 0, with_copies_ = 0, tiles_ = 0;
  std::vector<std::uint64_t> waited_by_pc_;
};

}  // namespace lab::course
