// What bytes of memory a piece of work reads or writes.
//
// Enters: the accesses of a launch, the rows of a copy. Leaves: ranges, with the very bytes where a range has
// gaps: two GPUs that write every other row of one matrix do not touch the same memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/sim/gpu.h"

namespace lab::cudart {

// A set of addresses, a bit a byte, in pages of one cache line: a launch that touches a few bytes here and there
// pays for no more, and pages that are full share one. The table of pages keeps eight neighbours side by side.
class ByteSet {
 public:
  void add(sim::DeviceAddress low, std::uint64_t bytes) {
    const std::uint64_t first = low % 64;
    if (bytes == 0 || first + bytes > 64) return add_words(low, bytes);
    if (Page* page = page_of(low / kPageBytes))
      (*page)[low % kPageBytes / 64] |= (~0ull >> (64 - bytes)) << first;  // one lane's, mostly
  }
  void add(const ByteSet& other);
  // Whether it holds all addresses from `low` up to `high`; whether both hold one of them.
  [[nodiscard]] bool whole(sim::DeviceAddress low, sim::DeviceAddress high) const;
  [[nodiscard]] bool meets(const ByteSet& other, sim::DeviceAddress low, sim::DeviceAddress high) const;

 private:
  static constexpr std::uint64_t kPageBytes = 512;
  static constexpr std::uint64_t kNeighbours = 8;
  static constexpr std::uint64_t kNone = ~0ull;
  using Page = std::array<std::uint64_t, kPageBytes / 64>;
  static Page full_;
  struct Entry {
    std::uint64_t number = kNone;
    Page* page = nullptr;
  };
  void add_words(sim::DeviceAddress low, std::uint64_t bytes);
  // Where page `number` stands in the table, or would.
  [[nodiscard]] std::size_t slot_of(std::uint64_t number) const {
    const std::uint64_t group = number / kNeighbours * 0x9e3779b97f4a7c15ull >> 32;
    std::size_t slot = (group * kNeighbours + number % kNeighbours) & (table_.size() - 1);
    while (table_[slot].number != number && table_[slot].number != kNone)
      slot = (slot + 1) & (table_.size() - 1);
    return slot;
  }
  [[nodiscard]] const Page* find(std::uint64_t number) const { return table_[slot_of(number)].page; }
  // Null where the page is full.
  Page* page_of(std::uint64_t number) {
    Page* page = table_[slot_of(number)].page;
    if (page == nullptr) page = new_page(number);
    return page != &full_ ? page : nullptr;
  }
  Page* new_page(std::uint64_t number);
  void set_page(std::uint64_t number, Page* page);
  std::vector<Entry> table_ = std::vector<Entry>(kNeighbours);  // a power of two, half of it empty at least
  std::size_t pages_ = 0, room_ = 0;                            // in the table; those of the last piece left
  std::vector<std::unique_ptr<Page[]>> pieces_;
};

struct Touched {
  sim::DeviceAddress low = 0, high = 0;  // first byte, byte behind the last
  bool writes = false;
  std::shared_ptr<const ByteSet> bytes = nullptr;  // null: all of them
  bool strong = false;                             // atomics and their like: no race among themselves
  bool system = false;                             // of the system's scope: nor with those of another GPU
  // The host may look meanwhile: volatile, of the system's scope, or announced by a fence of it.
  bool to_host = false;
  bool early = false;  // before griddepcontrol.wait, in a kernel that may begin while the one before it runs
  bool waits_later = false;  // some thread of the launch does wait
};
[[nodiscard]] bool overlap(const Touched& a, const Touched& b);
[[nodiscard]] bool touches(const Touched& range, sim::DeviceAddress at);

// `count` rows of width_bytes, pitch_bytes apart.
[[nodiscard]] Touched touched_rows(sim::DeviceAddress low, std::uint64_t width_bytes,
                                   std::uint64_t pitch_bytes, std::uint64_t count, bool writes);

// Watches a launch for the ranges that it touches, one an instruction. `overlaps`: it may begin before the
// kernel before it is done, and each block has to wait for that. HostMemory: nothing but the host can meet it.
class TouchObserver final : public sim::Observer, public sim::Policy {
 public:
  enum class Of : std::uint8_t { AllMemory, HostMemory };
  explicit TouchObserver(bool overlaps, Of of = Of::AllMemory) : overlaps_(overlaps), of_(of) {}
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  [[nodiscard]] bool band(std::uint32_t slot, const sim::Access& first, const sim::WarpBand& band,
                          std::uint32_t warps) override;
  [[nodiscard]] bool may_wait(bool /*writes*/) override { return true; }
  [[nodiscard]] sim::Policy& policy() override { return *this; }
  [[nodiscard]] bool pieces(std::uint32_t /*pc*/, const sim::WarpPlace& /*place*/) const override {
    return true;
  }
  void texels(std::uint32_t slot, const sim::Access& texels) override { access(slot, texels); }
  [[nodiscard]] sim::Beginnings ignored_range(std::uint32_t /*pc*/, sim::Space space,
                                              std::uint32_t /*width_bytes*/, std::uint64_t at) override {
    if (space == sim::Space::Shared) return sim::kEverywhere;
    return ignores(at) ? sim::Beginnings{sim::kGlobalBase, kOfGpus} : sim::Beginnings{};
  }
  [[nodiscard]] sim::Repeats repeats() const override { return sim::Repeats::SinceBarrier; }
  void fence(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes, bool whole_warp,
             sim::Scope scope) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void barrier(std::uint32_t slot) override;
  void wait_for_kernels(std::uint32_t slot, std::uint32_t warp) override;
  [[nodiscard]] std::vector<Touched> touched() const;

 private:
  static constexpr std::uint64_t kOfGpus = sim::kVisibleBase - sim::kGlobalBase;  // addresses of their memory
  [[nodiscard]] bool ignores(std::uint64_t at) const {
    return of_ == Of::HostMemory && at - sim::kGlobalBase < kOfGpus;
  }
  // What an instruction touches now joins what it touched last, or begins anew.
  void touch(Touched& range, sim::DeviceAddress low, std::uint64_t size_bytes);
  [[nodiscard]] bool is_early(std::uint32_t slot, std::uint32_t warp) const;
  // What an instruction touched last, as long as the next piece joins it: so sets learn of few and large pieces.
  struct Run {
    sim::DeviceAddress low = 0, high = 0;
  };
  void close_runs() const;

  [[nodiscard]] const std::shared_ptr<ByteSet>& bytes_of(const Touched& range) const;
  const bool overlaps_;
  const Of of_;
  bool waits_ = false;                             // griddepcontrol.wait was executed
  std::vector<std::uint32_t> waited_;              // by slot: warps that know the kernels before are done
  std::vector<Touched> by_pc_;                     // reads at 4 * pc, writes at 4 * pc + 1; then early ones
  std::vector<Run> runs_;                          // the same rows: not in bytes_ yet
  std::array<std::shared_ptr<ByteSet>, 8> bytes_;  // read, written; the same of strong accesses; early ones
  // A store behind a fence of the system's scope, or that releases to it, may announce to the host what stood
  // before: a fence alone announces nothing.
  bool releases_to_host_ = false;
  std::vector<std::uint32_t> fenced_;  // by slot: warps that have such a fence behind them
};

}  // namespace lab::cudart
