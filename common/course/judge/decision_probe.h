// What a kernel decides by shape and block, where it computes that by loops, switches, votes of lanes, floats or
// memory of its own.
//
// Enters: a kernel's module and name, its launch shape; places. Leaves: of each decision, which ways one warp of the
// block there goes. All of the kernel that decides nothing is left out; the rest runs in the simulator, one block for
// each place, in one launch. What the kernel reads from the matrices is zero there, and what it waits for has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/kernel/launch_shape.h"
#include "common/sim/decode/shape_choices.h"
#include "common/sim/gpu.h"

namespace lab::judge {

class DecisionProbe {
 public:
  DecisionProbe(const sim::ptx::Module& module, std::string_view entry, const LaunchShape& shape);
  // How many decisions there are, and whether one looks at the block or thread, too.
  [[nodiscard]] std::size_t count() const { return by_block_.size(); }
  [[nodiscard]] bool by_block(std::size_t decision) const { return by_block_[decision]; }
  // For each place and decision: whether it held for a lane (1), and did not for one (2). Returns of how many
  // places: where they are too much work, not of all.
  std::size_t run(std::span<const sim::ShapePlace> places, std::vector<std::uint8_t>& ways);

 private:
  struct Parameter {
    std::uint64_t at = 0, bytes = 0;
  };
  void lay_out(const sim::ShapePlace& place, std::span<std::byte> row) const;
  LaunchShape shape_;
  std::vector<bool> by_block_;
  std::vector<Parameter> parameters_;
  sim::Memory memory_;
  std::uint64_t row_bytes_ = 0, table_ = 0, found_ = 0, work_ = 0;
  std::shared_ptr<sim::ModuleImage> image_;
  std::shared_ptr<const sim::Program> program_;
};

}  // namespace lab::judge
