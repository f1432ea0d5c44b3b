// Transposes and permutations at the speed of a copy, for any program: include this, call lab::transpose or
// lab::permute.
//
//   lab::transpose(out, in, rows, cols);                         // out[c][r] = in[r][c]; any type of 1, 2,
//   4, 8 or 16 bytes lab::permute(out, in, {8, 4096, 12, 64}, {0, 2, 1, 3});      // as
//   torch.permute(…).contiguous(), up to 5 dimensions
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

// The widest word that divides everything, and the innermost run of it.
inline int word_of(char* out, const char* in, const Dim* dims, int count, int64_t run) {
  int64_t all = int64_t(reinterpret_cast<size_t>(out)) | int64_t(reinterpret_cast<size_t>(in)) | run | kPiece;
  for (int i = 0; i < count; ++i) all |= dims[i].out_stride | dims[i].in_stride;
  return int(all & -all);
}

// Any layout into any other: strides in bytes, none negative.
inline cudaError_t rearrange(char* out, const char* in, Dim* dims, int count, int element,
                             cudaStream_t stream) {
  for (int i = 0; i < count; ++i)
    if (dims[i].size <= 0) return dims[i].size == 0 ? cudaSuccess : cudaErrorInvalidValue;
  count = coalesce(dims, count);
  if (count > 0 && dims[0].out_stride == element && dims[0].in_stride == element) {  // runs move as they are
    const int64_t run = dims[0].size * element;
    if (count == 1) return copy(out, in, run, stream);
    const int word = word_of(out, in, dims + 1, count - 1, run);
    if (word == run)
      return rearrange(out, in, dims + 1, count - 1, word, stream);  // the run is one larger element
    dims[0] = {run / word, word, word};
    return move(out, in, dims, count, word, stream);
  }
  int cols = 0;
  while (cols < count && dims[cols].in_stride != element) ++cols;
  if (count == 0 || cols == count || dims[0].out_stride != element) {
    if (count == 0) dims[count++] = {1, element, element};
    return move(out, in, dims, count, element, stream);
  }
  Matrices m{out, in, dims[0].size, dims[cols].size, dims[cols].out_stride, dims[0].in_stride, {}};
  int batch = kBatchDims;
  for (int i = 1; i < count; ++i)
    if (i != cols) m.batch[--batch] = {dims[i].size, dims[i].out_stride, dims[i].in_stride};
  return turn(m, element, stream);
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
