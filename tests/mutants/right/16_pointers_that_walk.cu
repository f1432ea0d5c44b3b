// Right: pointers walk along both matrices; rows of the tile are rotated in place of padding
// judged by: 16_two_gpus
#include "common/kernel/gpus.cuh"

LAUNCH_SHAPE = {.block = {32, 4}, .tile = {32, 32}, .block_x_walks = kRows, .gpus = 2};
PREDICTIONS = {.link_store_sectors = 32768, .link_bytes_per_store = 144};

extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 32];
  const auto at = [](int row, int col) { return 32 * row + (row + col) % 32; };
  const int lane = threadIdx.x, warp = threadIdx.y;
  const unsigned id = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned round = id / gpus.count;
  int to = gpus.self + id % gpus.count;
  if (to >= gpus.count) to -= gpus.count;
  const int top = 32 * (round % gridDim.x), left = 32 * (round / gridDim.x);  // in the part
  const int high = gpus.first_row(gpus.self + 1) - gpus.first_row(gpus.self), begin = gpus.first_col(to),
            wide = gpus.first_col(to + 1) - begin;
  const float* from = in + size_t(top + warp) * cols + begin + left + lane;
  for (int r = warp; r < 32; r += 4, from += size_t(4) * cols)
    if (top + r < high && left + lane < wide) tile[at(r, lane)] = *from;
  __syncthreads();
  float* target = gpus.out_of(to) + size_t(left + warp) * rows + gpus.first_row(gpus.self) + top + lane;
  for (int c = warp; c < 32; c += 4, target += size_t(4) * rows)
    if (left + c < wide && top + lane < high) *target = tile[at(lane, c)];
}
