// The kernel for matrices whose rows all start on 16 bytes in `in` and on 32 in `out`: a thread loads 16
// bytes of up to 4 rows, turns them in registers and keeps them in a tile of rows of `out`.
#pragma once

#include "common/fast/job.cuh"

namespace lab::fast {

// Where piece x of row y of `out` is kept: lanes that walk down or along the tile meet 8 different groups of
// banks.
template <typename T, typename Tile>
__device__ inline Tile* kept(Tile* tile, int y, int x) {
  return tile + ((y * T::kChunks + x) ^ (y / T::kElems % 8)) * kPiece;
}

// Four words, one of each row, that hold 4 bytes or 2 halves: as columns.
__device__ inline void turn_bytes(const uint32_t (&row)[4], uint32_t (&column)[4]) {
  const uint32_t low = __byte_perm(row[0], row[1], 0x5140), low2 = __byte_perm(row[2], row[3], 0x5140);
  const uint32_t high = __byte_perm(row[0], row[1], 0x7362), high2 = __byte_perm(row[2], row[3], 0x7362);
  column[0] = __byte_perm(low, low2, 0x5410), column[1] = __byte_perm(low, low2, 0x7632);
  column[2] = __byte_perm(high, high2, 0x5410), column[3] = __byte_perm(high, high2, 0x7632);
}
__device__ inline void turn_halves(const uint32_t (&row)[4], uint2 (&column)[2]) {
  column[0] = {__byte_perm(row[0], row[1], 0x5410), __byte_perm(row[2], row[3], 0x5410)};
  column[1] = {__byte_perm(row[0], row[1], 0x7632), __byte_perm(row[2], row[3], 0x7632)};
}

// Keeps the pieces of rows y … at columns x ….
template <typename T>
__device__ inline void keep_turned(char* tile, const uint4 (&rows)[T::kElems < 4 ? T::kElems : 4], int y,
                                   int x) {
  const auto at = [=](int column) {
    return kept<T>(tile, x + column, y / T::kElems) + y % T::kElems * T::kSize;
  };
  if constexpr (T::kSize == 16) {
    *reinterpret_cast<uint4*>(at(0)) = rows[0];
  } else if constexpr (T::kSize == 8) {
    *reinterpret_cast<uint4*>(at(0)) = {rows[0].x, rows[0].y, rows[1].x, rows[1].y};
    *reinterpret_cast<uint4*>(at(1)) = {rows[0].z, rows[0].w, rows[1].z, rows[1].w};
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      uint32_t row[4], column[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) row[k] = reinterpret_cast<const uint32_t*>(&rows[k])[i];
      if constexpr (T::kSize == 4) {
        *reinterpret_cast<uint4*>(at(i)) = {row[0], row[1], row[2], row[3]};
      } else if constexpr (T::kSize == 2) {
        uint2 halves[2];
        turn_halves(row, halves);
        *reinterpret_cast<uint2*>(at(2 * i)) = halves[0],
                                         *reinterpret_cast<uint2*>(at(2 * i + 1)) = halves[1];
      } else {
        turn_bytes(row, column);
#pragma unroll
        for (int k = 0; k < 4; ++k) *reinterpret_cast<uint32_t*>(at(4 * i + k)) = column[k];
      }
    }
  }
}

template <typename T>
constexpr int kTurned = T::kElems < 4 ? T::kElems : 4;  // rows that a thread turns at once

// All loads of a thread are on their way before the first is used. Inside of the matrix none needs a guard.
template <typename T, bool kInside>
__device__ inline void read_turned(char* tile, const Corner& c, const Job& job) {
  constexpr int kAll = T::kRows / kTurned<T> * T::kPieces, kItems = (kAll + T::kThreads - 1) / T::kThreads;
  const auto row_of = [](int n) { return (n * T::kThreads + int(threadIdx.x)) / T::kPieces * kTurned<T>; };
  const int x = threadIdx.x % T::kPieces * T::kElems;
  static_assert(T::kThreads % T::kPieces == 0 && kAll % T::kThreads == 0);
  uint4 rows[kItems][kTurned<T>];
#pragma unroll
  for (int n = 0; n < kItems; ++n) {
    const char* from = c.in + row_of(n) * job.in_pitch + x * T::kSize;
#pragma unroll
    for (int k = 0; k < kTurned<T>; ++k, from += job.in_pitch) {
      if constexpr (kInside)
        rows[n][k] = load_whole(from);
      else
        rows[n][k] = row_of(n) + k < c.rows && x < c.cols ? load_piece(from, job) : uint4{};
    }
  }
#pragma unroll
  for (int n = 0; n < kItems; ++n) keep_turned<T>(tile, rows[n], row_of(n), x);
}

template <typename T>
__device__ inline void read_turned(char* tile, const Corner& c, const Job& job) {
  if (c.rows >= T::kRows && c.cols >= T::kCols)
    read_turned<T, true>(tile, c, job);
  else
    read_turned<T, false>(tile, c, job);
}

template <typename T, typename Store = AsTheyAre<T::kSize>>
__device__ inline void write_turned(const char* tile, const Corner& c, const Job& job,
                                    const Store& store = {}) {
#pragma unroll
  for (int first = 0; first < T::kCols * T::kChunks; first += T::kThreads) {
    const int i = first + threadIdx.x, x = i % T::kChunks, y = i / T::kChunks;
    if (y >= c.cols || x * T::kElems >= c.rows) continue;
    store.piece(c.out + y * job.out_pitch + x * T::kElems * T::kOut,
                *reinterpret_cast<const uint4*>(kept<T>(tile, y, x)), c.rows - x * T::kElems);
  }
}

template <typename T, typename Store = AsTheyAre<T::kSize>>
__device__ inline void turn_aligned_tile(const Job& job, uint32_t block, const Store& store = {}) {
  extern __shared__ __align__(128) char tile[];
  const Corner c = corner<T>(job, block);
  read_turned<T>(tile, c, job);
  __syncthreads();
  write_turned<T>(tile, c, job, store);
}

template <typename T, typename Given>
__global__ void __launch_bounds__(T::kThreads, T::kBlocks) turn_aligned(const __grid_constant__ Given given) {
  wait_for_the_kernel_before();
  share_of_block(given, blockIdx.x, [](const Job& job, uint32_t block, const auto&... store) {
    turn_aligned_tile<T>(job, block, store...);
  });
}

}  // namespace lab::fast
