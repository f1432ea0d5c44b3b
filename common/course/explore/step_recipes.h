// Values that no instruction of a kernel makes, since nothing reads them: computed for the steps that ask.
//
// Enters: instructions of PTX from the compiler's table, and at each step what the registers hold that they
// read. Leaves: the values. The simulator runs the instructions, as a kernel of one warp a step, behind the
// recording: no instruction is described a second time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/sim/base/lanes.h"

namespace lab::explore {

struct Recipe {
  struct Input {
    std::string reg, parameter;  // of the kernel, which the register would hold; empty: what it holds
  };
  std::string result;        // a register
  std::string instructions;  // "add.u32 %r3, %r1, 1; …"
  std::vector<Input> inputs;
};
// "%r3 = add.u32 %r3, %r1, 1; …".
[[nodiscard]] Recipe recipe_of(const std::string& text);

// Steps that wait for a value, by recipe; each stays where it is until then.
class Recipes {
 public:
  // 32 values of each input, one input behind the other.
  void ask(const Recipe& recipe, std::size_t step, std::size_t at, const std::vector<std::uint64_t>& inputs);
  // Calls `put` with a step, the place that was asked for in it, and 32 values.
  template <class Put>
  void compute(const Put& put) {
    for (auto& [recipe, batch] : batches_) {
      const std::vector<std::uint64_t> values = values_of(*recipe, batch);
      for (std::size_t n = 0; n < batch.asked.size(); ++n)
        put(batch.asked[n].first, batch.asked[n].second, values.data() + n * sim::kWarpLanes);
    }
    batches_.clear();
  }

 private:
  struct Batch {
    std::vector<std::pair<std::size_t, std::size_t>> asked;  // step, place
    std::vector<std::uint64_t> inputs;                       // step by step
  };
  [[nodiscard]] static std::vector<std::uint64_t> values_of(const Recipe& recipe, Batch& batch);
  std::map<const Recipe*, Batch> batches_;
};

}  // namespace lab::explore
