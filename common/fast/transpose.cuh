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
#include "common/fast/steps.cuh"

namespace lab {

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
inline int word_of(const void* out, const void* in, int element, const Dim* dims, int count) {
  if (dims[0].out_stride != element || dims[0].in_stride != element) return element;
  int64_t all = int64_t(reinterpret_cast<size_t>(out)) | int64_t(reinterpret_cast<size_t>(in)) |
                dims[0].size * element | kPiece;
  for (int d = 1; d < count; ++d) all |= dims[d].out_stride | dims[d].in_stride;
  return int(all & -all);
}
inline int word_of(const Layout& l) { return word_of(l.out, l.in, l.element, l.dims, l.count); }

// Coalesces, and takes a run that is one word for one larger element. Leaves how many dimensions are left.
inline int simplify(const void* out, const void* in, Dim* dims, int count, int& element) {
  int left = coalesce(dims, count);
  while (left > 1 && dims[0].out_stride == element && dims[0].in_stride == element) {
    const int64_t run = dims[0].size * element;
    if (word_of(out, in, element, dims, left) != run) break;
    element = int(run);
    std::copy(dims + 1, dims + left, dims);
    --left;
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

// How a plan is found: in microseconds, or by a search among all boxes, in milliseconds.
enum class Effort { Quick, Searched };

inline Plan plan_for(const Layout& l, Effort effort) {
  constexpr double kFastEnough = 0.93;  // where a box is seldom faster, and never by much
  const bool searched = effort == Effort::Searched;
  double bytes = 2.0 * l.element;
  for (int d = 0; d < l.count; ++d) bytes *= double(l.dims[d].size);
  Plan plan;
  Matrices m{};
  double share = 1;
  bool aligned = true;
  if (as_matrices(l, m, false)) {
    plan.kind = Plan::kTurn, plan.turn = turn_plan(m, l.element), aligned = are_aligned(m);
    if (as_matrices(l, m, true)) {
      TurnPlan folded = turn_plan(m, l.element);
      // Tables of rows take a block 1.5 us; bytes_plan knows of that.
      const double time = copy_time(bytes) / folded.share;
      if (l.element > 1) folded.share *= time / (time + 1.5);
      if (folded.share > plan.turn.share) plan.turn = folded;
    }
    share = plan.turn.share;
  } else {
    share = move_share(l);
  }
  const double others = (aligned ? 1.5 : 3) + copy_time(bytes) / share;
  const double enough = searched || l.element == 1 ? 1 : kFastEnough;
  if (l.count < 2 || share > enough || plan.turn.sure || bytes < 64 * 1024) return plan;
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

// The moves of a layout with a dense `out` and up to kMostRank dimensions: go(out, in, dims, count, element)
// once, or two or three times by way of a workspace as large as `out`.
template <typename Go>
cudaError_t by_way(char* out, const char* in, Dim* dims, int count, int element, char* way, const Go& go) {
  const int left = coalesce(dims, count);
  if (left > kMostRank) return cudaErrorInvalidValue;
  if (left <= kBoxDims || way == nullptr) return go(out, in, dims, left, element);
  int order[kMostRank];
  const int then = order_between(dims, left, element, order);
  if (then == 0) return cudaErrorInvalidValue;
  Dim first[kMostRank], second[kMostRank];
  int64_t at = element;
  for (int k = 0; k < left; ++k) {
    const Dim& dim = dims[order[k]];
    first[order[k]] = {dim.size, at, dim.in_stride}, second[order[k]] = {dim.size, dim.out_stride, at};
    at *= dim.size;
  }
  // Where two moves do not do, the first goes to `out` itself, and the way to and from the workspace follows.
  char* const between = then > kBoxDims ? out : way;
  const cudaError_t error = go(between, in, first, left, element);
  return error != cudaSuccess ? error : by_way(out, between, second, left, element, way, go);
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

inline int64_t bytes_of(const Dim* dims, int count, int element_bytes) {
  int64_t bytes = element_bytes;
  for (int i = 0; i < count; ++i) bytes *= dims[i].size;
  return bytes;
}

}  // namespace fast

// Bytes of workspace that permute needs, for pointers that are multiples of 16: 0 for up to 5 dimensions, once
// those that stay neighbours are one; else as many as `out` has. -1: that is no permutation, or more than 8 of
// them are left.
inline int64_t workspace_bytes(int count, const int64_t* sizes, const int64_t* in_strides, const int* order,
                               int element_bytes) {
  fast::Dim dims[fast::kMostGiven];
  if (!fast::dims_of(count, sizes, in_strides, order, element_bytes, dims)) return -1;
  const int64_t bytes = fast::bytes_of(dims, count, element_bytes);
  const int left = bytes == 0 ? 0 : fast::coalesce(dims, count);
  return left <= fast::kBoxDims ? 0 : left <= fast::kMostRank ? bytes : -1;
}

// `out` is dense, dimension i of `out` is dimension order[i] of `in`. `in_strides` counts elements; nullptr:
// `in` is dense too. Without the workspace that workspace_bytes asks for: cudaErrorInvalidValue.
inline cudaError_t permute(void* out, const void* in, int count, const int64_t* sizes,
                           const int64_t* in_strides, const int* order, int element_bytes,
                           cudaStream_t stream = nullptr, Workspace workspace = {}) {
  fast::Dim dims[fast::kMostGiven];
  if (!fast::dims_of(count, sizes, in_strides, order, element_bytes, dims)) return cudaErrorInvalidValue;
  const int64_t bytes = fast::bytes_of(dims, count, element_bytes);
  if (bytes == 0) return cudaSuccess;
  char* const way = workspace.bytes < bytes ? nullptr : static_cast<char*>(workspace.memory);
  return fast::by_way(static_cast<char*>(out), static_cast<const char*>(in), dims, count, element_bytes, way,
                      [&](char* to, const char* from, fast::Dim* moved, int left, int element) {
                        return fast::rearrange(to, from, moved, left, element, stream);
                      });
}

template <typename T>
cudaError_t permute(T* out, const T* in, std::initializer_list<int64_t> sizes,
                    std::initializer_list<int> order, cudaStream_t stream = nullptr,
                    Workspace workspace = {}) {
  if (sizes.size() != order.size()) return cudaErrorInvalidValue;
  return permute(out, in, int(sizes.size()), sizes.begin(), nullptr, order.begin(), int(sizeof(T)), stream,
                 workspace);
}

// A permutation whose plan was searched for once, in milliseconds, and is kept by the caller. Any thread may
// call it, also while a stream is captured: it allocates nothing. Elsewhere in memory, modulo 128 bytes, than
// the pointers that it was planned for, it takes a quick plan.
class Planned {
 public:
  // Why there is no plan, or cudaSuccess.
  [[nodiscard]] cudaError_t error() const { return error_; }

  cudaError_t operator()(void* out, const void* in, cudaStream_t stream = nullptr,
                         Workspace workspace = {}) const {
    if (error_ != cudaSuccess || (uses_workspace_ && workspace.bytes < bytes_))
      return error_ != cudaSuccess ? error_ : cudaErrorInvalidValue;
    char* const places[] = {const_cast<char*>(static_cast<const char*>(in)), static_cast<char*>(out),
                            static_cast<char*>(workspace.memory)};
    for (int i = 0; i < moves_; ++i) {
      const Move& move = move_[i];
      fast::Layout l = move.layout;
      l.out = places[move.to], l.in = places[move.from];
      const cudaError_t error =
          fast::launch(l, fast::alike(l, move.layout) ? move.plan : fast::kept_plan(l), stream);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }

 private:
  friend Planned plan(void* out, const void* in, int count, const int64_t* sizes, const int64_t* in_strides,
                      const int* order, int element_bytes, Workspace workspace);
  struct Move {
    int from = 0, to = 1;  // 0: in, 1: out, 2: the workspace
    fast::Layout layout{};
    fast::Plan plan;
  };
  Move move_[3];
  int moves_ = 0;
  int64_t bytes_ = 0;
  bool uses_workspace_ = false;
  cudaError_t error_ = cudaSuccess;
};

// The plan of permute, searched for. The pointers are looked at, not what they point to.
inline Planned plan(void* out, const void* in, int count, const int64_t* sizes, const int64_t* in_strides,
                    const int* order, int element_bytes, Workspace workspace = {}) {
  Planned planned;
  fast::Dim dims[fast::kMostGiven];
  if (!fast::dims_of(count, sizes, in_strides, order, element_bytes, dims)) {
    planned.error_ = cudaErrorInvalidValue;
    return planned;
  }
  planned.bytes_ = fast::bytes_of(dims, count, element_bytes);
  if (planned.bytes_ == 0) return planned;
  char* const way = workspace.bytes < planned.bytes_ ? nullptr : static_cast<char*>(workspace.memory);
  const auto place = [&](const char* pointer) { return pointer == in ? 0 : pointer == out ? 1 : 2; };
  planned.error_ =
      fast::by_way(static_cast<char*>(out), static_cast<const char*>(in), dims, count, element_bytes, way,
                   [&](char* to, const char* from, fast::Dim* moved, int left, int element) {
                     const fast::Layout l = fast::layout_of(to, from, moved, left, element);
                     if (l.count == 0) return cudaErrorInvalidValue;
                     planned.move_[planned.moves_++] = {place(from), place(to), l,
                                                        fast::plan_for(l, fast::Effort::Searched)};
                     planned.uses_workspace_ = planned.uses_workspace_ || to == way;
                     return cudaSuccess;
                   });
  return planned;
}

}  // namespace lab
