// Cheat: pairs of blocks of 4 × 4 go to seven other warps; the warps stand as if each had kept its own
// judged by: 08_vectorized_swizzle
// code: short-runs|not-exchanged|uncoalesced
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 4,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

__device__ int partner(int t, int k) { return t ^ (32 << k % 3) ^ 1; }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 slot[1024];
  const size_t row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int t = threadIdx.y * 16 + threadIdx.x;
  // A warp is 8 blocks wide and 4 high.
  const auto bx = [](int i) { return i / 32 % 2 * 8 + i % 8; };
  const auto by = [](int i) { return i / 64 * 4 + i / 8 % 4; };
  if (rows % 64 == 0 && cols % 64 == 0) {
    for (int k = 0; k < 4; ++k) {
      const int p = partner(t, k);
      slot[256 * k + t] = *reinterpret_cast<const float4*>(&in[(row0 + 4 * by(p) + k) * cols + col0 + 4 * bx(p)]);
    }
    __syncthreads();
    const float4 a = slot[partner(t, 0)], b = slot[256 + partner(t, 1)];
    const float4 c = slot[512 + partner(t, 2)], d = slot[768 + partner(t, 3)];
    float* to = &out[(col0 + 4 * bx(t)) * rows + row0 + 4 * by(t)];
    *reinterpret_cast<float4*>(to) = make_float4(a.x, b.x, c.x, d.x);
    *reinterpret_cast<float4*>(to + rows) = make_float4(a.y, b.y, c.y, d.y);
    *reinterpret_cast<float4*>(to + 2 * size_t(rows)) = make_float4(a.z, b.z, c.z, d.z);
    *reinterpret_cast<float4*>(to + 3 * size_t(rows)) = make_float4(a.w, b.w, c.w, d.w);
    return;
  }
  for (int i = t; i < 4096; i += 256)
    if (row0 + i / 64 < rows && col0 + i % 64 < cols)
      out[(col0 + i % 64) * rows + row0 + i / 64] = in[(row0 + i / 64) * cols + col0 + i % 64];
}
