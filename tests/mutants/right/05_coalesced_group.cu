// Right: coalesced groups load, tiled partitions store
// judged by: 05_padding
#include "common/kernel/lab.cuh"
#include <cooperative_groups.h>
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  namespace cg = cooperative_groups;
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int x = threadIdx.x;
  const cg::thread_block block = cg::this_thread_block();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + x < cols) {
      const cg::coalesced_group some = cg::coalesced_threads();
      const int at = some.thread_rank();
      t[y][at] = in[(r0 + y) * cols + c0 + at];
    }
  block.sync();
  const auto warp = cg::tiled_partition<32>(block);
  for (int y = warp.meta_group_rank(); y < 32; y += warp.meta_group_size()) {
    const int at = warp.thread_rank();
    if (c0 + y < cols && r0 + at < rows) out[(c0 + y) * rows + r0 + at] = t[at][y];
  }
}
