// Playing writes again. See step_memory.h.
#include "common/course/explore/step_memory.h"

#include <algorithm>

#include "common/sim/base/lanes.h"

namespace lab::explore {
namespace {

using State = StepMemory::State;
using In = StepRun::Place::In;

class Player {
 public:
  Player(const StepRun& run, std::uint32_t block, std::optional<std::size_t> shared)
      : run_(run), block_(block), shared_(shared) {
    const std::size_t size = shared ? run.arrays[*shared].size_bytes : run.out_bytes;
    memory_.bytes.resize(size);
    memory_.states.resize(size, State::Unwritten);
    memory_.writers.resize(size);
  }

  void play(const WarpStep& step) {
    warp_ = step.warp;
    for (const StepAccess& access : step.accesses)
      if (sim::writes(access.path) && (!shared_ || access.block == block_)) store(access);
    for (const StepCopy& copy : step.copies) land(copy);
  }
  [[nodiscard]] StepMemory taken() { return std::move(memory_); }

 private:
  void store(const StepAccess& access) {
    const bool known = !access.value.empty() && !sim::reads(access.path);
    for (const std::size_t lane : sim::lanes_of<std::size_t>(access.mask)) {
      const StepRun::Place place = run_.place_of(access, lane);
      if (place.of != (shared_ ? In::Shared : In::Out) || (shared_ && place.array != *shared_)) continue;
      for (std::size_t k = 0; k < access.width_bytes && place.bytes + k < memory_.bytes.size(); ++k) {
        write(place.bytes + k, known ? State::Known : State::Unknown);
        if (known) memory_.bytes[place.bytes + k] = access.value[lane * access.width_bytes + k];
      }
    }
  }

  void write(std::size_t at, State state) { memory_.states[at] = state, memory_.writers[at] = warp_; }

  // What the TMA unit copies has no values.
  void land(const StepCopy& copy) {
    if (copy.read == sim::Path::GlobalAsync) return;
    const auto unknown = [&](std::uint64_t at, std::uint64_t base) {
      if (at >= base && at - base < memory_.states.size()) write(at - base, State::Unknown);
    };
    for (const StepSpan& span : shared_ ? copy.shared : copy.global) {
      if (!span.written || (shared_ && span.block != block_)) continue;
      for (std::uint64_t at = span.low; at < span.low + span.bytes; ++at)
        unknown(at, shared_ ? run_.arrays[*shared_].offset_bytes : run_.out);
    }
  }

  const StepRun& run_;
  std::uint32_t block_;
  std::optional<std::size_t> shared_;
  StepMemory memory_;
  std::uint32_t warp_ = 0;
};

}  // namespace

State StepMemory::state(std::size_t at, std::size_t count) const {
  if (at + count > states.size()) return State::Unknown;
  const bool same = std::all_of(&states[at], &states[at] + count, [&](State s) { return s == states[at]; });
  return same ? states[at] : State::Unknown;
}

StepMemory memory_before(const StepRun& run, std::size_t step, std::uint32_t block,
                         std::optional<std::size_t> shared) {
  Player player(run, block, shared);
  for (std::size_t k = 0; k < step; ++k) player.play(run.data.steps[k]);
  return player.taken();
}

}  // namespace lab::explore
