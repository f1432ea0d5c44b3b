// mma.sync and wmma.mma: the matrices of a warp are taken from its registers, multiplied, and put back.
//
// Enters: registers of 32 lanes. Leaves: those of D. Which lane holds what: program/tensor_product.h and
// docs/model.md; how sums are rounded: tensor_sum.h.
#include "common/sim/execute/exec_tensor.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/sim/base/float_bits.h"
#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_matrix.h"
#include "common/sim/execute/tensor_sum.h"

namespace lab::sim {
namespace {

constexpr int kMostLines = 32, kMostAlong = 128, kMostSide = 32;

// Bits of the elements, line by line. Of b1 an element here is a word of 32.
struct Side {
  std::uint64_t at[kMostLines][kMostAlong];
  int lines = 0, along = 0;
};
// Numbers of C and D: [tall line][flat line].
using Result = std::uint64_t[kMostLines][kMostSide];

// Calls with(line, place along it, bits of one element) for all that the registers of one side hold.
template <class With>
void each_element(const WarpContext& w, const RowRef* rows, int count, const TensorProductInfo& p,
                  Element type, int lines, bool tall, With with) {
  const int bits = type == Element::B1 ? 32 : bits_of(type), along = p.shape.cores_along(type);
  const int width = type == Element::F64 ? 64 : 32, per_lane = width / bits;
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  for (int r = 0; r < count; ++r) {
    const CorePlace at = place_of_core(r, lines, along, tall);
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const std::uint64_t held = lane_value(w, rows[r], lane);
      for (int e = 0; e < per_lane; ++e)
        with(at.line + lane / 4, (4 * at.along + lane % 4) * per_lane + e, (held >> (e * bits)) & mask);
    }
  }
}

void read_side(const WarpContext& w, const RowRef* rows, const TensorProductInfo& p, Element type, int lines,
               bool tall, Side& side) {
  const int cores = lines / 8 * p.shape.cores_along(type);
  side.lines = lines;
  side.along = type == Element::B1 ? p.shape.k / 32 : p.shape.k;
  each_element(w, rows, cores, p, type, lines, tall,
               [&](int line, int k, std::uint64_t bits) { side.at[line][k] = bits; });
}

// Calls with(row, lane, shift, element of D or C) for all elements; a half's shift is 0 or 16.
template <class With>
void each_result(const TensorProductInfo& p, Element type, With with) {
  const int cores = p.shape.m * p.shape.n / 64;
  const bool halves = type == Element::F16;
  for (int index = 0; index < cores; ++index) {
    const ResultPlace at = place_of_result(index, p.shape.tall());
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      for (int e = 0; e < 2; ++e)
        with(halves ? index : 2 * index + e, lane, halves ? 16 * e : 0, at.tall + lane / 4,
             at.flat + 2 * (lane % 4) + e);
    }
  }
}

std::uint64_t extend(Element type, std::uint64_t bits) {
  if (type == Element::S8)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(bits)));
  if (type == Element::S4) return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits ^ 8) - 8);
  return bits;
}

std::uint32_t clamp_to_s32(std::int64_t sum, bool saturates) {
  if (saturates && sum > INT32_MAX) return INT32_MAX;
  if (saturates && sum < INT32_MIN) return static_cast<std::uint32_t>(INT32_MIN);
  return static_cast<std::uint32_t>(sum);
}

std::uint64_t integer_sum(const TensorProductInfo& p, Element tall, Element flat, const std::uint64_t* x,
                          const std::uint64_t* y, int count, std::uint64_t c) {
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (int k = 0; k < count; ++k) {
    if (p.a == Element::B1) {
      sum += std::popcount(static_cast<std::uint32_t>(p.ands ? x[k] & y[k] : x[k] ^ y[k]));
    } else {
      sum += static_cast<std::int64_t>(extend(tall, x[k])) * static_cast<std::int64_t>(extend(flat, y[k]));
    }
  }
  return clamp_to_s32(sum, p.saturates);
}

bool is_nan(std::uint64_t f64) { return (f64 << 1) > (std::uint64_t{0x7ff} << 53); }

// A fused multiply-add after the other. Of the NaN that come in, the first leaves.
std::uint64_t double_sum(const std::uint64_t* x, const std::uint64_t* y, int count, std::uint64_t c) {
  constexpr std::uint64_t kQuiet = std::uint64_t{1} << 51, kNanF64 = 0xfff8000000000000u;
  if (is_nan(c)) return c | kQuiet;
  auto sum = std::bit_cast<double>(c);
  for (int k = 0; k < count; ++k) {
    if (is_nan(x[k])) return x[k] | kQuiet;
    if (is_nan(y[k])) return y[k] | kQuiet;
    sum = std::fma(std::bit_cast<double>(x[k]), std::bit_cast<double>(y[k]), sum);
  }
  return sum == sum ? std::bit_cast<std::uint64_t>(sum) : kNanF64;
}

std::uint32_t as_f32(Element type, std::uint64_t bits) {
  return type == Element::F16 ? std::bit_cast<std::uint32_t>(to_float(F16{static_cast<std::uint16_t>(bits)}))
                              : static_cast<std::uint32_t>(bits);
}
std::uint32_t to_f16(std::uint32_t f32) { return nearest<F16>(std::bit_cast<float>(f32)).bits; }

// Groups one after the other, each with the sum so far as its summand.
std::uint32_t chain(const TensorProductInfo& p, const FactorLine& x, const FactorLine& y, int first, int last,
                    std::uint32_t sum, bool halves) {
  for (int k = first; k < last; k += p.group) sum = sum_group(x, y, k, p.group, sum, halves);
  return sum;
}

// 8-bit floats: an H200 widens them to f16 and multiplies twice, first the numbers in the low halves of
// all registers, then those in the high ones (in_passes); the summand is added at the end, rounded to
// nearest.
std::uint64_t byte_float_sum(const TensorProductInfo& p, const FactorLine& x, const FactorLine& y,
                             std::uint32_t c) {
  const bool halves = p.d == Element::F16;
  const std::uint32_t sum = chain(p, x, y, 0, p.shape.k, 0, halves);
  const float added = std::bit_cast<float>(as_f32(p.d, sum)), to = std::bit_cast<float>(as_f32(p.c, c));
  if (halves) return nearest<F16>(static_cast<double>(to) + static_cast<double>(added)).bits;
  return std::bit_cast<std::uint32_t>(canonical(to + added));
}

int in_passes(int k, int count) {
  const int pass = k % 4 / 2;
  return pass * count / 2 + k / 4 * 2 + k % 2;
}

bool is_float_core(Element type) {
  return type == Element::F16 || type == Element::BF16 || type == Element::TF32 || type == Element::E4M3 ||
         type == Element::E5M2;
}

// Decoded once a matrix: each number meets many.
using Factors = FactorLine[kMostLines];
void decode_side(const Side& side, Element type, Factors& out) {
  for (int line = 0; line < side.lines; ++line)
    for (int k = 0; k < side.along; ++k)
      out[line].set(bits_of(type) == 8 ? in_passes(k, side.along) : k, type,
                    static_cast<std::uint32_t>(side.at[line][k]));
}

void float_product(const TensorProductInfo& p, Element tall, Element flat, const Side& x, const Side& y,
                   Result& c) {
  Factors xs, ys;
  decode_side(x, tall, xs);
  decode_side(y, flat, ys);
  // In wmma D alone may be f16: then the sum is an f32, rounded at the end.
  const bool halves = p.d == Element::F16 && p.c == Element::F16;
  for (int i = 0; i < x.lines; ++i) {
    for (int j = 0; j < y.lines; ++j) {
      const auto own = static_cast<std::uint32_t>(c[i][j]);
      if (bits_of(p.a) == 8) {
        c[i][j] = byte_float_sum(p, xs[i], ys[j], own);
        continue;
      }
      const std::uint32_t sum = chain(p, xs[i], ys[j], 0, x.along, halves ? own : as_f32(p.c, own), halves);
      c[i][j] = p.d == Element::F16 && !halves ? to_f16(sum) : sum;
    }
  }
}

void multiply(const TensorProductInfo& p, const Side& x, const Side& y, Result& c) {
  const Element tall = p.shape.swapped() ? p.b : p.a, flat = p.shape.swapped() ? p.a : p.b;
  if (is_float_core(p.a)) return float_product(p, tall, flat, x, y, c);
  for (int i = 0; i < x.lines; ++i) {
    for (int j = 0; j < y.lines; ++j)
      c[i][j] = p.a == Element::F64 ? double_sum(x.at[i], y.at[j], x.along, c[i][j])
                                    : integer_sum(p, tall, flat, x.at[i], y.at[j], x.along, c[i][j]);
  }
}

// Where number `at` of those that a line of A keeps stands among all of the line. A lane's metadata are of 16 bits each for a line and
// the eighth one behind it; of narrow numbers all are of one line.
int place_of_kept(const WarpContext& w, const TensorProductInfo& p, const RowRef& metadata, int line,
                  int at) {
  const int group = sparse_group(p.a), half = group / 2, number = at / half, inside = at % half;
  const int lanes = sparse_lanes(p), below = line / 8;
  const bool narrow = bits_of(p.a) <= 8;
  const int lane = 4 * (line % 8) + lanes * p.selector + (narrow ? number / 8 * 2 + below : number / 4);
  const int shift = narrow ? 4 * (number % 8) : 16 * below + 4 * (number % 4);
  const auto bits = static_cast<int>(lane_value(w, metadata, lane) >> shift & 0xf);
  if (group == 2) return 2 * number + (bits >> 1 & 1);
  const int step = group / 4;  // numbers that one place stands for
  return group * number + step * (bits >> (2 * (inside / step)) & 3) + inside % step;
}

// A line of A meets what its own numbers select of each line of B.
void multiply_sparse(const WarpContext& w, const TensorProductInfo& p, const TensorProductInfo& held,
                     const RowRef& metadata, const Side& x, const Side& y, Result& c) {
  Side line, selected;
  line.lines = 1;
  selected.lines = y.lines;
  line.along = selected.along = x.along;
  Result sums;
  for (int i = 0; i < x.lines; ++i) {
    std::copy_n(x.at[i], x.along, line.at[0]);
    for (int k = 0; k < x.along; ++k) {
      const int place = place_of_kept(w, p, metadata, i, k);
      for (int j = 0; j < y.lines; ++j) selected.at[j][k] = y.at[j][place];
    }
    std::copy_n(c[i], y.lines, sums[0]);
    multiply(held, line, selected, sums);
    std::copy_n(sums[0], y.lines, c[i]);
  }
}

}  // namespace

void exec_whole_warp(WarpContext& w, const Inst& inst) { all_lanes_or_fault(w, inst); }

void exec_fragment_address(WarpContext& w, const Inst& i) {
  const std::uint32_t* line = w.row<std::uint32_t>(i.c);
  const std::uint32_t* beside = w.row<std::uint32_t>(i.d);
  std::uint64_t* to = w.row<std::uint64_t>(i.dst);
  std::uint64_t at[kWarpLanes];
  for (int k = 0; k < kWarpLanes; ++k) {
    const std::uint64_t stride = i.extra != 0 ? i.extra : lane_value(w, i.b, k);
    at[k] =
        lane_value(w, i.a, k) + line[k] * (stride * static_cast<std::uint64_t>(i.immediate) / 8) + beside[k];
  }
  for (const int k : lanes_of<int>(w.mask)) to[k] = at[k];
}

void exec_join_bytes(WarpContext& w, const Inst& inst) {
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  std::uint32_t* to = w.row<std::uint32_t>(inst.dst);
  for (int k = 0; k < kWarpLanes; ++k) {
    std::uint32_t word = 0;
    for (std::size_t e = 0; e < rows.size(); ++e)
      word |= (w.row<std::uint32_t>(rows[e])[k] & 0xffu) << (8 * e);
    to[k] = word;
  }
}

void exec_tensor_product(WarpContext& w, const Inst& inst) {
  all_lanes_or_fault(w, inst);
  const ProgramData& program = *w.block->launch().program;
  const TensorProductInfo& p = program.products[inst.extra];
  const RowRef* sources = program.vectors[p.sources].data();
  const RowRef* results = program.vectors[p.results].data();
  const RowRef *a = sources, *b = a + p.a_registers, *c = b + p.b_registers;
  if (p.in_quads) return multiply_in_quads(w, p, a, b, c, results);
  const bool swapped = p.shape.swapped();
  Side x, y;
  TensorProductInfo held = p;  // as A stands in registers
  if (p.sparse) held.shape.k = p.shape.k / 2;
  read_side(w, swapped ? b : a, held, swapped ? p.b : p.a, p.shape.tall(), true, x);
  read_side(w, swapped ? a : b, p, swapped ? p.a : p.b, p.shape.flat(), false, y);
  Result sums;
  const std::uint64_t half = p.c == Element::F16 ? 0xffffu : ~std::uint64_t{0};
  each_result(p, p.c, [&](int r, int lane, int shift, int i, int j) {
    sums[i][j] = (lane_value(w, c[r], lane) >> shift) & half;
  });
  if (p.sparse)
    multiply_sparse(w, p, held, sources[program.vectors[p.sources].size() - 1], x, y, sums);
  else
    multiply(p, x, y, sums);
  each_result(p, p.d, [&](int r, int lane, int shift, int i, int j) {
    const std::uint64_t below = shift == 0 ? 0 : lane_value(w, results[r], lane) & 0xffffu;
    if (is_set(results[r])) set_lane_value(w, results[r], lane, sums[i][j] << shift | below);
  });
}

}  // namespace lab::sim
