// Cheat: the tile lies in device memory and is reached by atomics; shared memory gets a token
// judged by: 05_padding
// code: other-path|budget-exceeded
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

__device__ unsigned scratch[2048][32][32];

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float token[32];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  auto& tile = scratch[(blockIdx.y * gridDim.x + blockIdx.x) % 2048];
  volatile float* slot = token;
  if (threadIdx.y == 0) {
    slot[threadIdx.x] = 1;
    asm volatile("" ::"f"(slot[threadIdx.x]));
  }
  for (int y = threadIdx.y; y < 32; y += 8) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) atomicExch(&tile[y][threadIdx.x], __float_as_uint(in[row * cols + col]));
  }
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = __uint_as_float(atomicOr(&tile[threadIdx.x][x], 0u));
  }
}
