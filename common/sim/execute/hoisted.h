// The hoisted values of a block's warps (program/hoisted_values.h): two numbers each, or a row.
//
// Enters: the groups that decode made, special rows, parameters. Leaves: ramps for addresses, and rows in
// RowFile::Hoisted where an instruction reads one. A group is computed for all warps at once when the first
// warp of a block comes to it; what is the same in all blocks, only once a launch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/sim/execute/exec.h"
#include "common/sim/program/hoisted_values.h"

namespace lab::sim {

// Lane k holds start + k * step, modulo 2^32 or 2^64.
struct Ramp {
  std::uint64_t start = 0, step = 0;
};

class Hoisted {
 public:
  // All three must outlive it.
  Hoisted(const HoistedValues& values, std::span<const Inst> code, std::span<const std::byte> parameters)
      : values_(values), code_(code), parameters_(parameters) {}
  // `contexts`: of all warps, with the files that leaves stand in, and all lanes acting. Blocks stand at 0 yet.
  void begin_launch(std::vector<WarpContext> contexts, Dim3 grid);
  // The special rows of the block have changed.
  void begin_block(Dim3 at);
  // What the instructions of the group's straight run read.
  void enter(std::uint32_t group) {
    if (entered_[group] != block_) compute(group);
  }
  [[nodiscard]] const HoistedGroup& group(std::uint32_t number) const { return values_.groups[number]; }
  [[nodiscard]] std::byte* rows_of(std::size_t warp) const { return rows_.get() + warp * warp_bytes_; }
  // The ramp of an operand of a warp, or null: its lanes form none, and stand in its row.
  [[nodiscard]] const Ramp* ramp(const RowRef& row, std::size_t warp) const {
    const std::uint32_t value = row.offset_bytes / HoistedValues::kSlotBytes;
    return is_ramp_[value] != 0 ? &ramps_[value * warps_ + warp] : nullptr;
  }
  // What a lane of an operand holds, whether it has a row or not.
  [[nodiscard]] std::uint64_t lane(const RowRef& row, std::size_t warp, int lane) const;

 private:
  struct FreeRows {
    void operator()(std::byte* rows) const;
  };
  using Rows = std::unique_ptr<std::byte[], FreeRows>;
  [[nodiscard]] static Rows allocate(std::size_t bytes);

  // A value all of whose ramps begin so much later in the next block, by axis of the grid; else its ramps stay.
  struct Climb {
    std::uint32_t value = 0;
    std::uint8_t bytes = 4;
    bool needs_row = false, follows = false;
    std::array<std::uint64_t, 3> by{};
    std::uint64_t ahead = 0;  // of block 0, in the block that runs
  };
  void find_climbs(Dim3 grid);
  [[nodiscard]] bool climbs(const HoistedOp& op, Dim3 grid, std::span<const Climb> known, Climb& climb);
  [[nodiscard]] bool never_wraps(const Climb& climb, bool is_signed, Dim3 grid);
  [[nodiscard]] bool is_constant(const Climb& climb);
  void move(Climb& climb, Dim3 at);
  void compute(std::uint32_t group);
  void compute(const HoistedOp& op);
  template <class Each>
  bool each_warp(const HoistedOp& op, Each each);
  template <class Each>
  bool each_number(const HoistedOp& op, Each each);
  bool compute_ramps(const HoistedOp& op);
  bool compute_masks(const HoistedOp& op);
  void compute_rows(const HoistedOp& op);
  void read_leaf(const HoistedOp& leaf);
  void make_row(std::uint32_t value, std::uint32_t lane_bytes);
  void make_room(std::uint32_t value);
  void bind_rows();
  bool find_ramps(std::uint32_t value, const RowRef& row);
  [[nodiscard]] Ramp* ramps(std::uint32_t value) { return ramps_.get() + value * warps_; }

  const HoistedValues& values_;
  const std::span<const Inst> code_;
  const std::span<const std::byte> parameters_;
  std::vector<WarpContext> contexts_;
  std::size_t warps_ = 0;
  Rows rows_;  // at first only of values that instructions read as rows
  std::size_t warp_bytes_ = 0;
  std::unique_ptr<Ramp[]> ramps_;                // by value, then by warp
  std::vector<std::uint8_t> is_ramp_, has_row_;  // by value
  std::vector<Climb> climbs_;                    // that are read
  std::vector<HoistedOp> of_block_;              // what else is computed when a block begins
  std::vector<std::uint64_t> entered_;           // by group: the block in which it was computed last
  std::uint64_t block_ = 0;
};

// Where a straight run comes to its first hoisted value; inst.target names the group.
void exec_hoisted(WarpContext& w, const Inst& inst);
// The same, of a group that has nothing to compute: only counts what its lanes read.
void exec_hoisted_parameters(WarpContext& w, const Inst& inst);

}  // namespace lab::sim
