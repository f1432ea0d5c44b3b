// Computes hoisted values. See the header.
//
// Integers of 32 and 64 bits that form ramps are added and multiplied as two numbers, for all warps in one
// loop. Everything else takes the instruction's own handler; what that finds may be a ramp again.
#include "common/sim/execute/hoisted.h"

#include <cstring>
#include <iterator>
#include <new>
#include <numeric>
#include <utility>

#include "common/sim/base/vec.h"
#include "common/sim/execute/block.h"

namespace lab::sim {
namespace {

using Act = HoistedAct;
using Widens = HoistedOp::Widens;

template <class T>
constexpr int kLanesPerVector = 32 / sizeof(T);
template <class T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(32)));  // NOLINT(modernize-use-using): GCC wants it
};
// To vectors and back in one go: lane by lane in a loop is slow in WebAssembly, where a lane's number is part
// of the instruction.
template <class T>
typename VectorOf<T>::Type vector_of(const T (&lanes)[kLanesPerVector<T>]) {
  typename VectorOf<T>::Type vector;
  std::memcpy(&vector, lanes, sizeof vector);
  return vector;
}

// The first lanes of a ramp, as many as a vector holds.
template <class T>
typename VectorOf<T>::Type first_lanes(T start, T step) {
  T lanes[kLanesPerVector<T>];
  std::iota(std::begin(lanes), std::end(lanes), T{0});
  return vector_of(lanes) * step + start;
}

template <class T>
void write_ramp(std::byte* row, const Ramp& ramp) {
  const auto step = static_cast<T>(ramp.step), ahead = static_cast<T>(kLanesPerVector<T> * step);
  auto lanes = first_lanes(static_cast<T>(ramp.start), step);
  for (std::size_t at = 0; at < kWarpLanes * sizeof(T); at += sizeof lanes) {
    std::memcpy(row + at, &lanes, sizeof lanes);
    lanes += ahead;
  }
}

template <class T>
bool read_ramp(const std::byte* row, Ramp& ramp) {
  T head[2];
  std::memcpy(head, row, sizeof head);
  const auto step = static_cast<T>(head[1] - head[0]);
  auto lanes = first_lanes(head[0], step);
  decltype(lanes) off = {};
  for (std::size_t at = 0; at < kWarpLanes * sizeof(T); at += sizeof lanes) {
    decltype(lanes) here;
    std::memcpy(&here, row + at, sizeof here);
    off |= here ^ lanes;
    lanes += static_cast<T>(kLanesPerVector<T>) * step;
  }
  ramp = {head[0], step};
  return !any(off);
}

// A ramp of 32 bits in 64: false when its lanes wrap on the way.
bool widen(Ramp& ramp, bool is_signed) {
  const std::int64_t step = static_cast<std::int32_t>(ramp.step);
  const std::int64_t first =
      is_signed ? std::int64_t{static_cast<std::int32_t>(ramp.start)} : static_cast<std::int64_t>(ramp.start);
  const std::int64_t last = first + (kWarpLanes - 1) * step;
  ramp = {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(step)};
  return is_signed ? last == static_cast<std::int32_t>(last) : last >> 32 == 0;
}

// False when both factors differ from lane to lane.
bool multiply(Ramp a, Ramp b, Ramp& product) {
  if (b.step != 0) std::swap(a, b);
  product = {a.start * b.start, a.step * b.start};
  return b.step == 0;
}

bool holds(const HoistedOp& op, std::int64_t difference) {
  return difference < 0 ? op.holds_below : difference == 0 ? op.holds_equal : op.holds_above;
}

// The lanes of which the comparison holds. Most often both ends of the warp lie on one side.
Mask compare(const HoistedOp& op, const Ramp& a, const Ramp& b) {
  std::int64_t difference = static_cast<std::int64_t>(a.start - b.start);
  const auto step = static_cast<std::int64_t>(a.step - b.step);
  const std::int64_t last = difference + (kWarpLanes - 1) * step;
  if ((difference < 0 && last < 0) || (difference > 0 && last > 0) || step == 0)
    return holds(op, difference) ? kFullMask : 0;
  Mask mask = 0;
  for (int k = 0; k < kWarpLanes; ++k, difference += step) mask |= Mask{holds(op, difference)} << k;
  return mask;
}

}  // namespace

void Hoisted::FreeRows::operator()(std::byte* rows) const {
  ::operator delete (rows, std::align_val_t{kRowAlign});
}

Hoisted::Rows Hoisted::allocate(std::size_t bytes) {
  return Rows(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kRowAlign})));
}

void Hoisted::begin_launch(std::vector<WarpContext> contexts) {
  contexts_ = std::move(contexts);
  warps_ = contexts_.size();
  if (warps_ == 0) return;
  warp_bytes_ = std::size_t{values_.with_rows} * HoistedValues::kSlotBytes;
  rows_ = allocate(warps_ * warp_bytes_);
  bind_rows();
  // A value that is read before it is computed, which no compiler writes, is 0.
  std::memset(rows_.get(), 0, warps_ * warp_bytes_);
  ramps_ = std::make_unique<Ramp[]>(warps_ * values_.values);
  is_ramp_.resize(values_.values, 1);
  has_row_.resize(values_.values);
  entered_.resize(values_.groups.size());
  for (const HoistedOp& op : values_.at_begin.of_launch) compute(op);
}

void Hoisted::bind_rows() {
  for (std::size_t w = 0; w < warps_; ++w) contexts_[w].file[static_cast<int>(RowFile::Hoisted)] = rows_of(w);
}

void Hoisted::begin_block() {
  ++block_;
  if (warps_ == 0) return;
  for (const HoistedOp& op : values_.at_begin.of_block) compute(op);
}

void Hoisted::compute(std::uint32_t group) {
  const HoistedOps& ops = values_.groups[group].ops;
  if (entered_[group] == 0) {
    for (const HoistedOp& op : ops.of_launch) compute(op);
  }
  entered_[group] = block_;
  for (const HoistedOp& op : ops.of_block) compute(op);
}

void Hoisted::compute(const HoistedOp& op) {
  switch (op.act) {
    case Act::Leaf:
      return read_leaf(op);
    case Act::Compare:
      if (!compute_masks(op)) compute_rows(op);
      return;
    default:
      has_row_[op.value] = 0;
      if (op.act == Act::Row || !compute_ramps(op)) return compute_rows(op);
      is_ramp_[op.value] = 1;
      if (op.needs_row) make_row(op.value, op.bytes);
  }
}

template <class Each>
bool Hoisted::each_warp(const HoistedOp& op, Each each) {
  Ramp* const result = ramps(op.value);
  const std::uint64_t bits = op.bytes == 4 ? 0xffffffffu : ~std::uint64_t{0};
  bool all = true;
  for (std::size_t w = 0; w < warps_; ++w) {
    Ramp ramp;
    all &= each(w, ramp);
    result[w] = {ramp.start & bits, ramp.step & bits};
  }
  return all;
}

// Starts and steps alike.
template <class Each>
bool Hoisted::each_number(const HoistedOp& op, Each each) {
  const std::uint64_t bits = op.bytes == 4 ? 0xffffffffu : ~std::uint64_t{0};
  Ramp* const result = ramps(op.value);
  const Ramp* const a = ramps(op.a);
  const Ramp* const b = ramps(op.b == kNoPc ? op.a : op.b);
  LAB_LANES
  for (std::size_t w = 0; w < warps_; ++w)
    result[w] = {each(a[w].start, b[w].start) & bits, each(a[w].step, b[w].step) & bits};
  return true;
}

// False when the lanes of some warp form no ramp.
bool Hoisted::compute_ramps(const HoistedOp& op) {
  if (op.act == Act::Parameter) {
    std::uint64_t value = 0;
    std::memcpy(&value, parameters_.data() + op.offset, op.bytes_there);
    const int unused = 64 - 8 * op.bytes_there;
    if (op.is_signed)
      value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
    return each_warp(op, [&](std::size_t, Ramp& out) {
      out = {value, 0};
      return true;
    });
  }
  for (const std::uint32_t operand : {op.a, op.b, op.c})
    if (operand != kNoPc && is_ramp_[operand] == 0) return false;
  const Ramp* const a = ramps(op.a);
  const Ramp* const b = op.b == kNoPc ? nullptr : ramps(op.b);
  const Ramp* const c = op.c == kNoPc ? nullptr : ramps(op.c);
  switch (op.act) {
    case Act::Copy:
      return each_number(op, [](std::uint64_t x, std::uint64_t) { return x; });
    case Act::Add:
      return each_number(op, [](std::uint64_t x, std::uint64_t y) { return x + y; });
    case Act::Subtract:
      return each_number(op, [](std::uint64_t x, std::uint64_t y) { return x - y; });
    case Act::ShiftLeft:
      return each_warp(op, [&](std::size_t w, Ramp& out) {
        const std::uint64_t by = b[w].start, width = 8u * op.bytes;
        out = by < width ? Ramp{a[w].start << by, a[w].step << by} : Ramp{};
        return b[w].step == 0;
      });
    case Act::ExtendSigned:
    case Act::ExtendUnsigned:
      return each_warp(op, [&](std::size_t w, Ramp& out) {
        out = a[w];
        return widen(out, op.act == Act::ExtendSigned);
      });
    default:
      return each_warp(op, [&](std::size_t w, Ramp& out) {
        Ramp x = a[w], y = b[w];
        bool fits = true;
        if (op.widens != Widens::No) {
          fits = widen(x, op.widens == Widens::Signed);
          fits &= widen(y, op.widens == Widens::Signed);
        }
        fits &= multiply(x, y, out);
        if (op.act == Act::MultiplyAdd) out = {out.start + c[w].start, out.step + c[w].step};
        return fits;
      });
  }
}

// False when an operand of some warp is no ramp, or wraps.
bool Hoisted::compute_masks(const HoistedOp& op) {
  if (is_ramp_[op.a] == 0 || is_ramp_[op.b] == 0) return false;
  for (std::size_t w = 0; w < warps_; ++w) {
    Ramp a = ramps(op.a)[w], b = ramps(op.b)[w];
    if (!widen(a, op.is_signed) || !widen(b, op.is_signed)) return false;
    const Mask mask = compare(op, a, b);
    std::memcpy(rows_of(w) + std::size_t{op.value} * HoistedValues::kSlotBytes, &mask, sizeof mask);
  }
  is_ramp_[op.value] = 0;
  has_row_[op.value] = 1;
  return true;
}

void Hoisted::compute_rows(const HoistedOp& op) {
  const Inst& inst = code_[op.pc];
  const std::pair<std::uint32_t, const RowRef*> operands[] = {
      {op.a, &inst.a}, {op.b, &inst.b}, {op.c, &inst.c}, {op.d, &inst.d}};
  for (const auto& [operand, row] : operands)
    if (operand != kNoPc) make_row(operand, row->lane_bytes);
  make_room(op.value);
  for (WarpContext& w : contexts_) inst.full(w, inst);
  has_row_[op.value] = 1;
  is_ramp_[op.value] = find_ramps(op.value, inst.dst) ? 1 : 0;
  if (op.second == kNoPc) return;
  has_row_[op.second] = 1;
  is_ramp_[op.second] = 0;
}

bool Hoisted::find_ramps(std::uint32_t value, const RowRef& row) {
  if (row.lane_bytes != 4 && row.lane_bytes != 8) return false;
  for (std::size_t w = 0; w < warps_; ++w) {
    const auto* lanes = contexts_[w].row<std::byte>(row);
    Ramp& ramp = ramps(value)[w];
    const bool found =
        row.lane_bytes == 4 ? read_ramp<std::uint32_t>(lanes, ramp) : read_ramp<std::uint64_t>(lanes, ramp);
    if (!found) return false;
  }
  return true;
}

void Hoisted::read_leaf(const HoistedOp& leaf) {
  has_row_[leaf.value] = 1;
  is_ramp_[leaf.value] = find_ramps(leaf.value, leaf.row) ? 1 : 0;
}

void Hoisted::make_row(std::uint32_t value, std::uint32_t lane_bytes) {
  if (has_row_[value] != 0) return;
  make_room(value);
  for (std::size_t w = 0; w < warps_; ++w) {
    std::byte* const row = rows_of(w) + std::size_t{value} * HoistedValues::kSlotBytes;
    const Ramp& ramp = ramps(value)[w];
    switch (lane_bytes) {
      case 2:
        write_ramp<std::uint16_t>(row, ramp);
        break;
      case 4:
        write_ramp<std::uint32_t>(row, ramp);
        break;
      default:
        write_ramp<std::uint64_t>(row, ramp);
    }
  }
  has_row_[value] = 1;
}

// Values that are not read as rows get theirs when they form no ramp, all of them then.
void Hoisted::make_room(std::uint32_t value) {
  const std::size_t end = (std::size_t{value} + 1) * HoistedValues::kSlotBytes;
  if (end <= warp_bytes_) return;
  const std::size_t wider = std::size_t{values_.registers} * HoistedValues::kSlotBytes;
  Rows rows = allocate(warps_ * wider);
  for (std::size_t w = 0; w < warps_; ++w) std::memcpy(rows.get() + w * wider, rows_of(w), warp_bytes_);
  rows_ = std::move(rows);
  warp_bytes_ = wider;
  bind_rows();
}

std::uint64_t Hoisted::lane(const RowRef& row, std::size_t warp, int lane) const {
  const Ramp* found = ramp(row, warp);
  if (found == nullptr) return lane_value(contexts_[warp], row, lane);
  const std::uint64_t value = found->start + static_cast<std::uint64_t>(lane) * found->step;
  return row.lane_bytes == 4 ? static_cast<std::uint32_t>(value) : value;
}

void exec_hoisted(WarpContext& w, const Inst& inst) {
  Hoisted& hoisted = w.block->hoisted();
  hoisted.enter(inst.target);
  w.file[static_cast<int>(RowFile::Hoisted)] = hoisted.rows_of(w.place->warp);
  if (hoisted.group(inst.target).parameter_loads != 0) exec_hoisted_parameters(w, inst);
}

void exec_hoisted_parameters(WarpContext& w, const Inst& inst) {
  const HoistedGroup& group = w.block->hoisted().group(inst.target);
  w.block->count_parameters(w.mask, group.parameter_loads, group.parameter_bytes);
}

}  // namespace lab::sim
