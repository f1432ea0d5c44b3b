// An observer of a launch of some blocks: which bytes of `out` they write, and whether they write others.
//
// Enters: stores, of threads and of the TMA unit. Leaves: ranges in order, none twice; yes or no.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/device/device.h"
#include "common/sim/base/lanes.h"

namespace lab::judge {

using Range = std::pair<std::uint64_t, std::uint64_t>;  // bytes of `out`, from its first

class Written final : public sim::Observer {
 public:
  // `keeps_ranges`: take() is asked; else only beside() is.
  Written(device::Address out, std::uint64_t bytes, bool keeps_ranges)
      : out_(out), bytes_(bytes), keeps_ranges_(keeps_ranges) {}
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<Written>(out_, bytes_, keeps_ranges_);
  }
  void merge(const sim::Observer& other) override {
    const auto& from = dynamic_cast<const Written&>(other);
    ranges_.insert(ranges_.end(), from.ranges_.begin(), from.ranges_.end());
    beside_ |= from.beside_;
  }
  void access(std::uint32_t /*slot*/, const sim::Access& access) override {
    if (access.space != sim::Space::Global || !sim::writes(access.path)) return;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
    const sim::Mask lanes = access.mask >> first;
    if (access.affine && access.stride_bytes == access.width_bytes && (lanes & (lanes + 1)) == 0) {
      const std::uint64_t from = access.address[first];
      return add(from, from + static_cast<std::uint64_t>(std::popcount(lanes)) * access.width_bytes);
    }
    sim::for_lanes(access.mask, [&](std::uint32_t lane) {
      add(access.address[lane], access.address[lane] + access.width_bytes);
    });
  }
  void bulk(std::uint32_t /*slot*/, const sim::BulkCopy& copy) override {
    if (sim::info(copy.written).space != sim::Space::Global) return;
    for (const sim::BulkPiece& piece : copy.pieces)
      add(piece.global + piece.first, piece.global + piece.last);
  }
  // Memory in which blocks leave word for others, who may see from it which blocks run.
  [[nodiscard]] bool beside() const { return beside_; }
  // Of `out`, in order, none twice.
  [[nodiscard]] std::vector<Range> take() {
    std::sort(ranges_.begin(), ranges_.end());
    std::vector<Range> apart;
    for (const auto& [from, to] : ranges_) {
      if (apart.empty() || from > apart.back().second) {
        apart.emplace_back(from, to);
      } else {
        apart.back().second = std::max(apart.back().second, to);
      }
    }
    return apart;
  }

 private:
  void add(std::uint64_t from, std::uint64_t to) {
    if (from >= to) return;
    if (from < out_ || to - out_ > bytes_) {
      beside_ = true;
    } else if (keeps_ranges_) {
      ranges_.emplace_back(from - out_, to - out_);
    }
  }
  device::Address out_;
  std::uint64_t bytes_;
  bool keeps_ranges_;
  std::vector<Range> ranges_;
  bool beside_ = false;
};

}  // namespace lab::judge
