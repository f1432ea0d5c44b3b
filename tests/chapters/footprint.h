// An observer of a judged run: in how many pieces of rows lies what a block reads and what it writes.
//
// Enters: accesses. Leaves: for all blocks together, bytes of global memory that plain loads and stores
// touch, each once a block, and the pieces without a gap in which they lie. A block that writes what it has
// read, or what another block has read in its place, has at least as many pieces read × written as elements:
// each element stands where a piece of a row meets a piece of a column. Less means that rows were put
// together from several blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/sim/base/observer.h"

namespace lab::course {

struct Pieces {
  std::uint64_t bytes = 0, pieces = 0;
  void operator+=(const Pieces& other) { bytes += other.bytes, pieces += other.pieces; }
};

struct FootprintFindings {
  Pieces read, written;
  std::uint64_t blocks = 0;
};

class Footprint final : public sim::Observer {
 public:
  [[nodiscard]] const FootprintFindings& findings() const { return found_; }

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<Footprint>();
  }
  void merge(const sim::Observer& other) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  using Touched = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // from, to
  struct Block {
    Touched read, written;
  };
  std::vector<Block> blocks_;  // by slot
  FootprintFindings found_;
};

}  // namespace lab::course
