// A transpose that computes with each element on its way, in registers: a scale, another type, a sum with what
// the output holds.
//
//   lab::transpose_with(out, in, rows, cols, lab::Affine{0.5f, 1}, stream);      // out[c][r] = 0.5 in[r][c] + 1
//   lab::transpose_with(halves, floats, rows, cols, lab::Affine{}, stream);      // as another type
//   lab::transpose_with(out, in, rows, cols, lab::Blend{1, 0.9f}, stream);       // out[c][r] = in[r][c] + 0.9 out[c][r]
//
// Any functor of the element, or of the element and the output's, that the device can call will do. Types of
// 1 to 16 bytes. Built and queued as transpose.cuh says.
#pragma once

#include <type_traits>

#include "common/fast/transpose.cuh"

namespace lab {

struct Affine {
  float scale = 1, bias = 0;
  __host__ __device__ float operator()(float x) const { return fmaf(x, scale, bias); }
};
struct Blend {  // alpha x + beta out
  float alpha = 1, beta = 0;
  __host__ __device__ float operator()(float x, float out) const { return fmaf(x, alpha, beta * out); }
};

namespace fast {

template <typename Out, typename In, typename F>
struct WithJob {
  Out* out;
  const In* in;
  int64_t rows, cols;  // of `in`
  Pitches pitches;
  Batch batch;
  Divider tiles, across;  // tiles of a matrix, along a row of `in`
  F go;
};

constexpr int kWithThreads = 256;
template <typename Out, typename In>
constexpr int kWithSide = sizeof(Out) > 4 || sizeof(In) > 4 ? 32 : 64;
template <typename T>
constexpr int kOfWord = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;  // elements that a lane takes at once

template <typename T>
struct alignas(sizeof(T) * kOfWord<T>) Elements {
  T at[kOfWord<T>];
};

// The words of a tile by turns, lanes along rows of `lines`: go(line, first element, item).
template <typename T, int kSide, typename Go>
__device__ inline void each_word_of(const Go& go) {
  constexpr int kLanes = kSide / kOfWord<T>, kLines = kWithThreads / kLanes;
#pragma unroll
  for (int n = 0; n < kSide / kLines; ++n)
    go(int(threadIdx.x) / kLanes + n * kLines, int(threadIdx.x) % kLanes * kOfWord<T>, n);
}
template <typename T, bool kWords>
__device__ inline Elements<T> load_elements(const T* from, int64_t left) {
  Elements<T> word;
  if (kWords && left >= kOfWord<T>) return *reinterpret_cast<const Elements<T>*>(from);
#pragma unroll
  for (int k = 0; k < kOfWord<T>; ++k)
    if (k < left) word.at[k] = from[k];
  return word;
}

// kWords: words of a row of `in` and of `out` are aligned.
template <typename Out, typename In, typename F, bool kWords>
__global__ void __launch_bounds__(kWithThreads)
    transpose_tiles_with(const __grid_constant__ WithJob<Out, In, F> job) {
  constexpr bool kBlends = std::is_invocable_v<F, In, Out>;
  constexpr int kSide = kWithSide<Out, In>;
  using Kept = std::conditional_t<kBlends, In, Out>;
  // Lanes that walk across rows meet different banks.
  __shared__ Elements<Kept> tile[kSide][kSide / kOfWord<Kept> + 1];
  wait_for_the_kernel_before();
  const uint32_t matrix = job.tiles.quotient(blockIdx.x), block = blockIdx.x - matrix * job.tiles.d,
                 down = job.across.quotient(block), across = block - down * job.across.d;
  const int64_t row0 = int64_t(down) * kSide, col0 = int64_t(across) * kSide, rows = job.rows - row0,
                cols = job.cols - col0;
  const In* const in = job.in + matrix * job.batch.in_stride + row0 * job.pitches.in + col0;
  Out* const out = job.out + matrix * job.batch.out_stride + col0 * job.pitches.out + row0;
  Elements<In> words[kSide * kSide / kOfWord<In> / kWithThreads];
  each_word_of<In, kSide>([&](int y, int x, int n) {
    if (y < rows && x < cols) words[n] = load_elements<In, kWords>(in + y * job.pitches.in + x, cols - x);
  });
  each_word_of<In, kSide>([&](int y, int x, int n) {
#pragma unroll
    for (int k = 0; k < kOfWord<In>; ++k) {
      if (y >= rows || x + k >= cols) continue;
      Kept& kept = tile[x + k][y / kOfWord<Kept>].at[y % kOfWord<Kept>];
      if constexpr (kBlends)
        kept = words[n].at[k];
      else
        kept = Out(job.go(words[n].at[k]));
    }
  });
  __syncthreads();
  each_word_of<Out, kSide>([&](int x, int y, int) {
    if (x >= cols || y >= rows) return;
    Out* const to = out + x * job.pitches.out + y;
    Elements<Out> word;
    if constexpr (kBlends) {
      word = load_elements<Out, kWords>(to, rows - y);
#pragma unroll
      for (int k = 0; k < kOfWord<Out>; ++k)
        if (y + k < rows)
          word.at[k] = Out(job.go(tile[x][(y + k) / kOfWord<Kept>].at[(y + k) % kOfWord<Kept>], word.at[k]));
    } else {
      word = tile[x][y / kOfWord<Out>];
    }
    if (kWords && rows - y >= kOfWord<Out>) {
      *reinterpret_cast<Elements<Out>*>(to) = word;
      return;
    }
#pragma unroll
    for (int k = 0; k < kOfWord<Out>; ++k)
      if (k < rows - y) to[k] = word.at[k];
  });
}

template <typename F>
struct AlignedWithJob {
  Job job;
  F go;
};

// Where rows are whole aligned pieces: the tile of turn_aligned, and as many elements of the output at once as
// a piece of `in` has.
template <typename T, typename Out, typename In, typename F>
__global__ void __launch_bounds__(T::kThreads, T::kBlocks)
    turn_aligned_with(const __grid_constant__ AlignedWithJob<F> with) {
  extern __shared__ __align__(128) char tile[];
  constexpr int kBytes = T::kElems * int(sizeof(Out)), kAlign = kBytes < kPiece ? kBytes : kPiece;
  struct alignas(kAlign) Piece {
    Out at[T::kElems];
  };
  struct alignas(kPiece) Kept {
    In at[T::kElems];
  };
  const Job& job = with.job;
  wait_for_the_kernel_before();
  const Corner c = corner<T>(job, blockIdx.x);
  read_turned<T>(tile, c, job);
  __syncthreads();
  // The corner of `out`, whose elements have another size.
  char* const out = job.out + job.tiles.quotient(blockIdx.x) * job.out_stride[0] +
                    (job.cols - c.cols) * job.out_pitch + c.row0 * int64_t(sizeof(Out));
#pragma unroll
  for (int first = 0; first < T::kCols * T::kChunks; first += T::kThreads) {
    const int i = first + int(threadIdx.x), x = i % T::kChunks, y = i / T::kChunks;
    const int64_t left = c.rows - x * T::kElems;
    if (y >= c.cols || left <= 0) continue;
    const bool whole = left >= T::kElems;
    const Kept from = *reinterpret_cast<const Kept*>(kept<T>(tile, y, x));
    auto* const to = reinterpret_cast<Piece*>(out + y * job.out_pitch) + x;
    Piece piece;
    if constexpr (std::is_invocable_v<F, In, Out>) {
      if (whole) piece = *to;
#pragma unroll
      for (int k = 0; k < T::kElems; ++k)
        if (k < left) piece.at[k] = Out(with.go(from.at[k], whole ? piece.at[k] : to->at[k]));
    } else {
#pragma unroll
      for (int k = 0; k < T::kElems; ++k)
        if (k < left) piece.at[k] = Out(with.go(from.at[k]));
    }
    if (whole) {
      *to = piece;
      continue;
    }
#pragma unroll
    for (int k = 0; k < T::kElems; ++k)
      if (k < left) to->at[k] = piece.at[k];
  }
}

}  // namespace fast

// out[c][r] = go(in[r][c]), or go(in[r][c], out[c][r]), as Out. `out` and `in` may not overlap.
template <typename Out, typename In, typename F>
cudaError_t transpose_with(Out* out, const In* in, int64_t rows, int64_t cols, const F& go,
                           cudaStream_t stream = nullptr, Pitches pitches = {}, Batch batch = {}) {
  static_assert(std::is_invocable_v<F, In> || std::is_invocable_v<F, In, Out>, "no functor of an element");
  constexpr int kSide = fast::kWithSide<Out, In>;
  if (rows < 0 || cols < 0 || batch.count < 0) return cudaErrorInvalidValue;
  if (pitches.out == 0) pitches.out = rows;
  if (pitches.in == 0) pitches.in = cols;
  if (batch.out_stride == 0) batch.out_stride = cols * pitches.out;
  if (batch.in_stride == 0) batch.in_stride = rows * pitches.in;
  if (pitches.out < rows || pitches.in < cols) return cudaErrorInvalidPitchValue;
  if (rows == 0 || cols == 0 || batch.count == 0) return cudaSuccess;
  constexpr int64_t kIn = sizeof(In), kOut = sizeof(Out), kPiece = fast::kPiece;
  const auto aligned = [&](int64_t bytes, const void* pointer, int64_t size, int64_t pitch, int64_t stride) {
    const int64_t apart = batch.count > 1 ? stride * size : 0;
    return (int64_t(reinterpret_cast<size_t>(pointer)) | pitch * size | apart) % bytes == 0;
  };
  if (aligned(kPiece, in, kIn, pitches.in, batch.in_stride) &&
      aligned(fast::least(kPiece, kPiece / kIn * kOut), out, kOut, pitches.out, batch.out_stride)) {
    using T = typename fast::Tiles<int(kIn)>::Large;
    const fast::Matrices all{reinterpret_cast<char*>(out),
                             reinterpret_cast<const char*>(in),
                             rows,
                             cols,
                             pitches.out * kOut,
                             pitches.in * kIn,
                             {{batch.count, batch.out_stride * kOut, batch.in_stride * kIn}, {}, {}},
                             0,
                             rows,
                             {}};
    const int64_t blocks = fast::tiles_of<T>(all);
    if (blocks > fast::kMostBlocks / batch.count) return cudaErrorInvalidValue;
    const fast::AlignedWithJob<F> job{fast::job_for<T>(all, 1), go};
    return fast::launch(fast::turn_aligned_with<T, Out, In, F>, unsigned(blocks * batch.count), T::kThreads,
                        T::kRows * T::kCols * T::kSize, job, stream);
  }
  const int64_t across = fast::up(cols, kSide), tiles = fast::up(rows, kSide) * across;
  if (tiles > fast::kMostBlocks / batch.count) return cudaErrorInvalidValue;
  const bool words = (kOut > 4 || aligned(4, out, kOut, pitches.out, batch.out_stride)) &&
                     (kIn > 4 || aligned(4, in, kIn, pitches.in, batch.in_stride));
  const fast::WithJob<Out, In, F> job{out,
                                      in,
                                      rows,
                                      cols,
                                      pitches,
                                      batch,
                                      fast::divide_by(uint32_t(tiles)),
                                      fast::divide_by(uint32_t(across)),
                                      go};
  return fast::launch(
      words ? fast::transpose_tiles_with<Out, In, F, true> : fast::transpose_tiles_with<Out, In, F, false>,
      unsigned(tiles * batch.count), fast::kWithThreads, 0, job, stream);
}

}  // namespace lab
