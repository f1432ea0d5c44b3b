// Right: tiles of 32 × 64, loops backwards, a struct for a share
// judged by: 16_two_gpus
#include "common/kernel/gpus.cuh"
LAUNCH_SHAPE = {.block = {64, 4}, .tile = {32, 64}, .block_x_walks = kCols, .gpus = 2};
PREDICTIONS = {.link_store_sectors = 32768, .link_bytes_per_store = 144};
struct Share {
  size_t begin, end;
  __device__ size_t size() const { return end - begin; }
};
extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols) {
  __shared__ float keep[32 * 64];
  const unsigned n = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int to = (n + gpus.self) % gpus.count;
  const unsigned turn = n / gpus.count;
  const Share r{size_t(gpus.first_row(gpus.self)), size_t(gpus.first_row(gpus.self + 1))};
  const Share c{size_t(gpus.first_col(to)), size_t(gpus.first_col(to + 1))};
  const size_t r0 = turn / gridDim.x * size_t(32), c0 = turn % gridDim.x * size_t(64);
#pragma unroll
  for (int y = 31 - threadIdx.y; y >= 0; y -= 4)
    if (const size_t row = r0 + y, col = c0 + threadIdx.x; row < r.size() && col < c.size())
      keep[y * 64 + (threadIdx.x ^ y)] = in[row * cols + c.begin + col];
  __syncthreads();
  const int t = threadIdx.y * 64 + threadIdx.x, lane = t % 32;
  float* const there = gpus.out_of(to);
#pragma unroll
  for (int x = 63 - t / 32; x >= 0; x -= 8)
    if (const size_t row = r0 + lane, col = c0 + x; row < r.size() && col < c.size())
      there[col * rows + r.begin + row] = keep[lane * 64 + (x ^ lane)];
}
