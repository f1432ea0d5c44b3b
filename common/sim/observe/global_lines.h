// The lines of global memory that one host thread has seen, and where blocks met on them.
//
// Enters: what a block did with a line (masks of granules). Leaves: of blocks that know nothing of each other
// where two of them met, one of them writing. What is kept of them is a join: masks unite, names are the
// lowest and the highest block; so it is the same however blocks are spread over host threads.
//
// A line takes 8 bytes here; of blocks that run apart 36, and 40 more where several blocks were.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/sim/memory/memory.h"
#include "common/sim/observe/global_cells.h"

namespace lab::sim {

// A block on a line, and at which instruction.
struct LineName {
  std::uint32_t block = 0, pc = 0;
  auto operator<=>(const LineName&) const = default;
};

// A line of memory that blocks touch which may talk.
struct Line {
  std::uint32_t run = 0;  // who touches it now; 0: none
  LinePlace place;
};

// What blocks before the present one did with a line.
struct LinePast {
  std::uint32_t present = 0;            // number + 1 of what the present block does with it
  std::uint32_t reads = 0, writes = 0;  // granules
  // of them and the present one: the sum of marks_of what was left there
  std::uint32_t left = 0;
  LineName low_reader, low_writer;
  std::uint32_t more : 30 = 0;    // several blocks were here: number of a LineMet
  std::uint32_t unknown : 1 = 0;  // what was left is not known
  std::uint32_t mixed : 1 = 0;    // a block changed what another one had left
};

// A name, and its granules.
struct LineVisit {
  LineName name;
  std::uint32_t granules = 0;
};

struct LineMet {
  std::uint32_t writers = 0, reader = 0;        // granules: two writers, a reader and another block's write
  std::uint32_t low_reads = 0, low_writes = 0;  // of LinePast::low_reader and low_writer
  LineVisit high_reader, high_writer;
};

// What the block that runs does with a line.
struct LinePresent {
  LinePast* past = nullptr;
  LinePlace place;
  std::uint32_t reads = 0, writes = 0;
  std::uint32_t read_pc = 0, write_pc = 0;
  // marks it added to what blocks before it had left, less theirs; 0: the same values
  std::uint32_t changed = 0;
};

// Two blocks at one place, one of them writing.
struct BlocksMet {
  DeviceAddress address = 0;
  bool both_write = false;
  bool guessed = false;  // two of the blocks from `writer` to `other`
  LineName writer, other;
  std::uint64_t count = 0;  // granules
};

// The part of LinePast::left that `count` neighbouring granules have, whose values stand side by side.
[[nodiscard]] std::uint32_t marks_of(std::uint32_t granule, std::uint32_t count, const std::byte* values,
                                     std::size_t bytes);

class Lines {
 public:
  static constexpr std::uint32_t kChunk = 1024;  // lines
  struct Chunk {                                 // one of them
    Line* lines = nullptr;
    LinePast* past = nullptr;
  };
  Lines(unsigned line_shift, bool together) : line_shift_(line_shift), together_(together) {}
  // The chunk with the line of this address; stays where it is.
  [[nodiscard]] Chunk chunk_of(DeviceAddress address);
  [[nodiscard]] std::uint32_t index_of(DeviceAddress address) const {
    return static_cast<std::uint32_t>(address >> line_shift_) % kChunk;
  }
  // A line that will be asked for, where its chunk was not long ago: of blocks that run apart, and of others.
  void fetch_ahead(DeviceAddress next) const {
    if (const Chunk* chunk = known_chunk(next)) __builtin_prefetch(chunk->past + index_of(next), 1);
  }
  void fetch_ahead(DeviceAddress next, const LineStates& states) const {
    if (const Chunk* chunk = known_chunk(next)) states.fetch_ahead(chunk->lines[index_of(next)].place);
  }
  [[nodiscard]] bool empty() const { return chunks_.empty(); }
  // What a block did becomes past.
  void fold(const LinePresent& present, std::uint32_t block);
  // Takes over the lines of another host thread; nothing is present in both. `memory` as the launch left it.
  void merge(const Lines& other, const Memory& memory);
  [[nodiscard]] std::vector<BlocksMet> blocks_met(unsigned granule_shift) const;
  template <class Act>
  void for_all(const Act& act) {
    for (auto& [at, chunk] : chunks_) {
      for (std::uint32_t k = 0; k < kChunk; ++k) act(chunk.lines.get()[k]);
    }
  }
  [[nodiscard]] std::uint64_t bytes() const { return chunks_.size() * kChunk * line_bytes(together_); }
  [[nodiscard]] static std::uint64_t line_bytes(bool together) {
    return together ? sizeof(Line) : sizeof(LinePast);
  }

 private:
  struct Join;
  [[nodiscard]] const Chunk* known_chunk(DeviceAddress address) const {
    const std::uint64_t key = (address >> line_shift_) / kChunk;
    return recent_[key % kRecent].key == key ? &recent_[key % kRecent].chunk : nullptr;
  }
  [[nodiscard]] Join joined(const LinePast& past) const;
  void join(LinePast& past, const Join& more);
  void join_left(LinePast& past, const LinePast& more, DeviceAddress begin, const Memory& memory) const;
  [[nodiscard]] std::uint32_t marks_in(const Memory& memory, DeviceAddress begin,
                                       std::uint32_t granules) const;

  struct Free {
    void operator()(void* memory) const;
  };
  struct Held {
    std::unique_ptr<Line, Free> lines;
    std::unique_ptr<LinePast, Free> past;
  };
  unsigned line_shift_;
  bool together_;
  static constexpr std::size_t kRecent = 256;
  struct Recent {
    std::uint64_t key = ~std::uint64_t{0};
    Chunk chunk;
  };
  std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
  std::unordered_map<std::uint64_t, Held> chunks_;
  Pool<LineMet> met_;
};

}  // namespace lab::sim
