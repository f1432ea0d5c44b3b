// Computes hoisted values. See the header.
//
// Integers of 32 and 64 bits that form ramps are added and multiplied as two numbers, for all warps in one
// loop. Everything else takes the instruction's own handler; what that finds may be a ramp again.
#include "common/sim/execute/hoisted.h"

#include <algorithm>
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

void Hoisted::begin_launch(std::vector<WarpContext> contexts, Dim3 grid) {
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
  find_climbs(grid);
}

void Hoisted::bind_rows() {
  for (std::size_t w = 0; w < warps_; ++w) contexts_[w].file[static_cast<int>(RowFile::Hoisted)] = rows_of(w);
}

void Hoisted::begin_block(Dim3 at) {
  ++block_;
  if (warps_ == 0) return;
  for (Climb& climb : climbs_) move(climb, at);
  for (const HoistedOp& op : of_block_) compute(op);
}

void Hoisted::move(Climb& climb, Dim3 at) {
  const std::uint64_t ahead = at.x * climb.by[0] + at.y * climb.by[1] + at.z * climb.by[2];
  const std::uint64_t more = ahead - std::exchange(climb.ahead, ahead);
  if (more == 0) return;
  const std::uint64_t bits = climb.bytes == 4 ? 0xffffffffu : ~std::uint64_t{0};
  Ramp* const moved = ramps(climb.value);
  for (std::size_t w = 0; w < warps_; ++w) moved[w].start = (moved[w].start + more) & bits;
  has_row_[climb.value] = 0;
  if (climb.needs_row) make_row(climb.value, climb.bytes);
}

// Values that are sums of multiples of the block's number need not be computed for each block, nor what only they
// are made of.
void Hoisted::find_climbs(Dim3 grid) {
  of_block_ = values_.at_begin.of_block;
  for (const HoistedGroup& group : values_.groups)
    if (!group.ops.of_block.empty()) return;
  std::vector<Climb> known(values_.values);
  for (std::uint32_t value = 0; value < values_.values; ++value) {
    known[value].value = value;
    known[value].follows = is_ramp_[value] != 0;
  }
  for (const HoistedOp& op : of_block_)
    for (const std::uint32_t value : {op.value, op.second})
      if (value != kNoPc) known[value].follows = false;
  std::vector<bool> is_read(values_.values), is_taken(code_.size());
  for (const HoistedOp& op : values_.at_begin.of_launch) is_taken[op.pc] = op.act != Act::Leaf;
  std::erase_if(of_block_, [&](const HoistedOp& op) {
    compute(op);
    if (op.act != Act::Leaf) is_taken[op.pc] = true;
    Climb climb{op.value, op.bytes, op.needs_row, true, {}, 0};
    if (climbs(op, grid, known, climb)) return known[op.value] = climb, true;
    for (const std::uint32_t value : {op.a, op.b, op.c, op.d})
      if (value != kNoPc) is_read[value] = true;
    return false;
  });
  for (const Inst& inst : code_)
    for (const RowRef& row : {inst.a, inst.b, inst.c, inst.d, inst.guard})
      if (row.file == RowFile::Hoisted && !is_taken[inst.pc])
        is_read[row.offset_bytes / HoistedValues::kSlotBytes] = true;
  for (const Climb& climb : known)
    if (climb.by != std::array<std::uint64_t, 3>{} && (climb.needs_row || is_read[climb.value]))
      climbs_.push_back(climb);
}

bool Hoisted::is_constant(const Climb& climb) {
  const Ramp* const found = ramps(climb.value);
  bool same = climb.by == std::array<std::uint64_t, 3>{};
  for (std::size_t w = 0; w < warps_; ++w) same &= found[w].step == 0 && found[w].start == found[0].start;
  return same;
}

// Whether 32 bits hold it in all blocks of the grid.
bool Hoisted::never_wraps(const Climb& climb, bool is_signed, Dim3 grid) {
  constexpr std::int64_t kMost = std::int64_t{1} << 33;
  const std::int64_t lowest = is_signed ? INT32_MIN : 0, highest = is_signed ? INT32_MAX : UINT32_MAX;
  std::int64_t back = 0, ahead = 0;
  const std::array<std::uint32_t, 3> blocks{grid.x, grid.y, grid.z};
  for (std::size_t axis = 0; axis < blocks.size(); ++axis) {
    const std::int64_t reach = static_cast<std::int64_t>(static_cast<std::int32_t>(climb.by[axis])) *
                               (std::int64_t{blocks[axis]} - 1);
    if (reach < -kMost || reach > kMost) return false;
    (reach < 0 ? back : ahead) += reach;
  }
  const Ramp* const found = ramps(climb.value);
  for (std::size_t w = 0; w < warps_; ++w) {
    Ramp ramp = found[w];
    if (!widen(ramp, is_signed)) return false;
    const auto first = static_cast<std::int64_t>(ramp.start),
               last = first + (kWarpLanes - 1) * static_cast<std::int64_t>(ramp.step);
    if (std::min(first, last) + back < lowest || std::max(first, last) + ahead > highest) return false;
  }
  return true;
}

// Whether the value begins in each block where multiples of the block's number say; by how much.
bool Hoisted::climbs(const HoistedOp& op, Dim3 grid, std::span<const Climb> known, Climb& climb) {
  if (is_ramp_[op.value] == 0) return false;
  if (op.act == Act::Leaf) {
    const std::uint32_t axis =
        op.row.offset_bytes / row_bytes(4) - static_cast<std::uint32_t>(BlockRow::CtaidX);
    return op.row.file == RowFile::BlockSpecial && axis < 3 && (climb.by[axis] = 1, true);
  }
  for (const std::uint32_t value : {op.a, op.b, op.c})
    if (value != kNoPc && !known[value].follows) return false;
  const auto of_each = [&](const auto& act) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      climb.by[axis] = act(axis);
      if (op.bytes == 4) climb.by[axis] &= 0xffffffffu;
    }
    return true;
  };
  const auto by = [&](std::uint32_t value, std::size_t axis) { return known[value].by[axis]; };
  const auto widened = [&](std::uint32_t value, std::size_t axis) {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(by(value, axis))});
  };
  switch (op.act) {
    case Act::Copy:
      return of_each([&](std::size_t axis) { return by(op.a, axis); });
    case Act::Add:
      return of_each([&](std::size_t axis) { return by(op.a, axis) + by(op.b, axis); });
    case Act::Subtract:
      return of_each([&](std::size_t axis) { return by(op.a, axis) - by(op.b, axis); });
    case Act::ShiftLeft: {
      const std::uint64_t places = ramps(op.b)->start;
      return is_constant(known[op.b]) &&
             of_each([&](std::size_t axis) { return places < 8u * op.bytes ? by(op.a, axis) << places : 0; });
    }
    case Act::ExtendSigned:
    case Act::ExtendUnsigned:
      return never_wraps(known[op.a], op.act == Act::ExtendSigned, grid) &&
             of_each([&](std::size_t axis) { return widened(op.a, axis); });
    case Act::Multiply:
    case Act::MultiplyAdd: {
      const bool second = is_constant(known[op.b]), is_signed = op.widens == Widens::Signed;
      const std::uint32_t moves = second ? op.a : op.b, times = second ? op.b : op.a;
      if (!is_constant(known[times])) return false;
      Ramp factor = *ramps(times);
      if (op.widens != Widens::No &&
          !(widen(factor, is_signed) && never_wraps(known[moves], is_signed, grid)))
        return false;
      return of_each([&](std::size_t axis) {
        const std::uint64_t moved = op.widens == Widens::No ? by(moves, axis) : widened(moves, axis);
        return moved * factor.start + (op.act == Act::MultiplyAdd ? by(op.c, axis) : 0);
      });
    }
    default:
      return false;
  }
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
