// An observer of a counted run: how many lanes stand side by side where an element is read, and where it is
// written.
//
// Enters: plain loads, cp.async and stores. Leaves: for each element of the matrix the neighbours in the row
// of `in` with which it was read times those in the row of `out` with which it was written; and the means of
// both. A warp whose lanes keep what they read has 32 at most, element by element; a tile is there to make it
// more (checks_work.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/course/judge/problem.h"
#include "common/sim/base/observer.h"

namespace lab::judge {

struct RowRunFindings {
  std::uint64_t elems = 0, together = 0;  // of the matrix; of these, the ones with kLeastTogether or more
  double read = 0, written = 0;           // lanes side by side, on average over the bytes
};

class RowRuns final : public sim::Observer {
 public:
  static constexpr std::uint32_t kLeastTogether = 56;  // 1.75 times a warp
  void lies(const Problem& problem, std::uint64_t out, std::uint64_t in);
  [[nodiscard]] RowRunFindings findings() const;

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
  void merge(const sim::Observer& other) override;
  void access(std::uint32_t slot, const sim::Access& access) override;

 private:
  struct Side {
    std::uint64_t first = 0;            // address
    std::vector<std::uint8_t> lanes;    // by element: the most that stood side by side there
    std::uint64_t bytes = 0, runs = 0;  // runs: the bytes of those with none on their left
    void merge(const Side& from);
    [[nodiscard]] double mean() const {
      return runs == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(runs);
    }
  };
  static constexpr std::int64_t kSquare = 16;
  struct Square {
    std::int64_t row0, row1, col0, col1;
  };
  [[nodiscard]] std::uint64_t together_in(std::int64_t batch, const Square& at) const;
  void take(Side& side, const sim::Access& access) const;
  void mark(Side& side, std::uint64_t from, std::uint64_t to, std::uint32_t width) const;

  Problem problem_;
  Side read_, written_;
};

}  // namespace lab::judge
