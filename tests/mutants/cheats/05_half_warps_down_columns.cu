// Cheat: groups of 16 lanes: one half of each warp reads down a column
// judged by: 04_shared_tile, 05_padding
// code: uncoalesced|not-exchanged|narrow-access|repeated-access
#include "common/kernel/lab.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const auto half = cg::tiled_partition<16>(cg::this_thread_block());
  const int x = threadIdx.x;
  if (half.meta_group_rank() % 2 == 0) {
    for (int y = threadIdx.y; y < 32; y += 8)
      for (int k = x; k < 32; k += 16)
        if (r0 + k < rows && c0 + y < cols && y % 2 == 0) out[(c0 + y) * rows + r0 + k] = in[(r0 + k) * cols + c0 + y];
  }
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < cols && r0 + x < rows && y % 2 == 1) out[(c0 + y) * rows + r0 + x] = t[x][y];
}
