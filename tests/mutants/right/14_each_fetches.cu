// Right: each block keeps what it reads in its own tile and fetches the other's half of its rows from there
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};

struct Tile {
  float4 packs[64][16];
  __device__ static int place(int row, int pack) { return pack ^ (row >> 2 & 7); }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Tile mine;
  const int x = threadIdx.x, y = threadIdx.y, rank = lab::rank_in_cluster();
  const size_t row0 = blockIdx.x * size_t(64), col0 = blockIdx.y * size_t(64);
  float4 v[4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (row0 + 4 * y + k < rows && col0 + 4 * x < cols)
      v[k] = *reinterpret_cast<const float4*>(in + (row0 + 4 * y + k) * cols + col0 + 4 * x);
  const auto keep = [&](int k, float a, float b, float c, float d) { mine.packs[4 * x + k][Tile::place(4 * x + k, y)] = make_float4(a, b, c, d); };
  keep(0, v[0].x, v[1].x, v[2].x, v[3].x), keep(1, v[0].y, v[1].y, v[2].y, v[3].y);
  keep(2, v[0].z, v[1].z, v[2].z, v[3].z), keep(3, v[0].w, v[1].w, v[2].w, v[3].w);
  lab::sync_cluster();
  const int thread = 16 * y + x, lane = thread & 31;
  const Tile& from = *lab::in_block(&mine, lane / 16);
  const size_t first = row0 - 64 * rank;
  for (int r = thread >> 5; r < 32; r += 8) {
    const int line = 32 * rank + r;
    const float4 v = from.packs[line][Tile::place(line, lane % 16)];
    if (col0 + line < cols && first + 4 * lane < rows) *reinterpret_cast<float4*>(out + (col0 + line) * rows + first + 4 * lane) = v;
  }
  lab::sync_cluster();  // no block leaves while the other reads its tile
}
