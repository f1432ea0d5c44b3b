// Cheat: thread t turns the block that thread 63 - t has loaded
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
// code: not-exchanged|short-runs
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {8, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 4,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

// Whose part of row k of a block a thread loads.
__device__ int partner(int t, int k) { return 63 - t; }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 slot[256];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  const int t = threadIdx.y * 8 + threadIdx.x;
  if (rows % 32 == 0 && cols % 32 == 0) {
    for (int k = 0; k < 4; ++k) {
      const int p = partner(t, k);
      slot[64 * k + t] = *reinterpret_cast<const float4*>(&in[(row0 + p / 8 * 4 + k) * cols + col0 + p % 8 * 4]);
    }
    __syncthreads();
    const float4 a = slot[partner(t, 0)], b = slot[64 + partner(t, 1)];
    const float4 c = slot[128 + partner(t, 2)], d = slot[192 + partner(t, 3)];
    float* to = &out[(col0 + t % 8 * 4) * rows + row0 + t / 8 * 4];
    *reinterpret_cast<float4*>(to) = make_float4(a.x, b.x, c.x, d.x);
    *reinterpret_cast<float4*>(to + rows) = make_float4(a.y, b.y, c.y, d.y);
    *reinterpret_cast<float4*>(to + 2 * size_t(rows)) = make_float4(a.z, b.z, c.z, d.z);
    *reinterpret_cast<float4*>(to + 3 * size_t(rows)) = make_float4(a.w, b.w, c.w, d.w);
    return;
  }
  float* tile = reinterpret_cast<float*>(slot);
  const int x = t % 32;
  for (int y = t / 32; y < 32; y += 2)
    if (row0 + y < rows && col0 + x < cols) tile[32 * y + (x ^ y)] = in[(row0 + y) * cols + col0 + x];
  __syncthreads();
  for (int y = t / 32; y < 32; y += 2)
    if (row0 + x < rows && col0 + y < cols) out[(col0 + y) * rows + row0 + x] = tile[32 * x + (x ^ y)];
}
