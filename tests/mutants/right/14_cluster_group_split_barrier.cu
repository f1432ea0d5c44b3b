// Right: cooperative groups' cluster, whose barrier is split around the loads; map_shared_rank; blocks of 128 threads
// judged by: 14_clusters
#include <cooperative_groups.h>

#include "common/kernel/lab.cuh"

namespace cg = cooperative_groups;

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};
PREDICTIONS = {.shared_load_wavefronts = 32768, .shared_store_wavefronts = 16384};

extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
  __shared__ float4 tile[32 * 32];
  const cg::cluster_group both = cg::this_cluster();
  auto begun = both.barrier_arrive();
  const unsigned rank = both.block_rank(), x = threadIdx.x % 16, h = threadIdx.x / 16;
  const size_t row0 = blockIdx.x * size_t{64}, col0 = blockIdx.y * size_t{64};
  float4 a[2][4];
#pragma unroll
  for (unsigned i = 0; i < 2; ++i)
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const size_t row = row0 + 4 * (h + 8 * i) + k, col = col0 + 4 * x;
      a[i][k] = float4{0, 0, 0, 0};
      if (row < rows && col < cols) a[i][k] = __ldcs(reinterpret_cast<const float4*>(in + row * cols + col));
    }
  both.barrier_wait(static_cast<decltype(begun)&&>(begun));
  float4* theirs = both.map_shared_rank(tile, x >> 3);
#pragma unroll
  for (unsigned i = 0; i < 2; ++i) {
    const unsigned r = x % 8 * 4, pack = (rank * 16 + h + 8 * i) ^ x % 8;
    theirs[(r + 0) * 32 + pack] = {a[i][0].x, a[i][1].x, a[i][2].x, a[i][3].x};
    theirs[(r + 1) * 32 + pack] = {a[i][0].y, a[i][1].y, a[i][2].y, a[i][3].y};
    theirs[(r + 2) * 32 + pack] = {a[i][0].z, a[i][1].z, a[i][2].z, a[i][3].z};
    theirs[(r + 3) * 32 + pack] = {a[i][0].w, a[i][1].w, a[i][2].w, a[i][3].w};
  }
  both.sync();
  for (unsigned r = threadIdx.x >> 5; r < 32; r += 4) {
    const unsigned lane = threadIdx.x & 31;
    const size_t col = col0 + 32 * rank + r, row = row0 - 64 * rank + 4 * lane;
    if (col < cols && row < rows) __stcs(reinterpret_cast<float4*>(out + col * rows + row), tile[r * 32 + (lane ^ r / 4)]);
  }
}
