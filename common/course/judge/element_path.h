// On which source lines one element of `in` travels to `out`, and which line writes a place of `out`.
//
// Enters: a launch, the element's place in `out`. Leaves: lines, by what happens there. An element of 4 bytes and more
// is known by its word, which no other has, wherever it goes; narrower ones by their addresses in `in` and `out` alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/course/judge/pattern.h"
#include "common/course/judge/problem.h"
#include "common/sim/base/observer.h"
#include "common/sim/base/policy.h"

namespace lab::judge {

struct ElementLines {
  using Lines = std::set<int>;
  // Any element: from `in`, to `out`, into shared memory, from there.
  Lines reads_in, writes_out, keeps, takes;
  Lines read, kept, taken;  // the element: from `in`, into shared memory, from there
  Lines written;            // the place of `out`, whatever
  Lines filled;             // where that was stored in shared memory before, if one line can have done it
  bool follows = false;     // through shared memory: its word is known, and no copy engine moved it
  std::string file;
};

class ElementPath final : public sim::Observer, public sim::Policy {
 public:
  // `row`, `col` and `batch`: of `out`.
  ElementPath(const Problem& problem, const Words& words, std::int64_t row, std::int64_t col,
              std::int64_t batch);
  void lies(std::uint64_t out, std::uint64_t in) { out_ += out, in_ += in; }  // once, before the launch
  [[nodiscard]] ElementLines lines() const;

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
  void merge(const sim::Observer& other) override;
  [[nodiscard]] sim::Policy& policy() override { return *this; }
  [[nodiscard]] bool values() const override { return true; }
  [[nodiscard]] bool pieces(std::uint32_t /*pc*/, const sim::WarpPlace&) const override { return true; }
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace&) override { blocks_.erase(slot); }
  void access(std::uint32_t slot, const sim::Access& access) override;

 private:
  enum What : std::uint8_t {
    kReadsIn,
    kWritesOut,
    kKeeps,
    kTakes,
    kRead,
    kKept,
    kTaken,
    kWritten,
    kFilled,
    kEngine,
    kKinds
  };
  [[nodiscard]] bool carries(const sim::Access& access) const;
  [[nodiscard]] static bool covers(const sim::Access& access, std::uint64_t address, std::uint64_t bytes);
  ElementPath() = default;
  struct Load {  // of one lane, from shared memory
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
  };
  struct Block {
    std::map<std::uint64_t, std::uint32_t> stored;     // by word: the pc
    std::map<std::uint32_t, std::vector<Load>> loads;  // by thread: since it stored to shared memory
  };
  void keep(Block& block, const sim::Access& access) const;
  void fill(Block& block, const sim::Access& access);
  std::map<std::uint32_t, Block> blocks_;  // by slot
  bool small_ = false;                     // few enough elements to know where each word was stored
  std::uint64_t out_ = 0, in_ = 0, bytes_ = 0;
  std::optional<std::uint32_t> word_;
  std::array<std::set<std::uint32_t>, kKinds> seen_;  // pcs
  std::vector<std::array<int, 2>> lines_;  // by pc, and of the call: after the run the program may be gone
  std::string file_;
};

}  // namespace lab::judge
