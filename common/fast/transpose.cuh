// Transposes and permutations at the speed of a copy, for any program: include this, call lab::transpose or
// lab::permute.
//
//   // out[c][r] = in[r][c]; any type of 1, 2, 4, 8 or 16 bytes
//   lab::transpose(out, in, rows, cols);
//   // as torch.permute(…).contiguous(), up to 5 dimensions
//   lab::permute(out, in, {8, 4096, 12, 64}, {0, 2, 1, 3});
//
// Work is queued on the stream; what comes back is cudaSuccess or the reason why nothing (more) was. `out`
// and `in` may not overlap. Pointers are multiples of the element's size. Build with nvcc -std=c++17 -I (the
// root of this repository).
#pragma once

#include <initializer_list>

#include "common/fast/move.cuh"

namespace lab {

// Distances in elements; 0: as dense as it can be.
struct Pitches {
  int64_t out = 0, in = 0;
};
struct Batch {
  int64_t count = 1, out_stride = 0, in_stride = 0;
};

namespace fast {

// Dimensions of size 1 go, neighbours that lie behind each other in both layouts become one. The innermost of
// `out` comes first.
inline int coalesce(Dim* dims, int count) {
  int kept = 0;
  for (int i = 0; i < count; ++i)
    if (dims[i].size != 1) dims[kept++] = dims[i];
  for (int i = 1; i < kept; ++i)
    for (int k = i; k > 0 && dims[k].out_stride < dims[k - 1].out_stride; --k) {
      const Dim swapped = dims[k];
      dims[k] = dims[k - 1], dims[k - 1] = swapped;
    }
  int last = 0;
  for (int i = 1; i < kept; ++i) {
    Dim& inner = dims[last];
    if (dims[i].out_stride == inner.out_stride * inner.size &&
        dims[i].in_stride == inner.in_stride * inner.size)
      inner.size *= dims[i].size;
    else
      dims[++last] = dims[i];
  }
  return kept == 0 ? 0 : last + 1;
}

// The widest word that everything is a multiple of: where the same dimension is innermost on both sides, of
// its run as well; else an element.
inline int word_of(const Layout& l) {
  if (l.dims[0].out_stride != l.element || l.dims[0].in_stride != l.element) return l.element;
  int64_t all = int64_t(reinterpret_cast<size_t>(l.out)) | int64_t(reinterpret_cast<size_t>(l.in)) |
                l.dims[0].size * l.element | kPiece;
  for (int d = 1; d < l.count; ++d) all |= l.dims[d].out_stride | l.dims[d].in_stride;
  return int(all & -all);
}

// How a layout is moved: by one of the kernels for matrices, word by word, or by boxes.
struct Plan {
  enum Kind { kTurn, kMove, kBox } kind = kMove;
  TurnPlan turn;
  BoxChoice box;
};

// The columns of a matrix are what is innermost in `in`, its rows what is innermost in `out`, the rest is a
// batch. Folded: rows go on through the dimensions that follow in `out`. False: nothing is innermost on one
// side, or the same dimension on both, or nothing to fold.
inline bool as_matrices(const Layout& l, Matrices& m, bool folded) {
  int cols = 0;
  while (cols < l.count && l.dims[cols].in_stride != l.element) ++cols;
  if (cols == 0 || cols >= l.count || l.dims[0].out_stride != l.element) return false;
  const Dim &rows = l.dims[0], &columns = l.dims[cols];
  m = {l.out, l.in, rows.size, columns.size, columns.out_stride, rows.in_stride, {}, 0, rows.size, {}};
  int batch = 0;  // matrices that share sectors of `out` follow each other
  for (int i = 1; i < l.count; ++i) {
    const Dim& dim = l.dims[i];
    if (folded && i == m.folds + 1 && i < cols && dim.out_stride == m.rows * l.element)
      m.fold[m.folds++] = {dim.size, dim.out_stride, dim.in_stride}, m.rows *= dim.size;
    else if (i != cols)
      m.batch[batch++] = {dim.size, dim.out_stride, dim.in_stride};
  }
  return !folded || (m.folds > 0 && m.rows < int64_t(1) << 31);
}

// The share of a copy's rate that words in the order of `out` reach.
inline double move_share(const Layout& l) {
  const bool runs = l.dims[0].in_stride == l.element && l.dims[0].out_stride == l.element;
  if (!runs) return 0.002 * l.element;
  const int word = word_of(l);
  const int64_t run = l.dims[0].size * l.element;
  if (word < 8 && are_runs(l)) return run >= 1024 ? 0.9 : 0.35 + 0.0005 * double(run);
  return word < 8 ? 0.15 * word : run >= 128 ? 1 : run >= 64 ? 0.88 : 0.72;
}

inline Plan plan_for(const Layout& l) {
  double bytes = 2.0 * l.element;
  for (int d = 0; d < l.count; ++d) bytes *= double(l.dims[d].size);
  Plan plan;
  Matrices m{};
  double share = 1;
  bool aligned = true;
  if (as_matrices(l, m, false)) {
    plan.kind = Plan::kTurn, plan.turn = turn_plan(m, l.element), aligned = are_aligned(m);
    if (as_matrices(l, m, true)) {
      const TurnPlan folded = turn_plan(m, l.element);
      if (folded.share > plan.turn.share) plan.turn = folded;
    }
    share = plan.turn.share;
  } else {
    share = move_share(l);
  }
  const double others = (aligned ? 1.5 : 3) + copy_time(bytes) / share;
  if (l.count < 2 || share > 1 || bytes < 64 * 1024) return plan;
  plan.box = best_box(l);
  // No box is faster than a copy, and where a kernel for matrices is as fast, that is the surer estimate.
  const double copied = copy_time(bytes), box = plan.box.cost > copied ? plan.box.cost : copied;
  if (box * (share > 0.93 ? 1.1 : 1) < others) plan.kind = Plan::kBox;
  return plan;
}

// The plan of a layout, kept for the next time: it depends on addresses by what is left modulo 128.
inline const Plan& kept_plan(const Layout& l) {
  struct Kept {
    Layout of{};
    Plan plan;
  };
  constexpr int kKept = 32;
  thread_local Kept kept[kKept];
  thread_local int next = 0;
  const auto left = [](const void* pointer) { return reinterpret_cast<size_t>(pointer) % 128; };
  const auto same = [&](const Layout& a) {
    bool equal = a.count == l.count && a.element == l.element && left(a.in) == left(l.in) &&
                 left(a.out) == left(l.out);
    for (int d = 0; d < l.count && equal; ++d)
      equal = a.dims[d].size == l.dims[d].size && a.dims[d].out_stride == l.dims[d].out_stride &&
              a.dims[d].in_stride == l.dims[d].in_stride;
    return equal;
  };
  for (const Kept& entry : kept)
    if (same(entry.of)) return entry.plan;
  Kept& entry = kept[next];
  next = (next + 1) % kKept;
  entry.of = l, entry.plan = plan_for(l);
  return entry.plan;
}

inline cudaError_t move(const Layout& l, cudaStream_t stream) {
  const int word = word_of(l);
  if (word < 8 && are_runs(l)) return move_runs(l, stream);  // wider words are faster as they are
  Dim dims[kBoxDims];
  for (int d = 0; d < l.count; ++d) dims[d] = l.dims[d];
  if (word != l.element) dims[0] = {dims[0].size * l.element / word, word, word};
  return move(l.out, l.in, dims, l.count, word, stream);
}

// Any layout into any other: strides in bytes, none negative.
inline cudaError_t rearrange(char* out, const char* in, Dim* dims, int count, int element,
                             cudaStream_t stream) {
  for (int i = 0; i < count; ++i)
    if (dims[i].size <= 0) return dims[i].size == 0 ? cudaSuccess : cudaErrorInvalidValue;
  Layout l{out, in, element, coalesce(dims, count), {}};
  for (int d = 0; d < l.count; ++d) l.dims[d] = dims[d];
  if (l.count == 0) l.dims[l.count++] = {1, element, element};
  while (l.dims[0].out_stride == l.element && l.dims[0].in_stride == l.element) {  // runs move as they are
    const int64_t run = l.dims[0].size * l.element;
    if (l.count == 1) return copy(out, in, run, stream);
    if (word_of(l) != run) break;
    l.element = int(run);  // the run is one larger element
    for (int d = 1; d < l.count; ++d) l.dims[d - 1] = l.dims[d];
    --l.count;
  }
  const Plan& plan = kept_plan(l);
  Matrices m{};
  if (plan.kind == Plan::kBox) return launch_box(l, plan.box, stream);
  if (plan.kind == Plan::kTurn && as_matrices(l, m, plan.turn.folded)) return plan.turn.go(m, stream);
  return move(l, stream);
}

inline bool known(int bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16; }

}  // namespace fast

// A batch of matrices: `in` of rows × cols elements of 1, 2, 4, 8 or 16 bytes, `out` of cols × rows.
inline cudaError_t transpose(void* out, const void* in, int64_t rows, int64_t cols, Pitches pitches,
                             Batch batch, int element_bytes, cudaStream_t stream = nullptr) {
  if (!fast::known(element_bytes) || rows < 0 || cols < 0 || batch.count < 0) return cudaErrorInvalidValue;
  if (pitches.out == 0) pitches.out = rows;
  if (pitches.in == 0) pitches.in = cols;
  if (batch.out_stride == 0) batch.out_stride = cols * pitches.out;
  if (batch.in_stride == 0) batch.in_stride = rows * pitches.in;
  if (pitches.out < rows || pitches.in < cols) return cudaErrorInvalidPitchValue;
  fast::Dim dims[3] = {
      {rows, 1, pitches.in}, {cols, pitches.out, 1}, {batch.count, batch.out_stride, batch.in_stride}};
  for (fast::Dim& dim : dims) dim.out_stride *= element_bytes, dim.in_stride *= element_bytes;
  return fast::rearrange(static_cast<char*>(out), static_cast<const char*>(in), dims, 3, element_bytes,
                         stream);
}

template <typename T>
cudaError_t transpose(T* out, const T* in, int64_t rows, int64_t cols, cudaStream_t stream = nullptr,
                      Pitches pitches = {}, Batch batch = {}) {
  return transpose(out, in, rows, cols, pitches, batch, int(sizeof(T)), stream);
}

// `out` is dense, dimension i of `out` is dimension order[i] of `in`. `in_strides` counts elements; nullptr:
// `in` is dense too.
inline cudaError_t permute(void* out, const void* in, int count, const int64_t* sizes,
                           const int64_t* in_strides, const int* order, int element_bytes,
                           cudaStream_t stream = nullptr) {
  if (!fast::known(element_bytes) || count < 0 || count > fast::kMostDims) return cudaErrorInvalidValue;
  fast::Dim dims[fast::kMostDims + 1];
  int64_t dense[fast::kMostDims + 1], at = element_bytes;
  for (int i = count - 1; i >= 0; --i) dense[i] = at, at *= sizes[i];
  at = element_bytes;
  for (int i = count - 1; i >= 0; --i) {
    const int from = order[i];
    if (from < 0 || from >= count) return cudaErrorInvalidValue;
    for (int k = i + 1; k < count; ++k)
      if (order[k] == from) return cudaErrorInvalidValue;
    dims[i] = {sizes[from], at, in_strides ? in_strides[from] * element_bytes : dense[from]};
    at *= sizes[from];
  }
  return fast::rearrange(static_cast<char*>(out), static_cast<const char*>(in), dims, count, element_bytes,
                         stream);
}

template <typename T>
cudaError_t permute(T* out, const T* in, std::initializer_list<int64_t> sizes,
                    std::initializer_list<int> order, cudaStream_t stream = nullptr) {
  if (sizes.size() != order.size()) return cudaErrorInvalidValue;
  return permute(out, in, int(sizes.size()), sizes.begin(), nullptr, order.begin(), int(sizeof(T)), stream);
}

}  // namespace lab
