// Right: each half of a warp takes a row of packs; signed numbers all along
// judged by: 15_speed_of_light
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {.global_store_sectors_per_request = 16, .loaded_bytes_at_once_per_thread = 64};

constexpr int kTile = 64, kPacks = 16;

__device__ int place(int row, int pack) { return (pack % kPacks) ^ (row / 4 % kPacks); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[kTile][kPacks];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, half = lane / 16;
  const int x = lane % 16, y = 2 * warp + half;
  const size_t row0 = size_t(blockIdx.x) * kTile, col0 = size_t(blockIdx.y) * kTile;
  const int odd = rows / 4 % 2;
  const bool halo = odd == 1 && y == 0;
  const auto load = [&](int r) {
    const size_t row = row0 + r, col = col0 + 4 * x;
    return row < rows && col < cols ? *reinterpret_cast<const float4*>(&in[row * cols + col]) : make_float4(0, 0, 0, 0);
  };
  const auto store = [&](size_t row, size_t col, float4 v) {
    if (row < cols && col < rows) *reinterpret_cast<float4*>(&out[row * rows + col]) = v;
  };
  float4 v[4], w[4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = load(4 * y + k);
  if (halo) {
#pragma unroll
    for (int k = 0; k < 4; ++k) w[k] = load(kTile + k);
  }
  const auto column = [](const float4 (&q)[4], int j) {
    return j == 0 ? make_float4(q[0].x, q[1].x, q[2].x, q[3].x) : j == 1 ? make_float4(q[0].y, q[1].y, q[2].y, q[3].y)
         : j == 2 ? make_float4(q[0].z, q[1].z, q[2].z, q[3].z) : make_float4(q[0].w, q[1].w, q[2].w, q[3].w);
  };
#pragma unroll
  for (int j = 0; j < 4; ++j) tile[4 * x + j][place(4 * x + j, y)] = column(v, j);
  if (halo) {
#pragma unroll
    for (int j = 1; j < 4; j += 2) {
      tile[4 * x + j][place(4 * x + j, kPacks)] = column(w, j);
      if (row0 == 0) store(col0 + 4 * x + j, 0, column(v, j));
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int r = 16 * k + 2 * warp + half, pack = x + (r & odd);
    store(col0 + r, row0 + 4 * pack, tile[r][place(r, pack)]);
  }
}
