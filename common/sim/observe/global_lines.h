// The lines of global memory that one host thread has seen, and where blocks met on them.
//
// Enters: what a block did with a line (masks of granules). Leaves: of blocks that know nothing of each other
// where two of them met, one of them writing. What is kept of them is a join: masks unite, names are the
// lowest and the highest block; so it is the same however blocks are spread over host threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/sim/memory/memory.h"

namespace lab::sim {

// A row: threads side by side, granule g touched by thread `home + (g >> shift)`.
struct LineRow {
  std::uint32_t reads = 0, writes = 0;  // granules
  std::uint32_t read_epoch = 0, write_epoch = 0;
  std::int32_t home = 0;
  std::uint32_t shift = 0;
  [[nodiscard]] bool used() const { return (reads | writes) != 0; }
};

// Tags: epoch << 5 | lane; 0: nobody.
struct Cell {
  std::uint32_t writer = 0, reader = 0;
  std::uint32_t other = 0;  // a strong writer, or a second reader
};

// A block on a line, and at which instruction.
struct LineName {
  std::uint32_t block = 0, pc = 0;
  auto operator<=>(const LineName&) const = default;
};

struct Line {
  // the block that touches it now
  std::uint32_t run = 0;    // 0: none
  std::uint32_t cells = 0;  // index + 1
  std::uint32_t reads = 0, writes = 0;
  std::uint32_t read_pc = 0, write_pc = 0;
  std::uint32_t changed =
      0;  // marks it added to what blocks before it had left, less theirs; 0: the same values
  std::array<LineRow, 2> rows;
  // blocks before it
  std::uint32_t past_reads = 0, past_writes = 0;
  std::uint32_t met_writers = 0, met_reader = 0;  // two writers, a reader and another block's write
  // of both: the sum of marks_of what was left there, and whether that is not known
  std::uint32_t left = 0;
  bool unknown = false;
  bool mixed = false;  // a block changed what another one had left
  LineName low_reader, high_reader, low_writer, high_writer;
};

// Two blocks at one place, one of them writing.
struct BlocksMet {
  DeviceAddress address = 0;
  bool both_write = false;
  LineName writer, other;
  std::uint64_t count = 0;  // granules
};

inline constexpr std::uint32_t kLineGranules = 32;

// The part of Line::left that `count` neighbouring granules have, whose values stand side by side.
[[nodiscard]] std::uint32_t marks_of(std::uint32_t granule, std::uint32_t count, const std::byte* values,
                                     std::size_t bytes);

class Lines {
 public:
  static constexpr std::uint32_t kChunk = 1024;  // lines
  explicit Lines(unsigned line_shift) : line_shift_(line_shift) {}
  // The chunk with the line of this address; stays where it is.
  [[nodiscard]] Line* chunk_of(DeviceAddress address);
  [[nodiscard]] std::uint32_t index_of(DeviceAddress address) const {
    return static_cast<std::uint32_t>(address >> line_shift_) % kChunk;
  }
  [[nodiscard]] bool empty() const { return chunks_.empty(); }
  // What the present block did becomes past.
  static void fold(Line& line, const std::vector<std::uint64_t>& block_of_run);
  void fold_all(const std::vector<std::uint64_t>& block_of_run);
  // Marks lines on which memory holds other values now than this host thread's blocks left there.
  void compare_with(const Memory& memory, unsigned granule_shift);
  void merge(const Lines& other);  // both folded
  [[nodiscard]] std::vector<BlocksMet> blocks_met(unsigned granule_shift) const;

 private:
  unsigned line_shift_;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  Line* last_ = nullptr;
  struct Free {
    void operator()(Line* lines) const;
  };
  std::unordered_map<std::uint64_t, std::unique_ptr<Line, Free>> chunks_;
};

}  // namespace lab::sim
