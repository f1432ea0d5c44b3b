// The 32 addresses of an access, and what can be said of all of them at once.
//
// Enters: the row that the program computed. Leaves: addresses, whether they have a constant stride, the
// lowest and the highest.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "common/sim/base/vec.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/program/work.h"

namespace lab::sim {
namespace {

int lowest_lane(Mask mask) { return std::countr_zero(mask) & (kWarpLanes - 1); }  // mask is never 0

using SignedFour = std::int64_t __attribute__((vector_size(32)));

// A row of registers and what is added to it, as many lanes a step as a vector has: addresses of 64 bits, or
// of 32, which are those of shared memory mostly. Vectors compare numbers that are XORed with kSign as
// `Ordered`.
struct WideRow {
  using Vector = Four;
  using Ordered = SignedFour;
  static constexpr std::uint64_t kSign = 1ull << 63;
  static constexpr int kLanes = 4;
  const std::uint64_t* base;
  std::uint64_t offset;
  [[nodiscard]] Four part(int k) const {
    Four v;
    std::memcpy(&v, base + kLanes * k, sizeof v);
    return v + offset;
  }
  [[nodiscard]] std::uint64_t lane(int k) const { return base[k] + offset; }
  static Four active(Mask mask, int part) {
    return four_lanes_of_bits(mask, static_cast<unsigned>(kLanes * part));
  }
  static Four counting() { return Four{0, 1, 2, 3}; }
  // Whether lanes that stand `step` apart do so as 64-bit numbers.
  static bool stays_inside(std::uint64_t /*first*/, std::int64_t /*step*/, int /*lanes*/) { return true; }
  void fill(std::uint64_t* at) const {
    for (int k = 0; k < kWarpLanes / kLanes; ++k) {
      const Four v = part(k);
      std::memcpy(at + kLanes * k, &v, sizeof v);
    }
  }
};

struct NarrowRow {
  using Vector = Vec;
  using Ordered = Vec;
  static constexpr std::uint32_t kSign = 0;
  static constexpr int kLanes = kVecLanes;
  const std::uint32_t* base;
  std::uint32_t offset;
  [[nodiscard]] Vec part(int k) const {
    Vec v;
    load(v, base + kLanes * k);
    return v + offset;
  }
  [[nodiscard]] std::uint32_t lane(int k) const { return base[k] + offset; }
  static Vec active(Mask mask, int part) { return lanes_of_bits(mask, static_cast<unsigned>(part)); }
  static Vec counting() { return counting_from(0); }
  // From `first` on they pass neither end of the 32 bits.
  static bool stays_inside(std::uint32_t first, std::int64_t step, int lanes) {
    return (static_cast<std::uint64_t>(first + step * lanes) >> 32) == 0;
  }
  void fill(std::uint64_t* at) const {
    using Half = std::uint32_t __attribute__((vector_size(16)));
    for (int k = 0; k < kWarpLanes; k += 4) {
      Half four;
      std::memcpy(&four, base + k, sizeof four);
      const auto wide = __builtin_convertvector(four + offset, Four);
      std::memcpy(at + k, &wide, sizeof wide);
    }
  }
};

template <class Row>
constexpr int kParts = kWarpLanes / Row::kLanes;

std::int64_t distance(std::uint64_t from, std::uint64_t to) { return static_cast<std::int64_t>(to - from); }

// Every active lane stands `step` behind the one before, lane `first` at `at`. Comparing neighbours would
// read across the vectors that were just stored, and wait for them.
template <class Row, class Number>
bool is_ramp(const Row& row, Mask mask, int first, Number at, Number step) {
  typename Row::Vector ramp = Row::counting() * step + (at - step * static_cast<Number>(first)), off = {};
  for (int part = 0; part < kParts<Row>; ++part) {
    const auto differ = row.part(part) ^ ramp;
    off |= mask == kFullMask ? differ : differ & Row::active(mask, part);
    ramp += static_cast<Number>(Row::kLanes) * step;
  }
  return !any(off);
}

// The ends of lanes in no order; `first` is one of them.
template <class Row, class Number>
void find_ends(const Row& row, Mask mask, Number first, AddressRow& out) {
  using Ordered = typename Row::Ordered;
  typename Row::Vector bits = {};
  Ordered low = (Ordered)(bits + (first ^ Row::kSign)), high = low;
  for (int part = 0; part < kParts<Row>; ++part) {
    auto here = row.part(part);
    if (mask != kFullMask) {
      const auto active = Row::active(mask, part);
      here = (here & active) | (~active & first);
    }
    bits |= here;
    const auto ordered = (Ordered)(here ^ Row::kSign);
    low = ordered < low ? ordered : low;
    high = ordered > high ? ordered : high;
  }
  std::remove_cvref_t<decltype(low[0])> lows[Row::kLanes], highs[Row::kLanes];
  std::memcpy(lows, &low, sizeof lows);
  std::memcpy(highs, &high, sizeof highs);
  out.low = static_cast<Number>(*std::min_element(lows, lows + Row::kLanes)) ^ Row::kSign;
  out.high = static_cast<Number>(*std::max_element(highs, highs + Row::kLanes)) ^ Row::kSign;
  out.bits = 0;
  for (int k = 0; k < Row::kLanes; ++k) out.bits |= bits[k];
}

// Lowest and highest of lanes that stand `stride` apart, lane 0 at `start`. False when they walk past the end
// of the address space: lowest and highest lie elsewhere.
bool ends_of_ramp(std::uint64_t start, std::uint64_t stride, int first, int last, AddressRow& row) {
  const auto lane = [&](int k) { return start + static_cast<std::uint64_t>(k) * stride; };
  const bool climbs = static_cast<std::int64_t>(stride) >= 0;
  row.low = lane(climbs ? first : last);
  row.high = lane(climbs ? last : first);
  return row.low <= row.high;
}

bool ends_of_ramp(AddressRow& row, int first, int last) {
  return ends_of_ramp(row.start, static_cast<std::uint64_t>(row.stride_bytes), first, last, row);
}

// The same of two halves.
bool ends_of_halves(AddressRow& row) {
  if (!ends_of_ramp(row, 0, kHalfWarp - 1)) return false;
  const std::uint64_t low = row.low, high = row.high,
                      second = row.start + static_cast<std::uint64_t>(row.half_gap_bytes);
  if (!ends_of_ramp(second, static_cast<std::uint64_t>(row.stride_bytes), 0, kHalfWarp - 1, row))
    return false;
  row.low = std::min(row.low, low);
  row.high = std::max(row.high, high);
  return true;
}

// All lanes: one ramp, or two halves.
template <class Row>
void describe_halves(const Row& row, AddressRow& out) {
  const auto start = row.lane(0), second = row.lane(kHalfWarp);
  const std::int64_t stride = distance(start, row.lane(1)), gap = distance(start, second);
  const auto step = static_cast<std::remove_const_t<decltype(start)>>(stride);
  typename Row::Vector ramp = Row::counting() * step, off = {};
  for (int part = 0; part < kParts<Row> / 2; ++part) {
    off |= (row.part(part) ^ (ramp + start)) | (row.part(part + kParts<Row> / 2) ^ (ramp + second));
    ramp += Row::kLanes * step;
  }
  out.start = start;
  out.ramps() = {.stride_bytes = stride};
  if (!any(off) && Row::stays_inside(start, stride, kHalfWarp - 1) &&
      Row::stays_inside(second, stride, kHalfWarp - 1)) {
    out.affine = gap == kHalfWarp * stride && ends_of_ramp(out, 0, kWarpLanes - 1);
    out.half_gap_bytes = gap;
    out.halves = !out.affine && ends_of_halves(out);
  }
  if (!out.halves) out.half_gap_bytes = 0;
  if (!out.known()) find_ends(row, kFullMask, start, out);
}

template <class Row>
void describe_lanes(const Row& row, Mask mask, AddressRow& out) {
  const int first = lowest_lane(mask), last = kWarpLanes - 1 - std::countl_zero(mask);
  const Mask rest = mask & (mask - 1);
  const int second = rest == 0 ? first : lowest_lane(rest), apart = second - first;
  const auto at = row.lane(first);
  const std::int64_t gap = distance(at, row.lane(second));
  const std::int64_t stride = apart > 1 ? gap / apart : apart == 0 ? 0 : gap;
  out.ramps() = {.stride_bytes = stride};
  out.bits = 0;
  out.start = at - static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(stride);
  out.affine = stride * apart == gap && Row::stays_inside(at, stride, last - first) &&
               is_ramp(row, mask, first, at, static_cast<std::remove_const_t<decltype(at)>>(stride)) &&
               ends_of_ramp(out, first, last);
  if (!out.affine) find_ends(row, mask, at, out);
}

}  // namespace

std::uint64_t address_bits(const AddressRow& row, Mask mask) {
  if (row.bits != 0) return row.bits;
  const WideRow lanes{row.at, 0};
  Four bits = {};
  for (int part = 0; part < kParts<WideRow>; ++part) bits |= lanes.part(part) & WideRow::active(mask, part);
  return bits_of_all(bits);
}

namespace {

// Addresses that form a ramp, known without looking at a lane. False when they walk past the end of the
// address space; then they are filled in.
bool take_ramp(const WarpContext& w, std::uint64_t start, std::uint64_t step, AddressRow& out) {
  const int first = lowest_lane(w.mask), last = kWarpLanes - 1 - std::countl_zero(w.mask);
  out.start = start;
  out.ramps() = {.affine = true, .stride_bytes = static_cast<std::int64_t>(step)};
  out.affine = ends_of_ramp(out, first, last);
  if (!out.affine) {
    fill_lanes(out);
    find_ends(WideRow{out.at, 0}, w.mask, out.at[first], out);
  } else if (first == last) {
    out.start = out.low;
    out.stride_bytes = 0;
  }
  return out.affine;
}

template <class Row>
void take_lanes(const Row& row, Mask mask, AddressRow& out) {
  row.fill(out.at);
  if (mask == kFullMask) {
    describe_halves(row, out);
  } else {
    describe_lanes(row, mask, out);
  }
}

void take_row(const WarpContext& w, const RowRef& row, std::uint64_t offset, AddressRow& out) {
  if (row.lane_bytes == 8) return take_lanes(WideRow{w.row<std::uint64_t>(row), offset}, w.mask, out);
  take_lanes(NarrowRow{w.row<std::uint32_t>(row), static_cast<std::uint32_t>(offset)}, w.mask, out);
}

// An operand that is hoisted, and forms a ramp. True: `at` is not filled.
bool take_hoisted(const WarpContext& w, const Ramp& ramp, std::uint32_t lane_bytes, std::uint64_t offset,
                  AddressRow& out) {
  if (lane_bytes == 8) return take_ramp(w, ramp.start + offset, ramp.step, out);
  const auto start = static_cast<std::uint32_t>(ramp.start + offset),
             step = static_cast<std::uint32_t>(ramp.step);
  const auto wide = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(step)});
  if ((start + (kWarpLanes - 1) * wide) >> 32 == 0) return take_ramp(w, start, wide, out);
  std::uint32_t lanes[kWarpLanes];
  for (std::uint32_t k = 0; k < kWarpLanes; ++k) lanes[k] = start + k * step;
  take_lanes(NarrowRow{lanes, 0}, w.mask, out);
  return false;
}

}  // namespace

void fill_lanes(AddressRow& row) {
  const auto step = static_cast<std::uint64_t>(row.stride_bytes);
  Four four = Four{0, 1, 2, 3} * step + row.start;
  for (int k = 0; k < kWarpLanes; k += 4) {
    std::memcpy(row.at + k, &four, sizeof four);
    four += 4 * step;
  }
}

bool describe_addresses(const WarpContext& w, const Inst& inst, AddressRow& out) {
  std::uint64_t offset = static_cast<std::uint64_t>(inst.immediate);
  if (inst.frame_relative) offset += w.local_base;
  const Ramp* ramp =
      inst.a.file == RowFile::Hoisted ? w.block->hoisted().ramp(inst.a, w.place->warp) : nullptr;
  bool filled = true;
  if (ramp != nullptr) {
    filled = !take_hoisted(w, *ramp, inst.a.lane_bytes, offset, out);
  } else {
    take_row(w, inst.a, offset, out);
  }
  w.block->extra_work += work_of_access(std::popcount(w.mask), inst.elem_bytes * inst.vector, out.affine);
  return filled;
}

void compute_addresses(const WarpContext& w, const Inst& inst, AddressRow& out) {
  if (!describe_addresses(w, inst, out)) fill_lanes(out);
}

void describe_row(AddressRow& row, Mask mask) { describe_lanes(WideRow{row.at, 0}, mask, row); }

}  // namespace lab::sim
