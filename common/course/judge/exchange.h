// An observer of a judged run: whether elements are exchanged through shared memory.
//
// Enters: accesses with their values; all words of the input differ. Leaves: how many elements of `out` a thread
// wrote that it had loaded from a shared slot which another thread stored, without loading them from global
// memory itself. Values are seen at memory accesses; registers are not followed. An asynchronous copy counts for
// the thread that issued it, a TMA store to `out` for the thread that stored the slot.
// Swaps between two lanes (nearly all of a lane's elements come from one other lane) do not count. Elements of 4
// bytes and more are followed by words, those of 2 bytes one by one, single bytes over all passes (pattern.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/course/judge/word_table.h"
#include "common/sim/base/observer.h"

namespace lab::judge {

struct ExchangeFindings {
  std::uint64_t written = 0;       // words of `out`, once a write
  std::uint64_t exchanged = 0;     // of these
  std::uint64_t kept = 0;          // by blocks that exchanged less than three quarters of what they wrote
  std::uint64_t shared_words = 0;  // that the busiest block stored to, different ones
  // The first blocks, or all where they are few: words that ever held an element, and the bytes from
  // the first of these to the last.
  std::uint64_t element_words = 0, element_span = 0;
  std::string file;  // the line that wrote most of the others
  int line = 0;
};

class Exchange final : public sim::Observer, public sim::Policy {
 public:
  static constexpr std::uint32_t kFewBlocks = 16;  // of a launch: which of them has a whole tile is unknown
  void out_is(std::uint64_t address, std::uint64_t bytes) { out_ = address, out_bytes_ = bytes; }
  // Which words are elements of `in`: those whose numbers, which take their places, are less than `count`.
  // Not asked of narrower ones, nor where this is not said.
  using NumbersOf = std::function<void(std::span<std::uint32_t> words)>;
  void elements_are(NumbersOf numbers_of, std::uint64_t count) {
    numbers_of_ = std::move(numbers_of), elements_ = count;
  }
  // One block in so many, those whose number leaves `rest`; for launches without clusters.
  void follow_one_in(std::uint64_t every, std::uint64_t rest) { every_ = every, rest_ = rest; }
  void elements_have(int bytes) { unit_shift_ = bytes < 2 ? 0 : bytes < 4 ? 1 : 2; }
  [[nodiscard]] ExchangeFindings findings();

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
  void merge(const sim::Observer& other) override;
  [[nodiscard]] sim::Policy& policy() override { return *this; }
  [[nodiscard]] bool values() const override { return true; }
  [[nodiscard]] bool pieces(std::uint32_t /*pc*/, const sim::WarpPlace&) const override { return true; }
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  // The words that a thread took from somewhere, in order. The last few hundred: a kernel that takes more
  // before it writes walks no tile.
  class Taken {
   public:
    void clear() { words_.clear(), givers_.clear(), may_have_ = {}, next_ = 0, oldest_ = 0; }
    void add(std::uint32_t word, std::uint32_t giver);
    [[nodiscard]] bool has(std::uint32_t word) const;
    [[nodiscard]] bool may_have(std::uint32_t word) const;  // false: it has not been taken
    // The thread that stored it; none: it has not been taken.
    [[nodiscard]] std::optional<std::uint32_t> giver_of(std::uint32_t word);

   private:
    // A bit for each word that was ever taken: most lookups find none.
    static constexpr unsigned kBits = 512;
    [[nodiscard]] static std::uint32_t bit_of(std::uint32_t word) {
      return word * 0x9e3779b1u / (~0u / kBits + 1);
    }
    std::array<std::uint64_t, kBits / 64> may_have_{};
    std::vector<std::uint32_t> words_, givers_;
    std::size_t next_ = 0;  // where the search begins: words mostly leave in the order in which they came
    std::size_t oldest_ = 0;
  };
  // What a thread has written, and which thread had stored it before.
  struct Givers {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> from;  // number of a thread, how much it gave
    std::uint32_t written = 0, pc = 0;
    void clear() { from.clear(), written = 0, pc = 0; }
    void add(std::uint32_t giver);
  };
  // For each thread of a warp: what it wrote of a single other thread, if that gave more than three quarters.
  struct Renaming {
    struct From {
      std::uint64_t gave = 0;  // each lane to one lane alone
      std::set<std::uint32_t> lanes;
    };
    std::map<std::uint32_t, From> from_warp;
    std::uint64_t written = 0;
    std::uint32_t pc = 0;
    void add(const Givers& givers);
    [[nodiscard]] std::uint64_t in(std::uint32_t self) const;  // that counts as nothing else
  };
  struct Thread {
    Taken from_others, from_global;
    Givers givers;
  };
  // What a thread did to one byte, when bytes are followed.
  enum class Act : std::uint8_t { TookFromGlobal, TookFromOther, Wrote };
  struct Deed {
    std::uint32_t thread = 0, pc = 0, giver = 0;
    Act act = Act::Wrote;
    std::byte value{};
  };
  using Deeds = std::vector<Deed>;  // each thread's in their order
  // A word that one thread took.
  struct TakenWord {
    std::uint32_t giver = 0;
    bool from_other = false, from_global = false;
  };
  struct Block {
    std::uint64_t index = 0;  // in the grid
    bool followed = false;
    std::uint64_t written = 0, exchanged = 0;
    std::vector<std::uint8_t> held;        // by unit of shared memory: an element, ever
    std::vector<std::uint32_t> stored_by;  // by unit of shared memory: number of the thread; 0: none
    std::vector<Thread> threads;
    std::uint64_t taken_out = 0;  // the unit where the TMA unit's piece begins that goes out next
  };
  // Calls f(lane, address, bytes or null) for each unit that a lane touches; of a matrix, for each that it
  // gets or gives.
  template <class F>
  void each_unit(const sim::Access& access, const std::byte* values, const F& f) const;
  // The number of a warp's first lane in the grid, from 1 on.
  [[nodiscard]] std::uint32_t first_of(const sim::WarpPlace& place) const;
  Thread* thread(std::uint32_t number);  // null: its block is gone
  void shared(Block& block, const sim::Access& access);
  void global(Block& block, const sim::Access& access);
  // The thread that stored it before; none: the thread itself, or no thread.
  std::optional<std::uint32_t> giver(Thread* thread, const std::byte* value) const;
  [[nodiscard]] std::uint32_t unit_bytes() const { return 1u << unit_shift_; }
  [[nodiscard]] bool keeps_deeds() const { return unit_shift_ == 0; }
  void keep(std::uint32_t thread, Act act, std::uint32_t pc, const std::byte* value, std::uint32_t giver = 0);
  // What one thread did in each pass; whole: the same each time.
  static void judge_deeds(std::span<const std::span<const Deed>> passes, bool whole,
                          WordTable<TakenWord>& words, ExchangeFindings& found,
                          std::vector<std::uint64_t>& kept, Givers& givers);
  void judge_deeds(ExchangeFindings& found, std::vector<std::uint64_t>& kept);

  const sim::Program* program_ = nullptr;
  std::uint64_t out_ = 0, out_bytes_ = 0;
  std::uint64_t every_ = 1, rest_ = 0;
  std::uint32_t unit_shift_ = 2;
  std::uint32_t shared_units_ = 0, block_threads_ = 0;
  std::vector<Block> blocks_;                               // by slot
  std::unordered_map<std::uint64_t, std::uint32_t> slots_;  // by block of the grid
  std::vector<std::uint8_t> turned_;                        // by pc: a matrix instruction with .trans
  std::vector<std::uint64_t> kept_by_pc_;                   // words written that were not exchanged
  [[nodiscard]] bool looks_for_elements() { return numbers_of_ && looked_at_++ < most_looked_at_; }
  std::uint32_t looked_at_ = 0, most_looked_at_ = 0;  // blocks
  NumbersOf numbers_of_;
  std::uint64_t elements_ = 0;
  std::vector<std::uint32_t> asked_words_, asked_units_;  // of one access
  std::uint64_t written_ = 0, exchanged_ = 0, kept_ = 0, most_words_ = 0;
  std::uint64_t element_words_ = 0, element_span_ = 0;
  std::vector<Deeds> deeds_;  // by launch
};

}  // namespace lab::judge
