// Transposes and permutations at the speed of a copy, for any program: include this, call lab::transpose or
// lab::permute.
//
//   // out[c][r] = in[r][c]; any type of 1, 2, 4, 8 or 16 bytes
//   lab::transpose(out, in, rows, cols);
//   // as torch.permute(…).contiguous(), up to 64 dimensions of which 8 are left once neighbours are joined
//   lab::permute(out, in, {8, 4096, 12, 64}, {0, 2, 1, 3});
//
// Work is queued on the stream; what comes back is cudaSuccess or the reason why nothing (more) was. `out`
// and `in` may not overlap. Pointers are multiples of the element's size. Build with nvcc -std=c++17 -I (the
// root of this repository).
#pragma once

#include <cstring>
#include <initializer_list>

#include "common/fast/move.cuh"

namespace lab {

namespace fast {

constexpr int kMostGiven = 64;  // dimensions of a permutation, before those that stay neighbours are one

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
inline int word_of(const void* out, const void* in, int element, const Dim* dims, int count) {
  if (dims[0].out_stride != element || dims[0].in_stride != element) return element;
  int64_t all = int64_t(reinterpret_cast<size_t>(out)) | int64_t(reinterpret_cast<size_t>(in)) |
                dims[0].size * element | kPiece;
  for (int d = 1; d < count; ++d) all |= dims[d].out_stride | dims[d].in_stride;
  return int(all & -all);
}
inline int word_of(const Layout& l) { return word_of(l.out, l.in, l.element, l.dims, l.count); }

// Coalesces, and takes the widest words that there are for elements. Leaves how many dimensions are left.
inline int simplify(const void* out, const void* in, Dim* dims, int count, int& element) {
  int left = coalesce(dims, count);
  while (left > 1 && word_of(out, in, element, dims, left) > element) {
    const int word = word_of(out, in, element, dims, left);
    dims[0] = {dims[0].size * element / word, word, word}, element = word;
    if (dims[0].size == 1) std::copy(dims + 1, dims + left, dims), --left;
  }
  return left;
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
    if (folded && m.folds < kBatchDims && i == m.folds + 1 && i < cols &&
        dim.out_stride == m.rows * l.element)
      m.fold[m.folds++] = {dim.size, dim.out_stride, dim.in_stride}, m.rows *= dim.size;
    else if (i != cols && batch == kBatchDims)
      return false;
    else if (i != cols)
      m.batch[batch++] = {dim.size, dim.out_stride, dim.in_stride};
  }
  return !folded || (m.folds > 0 && m.rows < int64_t(1) << 31);
}

// The share of a copy's rate that words in the order of `out` reach.
inline double move_share(const Layout& l) {
  const bool runs = l.dims[0].in_stride == l.element && l.dims[0].out_stride == l.element;
  if (!runs) return 0.002 * l.element;
  const int word = l.count > kMostDims ? 1 : word_of(l);  // of more dimensions a launch moves but a part
  const int64_t run = l.dims[0].size * l.element;
  if (word < 8 && are_runs(l)) return run >= 1024 ? 0.9 : 0.35 + 0.0005 * double(run);
  return word < 8 ? 0.15 * word : run >= 128 ? 1 : run >= 64 ? 0.88 : 0.72;
}

// How a plan is found: in microseconds, or by a search among all boxes, in milliseconds.
enum class Effort { Quick, Searched };

inline Plan plan_for(const Layout& l, Effort effort) {
  constexpr double kFastEnough = 0.93;  // where a box is seldom faster, and never by much
  const bool searched = effort == Effort::Searched;
  double bytes = 2.0 * l.element;
  for (int d = 0; d < l.count; ++d) bytes *= double(l.dims[d].size);
  Plan plan;
  Matrices m{};
  bool aligned = true;
  for (const bool folded : {false, true}) {
    if (!as_matrices(l, m, folded)) continue;
    TurnPlan turn = turn_plan(m, l.element);
    // Tables of rows take a block 1.5 us; bytes_plan knows of that.
    const double time = copy_time(bytes) / turn.share;
    if (folded && l.element > 1) turn.share *= time / (time + 1.5);
    aligned = folded ? aligned : are_aligned(m);
    if (turn.share > plan.turn.share) plan.turn = turn;
    plan.kind = Plan::kTurn;
  }
  const double share = plan.kind == Plan::kTurn ? plan.turn.share : move_share(l);
  const double others = (aligned ? 1.5 : 3) + copy_time(bytes) / share;
  const double enough = searched || l.element == 1 ? 1 : kFastEnough;
  const bool short_anyway = bytes < 64 * 1024 && others < 4.5;
  if (l.count < 2 || share > enough || plan.turn.sure || short_anyway) return plan;
  plan.box = best_box(l, !searched);
  // No box is faster than a copy, and where a kernel for matrices is as fast, that is the surer estimate.
  const double copied = copy_time(bytes), box = plan.box.cost > copied ? plan.box.cost : copied;
  if (box * (share > kFastEnough ? 1.1 : 1) < others) plan.kind = Plan::kBox;
  return plan;
}

// A plan depends on addresses by what is left modulo 128.
inline bool alike(const Layout& a, const Layout& b) {
  const auto left = [](const void* pointer) { return reinterpret_cast<size_t>(pointer) % 128; };
  return left(a.in) == left(b.in) && left(a.out) == left(b.out);
}

// The plan of a layout, kept for the next time.
inline const Plan& kept_plan(const Layout& l) {
  struct Kept {
    Layout of{};
    Plan plan;
  };
  constexpr int kKept = 32;
  thread_local Kept kept[kKept];
  thread_local int next = 0;
  const auto same = [&](const Layout& a) {
    return a.count == l.count && a.element == l.element && alike(a, l) &&
           memcmp(a.dims, l.dims, size_t(l.count) * sizeof(Dim)) == 0;
  };
  for (const Kept& entry : kept)
    if (same(entry.of)) return entry.plan;
  Kept& entry = kept[next];
  next = (next + 1) % kKept;
  entry.of = l, entry.plan = plan_for(l, Effort::Quick);
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

inline cudaError_t launch(const Layout& l, const Plan& plan, cudaStream_t stream) {
  Matrices m{};
  if (plan.kind == Plan::kBox) return launch_box(l, plan.box, stream);
  if (plan.kind == Plan::kTurn && as_matrices(l, m, plan.turn.folded)) return plan.turn.go(m, stream);
  return move(l, stream);
}

// Simplified; count 0: it has more than kBoxDims dimensions even then.
inline Layout layout_of(char* out, const char* in, Dim* dims, int count, int element) {
  const int left = simplify(out, in, dims, count, element);
  Layout l{out, in, element, left > kBoxDims ? 0 : left, {}};
  std::copy(dims, dims + l.count, l.dims);
  if (left == 0) l.dims[l.count++] = {1, element, element};
  return l;
}

// Any layout into any other: strides in bytes, none negative.
inline cudaError_t rearrange(char* out, const char* in, Dim* dims, int count, int element,
                             cudaStream_t stream) {
  for (int i = 0; i < count; ++i)
    if (dims[i].size <= 0) return dims[i].size == 0 ? cudaSuccess : cudaErrorInvalidValue;
  const Layout l = layout_of(out, in, dims, count, element);
  return l.count == 0 ? cudaErrorInvalidValue : launch(l, kept_plan(l), stream);
}

}  // namespace fast

// A batch of matrices: `in` of rows × cols elements of 1, 2, 4, 8 or 16 bytes, `out` of cols × rows.
inline cudaError_t transpose(void* out, const void* in, int64_t rows, int64_t cols, Pitches pitches,
                             Batch batch, int element_bytes, cudaStream_t stream = nullptr) {
  if (!fast::known(element_bytes)) return cudaErrorInvalidValue;
  if (const cudaError_t error = fast::complete(rows, cols, pitches, batch)) return error;
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

namespace fast {

// The dimensions of a permutation, the innermost of `out` last. False: that is no permutation.
inline bool dims_of(int count, const int64_t* sizes, const int64_t* in_strides, const int* order,
                    int element_bytes, Dim* dims) {
  if (!known(element_bytes) || count < 0 || count > kMostGiven) return false;
  int64_t dense[kMostGiven], at = element_bytes;
  for (int i = count - 1; i >= 0; --i) dense[i] = at, at *= sizes[i];
  at = element_bytes;
  for (int i = count - 1; i >= 0; --i) {
    const int from = order[i];
    if (from < 0 || from >= count || sizes[from] < 0) return false;
    for (int k = i + 1; k < count; ++k)
      if (order[k] == from) return false;
    dims[i] = {sizes[from], at, in_strides ? in_strides[from] * element_bytes : dense[from]};
    at *= sizes[from];
  }
  return true;
}

}  // namespace fast

// `out` is dense, dimension i of `out` is dimension order[i] of `in`. `in_strides` counts elements; nullptr:
// `in` is dense too.
inline cudaError_t permute(void* out, const void* in, int count, const int64_t* sizes,
                           const int64_t* in_strides, const int* order, int element_bytes,
                           cudaStream_t stream = nullptr) {
  fast::Dim dims[fast::kMostGiven];
  if (!fast::dims_of(count, sizes, in_strides, order, element_bytes, dims)) return cudaErrorInvalidValue;
  return fast::rearrange(static_cast<char*>(out), static_cast<const char*>(in), dims, count, element_bytes,
                         stream);
}

template <typename T>
cudaError_t permute(T* out, const T* in, std::initializer_list<int64_t> sizes,
                    std::initializer_list<int> order, cudaStream_t stream = nullptr) {
  if (sizes.size() != order.size()) return cudaErrorInvalidValue;
  return permute(out, in, int(sizes.size()), sizes.begin(), nullptr, order.begin(), int(sizeof(T)), stream);
}

// A permutation whose plan was searched for: call it with its pointers and a stream, from any thread. It allocates
// nothing. Other pointers will do: those that lie otherwise modulo 128 are planned when it is called.
class Planned {
 public:
  // Why there is no plan, or cudaSuccess.
  [[nodiscard]] cudaError_t error() const { return error_; }

  cudaError_t operator()(void* out, const void* in, cudaStream_t stream = nullptr) const {
    if (error_ != cudaSuccess || layout_.count == 0) return error_;
    fast::Layout l = layout_;
    l.out = static_cast<char*>(out), l.in = static_cast<const char*>(in);
    if (fast::alike(l, layout_)) return fast::launch(l, plan_, stream);
    fast::Dim dims[fast::kBoxDims + 1] = {{l.element / element_, element_, element_}};  // as it was given
    std::copy(l.dims, l.dims + l.count, dims + 1);
    return fast::rearrange(l.out, l.in, dims, l.count + 1, element_, stream);
  }

 private:
  friend Planned plan(void* out, const void* in, int count, const int64_t* sizes, const int64_t* in_strides,
                      const int* order, int element_bytes);
  fast::Layout layout_{};  // of no dimensions: there is nothing to move
  fast::Plan plan_;
  int element_ = 1;
  cudaError_t error_ = cudaSuccess;
};

// The plan of permute, searched for. The pointers are looked at, not what they point to.
inline Planned plan(void* out, const void* in, int count, const int64_t* sizes, const int64_t* in_strides,
                    const int* order, int element_bytes) {
  Planned planned;
  fast::Dim dims[fast::kMostGiven];
  fast::Layout& l = planned.layout_;
  planned.element_ = element_bytes;
  if (!fast::dims_of(count, sizes, in_strides, order, element_bytes, dims)) {
    planned.error_ = cudaErrorInvalidValue;
  } else if (std::all_of(sizes, sizes + count, [](int64_t size) { return size > 0; })) {
    l = fast::layout_of(static_cast<char*>(out), static_cast<const char*>(in), dims, count, element_bytes);
    if (l.count == 0)
      planned.error_ = cudaErrorInvalidValue;
    else
      planned.plan_ = fast::plan_for(l, fast::Effort::Searched);
  }
  return planned;
}

}  // namespace lab
