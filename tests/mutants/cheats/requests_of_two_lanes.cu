// Cheat: blocks of 4 × 4 in registers; each request has two active lanes, so that these always stand side by side
// judged by: 04_shared_tile, 05_padding
// code: short-runs|not-exchanged|many-instructions|idle-threads|narrow-access
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {8, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 4,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 slot[256];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  const int t = threadIdx.y * 8 + threadIdx.x, p = t ^ 1;
  if (rows % 32 == 0 && cols % 32 == 0) {
    float4 v[4];
    for (int k = 0; k < 4; ++k)
      for (int pair = 0; pair < 16; ++pair) {
        if (t % 32 / 2 == pair)
          asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                       : "=f"(v[k].x), "=f"(v[k].y), "=f"(v[k].z), "=f"(v[k].w)
                       : "l"(&in[(row0 + p / 8 * 4 + k) * cols + col0 + p % 8 * 4]));
        __syncwarp();
      }
    for (int k = 0; k < 4; ++k) slot[64 * k + t] = v[k];
    __syncthreads();
    const float4 a = slot[p], b = slot[64 + p], c = slot[128 + p], d = slot[192 + p];
    const float4 turned[4] = {make_float4(a.x, b.x, c.x, d.x), make_float4(a.y, b.y, c.y, d.y),
                              make_float4(a.z, b.z, c.z, d.z), make_float4(a.w, b.w, c.w, d.w)};
    for (int k = 0; k < 4; ++k)
      for (int pair = 0; pair < 16; ++pair) {
        if ((t % 32 / 16 * 8 + t % 8) == pair)
          asm volatile("st.global.v4.f32 [%4], {%0, %1, %2, %3};" ::"f"(turned[k].x), "f"(turned[k].y),
                       "f"(turned[k].z), "f"(turned[k].w), "l"(&out[(col0 + t % 8 * 4 + k) * rows + row0 + t / 8 * 4])
                       : "memory");
        __syncwarp();
      }
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
