// What a launch asks of the parts of a GPU beyond the ledger: an observer of the simulator, only when it is
// asked for.
//
// Enters: accesses, block by block. Leaves: a Traffic: sectors that pass the first-level cache, bytes of
// DRAM, waits. The first-level cache holds what its block touched. The order of blocks counts, so such a
// launch runs on one host thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/gpu/model/assembled.h"
#include "common/gpu/model/l2_cache.h"
#include "common/gpu/model/waits.h"
#include "common/sim/base/observer.h"

namespace lab::model {

struct Traffic {
  // Instructions of warps, as the machine has them, and by the unit that they go through (machine_code.h).
  std::uint64_t instructions = 0, of_whole = 0, of_sums = 0, of_floats = 0, of_doubles = 0, of_functions = 0;
  std::uint64_t l2_requests = 0;           // 128-byte lines of accesses that reach the second level
  std::uint64_t l2_read_sectors = 0;       // loads that the first level did not hold
  std::uint64_t l2_write_sectors = 0;      // stores
  std::uint64_t l2_partial_sectors = 0;    // of those: not all 32 bytes at once
  std::uint64_t l2_atomic_sectors = 0;     // lanes of one address one after the other
  std::uint64_t busiest_slice = 0;         // of these, in the slice of the cache with the most
  std::uint64_t busiest_float_sector = 0;  // of those that add floats, in the sector with the most
  std::uint64_t lines = 0;  // 128-byte lines over all requests to global memory: passes of the first level
  DramTraffic dram;
  Rounds rounds{};             // of the warp that waits longest, over all blocks
  std::uint64_t barriers = 0;  // over all blocks
  // Guarded instructions (assembled.h) that no lane acts in, and their accesses.
  std::uint64_t skipped = 0, empty_passes = 0;
  Rounds written_out{};  // as `rounds`, where ptxas writes loops out
  // The place where most was tried again until no other was faster: how often it was changed, by how many
  // blocks; and through how many blocks one after the other a value goes that others wait for.
  std::uint64_t updates = 0, updating_blocks = 0, hops = 0;
  // The block that waits longest: no launch ends before it.
  Rounds longest{};
  std::uint64_t longest_instructions = 0;
  [[nodiscard]] std::uint64_t l2_sectors() const {
    return l2_read_sectors + l2_write_sectors + l2_atomic_sectors;
  }
  Traffic& operator+=(const Traffic& other);
};
// All of them.
template <class OfTraffic>
[[nodiscard]] auto traffic_numbers(OfTraffic& t) {
  return std::array{&t.instructions,
                    &t.of_whole,
                    &t.of_sums,
                    &t.of_floats,
                    &t.of_doubles,
                    &t.of_functions,
                    &t.lines,
                    &t.l2_requests,
                    &t.l2_read_sectors,
                    &t.l2_write_sectors,
                    &t.l2_partial_sectors,
                    &t.l2_atomic_sectors,
                    &t.busiest_slice,
                    &t.busiest_float_sector,
                    &t.dram.read_bytes,
                    &t.dram.write_bytes,
                    &t.dram.scattered_bytes,
                    &t.rounds[0],
                    &t.rounds[1],
                    &t.rounds[2],
                    &t.barriers,
                    &t.skipped,
                    &t.empty_passes,
                    &t.written_out[0],
                    &t.written_out[1],
                    &t.written_out[2],
                    &t.updates,
                    &t.updating_blocks,
                    &t.hops,
                    &t.longest[0],
                    &t.longest[1],
                    &t.longest[2],
                    &t.longest_instructions};
}

class TrafficObserver final : public sim::Observer {
 public:
  explicit TrafficObserver(L2Cache& l2) : l2_(l2) {}
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void bulk(std::uint32_t slot, const sim::BulkCopy& copy) override;
  void barrier(std::uint32_t slot) override;
  [[nodiscard]] const Weights* weights() const override { return assembled_.sums.data(); }
  void weighed(std::uint32_t slot, const Weighed& sum) override;
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;
  // After the launch.
  [[nodiscard]] Traffic result() const;

 private:
  // Slices of the second level: an assumption, after the profiler's `lts__` units. Atomics on 32 close lines
  // take four to five times as long as on one, so some of them share a slice: 512 bytes do here
  // (tests/golden/atomics.csv).
  static constexpr std::size_t kSlices = 96, kSliceRun = 512;
  static constexpr std::size_t kFloatSectors = 4096, kFreshStores = 2048;  // places of hash tables
  // 64-byte pieces of one request, and which of their bytes.
  struct Piece {
    std::uint64_t number = 0, bytes = 0;
  };
  struct Block {
    std::vector<std::uint64_t> seen;  // sectors; a hash table, 0: free
    std::size_t count = 0;
    std::vector<std::uint64_t> stored;  // sectors not read since; a few, the last of each place
    std::array<WarpWaits, 32> warps;
    std::uint64_t number = 0, hops = 0;  // of those that began; blocks that it waits behind
    std::uint64_t instructions = 0;
    std::array<std::vector<Piece>, 32> gathered;  // of each warp: its stores since it last did anything else
  };
  void pieces_of(const sim::Access& access);
  void pieces_in_order(const sim::Access& access, std::uint64_t width);
  bool first_touch(Block& block, std::uint64_t sector);
  Reach read(Block* block, const Piece& piece);
  void write(Block* block, const Piece& piece);
  void store(Block& block, std::vector<Piece>& gathered);
  void request(std::uint64_t line);
  static bool behind_store(Block& block, std::uint64_t sector);
  void hand_over(Block& block, const sim::Access& access);
  void local_store(const sim::Access& access);
  void atomic(const sim::Access& access);

  L2Cache& l2_;
  std::vector<LoadChain> chains_;
  std::vector<AtomicKind> atomics_;
  std::vector<Block> blocks_;
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> lines_;  // of this access that reach the second level
  Assembled assembled_;
  // Words that threads of several blocks try to change, or wait for; a hash table.
  struct Word {
    std::uint64_t updates = 0, blocks = 0, last_block = 0, hops = 0;
  };
  std::array<Word, kFloatSectors> words_{};
  std::uint64_t begun_ = 0;
  std::array<std::uint64_t, kSlices> slices_{};
  std::array<std::uint64_t, kFloatSectors> float_sectors_{};
  Traffic sum_;
};

}  // namespace lab::model
