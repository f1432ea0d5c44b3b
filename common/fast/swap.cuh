// The kernel for square matrices in place: a block turns two tiles that lie across the diagonal from each
// other, or one on it.
//
// A tile never shares an element with another block's, so nothing is read that another block writes: of a row
// of a tile the whole 16-byte pieces are moved as they are, what lies beside them element by element.
#pragma once

#include "common/fast/aligned.cuh"
#include "common/fast/matrices.cuh"
#include "common/fast/ragged.cuh"

namespace lab::fast {

// By bytes of an element; sides of a tile have as many elements down as across.
template <int kSize, int kSide, int kThreads, int kBlocks>
using Square = Tile<kSize, kSide, kSide, kThreads, kBlocks>;

struct SwapJob {
  Job job;       // `in` is `out`; `tiles` counts the pairs of a matrix
  bool rotated;  // lanes begin at different words (lay_out)
};

// Elements of a row that are in no whole piece: before the first one and behind the last, together as many as
// a piece has, or none; all where the row is not whole. Lanes beside each other have those of one row.
template <typename T, typename Go>
__device__ inline void each_beside_pieces(const char* first, int64_t pitch, int64_t rows, int64_t cols,
                                          const Go& go) {
  const bool whole = cols >= T::kCols;
#pragma unroll 8
  for (int i = threadIdx.x; i < T::kRows * (whole ? T::kElems : T::kCols); i += T::kThreads) {
    const int y = whole ? i / T::kElems : i / T::kCols, x = whole ? i % T::kElems : i % T::kCols,
              skip = int(size_t(first + y * pitch) % kPiece) / T::kSize;
    if (y >= rows || (whole ? skip == 0 : x >= cols)) continue;
    go(y, !whole || x >= skip ? x - (whole ? skip : 0) : T::kCols - skip + x);
  }
}

// Rows as they are, each at an address congruent to its own modulo 16. A thread's rows begin alike.
template <typename T>
__device__ inline void read_square(char* tile, const Corner& c, const Job& job) {
  constexpr int kItems = T::kRows * T::kPieces / T::kThreads, kStep = T::kThreads / T::kPieces;
  static_assert(T::kThreads % T::kPieces == 0 && kStep % T::kElems == 0 &&
                T::kRows * T::kPieces % T::kThreads == 0);
  tile += size_t(c.in) % kPiece;
  const int x = threadIdx.x % T::kPieces, y0 = threadIdx.x / T::kPieces;
  const char* const row = c.in + y0 * job.in_pitch;
  const int at = x * kPiece - int(size_t(row) % kPiece);
  const bool whole = at >= 0 && c.cols >= T::kCols;
  uint4 pieces[kItems];
#pragma unroll
  for (int n = 0; n < kItems; ++n)
    if (whole && y0 + n * kStep < c.rows) pieces[n] = load_whole(row + n * kStep * job.in_pitch + at);
#pragma unroll
  for (int n = 0; n < kItems; ++n)
    if (whole && y0 + n * kStep < c.rows)
      *reinterpret_cast<uint4*>(tile + row_at<T>(job, y0 + n * kStep) + at) = pieces[n];
  using W = Word<T::kSize>;
  each_beside_pieces<T>(c.in, job.in_pitch, c.rows, c.cols, [&](int y, int e) {
    reinterpret_cast<W*>(tile + row_at<T>(job, y))[e] =
        reinterpret_cast<const W*>(c.in + y * job.in_pitch)[e];
  });
}

// Columns of the tile as rows: 8 lanes along a row of `out`, 4 rows beside each other.
template <typename T>
__device__ inline void write_square(const char* tile, const Corner& c, const SwapJob& swap) {
  constexpr int kWord = T::kSize > 4 ? T::kSize : 4, kWords = kPiece / kWord, kIn = kWord / T::kSize;
  constexpr int kPass = T::kThreads / 128 * 16;  // columns of all warps
  static_assert(T::kThreads % 128 == 0 && T::kCols % kPass == 0 && T::kChunks % 8 == 0);
  const Job& job = swap.job;
  tile += size_t(c.in) % kPiece;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, j = lane / 8, slot = warp % 4,
            shift = swap.rotated ? j : 0,
            col = slot % job.step + job.step * j + slot / job.step * 4 * job.step + warp / 4 * 16;
  char* const line = c.out + col * job.out_pitch;
  const int skip = int(size_t(line) % kPiece) / T::kSize;
#pragma unroll
  for (int chunk = 0; chunk < T::kChunks; chunk += 8) {
    const int y = (lane % 8 + chunk) * T::kElems - skip;
    if (y < 0 || c.rows < T::kRows) continue;
    int rows[T::kElems];
#pragma unroll
    for (int k = 0; k < T::kElems; ++k)
      rows[k] = row_at<T>(job, y + (k + shift % kWords * kIn) % T::kElems) + col * T::kSize;
#pragma unroll
    for (int pass = 0; pass < T::kCols; pass += kPass) {
      if (col + pass >= c.cols) break;
      Word<kWord> words[kWords];
#pragma unroll
      for (int k = 0; k < kWords; ++k) words[k] = gather<T::kSize>(tile + pass * T::kSize, &rows[k * kIn]);
      if (kWords > 1) rotate(words, shift);
      *reinterpret_cast<uint4*>(line + pass * job.out_pitch + y * T::kSize) =
          *reinterpret_cast<uint4*>(words);
    }
  }
  using W = Word<T::kSize>;
  each_beside_pieces<T>(c.out, job.out_pitch, c.cols, c.rows, [&](int x, int e) {
    reinterpret_cast<W*>(c.out + x * job.out_pitch)[e] =
        *reinterpret_cast<const W*>(tile + row_at<T>(job, e) + x * T::kSize);
  });
}

// kAligned: every row is a number of whole, aligned pieces.
template <typename T, bool kAligned>
__global__ void __launch_bounds__(T::kThreads, T::kBlocks) swap_tiles(const __grid_constant__ SwapJob swap) {
  extern __shared__ __align__(128) char tile[];
  const Job& job = swap.job;
  const uint32_t matrix = job.tiles.quotient(blockIdx.x), pair = blockIdx.x - matrix * job.tiles.d;
  uint32_t down = uint32_t((sqrt(8.0 * pair + 1) - 1) / 2);  // pairs above: down (down + 1) / 2
  const uint32_t across = pair - down * (down + 1) / 2;
  const Corner below = corner_at<T::kSize>(job, matrix, int64_t(down) * T::kRows, int64_t(across) * T::kCols),
               above = corner_at<T::kSize>(job, matrix, int64_t(across) * T::kRows, int64_t(down) * T::kCols);
  const bool two = down != across;
  wait_for_the_kernel_before();
  if constexpr (kAligned) {
    char* const other = tile + T::kRows * T::kCols * T::kSize;
    read_turned<T>(tile, below, job);
    if (two) read_turned<T>(other, above, job);
    __syncthreads();
    write_turned<T>(tile, below, job);
    if (two) write_turned<T>(other, above, job);
  } else {
    char* const other = tile + job.starts;
    read_square<T>(tile, below, job);
    if (two) read_square<T>(other, above, job);
    __syncthreads();
    write_square<T>(tile, below, swap);
    if (two) write_square<T>(other, above, swap);
  }
}

template <typename T, bool kAligned>
cudaError_t launch_swap(const Matrices& all, cudaStream_t stream) {
  const int64_t side = up(all.rows, T::kRows), pairs = side * (side + 1) / 2;
  return in_grids(all, pairs, [&](const Matrices& m, unsigned blocks) {
    SwapJob swap{job_for<T>(m, 1), false};
    swap.job.tiles = divide_by(uint32_t(pairs));
    swap.rotated = lay_out<T>(swap.job);
    const int rows = T::kRows;
    swap.job.starts =
        int32_t(up(rows * swap.job.pitch + rows / T::kElems * swap.job.skew + kPiece, kPiece) * kPiece);
    const int bytes = 2 * (kAligned ? T::kRows * T::kCols * T::kSize : swap.job.starts);
    return launch(swap_tiles<T, kAligned>, blocks, T::kThreads, bytes, swap, stream);
  });
}

}  // namespace lab::fast
