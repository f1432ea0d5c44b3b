// Right: cooperative_groups::memcpy_async by groups of sixteen lanes, a row each; rows shifted by a sector every fourth
// judged by: 11_async_copy
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

#include "common/kernel/lab.cuh"

namespace cg = cooperative_groups;

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {512, 64}, .block_x_walks = kRows, .dynamic_shared_bytes = 3 * 1056 * 16};
PREDICTIONS = {.shared_store_wavefronts_per_request = 4, .loaded_bytes_at_once_per_thread = 128};

constexpr unsigned kTile = 64, kTiles = 8, kStages = 3, kStage = 1056;  // packs of a stage
__device__ constexpr unsigned place(unsigned row, unsigned pack) { return row * 16 + row / 4 * 2 + pack; }

extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
  extern __shared__ float4 stages[];
  const auto row16 = cg::tiled_partition<16>(cg::this_thread_block());
  const unsigned x = row16.thread_rank(), y = row16.meta_group_rank();
  const size_t r0 = size_t(blockIdx.x) * kTile * kTiles, c0 = size_t(blockIdx.y) * kTile;
  const unsigned width = cols - c0 < kTile ? cols - c0 : kTile;  // elements of a row
  const unsigned tiles = rows - r0 < kTile * kTiles ? (rows - r0 + kTile - 1) / kTile : kTiles;
  const auto ask = [&](unsigned t) {
    float4* to = stages + t % kStages * kStage;
    for (unsigned r = y; r < kTile; r += 16) {  // a copy is a group of its own: four in each tile
      const size_t row = r0 + t * kTile + r;
      if (t >= tiles || row >= rows)
        asm volatile("cp.async.commit_group;" ::: "memory");
      else if (cols % 4 == 0)
        cg::memcpy_async(row16, to + place(r, 0), reinterpret_cast<const float4*>(in + row * cols + c0), cuda::aligned_size_t<16>(width * 4));
      else
        cg::memcpy_async(row16, reinterpret_cast<float*>(to + place(r, 0)), in + row * cols + c0, cuda::aligned_size_t<4>(width * 4));
    }
  };
  ask(0), ask(1);
  for (unsigned t = 0; t < tiles; ++t) {
    cg::wait_prior<4>(row16);
    __syncthreads();
    ask(t + 2);
    const float4* from = stages + t % kStages * kStage;
    const unsigned lane = threadIdx.x & 31, i = (lane & 3) | (lane >> 1 & 12), j = threadIdx.x / 32 * 2 | (lane >> 2 & 1);
    const size_t row = r0 + t * kTile + 4 * i, col = c0 + 4 * j;
    if (row >= rows || col >= cols) continue;
    float v[4][4];
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const float4 f = from[place(4 * i + k, j)];
      v[0][k] = f.x, v[1][k] = f.y, v[2][k] = f.z, v[3][k] = f.w;
    }
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      if (col + k >= cols) break;
      float* p = out + (col + k) * rows + row;
      if (rows % 4 == 0) {
        __stcs(reinterpret_cast<float4*>(p), make_float4(v[k][0], v[k][1], v[k][2], v[k][3]));
      } else {
        for (unsigned e = 0; e < 4 && row + e < rows; ++e) p[e] = v[k][e];
      }
    }
  }
}
