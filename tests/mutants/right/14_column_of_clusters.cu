// Right: blocks of a cluster lie below each other in the grid, blockIdx.x counts columns; an array of both tiles
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 64}, .block_x_walks = kCols, .cluster = {1, 2}};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[32 * 32];
  const unsigned thread = threadIdx.y * 32 + threadIdx.x, x = thread % 16, y = thread / 16;
  const unsigned rank = lab::rank_in_cluster();
  const size_t row0 = blockIdx.y * size_t(64), col0 = blockIdx.x * size_t(64);
  float4 q[4] = {};
  for (unsigned k = 0; k < 4; ++k)
    if (const size_t row = row0 + 4 * y + k, col = col0 + 4 * x; row < rows && col < cols)
      q[k] = *reinterpret_cast<const float4*>(&in[row * cols + col]);
  float4* tiles[2];
  for (int b = 0; b < 2; ++b) tiles[b] = lab::in_block(tile, b);
  lab::sync_cluster();
  float4* const theirs = x < 8 ? tiles[0] : tiles[1];
  const unsigned r = 4 * (x & 7), p = (16 * rank + y) ^ (x & 7);
  theirs[(r + 0) * 32 + p] = {q[0].x, q[1].x, q[2].x, q[3].x};
  theirs[(r + 1) * 32 + p] = {q[0].y, q[1].y, q[2].y, q[3].y};
  theirs[(r + 2) * 32 + p] = {q[0].z, q[1].z, q[2].z, q[3].z};
  theirs[(r + 3) * 32 + p] = {q[0].w, q[1].w, q[2].w, q[3].w};
  lab::sync_cluster();
  const size_t left = row0 - 64 * rank + 4 * threadIdx.x;
  for (unsigned line = threadIdx.y; line < 32; line += 8)
    if (const size_t row = col0 + 32 * rank + line; row < cols && left < rows)
      *reinterpret_cast<float4*>(&out[row * rows + left]) = tile[line * 32 + (threadIdx.x ^ (line / 4 & 7))];
}
