// An observer of a launch of some blocks: which bytes of `out` they write, which of these by atomics, and
// whether they write others.
//
// Enters: stores, of threads and of the TMA unit. Leaves: ranges in order, none twice; yes or no.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/gpu/device/device.h"
#include "common/sim/base/lanes.h"

namespace lab::judge {

using Range = std::pair<std::uint64_t, std::uint64_t>;  // bytes of `out`, from its first

class Written final : public sim::Observer {
 public:
  // `keeps_ranges`: take() is asked; else beside() and by_atomics() alone are.
  Written(device::Address out, std::uint64_t bytes, bool keeps_ranges)
      : out_(out), bytes_(bytes), keeps_ranges_(keeps_ranges) {}
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<Written>(out_, bytes_, keeps_ranges_);
  }
  void merge(const sim::Observer& other) override {
    const auto& from = dynamic_cast<const Written&>(other);
    ranges_.insert(ranges_.end(), from.ranges_.begin(), from.ranges_.end());
    by_atomics_.insert(by_atomics_.end(), from.by_atomics_.begin(), from.by_atomics_.end());
    beside_ |= from.beside_;
  }
  void access(std::uint32_t /*slot*/, const sim::Access& access) override {
    if (access.space != sim::Space::Global || !sim::writes(access.path)) return;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
    if (access.is_one_range(access.mask, access.width_bytes)) {
      const std::uint64_t from = access.address[first];
      return add(from, from + static_cast<std::uint64_t>(std::popcount(access.mask)) * access.width_bytes,
                 access.path);
    }
    for (const std::uint32_t lane : sim::lanes_of(access.mask))
      add(access.address[lane], access.address[lane] + access.width_bytes, access.path);
  }
  void bulk(std::uint32_t /*slot*/, const sim::BulkCopy& copy) override {
    if (sim::info(copy.written).space != sim::Space::Global) return;
    for (const sim::BulkPiece& piece : copy.pieces)
      add(piece.global + piece.first, piece.global + piece.last, copy.written);
  }
  // Memory that blocks write for other blocks, which may see from it which blocks run.
  [[nodiscard]] bool beside() const { return beside_; }
  // The written ranges of `out`, in order, none twice.
  [[nodiscard]] std::vector<Range> take() { return in_order(ranges_); }
  [[nodiscard]] std::vector<Range> by_atomics() { return in_order(by_atomics_); }

 private:
  static std::vector<Range> in_order(std::vector<Range>& ranges) {
    std::sort(ranges.begin(), ranges.end());
    std::vector<Range> apart;
    for (const auto& [from, to] : ranges) {
      if (apart.empty() || from > apart.back().second) {
        apart.emplace_back(from, to);
      } else {
        apart.back().second = std::max(apart.back().second, to);
      }
    }
    return apart;
  }
  void add(std::uint64_t from, std::uint64_t to, sim::Path path) {
    if (from >= to) return;
    if (from < out_ || to - out_ > bytes_) {
      beside_ = true;
      return;
    }
    if (keeps_ranges_) ranges_.emplace_back(from - out_, to - out_);
    if (path == sim::Path::GlobalAtomic) by_atomics_.emplace_back(from - out_, to - out_);
  }
  device::Address out_;
  std::uint64_t bytes_;
  bool keeps_ranges_;
  std::vector<Range> ranges_, by_atomics_;
  bool beside_ = false;
};

}  // namespace lab::judge
