// Right: all loads before all stores to the tile; a lambda says where; the tile is rotated; 128 threads
// judged by: 16_two_gpus
#include "common/kernel/gpus.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {32, 32}, .block_x_walks = kRows, .gpus = 2};

extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols) {
  __shared__ float tile[1024];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const size_t id = (size_t(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const size_t turn = id / gpus.count;
  const int to = (gpus.self + int(id - turn * gpus.count)) % gpus.count;
  const auto where = [&] {
    struct { size_t r, c, end_r, end_c; } w;
    w.r = turn % gridDim.x * 32, w.c = turn / gridDim.x * 32;
    w.end_r = gpus.first_row(gpus.self + 1) - gpus.first_row(gpus.self);
    w.end_c = gpus.first_col(to + 1) - gpus.first_col(to);
    return w;
  }();
  const size_t first_row = gpus.first_row(gpus.self), first_col = gpus.first_col(to);
  float v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const size_t r = where.r + warp + 4 * k, c = where.c + lane;
    v[k] = r < where.end_r && c < where.end_c ? in[r * cols + first_col + c] : 0.0f;
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int y = warp + 4 * k;
    tile[32 * y + (lane + y & 31)] = v[k];
  }
  __syncthreads();
  float* p = gpus.out_of(to) + (where.c + warp) * rows + first_row + where.r + lane;
#pragma unroll
  for (int k = 0; k < 8; ++k, p += 4 * size_t(rows)) {
    const int x = warp + 4 * k;
    if (where.c + x < where.end_c && where.r + lane < where.end_r) *p = tile[32 * lane + (x + lane & 31)];
  }
}
