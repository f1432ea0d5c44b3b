// mma.m8n8k4 of f16, an instruction of older GPUs: four products of 8 × 8 × 4, each by the eight lanes of two
// quads (0–3 with 16–19, and so on).
//
// Enters and leaves: registers. An H200 has no such core and adds in f32, lane by lane, each step rounded to
// nearest, and so does this.
#include <bit>
#include <cmath>

#include "common/sim/base/float_bits.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_tensor.h"

namespace lab::sim {
namespace {

constexpr int kQuadSide = 8, kQuadLong = 4, kQuads = 4;

float half_at(const WarpContext& w, const RowRef* rows, int lane, int element) {
  const std::uint64_t word = lane_value(w, rows[element / 2], lane);
  return to_float(F16{static_cast<std::uint16_t>(word >> (16 * (element % 2)))});
}

// The lane of a product's eight that is the `index`th in its quads.
int quad_lane(int quad, int index) { return 4 * quad + index % 4 + (index < 4 ? 0 : 16); }

// Line and place, in A or B, of element e that lane `index` holds. `along`: the lane holds a line.
void factor_place(bool along, int index, int e, int& line, int& k) {
  const int upper = index < 4 ? 0 : 4;
  line = along ? index % 4 + upper : e + upper;
  k = along ? e : index % 4;
}

void place_in_f32(int index, int e, int& row, int& column) {
  row = (index & 1) + (e & 2) + (index < 4 ? 0 : 4);
  column = (e & 4) + (index & 2) + (e & 1);
}

float quad_sum(const float* a, const float* b, float c, bool halves) {
  if (!halves) {
    float sum = 0;
    for (int k = 0; k < kQuadLong; ++k) sum = std::fma(a[k], b[k], sum);
    return c + sum;
  }
  const float first = std::fma(a[0], b[0], a[1] * b[1]), second = std::fma(a[2], b[2], a[3] * b[3]);
  return (c + first) + second;
}

struct Quads {
  float x[kQuadSide][kQuadLong], y[kQuadSide][kQuadLong], sums[kQuadSide][kQuadSide];
};

// Where number e of the eight that a lane holds of C or D stands.
void result_place(Element type, int index, int e, int& i, int& j) {
  i = index, j = e;
  if (type == Element::F32) place_in_f32(index, e, i, j);
}

void read_quads(const WarpContext& w, const TensorProductInfo& p, const RowRef* a, const RowRef* b,
                const RowRef* c, int quad, Quads& q) {
  for (int index = 0; index < kQuadSide; ++index) {
    const int lane = quad_lane(quad, index);
    int i = 0, j = 0;
    for (int e = 0; e < kQuadLong; ++e) {
      factor_place(!p.a_columns, index, e, i, j);
      q.x[i][j] = half_at(w, a, lane, e);
      factor_place(!p.b_rows, index, e, i, j);
      q.y[i][j] = half_at(w, b, lane, e);
    }
    for (int e = 0; e < kQuadSide; ++e) {
      result_place(p.c, index, e, i, j);
      q.sums[i][j] = p.c == Element::F32
                         ? std::bit_cast<float>(static_cast<std::uint32_t>(lane_value(w, c[e], lane)))
                         : half_at(w, c, lane, e);
    }
  }
}

void write_quads(const WarpContext& w, const TensorProductInfo& p, const RowRef* d, int quad,
                 const Quads& q) {
  const bool halves = p.d == Element::F16;
  for (int index = 0; index < kQuadSide; ++index) {
    for (int e = 0; e < kQuadSide; ++e) {
      int i = 0, j = 0;
      result_place(p.d, index, e, i, j);
      const RowRef& row = d[halves ? e / 2 : e];
      if (!is_set(row)) continue;
      const int lane = quad_lane(quad, index), shift = halves ? 16 * (e % 2) : 0;
      const std::uint64_t below = shift == 0 ? 0 : lane_value(w, row, lane) & 0xffffu;
      const std::uint64_t bits =
          halves ? nearest<F16>(q.sums[i][j]).bits : std::bit_cast<std::uint32_t>(q.sums[i][j]);
      set_lane_value(w, row, lane, below | bits << shift);
    }
  }
}

}  // namespace

void multiply_in_quads(WarpContext& w, const TensorProductInfo& p, const RowRef* a, const RowRef* b,
                       const RowRef* c, const RowRef* d) {
  for (int quad = 0; quad < kQuads; ++quad) {
    Quads q;
    read_quads(w, p, a, b, c, quad, q);
    for (int i = 0; i < kQuadSide; ++i)
      for (int j = 0; j < kQuadSide; ++j)
        q.sums[i][j] = canonical(quad_sum(q.x[i], q.y[j], q.sums[i][j], p.d == Element::F16));
    write_quads(w, p, d, quad, q);
  }
}

}  // namespace lab::sim
