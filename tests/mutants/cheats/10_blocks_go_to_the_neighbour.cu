// Cheat: each lane turns blocks of 16 bytes by 16 bytes of its own in registers, and swaps them with its neighbour
// judged by: 10_narrow_types
// code: short-runs|narrow-access|many-instructions|not-exchanged
#include "common/kernel/lab.cuh"

constexpr int kThreads = 64;
template <typename T> constexpr int kChunk = 16 / sizeof(T);
template <typename T>
constexpr lab::LaunchShape kShape{.block = {kThreads, 1}, .tile = {8 * kChunk<T>, 8 * kChunk<T>}, .block_x_walks = kCols};
PREDICTIONS = {.global_load_sectors_per_request = 2,
               .shared_load_wavefronts_per_request = 4, .shared_store_wavefronts_per_request = 4};

template <typename T>
__device__ void transpose_tile(T* out, const T* in, size_t rows, size_t cols) {
  constexpr int C = kChunk<T>, S = 8 * C;
  __shared__ uint4 slot[C][kThreads];
  const size_t row0 = blockIdx.y * S, col0 = blockIdx.x * S;
  const int t = threadIdx.x, p = t ^ 1;
  const bool wide = rows % C == 0 && cols % C == 0;
  for (int i = t; !wide && i < S * S; i += kThreads)
    if (const size_t row = row0 + i % S, col = col0 + i / S; row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  union Line { uint4 all; T each[C]; } line[C], turned;
  const size_t from_row = row0 + p / 8 * C, from_col = col0 + p % 8 * C, row = row0 + t / 8 * C, col = col0 + t % 8 * C;
#pragma unroll
  for (int k = 0; k < C; ++k)
    if (wide && from_row < rows && from_col < cols) slot[k][t] = *reinterpret_cast<const uint4*>(&in[(from_row + k) * cols + from_col]);
  __syncthreads();
  if (!wide || row >= rows || col >= cols) return;
#pragma unroll
  for (int k = 0; k < C; ++k) line[k].all = slot[k][p];
#pragma unroll
  for (int j = 0; j < C; ++j) {
#pragma unroll
    for (int k = 0; k < C; ++k) turned.each[k] = line[k].each[j];
    *reinterpret_cast<uint4*>(&out[(col + j) * rows + row]) = turned.all;
  }
}

#define TRANSPOSE(NAME, T) LAUNCH_SHAPE_OF(NAME) = kShape<T>; \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { transpose_tile(out, in, rows, cols); }
LAUNCH_SHAPE = kShape<float>;
TRANSPOSE(transpose, float) TRANSPOSE(transpose_u8, unsigned char) TRANSPOSE(transpose_u16, unsigned short)
TRANSPOSE(transpose_u64, unsigned long long) TRANSPOSE(transpose_u128, uint4)
