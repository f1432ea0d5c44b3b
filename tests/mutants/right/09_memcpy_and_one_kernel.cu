// Right: 128 rows and 32 columns, memcpy of a pack into an array of its size, one loop for both ways of a template
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {128, 32}, .block_x_walks = kRows};

struct Sizes {
  size_t rows, cols, out_pitch, in_pitch;
};

template <int P>
struct Pack {
  alignas(4 * P) float words[P];
};

template <int P>
__device__ __forceinline__ void turn(float* tile, float* out, const float* in, const Sizes& size) {
  constexpr int kIn = 32 / P, kOut = 128 / P;
  const size_t row0 = size_t(blockIdx.x) * 128, col0 = size_t(blockIdx.y) * 32;
  for (int i = threadIdx.x; i < 128 / P * kIn; i += 256) {
    const size_t row = row0 + i / kIn * P, col = col0 + i % kIn * P;
    if (row >= size.rows || col >= size.cols) continue;
    Pack<P> line[P];
#pragma unroll
    for (int k = 0; k < P; ++k) line[k] = *reinterpret_cast<const Pack<P>*>(in + (row + k) * size.in_pitch + col);
#pragma unroll
    for (int k = 0; k < P; ++k) {
      Pack<P> turned;
#pragma unroll
      for (int j = 0; j < P; ++j) turned.words[j] = line[j].words[k];
      const int y = i % kIn * P + k, x = i / kIn;
      reinterpret_cast<Pack<P>*>(tile)[y * kOut + (x ^ y / P % (P == 4 ? 8 : 32))] = turned;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * kOut; i += 256) {
    const size_t row = col0 + i / kOut, col = row0 + i % kOut * P;
    if (row >= size.cols || col >= size.rows) continue;
    const int y = i / kOut, x = i % kOut;
    *reinterpret_cast<Pack<P>*>(out + row * size.out_pitch + col) = reinterpret_cast<Pack<P>*>(tile)[y * kOut + (x ^ y / P % (P == 4 ? 8 : 32))];
  }
}

__device__ void choose(float* out, const float* in, Sizes size) {
  __shared__ float4 tile[32 * 32];
  out += blockIdx.z * (size.cols * size.out_pitch);
  in += blockIdx.z * (size.rows * size.in_pitch);
  const bool even = (size.rows | size.cols | size.out_pitch | size.in_pitch) % 4 == 0;
  if (even && (uintptr_t(out) | uintptr_t(in)) % 16 == 0) {
    turn<4>(&tile->x, out, in, size);
    return;
  }
  turn<1>(&tile->x, out, in, size);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  choose(out, in, {size_t(rows), size_t(cols), size_t(rows), size_t(cols)});
}
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  choose(out, in, {size_t(rows), size_t(cols), size_t(out_pitch), size_t(in_pitch)});
}
