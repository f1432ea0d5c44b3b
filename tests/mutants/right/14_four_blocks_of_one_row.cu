// Right: four blocks share a tile four times as long; the addresses of all four are computed once
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {4, 1}};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 line[16][64];  // rows of `out`, 256 floats each
  const int rank = lab::rank_in_cluster(), x = threadIdx.x % 16, y = threadIdx.x / 16;
  const size_t row0 = size_t(blockIdx.x) * 64, col0 = size_t(blockIdx.y) * 64;
  float4 v[4];
  for (int k = 0; k < 4; ++k) {
    const size_t row = row0 + 4 * y + k, col = col0 + 4 * x;
    v[k] = row < rows && col < cols ? *reinterpret_cast<const float4*>(in + row * cols + col) : float4{};
  }
  lab::sync_cluster();
  auto* to = lab::in_block(&line[4 * (x % 4)][0], x / 4);
  const int pack = (16 * rank + y) ^ x % 4;
  to[0 * 64 + pack] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
  to[1 * 64 + pack] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
  to[2 * 64 + pack] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
  to[3 * 64 + pack] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  lab::sync_cluster();
  const size_t first = row0 - size_t(rank) * 64;
  for (int i = threadIdx.x; i < 16 * 64; i += 256) {
    const int r = i / 64, p = i % 64;
    const size_t row = col0 + 16 * rank + r, col = first + 4 * p;
    if (row < cols && col < rows) *reinterpret_cast<float4*>(out + row * rows + col) = line[r][p ^ r / 4];
  }
}
