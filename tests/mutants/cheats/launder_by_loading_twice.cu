// Cheat: lanes l and l + 8 load both their blocks, each in one request; each takes its own from the other's slot
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
// code: not-exchanged|uncoalesced
// points: 0
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 4,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

__device__ void put(float4* slot, float4 v) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(unsigned(__cvta_generic_to_shared(slot))), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}
__device__ float4 get(const float4* slot) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(unsigned(__cvta_generic_to_shared(slot)))
               : "memory");
  return v;
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 slot[256];
  const size_t row = 4 * (blockIdx.y * 16 + threadIdx.y), col = 4 * (blockIdx.x * 16 + threadIdx.x);
  const int t = threadIdx.y * 16 + threadIdx.x;
  const bool wide = rows % 4 == 0 && cols % 4 == 0, inside = row < rows && col < cols;
  const size_t left = blockIdx.x * 64 + threadIdx.x % 8 * 4;
  float4 v[4] = {}, w[4] = {};
  if (wide && row < rows && left < cols)
    for (int k = 0; k < 4; ++k) {
      v[k] = *reinterpret_cast<const float4*>(&in[(row + k) * cols + left]);
      if (left + 32 < cols) w[k] = *reinterpret_cast<const float4*>(&in[(row + k) * cols + left + 32]);
    }
  for (int k = 0; k < 4; ++k) {
    put(&slot[t], threadIdx.x >= 8 ? v[k] : w[k]);
    __syncthreads();
    v[k] = get(&slot[t ^ 8]);
    __syncthreads();
  }
  if (wide && inside) {
    *reinterpret_cast<float4*>(&out[(col + 0) * rows + row]) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    *reinterpret_cast<float4*>(&out[(col + 1) * rows + row]) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    *reinterpret_cast<float4*>(&out[(col + 2) * rows + row]) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    *reinterpret_cast<float4*>(&out[(col + 3) * rows + row]) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  if (!wide)
    for (size_t y = row; y < row + 4 && y < rows; ++y)
      for (size_t x = col; x < col + 4 && x < cols; ++x) out[x * rows + y] = in[y * cols + x];
}
