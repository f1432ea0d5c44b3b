// The warps of a block abreast: each instruction for all of them, then the next one, where code only goes forward and
// addresses follow from where threads stand.
//
// Enters: a block that has begun. Leaves: it is over, and all is as if its warps had run one after another; or
// nothing has happened, and so they do. Loads move bytes at once, stores and all reports wait until it is known
// that no thread stores where another one loads or stores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/sim/execute/exec.h"
#include "common/sim/execute/hoisted.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

struct Warp;

class Abreast {
 public:
  // Whether the kernel's code is such.
  [[nodiscard]] static bool suits(const ProgramData& program);
  // `warps` of a block; with 0 none is tried.
  void begin_launch(std::size_t warps) { places_.resize(warps), worth_ = warps > 1 ? kMostPatience : -1; }
  [[nodiscard]] bool is_worth_it() const { return worth_ >= 0; }

  // Where a warp stands: lanes that act there, and those that do from `meet` on.
  struct Place {
    std::uint32_t pc = 0, meet = kNoPc;
    Mask mask = 0, at_meet = 0;
  };
  void begin_block() { used_ = 0; }
  // All warps stand there, and go on each in its way.
  void part(std::uint32_t pc, const std::vector<Warp>& warps);
  [[nodiscard]] std::vector<Place>& places() { return places_; }
  [[nodiscard]] std::vector<Warp*>& acting() { return acting_; }

  // What warps do at one instruction.
  struct Row {
    const Inst* inst = nullptr;
    std::uint32_t width_bytes = 0;
    const Ramp* ramps = nullptr;     // by warp; of addresses, but for the instruction's offset
    bool whole = true;               // all lanes of all warps act
    std::optional<WarpBand> band;    // and each warp is as far behind the one before
    bool steps = true;               // no two lanes of a warp stand at one place
    bool climbs = true;              // each warp's bytes lie behind those of the one before
    std::uint64_t low = 0, end = 0;  // of all
    std::vector<Mask> masks;         // by warp
    struct Ends {
      std::uint64_t low = 0, end = 0;
    };
    std::vector<Ends> ends;         // of warps that act
    std::vector<std::byte> values;  // of stores, by warp and lane
    [[nodiscard]] std::uint64_t start(std::size_t warp) const {
      return ramps[warp].start + static_cast<std::uint64_t>(inst->immediate);
    }
    [[nodiscard]] const std::byte* values_of(std::size_t warp) const {
      return values.data() + warp * kWarpLanes * width_bytes;
    }
    // From what lanes act where: all else of it. False: it has a step that no launch needs.
    [[nodiscard]] bool describe() { return (whole && becomes_band()) || describe_each(); }
    [[nodiscard]] bool meets(const Row& later) const;
    [[nodiscard]] bool meets_itself() const;

   private:
    bool becomes_band();
    bool describe_each();
    [[nodiscard]] bool comes_to(std::size_t warp, const Ends& place) const;
    [[nodiscard]] bool meets(std::size_t warp, const Row& later, std::size_t other) const;
  };
  Row& new_row(const Inst& inst, const Ramp* ramps);
  void drop_row() { --used_; }
  [[nodiscard]] Row& row() { return rows_[used_ - 1]; }
  [[nodiscard]] std::span<Row> rows() { return std::span(rows_).first(used_); }
  // Whether no store meets an access of another thread.
  [[nodiscard]] bool keeps_apart();
  // Whether a block that tried was one; where many are not, no more are tried.
  void ended(bool well) { worth_ = well ? std::min(worth_ + 1, kMostPatience) : worth_ - 3; }

 private:
  static constexpr int kMostPatience = 64;
  std::vector<Place> places_;  // by warp
  std::vector<Warp*> acting_;
  std::vector<Row> rows_;
  std::size_t used_ = 0;
  int worth_ = -1;
};

}  // namespace lab::sim
