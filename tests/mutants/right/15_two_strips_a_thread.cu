// Right: 128 threads with two blocks of 4 × 4 each
// judged by: 15_speed_of_light
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {16, 8}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {.global_store_sectors_per_request = 16, .loaded_bytes_at_once_per_thread = 128};
using Four = float4;
struct Strip {
  Four row[4];
  __device__ Four turned(int k) const {
    const float* f = &row[0].x;
    return make_float4(f[k], f[4 + k], f[8 + k], f[12 + k]);
  }
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Four keep[64 * 16];
  const size_t r0 = (size_t)blockIdx.x * 64, c0 = (size_t)blockIdx.y * 64;
  const unsigned x = threadIdx.x, y = threadIdx.y, late = rows >> 2 & 1;
  const size_t c = c0 + 4 * x;
  const auto slot = [](unsigned r, unsigned p) { return r * 16 + ((p & 15) ^ (r >> 2 & 7)); };
  const auto get = [&](size_t r) {
    return r < rows && c < cols ? *(const Four*)(in + r * cols + c) : Four{};
  };
  Strip a, b, h{};
#pragma unroll
  for (int k = 0; k < 4; ++k) a.row[k] = get(r0 + 4 * y + k);
#pragma unroll
  for (int k = 0; k < 4; ++k) b.row[k] = get(r0 + 32 + 4 * y + k);
  if (late && y == 7) {
#pragma unroll
    for (int k = 0; k < 4; ++k) h.row[k] = get(r0 + 64 + k);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    keep[slot(4 * x + k, y)] = a.turned(k), keep[slot(4 * x + k, y + 8)] = b.turned(k);
  __syncthreads();
  if (late) {
    if (y == 0 && r0 == 0)
      for (int k = 1; k < 4; k += 2)
        if (c + k < cols) *(Four*)(out + (c + k) * rows) = a.turned(k);
    if (y == 7) {
      keep[slot(4 * x + 1, 0)] = h.turned(1);
      keep[slot(4 * x + 3, 0)] = h.turned(3);
    }
  }
  __syncthreads();
#pragma unroll
  for (unsigned r = y; r < 64; r += 8) {
    const unsigned p = x + (r & late);
    if (c0 + r < cols && r0 + 4 * p < rows) *(Four*)(out + (c0 + r) * rows + r0 + 4 * p) = keep[slot(r, p)];
  }
}
