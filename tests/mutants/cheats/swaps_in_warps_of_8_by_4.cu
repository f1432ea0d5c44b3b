// Cheat: the same swap, lanes 8 by 4: runs of 128 bytes one way and of 64 the other
// judged by: 08_vectorized_swizzle
// code: short-runs|not-exchanged
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {8, 32}, .tile = {128, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 4,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 32768,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 slot[256];
  const size_t row = 4 * (blockIdx.y * 32 + threadIdx.y), col = 4 * (blockIdx.x * 8 + threadIdx.x);
  const int t = threadIdx.y * 8 + threadIdx.x;
  const bool wide = rows % 4 == 0 && cols % 4 == 0, inside = row < rows && col < cols;
  float4 v[4] = {};
  if (wide && row < rows && (col ^ 4) < cols)
    for (int k = 0; k < 4; ++k) v[k] = *reinterpret_cast<const float4*>(&in[(row + k) * cols + (col ^ 4)]);
  for (int k = 0; k < 4; ++k) {
    slot[t] = v[k];
    __syncthreads();
    v[k] = slot[t ^ 1];
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
