// Cheat: neighbours exchange zeros through shared memory; elements stay with their threads
// judged by: 04_shared_tile, 05_padding, 06_xor_swizzle
// code: not-exchanged|uncoalesced
// points: 0
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 2048,
    .shared_store_wavefronts = 2048,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ int zero[256];
  const size_t row = 4 * (blockIdx.y * 16 + threadIdx.y), col = 4 * (blockIdx.x * 16 + threadIdx.x);
  const int t = threadIdx.y * 16 + threadIdx.x;
  const bool wide = rows % 4 == 0 && cols % 4 == 0, inside = row < rows && col < cols;
  float4 v[4] = {};
  if (wide && inside)
    for (int k = 0; k < 4; ++k) v[k] = *reinterpret_cast<const float4*>(&in[(row + k) * cols + col]);
  zero[t] = 0;
  __syncthreads();
  v[0].x = __int_as_float(__float_as_int(v[0].x) ^ zero[(t + 1) % 256]);
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
