// The 32 addresses of an access, and what can be said of all of them at once.
//
// Enters: the row that the program computed. Leaves: addresses, whether they have a constant stride, the
// lowest and the highest.
#include <algorithm>
#include <bit>
#include <cstring>

#include "common/sim/base/vec.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/program/work.h"

namespace lab::sim {
namespace {

int lowest_lane(Mask mask) { return std::countr_zero(mask) & (kWarpLanes - 1); }  // mask is never 0

// Four lanes a step.
using HalfVector = std::uint32_t __attribute__((vector_size(16)));
using SignedVector = std::int64_t __attribute__((vector_size(32)));

Four four_of(const AddressRow& row, int k) {
  Four four;
  std::memcpy(&four, row.at + k, sizeof four);
  return four;
}

// Every active lane stands `stride` behind the one before; lane `first` gives the start. Comparing neighbours
// would read across the vectors that were just stored, and wait for them.
bool is_ramp(const AddressRow& row, Mask mask, int first, std::uint64_t stride) {
  Four ramp = Four{0, 1, 2, 3} * stride + (row.at[first] - static_cast<std::uint64_t>(first) * stride);
  Four off = {};
  for (int k = 0; k < kWarpLanes; k += 4) {
    const Four differ = four_of(row, k) ^ ramp;
    off |= mask == kFullMask ? differ : differ & four_lanes_of_bits(mask, static_cast<unsigned>(k));
    ramp += 4 * stride;
  }
  return !any(off);
}

void find_lowest_and_highest(AddressRow& row, Mask mask, int first) {
  constexpr std::uint64_t kSign = 1ull << 63;  // vectors compare signed numbers
  const Four start = Four{} + (row.at[first] ^ kSign);
  SignedVector low = (SignedVector)start, high = low;
  for (int k = 0; k < kWarpLanes; k += 4) {
    Four here = four_of(row, k) ^ kSign;
    if (mask != kFullMask) {
      const Four active = four_lanes_of_bits(mask, static_cast<unsigned>(k));
      here = (here & active) | (start & ~active);
    }
    const auto four = (SignedVector)here;
    low = four < low ? four : low;
    high = four > high ? four : high;
  }
  std::int64_t lows[4], highs[4];
  std::memcpy(lows, &low, sizeof lows);
  std::memcpy(highs, &high, sizeof highs);
  row.low = static_cast<std::uint64_t>(*std::min_element(lows, lows + 4)) ^ kSign;
  row.high = static_cast<std::uint64_t>(*std::max_element(highs, highs + 4)) ^ kSign;
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

// Of all lanes: computed and described in one go. `four`: addresses of lanes k to k + 3.
template <class FourAt>
void compute_and_describe(AddressRow& row, const FourAt& four) {
  const Four head = four(0);
  const std::uint64_t start = head[0], stride = head[1] - head[0], second = four(kHalfWarp)[0];
  Four off = {};
  const auto half = [&](int first, std::uint64_t begin) {
    Four ramp = Four{0, 1, 2, 3} * stride + begin;
    for (int k = first; k < first + kHalfWarp; k += 4) {
      const Four here = four(k);
      std::memcpy(row.at + k, &here, sizeof here);
      off |= here ^ ramp;
      ramp += 4 * stride;
    }
  };
  half(0, start);
  half(kHalfWarp, second);
  const bool regular = !any(off);
  row.start = start;
  row.stride_bytes = static_cast<std::int64_t>(stride);
  row.half_gap_bytes = static_cast<std::int64_t>(second - start);
  row.affine = regular && second - start == kHalfWarp * stride && ends_of_ramp(row, 0, kWarpLanes - 1);
  row.halves = regular && !row.affine && ends_of_halves(row);
  if (!row.halves) row.half_gap_bytes = 0;
  if (!row.known()) find_lowest_and_highest(row, kFullMask, 0);
}

}  // namespace

std::uint64_t address_bits(const AddressRow& row, Mask mask) {
  if (row.bits != 0) return row.bits;
  Four bits = {};
  for (int k = 0; k < kWarpLanes; k += 4)
    bits |= four_of(row, k) & four_lanes_of_bits(mask, static_cast<unsigned>(k));
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
    find_lowest_and_highest(out, w.mask, first);
  } else if (first == last) {
    out.start = out.low;
    out.stride_bytes = 0;
  }
  return out.affine;
}

template <class FourAt>
void compute_lanes(const WarpContext& w, const FourAt& four, AddressRow& out) {
  if (w.mask == kFullMask) return compute_and_describe(out, four);
  for (int k = 0; k < kWarpLanes; k += 4) {
    const Four here = four(k);
    std::memcpy(out.at + k, &here, sizeof here);
  }
  describe_row(out, w.mask);
}

// The same of 32-bit addresses, eight a step: those of shared memory mostly.
constexpr int kNarrowParts = kWarpLanes / static_cast<int>(kVecLanes);
struct NarrowRow {
  const std::uint32_t* base;
  std::uint32_t offset;
  [[nodiscard]] Vec part(int k) const {
    Vec v;
    load(v, base + static_cast<int>(kVecLanes) * k);
    return v + offset;
  }
  [[nodiscard]] std::uint32_t lane(int k) const { return base[k] + offset; }
};

// These lanes stand `step` apart as 32-bit numbers do, lane `first` at `at`.
bool is_narrow_ramp(const NarrowRow& row, Mask mask, int first, std::uint32_t at, std::uint32_t step) {
  Vec ramp = counting_from(0) * step + (at - step * static_cast<std::uint32_t>(first));
  Vec off{};
  for (int part = 0; part < kNarrowParts; ++part) {
    off |= (row.part(part) ^ ramp) & lanes_of_bits(mask, static_cast<unsigned>(part));
    ramp += kVecLanes * step;
  }
  return !any(off);
}

// As 64-bit numbers too: from lane `first` at `at` to lane `last` they pass neither end of the 32 bits.
bool stays_narrow(std::uint32_t at, std::int64_t step, int lanes) {
  return (static_cast<std::uint64_t>(at + step * lanes) >> 32) == 0;
}

void find_narrow_ends(const NarrowRow& row, Mask mask, std::uint32_t first, AddressRow& out) {
  Vec low = Vec{} + first, high = low, bits{};
  for (int part = 0; part < kNarrowParts; ++part) {
    const Vec active = lanes_of_bits(mask, static_cast<unsigned>(part));
    const Vec here = (row.part(part) & active) | (~active & first);
    bits |= here;
    low = here < low ? here : low;
    high = here > high ? here : high;
  }
  std::uint32_t lows[kVecLanes], highs[kVecLanes];
  store(lows, low);
  store(highs, high);
  out.low = *std::min_element(lows, lows + kVecLanes);
  out.high = *std::max_element(highs, highs + kVecLanes);
  out.bits = 0;
  for (unsigned k = 0; k < kVecLanes; ++k) out.bits |= bits[k];
}

// Two halves of a full mask, or one ramp: what compute_and_describe finds.
void describe_narrow_halves(const NarrowRow& row, AddressRow& out) {
  const std::uint32_t start = row.lane(0), second = row.lane(kHalfWarp);
  const std::int64_t stride = std::int64_t{row.lane(1)} - start, gap = std::int64_t{second} - start;
  const auto step = static_cast<std::uint32_t>(stride);
  const Vec ramp = counting_from(0) * step, behind = ramp + kVecLanes * step;
  const Vec off = (row.part(0) ^ (ramp + start)) | (row.part(1) ^ (behind + start)) |
                  (row.part(2) ^ (ramp + second)) | (row.part(3) ^ (behind + second));
  const bool regular =
      !any(off) && stays_narrow(start, stride, kHalfWarp - 1) && stays_narrow(second, stride, kHalfWarp - 1);
  out.start = start;
  out.ramps() = {.stride_bytes = stride};
  if (regular) {
    out.affine = gap == kHalfWarp * stride && ends_of_ramp(out, 0, kWarpLanes - 1);
    out.half_gap_bytes = gap;
    out.halves = !out.affine && ends_of_halves(out);
  }
  if (!out.halves) out.half_gap_bytes = 0;
  if (!out.known()) find_narrow_ends(row, kFullMask, start, out);
}

// What describe_row finds.
void describe_narrow_lanes(const NarrowRow& row, Mask mask, AddressRow& out) {
  const int first = lowest_lane(mask), last = kWarpLanes - 1 - std::countl_zero(mask);
  const Mask rest = mask & (mask - 1);
  const int second = rest == 0 ? first : lowest_lane(rest), apart = second - first;
  const std::uint32_t at = row.lane(first);
  const std::int64_t gap = std::int64_t{row.lane(second)} - at;
  const std::int64_t stride = apart > 1 ? gap / apart : apart == 0 ? 0 : gap;
  out.ramps() = {.stride_bytes = stride};
  out.start = at - static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(stride);
  out.affine = stride * apart == gap && stays_narrow(at, stride, last - first) &&
               is_narrow_ramp(row, mask, first, at, static_cast<std::uint32_t>(stride)) &&
               ends_of_ramp(out, first, last);
  if (!out.affine) find_narrow_ends(row, mask, at, out);
}

void compute_narrow(const WarpContext& w, const NarrowRow& row, AddressRow& out) {
  for (int k = 0; k < kWarpLanes; k += 4) {
    HalfVector four;
    std::memcpy(&four, row.base + k, sizeof four);
    const auto wide = __builtin_convertvector(four + row.offset, Four);
    std::memcpy(out.at + k, &wide, sizeof wide);
  }
  if (w.mask == kFullMask) {
    describe_narrow_halves(row, out);
  } else {
    describe_narrow_lanes(row, w.mask, out);
  }
}

void take_row(const WarpContext& w, const RowRef& row, std::uint64_t offset, AddressRow& out) {
  if (row.lane_bytes == 8) {
    const auto* base = w.row<std::uint64_t>(row);
    return compute_lanes(
        w,
        [base, offset](int k) {
          Four four;
          std::memcpy(&four, base + k, sizeof four);
          return four + offset;
        },
        out);
  }
  compute_narrow(w, {w.row<std::uint32_t>(row), static_cast<std::uint32_t>(offset)}, out);
}

// An operand that is hoisted, and forms a ramp. True: `at` is not filled.
bool take_hoisted(const WarpContext& w, const Ramp& ramp, std::uint32_t lane_bytes, std::uint64_t offset,
                  AddressRow& out) {
  if (lane_bytes == 8) return take_ramp(w, ramp.start + offset, ramp.step, out);
  const auto start = static_cast<std::uint32_t>(ramp.start + offset),
             step = static_cast<std::uint32_t>(ramp.step);
  const auto wide = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(step)});
  if ((start + (kWarpLanes - 1) * wide) >> 32 == 0) return take_ramp(w, start, wide, out);
  compute_lanes(
      w,
      [start, step](int k) {
        const HalfVector four = (HalfVector{0, 1, 2, 3} + static_cast<std::uint32_t>(k)) * step + start;
        return __builtin_convertvector(four, Four);
      },
      out);
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

void describe_row(AddressRow& row, Mask mask) {
  const int first = lowest_lane(mask), last = kWarpLanes - 1 - std::countl_zero(mask);
  const Mask rest = mask & (mask - 1);
  const int second = rest == 0 ? first : lowest_lane(rest);
  const auto gap = static_cast<std::int64_t>(row.at[second] - row.at[first]);
  const std::int64_t stride = second - first > 1 ? gap / (second - first) : second == first ? 0 : gap;
  row.ramps() = {.stride_bytes = stride};
  row.bits = 0;
  row.start = row.at[first] - static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(stride);
  row.affine =
      stride * (second - first) == gap && is_ramp(row, mask, first, static_cast<std::uint64_t>(stride));
  row.affine = row.affine && ends_of_ramp(row, first, last);
  if (row.affine) return;
  find_lowest_and_highest(row, mask, first);
}

}  // namespace lab::sim
