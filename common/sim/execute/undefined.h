// Values that come from unwritten memory, on their way through the registers of a warp.
//
// Enters: what a load read of such memory (UndefinedRead). Leaves: findings, when such a value decides a
// branch, an address or an output. A copy of a struct takes its padding along, a float4 an unused
// lane: neither is a mistake, so the read alone is not reported. Every byte of a register has a label, 0 or
// the read that it comes from; labels exist for warps that have met such memory, from there until none is
// left, or their block ends, and only these warps execute instruction by instruction.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "common/sim/execute/exec.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

struct Warp;
struct Exchange;

// How labels go from sources to results.
enum class ValueFlow : std::uint8_t {
  LaneWise,  // a result is undefined when any of its sources is
  Load,
  Store,
  Update,  // atomics and all else that acts on memory: its operands must have values
  Pack,
  Unpack,
  Bytes,  // moves and conversions of integers: byte by byte
  SignedBytes,
  And,
  Or,
  Xor,
  Sum,         // whole numbers: carries go up, so a byte depends on those below it
  Difference,  // the same, but for what both sides have
  Product,     // the same of products, and of sums with one
  ShiftLeft,
  ShiftRight,
  Permute,
  Extract,  // of whole bytes
  Insert,
  FunnelLeft,
  FunnelRight,
  Select,
  MatrixLoad,  // of rows that lanes name, into elements that others hold
  MatrixStore,
  MatrixTurn,
  Rows,  // registers in lists: products of matrices, textures
};
struct ValueFlows {
  std::vector<ValueFlow> flow;  // by pc
  // By pc: whether labels come there that begin at this load, or with the block (kNoPc). Filled when asked for.
  std::map<std::uint32_t, std::vector<bool>> reached_from;
};
[[nodiscard]] ValueFlows flows_of(const ProgramData& program);
[[nodiscard]] const std::vector<bool>& reached_from(const ProgramData& program, ValueFlows& flows,
                                                    std::uint32_t begin);

class UndefinedValues {
 public:
  UndefinedValues(Warp& warp, ValueFlows& flows)
      : warp_(warp),
        all_flows_(flows),
        flows_(flows.flow),
        reached_(flows_.size(), true),
        long_(std::bit_ceil(std::max(64u, static_cast<std::uint32_t>(flows_.size())))) {}
  // Whether it may read or write a label.
  [[nodiscard]] bool concerns(const Inst& inst) const { return reached_[inst.pc]; }
  // These registers have no value when a block begins.
  void begin(const WarpContext& w, const std::vector<RowRef>& rows, std::uint8_t label);
  // Whether no label is left. Asked often, it looks seldom.
  [[nodiscard]] bool is_over();
  // One plain instruction, and what it does to labels.
  void execute(WarpContext& w, const Inst& inst);
  // A load returned `read`; its lanes have this label.
  void loaded(const WarpContext& w, const Inst& inst, const UndefinedRead& read, std::uint8_t label);
  // The scheduler is about to follow this instruction: a branch, an exit.
  void follow(const WarpContext& w, const Inst& inst);
  // Lanes have exchanged values.
  void exchanged(const WarpContext& w, const Inst& inst, const Exchange& x);
  // Bytes of each lane's local memory were copied to another frame: an argument, a result.
  void passed(Mask lanes, std::uint32_t from, std::uint32_t to, std::uint32_t bytes);

 private:
  static constexpr std::size_t kMostBytes = 16;  // of a register
  // What an undefined value is for, as a report says it.
  static constexpr const char* kDecidesBranch = "decides a branch";
  static constexpr const char* kDecidesAddress = "becomes an address";
  static constexpr const char* kIsOutput = "";  // what every value is for: nothing to add
  struct Lane {
    std::uint8_t at[kMostBytes] = {};
  };
  // The labels of a row's lanes, side by side; null: it always has values.
  [[nodiscard]] std::uint8_t* labels(const WarpContext& w, const RowRef& row);
  [[nodiscard]] static std::size_t lane_bytes(const RowRef& row);
  [[nodiscard]] Lane lane_of(const WarpContext& w, const RowRef& row, int lane);
  [[nodiscard]] std::uint8_t any(const WarpContext& w, const RowRef& row, int lane);
  using Highest = std::array<std::uint8_t, kWarpLanes>;
  void join(const WarpContext& w, const RowRef& row, Highest& found);
  [[nodiscard]] Highest of_sources(const WarpContext& w, const Inst& inst);
  void set(const WarpContext& w, const RowRef& row, int lane, const Lane& labels);
  void set_all(const WarpContext& w, const RowRef& row, int lane, std::uint8_t label);
  void spread(const WarpContext& w, const RowRef& row, Mask lanes, const Highest& of_lane);
  [[nodiscard]] Lane result(const WarpContext& w, const Inst& inst, ValueFlow flow, int lane,
                            std::uint8_t highest);
  void begin_at(std::uint32_t begin);
  void add_reached(std::uint32_t begin);
  void decides(const WarpContext& w, const Inst& inst, const RowRef& row, const char* what);
  void lane_wise(WarpContext& w, const Inst& inst, ValueFlow flow, Mask acting);
  void store(WarpContext& w, const Inst& inst, Mask acting);
  [[nodiscard]] bool is_member(const WarpContext& w, const Inst& inst, int lane);
  void rows(WarpContext& w, const Inst& inst, Mask acting);
  void turn_matrix(WarpContext& w, const Inst& inst);
  void load_matrices(const WarpContext& w, const Inst& inst, const UndefinedRead& read, std::uint8_t label);
  void store_matrices(WarpContext& w, const Inst& inst);
  void settle(const WarpContext& w, const Inst& inst);
  template <class Act>
  void for_lists(const WarpContext& w, const Inst& inst, bool sources, const Act& act) const;
  void unpack(WarpContext& w, const Inst& inst, Mask acting);

  Warp& warp_;
  ValueFlows& all_flows_;
  const std::vector<ValueFlow>& flows_;
  std::vector<bool> reached_;         // by pc; all, until there were labels for long
  std::vector<std::uint32_t> begun_;  // where they began, as in ValueFlows
  std::uint32_t asked_ = 0;
  const std::uint32_t long_;  // straight runs, which cost more than to learn where labels can come
  std::uint8_t unset_ = 0;    // the label of registers that nothing has set
  // The labels of an argument's or a result's bytes in a lane's frames.
  [[nodiscard]] std::uint8_t* argument(const WarpContext& w, const Inst& inst, int lane);
  void load(WarpContext& w, const Inst& inst, Mask acting);

  RowBytes shadow_[kRowFiles];  // as the arenas of the warp; predicates: a byte per lane
  std::array<std::vector<std::uint8_t>, kWarpLanes> frames_;  // of local memory, what calls pass
};

}  // namespace lab::sim
