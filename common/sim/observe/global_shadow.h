// The race check's record of global memory: which threads touched each place.
//
// Enters: accesses in execution order on one host thread, and the clocks of their blocks. Leaves: collisions; for
// blocks that run independently the lines where they met (global_lines.h).
// A *granule* is the program's smallest access to global memory, a *line* 32 granules. A line that lanes touch
// side by side is kept as up to two rows (first thread, masks of reads and writes); any other has a cell for each
// granule: last writer, a reader, a strong writer or second reader. Cost: docs/faults.md. Memory is limited to
// twice the allocated bytes unless the caller names a limit; `unwatched_bytes` counts what does not fit.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/block_clock.h"
#include "common/sim/observe/global_lines.h"
#include "common/sim/observe/test_notes.h"
#include "common/sim/program/program.h"

namespace lab::sim {

// Two accesses to one place that nothing orders. `lane` is the later one's.
struct GlobalCollision {
  std::uint32_t lane = 0;
  DeviceAddress address = 0;
  std::uint32_t earlier_thread = 0, earlier_pc = 0;
  std::uint64_t earlier_block = 0;
  bool earlier_writes = false;
  bool same_instruction = false;  // two lanes of one store
  bool non_coherent = false;    // the later one need not see it (Inst::non_coherent): no barrier orders them
  bool only_announced = false;  // both are strong, and what announced the write promises nothing of it
};

class GlobalShadow {
 public:
  // `limit_bytes`: 0 for the usual one.
  GlobalShadow(const LaunchInfo& launch, const Memory& memory, const std::vector<Inst>& code,
               std::uint64_t limit_bytes);

  void begin_block(std::uint32_t slot, std::uint64_t block_index);
  // True when it collides; the widest collision is reported: with another block, another warp, another lane.
  [[nodiscard]] bool touch(std::uint32_t slot, const Access& access, BlockClock& clock,
                           GlobalCollision& collision);
  // The same of plain ones, in blocks that run apart, which collide with nothing in their block (Observer::band).
  void touch_band(const Access& first, const WarpBand& band, std::uint32_t warps);
  // Takes over the lines of another host thread, whose blocks ran apart, and says where blocks met.
  void merge(GlobalShadow& other);
  [[nodiscard]] std::vector<BlocksMet> blocks_met();
  // Whether the buffer that an access of this instruction lies in is watched.
  [[nodiscard]] bool watched(std::uint32_t pc, DeviceAddress low);
  // Global memory that was not watched, since the limit had no room for it.
  [[nodiscard]] std::uint64_t unwatched_bytes() const { return unwatched_bytes_; }
  // Plain reads that test what an atomic of another thread changes, unordered: where they stand, and the
  // atomic.
  [[nodiscard]] const TestNotes& tests() const { return tests_; }

 private:
  struct Epoch {               // a warp at one instruction since it was last put in order
    std::uint32_t number = 0;  // in its block
    std::uint32_t run = 0;     // of a block: index into `runs_`
    std::uint32_t pc = 0;
    std::uint32_t warp = 0;
  };
  struct Run {
    std::uint64_t block = 0;
    Number first = 0;  // of the block's numbers
  };
  struct Kind {  // what an instruction is
    bool known = false;
    bool writes = false, strong = false, narrow = false;  // narrow: its scope is the block
    // only_stores: a strong store, or an exchange for nothing but its store. is_volatile: of stores.
    bool is_volatile = false, only_stores = false;
  };
  // Blocks, and threads, that have read a word since the last strong store to it.
  struct Readers {
    std::unordered_set<std::uint64_t> who;
  };
  struct Slot {
    std::uint32_t run = 0;
    std::vector<std::uint32_t> epochs;  // by site and warp
  };
  struct Now;
  struct Piece;  // neighbouring granules of one line and who touches them

  [[nodiscard]] const std::uint32_t& epoch_of(Slot& slot, const Access& access, BlockClock& clock);
  void touch_piece(const Piece& piece, Now& now);
  [[nodiscard]] bool in_rows(LinePlace& place, const Piece& piece, const Now& now);
  [[nodiscard]] bool read_by_two(const LineRows& rows, const Piece& piece, const Now& now) const;
  [[nodiscard]] bool has_room(LinePlace& place);
  void drop_unnamed();
  void end_block();
  void choose_buffers(std::uint64_t limit_bytes);
  void note_test(std::uint32_t tag, std::uint32_t thread, const Now& now);
  void touch_cells(LinePlace& place, const Piece& piece, Now& now);
  [[nodiscard]] bool touch_row(LineCells& cells, const Piece& piece, const Now& now);
  void look(std::uint32_t tag, std::uint32_t granule, std::uint32_t thread, const Piece& piece, Now& now);
  void remember(Cell& cell, std::uint32_t mine, std::uint32_t thread, const Now& now);
  [[nodiscard]] DeviceAddress place_of(const Piece& piece, std::uint32_t granule) const;
  [[nodiscard]] const Kind& kind_of(const Access& access);
  [[nodiscard]] bool overwrites_unread(const Epoch& earlier, DeviceAddress at, std::uint32_t thread,
                                       const Now& now) const;
  [[nodiscard]] bool only_announced(const Epoch& earlier, std::uint32_t earlier_thread, DeviceAddress at,
                                    std::uint32_t thread, const Now& now) const;
  void note_readers(DeviceAddress at, std::uint32_t thread, const Now& now);
  [[nodiscard]] bool orders(std::uint32_t tag, std::uint32_t thread, const Now& now) const;
  [[nodiscard]] bool by_this_store(std::uint32_t granule, std::uint32_t tag, const Piece& piece,
                                   const Now& now) const;
  [[nodiscard]] bool same_value(std::uint32_t granule, std::uint32_t thread, std::uint32_t tag,
                                const Piece& piece, const Now& now) const;
  void note_values(LinePresent& present, const Piece& piece, std::uint32_t before, const std::byte* values,
                   const Access* by) const;
  [[nodiscard]] LinePresent& note_present(LinePast& past, const Piece& piece, std::uint32_t pc, bool writes);
  [[nodiscard]] LinePlace& place_at_present(LinePast& past, const Piece& piece, const Now& now);
  [[nodiscard]] const Kind& kind_of(const Epoch& epoch) const { return kinds_[epoch.pc]; }
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t tag) const {
    return epochs_[tag >> 5].warp * 32u + (tag & 31u);
  }

  const Memory& memory_;
  const std::vector<Inst>& code_;
  unsigned shift_;  // log2 of a granule's bytes
  bool together_;   // blocks may talk
  bool knows_written_;
  bool by_rows_;  // touch_row; off where shortcuts are
  std::vector<DeviceAddress> may_write_;
  struct Range {
    DeviceAddress low = 1, high = 0;
    DeviceAddress last = 0;  // the lowest lane's
    bool watched = true;
  };
  std::vector<Range> ranges_;  // by pc: where it was last
  std::vector<Kind> kinds_;    // by pc
  Lines lines_;
  LineStates states_;
  std::vector<LinePresent> present_;       // of blocks that run apart: lines of the one that runs
  std::vector<std::uint32_t> site_of_pc_;  // 0: not seen yet
  std::uint32_t sites_ = 0;
  std::vector<Run> runs_;
  std::vector<Epoch> epochs_;
  std::vector<Slot> slots_;
  std::unordered_map<DeviceAddress, Readers> readers_;  // of words that strong stores change
  TestNotes tests_;
  std::uint64_t limit_bytes_ = 0, unwatched_bytes_ = 0;
  std::size_t epochs_room_ = 0;
  bool full_ = false;
  std::vector<DeviceAddress> left_out_;  // buffers that are not watched
};

}  // namespace lab::sim
