// Right: a line of 128 threads, streaming accesses, the block of 4 × 4 in an array
// judged by: 03_float4
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {128, 1}, .tile = {32, 64}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 16, .global_store_sectors_per_request = 16, .global_load_sectors = 131072, .global_store_sectors = 131072};
__device__ __forceinline__ float get(const float4& v, int k) { return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w; }
extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
  const unsigned t = threadIdx.x;
  const size_t r0 = size_t(blockIdx.x) * 32 + 4 * (t % 8), c0 = size_t(blockIdx.y) * 64 + 4 * (t / 8);
  if (!((rows | cols) & 3)) {
    if (r0 >= rows || c0 >= cols) return;
    float4 m[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) m[k] = __ldcs(reinterpret_cast<const float4*>(in + (r0 + k) * cols + c0));
#pragma unroll
    for (int k = 0; k < 4; ++k) __stcs(reinterpret_cast<float4*>(out + (c0 + k) * rows + r0), make_float4(get(m[0], k), get(m[1], k), get(m[2], k), get(m[3], k)));
    return;
  }
  for (int k = 0; k < 16; ++k) { const size_t r = r0 + k % 4, c = c0 + k / 4; if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c]; }
}
