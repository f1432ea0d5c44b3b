// Skips checks of shared accesses in a block that does the same as an earlier block.
//
// Enters: plain accesses to shared memory and barriers of the whole block, as one block executes them.
// Leaves: whether the block has so far repeated an earlier one. When it deviates, the checks get what was held
// back: everything since the last barrier, or all stores of the block, as each check asks. A fence, an atomic or
// a copy ends the comparison. The accesses between two barriers are a *phase*. Loops over tiles repeat phases, so
// a block is stored as a list of phase numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/program/program.h"

namespace lab::sim {

class SharedRepeats {
 public:
  // `observers`: all of the block; some may skip repeated accesses (Policy::repeats). They and `code` must
  // outlive it.
  void begin_launch(std::span<Observer* const> observers, std::span<const Inst> code, bool compares);
  void begin_block(std::uint32_t slot, const WarpPlace& place);
  void end_block();
  // Whether it looks at the accesses of this launch.
  [[nodiscard]] bool useful() const { return useful_; }
  // The next access in order. True: an earlier block did the same, and observers that may skip it do.
  bool spares(const Access& access);
  // The checks have received it, and report their findings again for each block.
  void reported(const Access& access);
  void barrier();
  void leave();

 private:
  enum class State : std::uint8_t { Off, Follows, Records };
  struct Step {
    std::uint32_t pc = kNoPc;
    Mask mask = 0;
    std::uint8_t warp = 0;
    Path path = Path::SharedLoad;
    LaneRamps ramps;
    std::uint32_t first = 0;  // address of the first lane; ramps that are not known: index into rows_
    bool operator==(const Step&) const = default;
  };
  using AddressesOfLanes = std::array<std::uint32_t, kWarpLanes>;
  struct Phase {
    std::size_t first = 0, end = 0;  // its steps
  };
  static constexpr std::size_t kMostSteps = 1 << 16, kMostPhases = 1 << 20;

  [[nodiscard]] bool is_plain(const Access& access) const;
  [[nodiscard]] static Step step_of(const Access& access);
  [[nodiscard]] static AddressesOfLanes addresses_of(const Access& access);
  [[nodiscard]] bool same(const Step& step, const Step& other) const;
  [[nodiscard]] bool is(const Step& step, const Access& access) const;
  void end_phase();
  void cut();
  [[nodiscard]] const Phase& phase() const { return phases_[block_[turn_]]; }
  void replay_to(Observer& check);
  void replay(Observer& check, const Step& step, const std::byte* value);
  void forget();

  std::span<const Inst> code_;
  std::vector<Observer*> spared_;
  bool useful_ = false;
  State state_ = State::Off;
  std::uint32_t slot_ = 0;
  WarpPlace place_;
  // What the earlier block did; `complete_`: until its end, else until a barrier.
  std::vector<Step> steps_;
  std::vector<AddressesOfLanes> rows_;
  std::vector<Phase> phases_;                                  // those that differ
  std::vector<std::uint32_t> block_;                           // numbers of them, in order
  std::unordered_map<std::uint64_t, std::uint32_t> phase_of_;  // by a hash of its steps
  std::uint64_t hash_ = 0;                                     // of the phase that is recorded,
  std::size_t begin_ = 0, begin_rows_ = 0;                     // and where it begins
  bool known_ = false, complete_ = false, spoilt_ = false;
  bool recorded_ = false;  // in this block, at least its beginning
  std::size_t turn_ = 0,
              next_ = 0;  // of the block that follows: the phase in block_, and the next step of it
  // What the stores of this phase wrote, as in Access::value: indexed by step.
  std::vector<std::size_t> value_at_;
  std::vector<std::byte> values_;
  std::uint32_t misses_ = 0, records_ = 0;
};

}  // namespace lab::sim
