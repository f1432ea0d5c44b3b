// Cheat: half of the warps copy, count their tiles in shared memory, and wait for each at once
// judged by: 11_async_copy
// code: not-in-flight|shared-race
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {.block = {512, 1}, .tile = {512, 64}, .block_x_walks = kRows, .dynamic_shared_bytes = 49152};
PREDICTIONS = {.shared_store_wavefronts_per_request = 4, .loaded_bytes_at_once_per_thread = 128};

constexpr int kTile = 64, kPacks = 16, kTiles = 8, kStages = 3;

__device__ void copy4(float4* to, const float* in, size_t row, size_t col, int rows, int cols) {
  if (row / 4 * 4 >= rows || col >= cols) return;
  const int left = row < rows ? int(min(cols - col, size_t(4))) : 0;
  const float* from = &in[row * cols + col];
  if (cols % 4 == 0) return lab::copy_async<16>(to, from, 4 * left);
  for (int k = 0; k < 4; ++k) lab::copy_async<4>(reinterpret_cast<float*>(to) + k, from + k, k < left ? 4 : 0);
}

__device__ void store4(float* out, size_t row, size_t col, int rows, int cols, float4 v) {
  if (row >= rows || col >= cols) return;
  float* p = &out[row * cols + col];
  if (cols % 4 == 0) {
    __stcg(reinterpret_cast<float4*>(p), v);
    return;
  }
  p[0] = v.x;
  if (col + 1 < cols) p[1] = v.y;
  if (col + 2 < cols) p[2] = v.z;
  if (col + 3 < cols) p[3] = v.w;
}

__device__ int place(int row, int pack) { return lab::swizzle(row / 4, pack, kTile * 4, 16, 16); }

// Thread (x, y) of 16 × 16 takes its block of 4 × 4 out of a tile.
__device__ void turn(float* out, const float4 (&tile)[kTile][kPacks], size_t row0, size_t col0, int x, int y, int rows,
                     int cols) {
  const size_t row = row0 + 4 * x, col = col0 + 4 * y;
  if (row >= rows || col >= cols) return;
  const float4 a = tile[4 * x + 0][place(4 * x + 0, y)], b = tile[4 * x + 1][place(4 * x + 1, y)];
  const float4 c = tile[4 * x + 2][place(4 * x + 2, y)], d = tile[4 * x + 3][place(4 * x + 3, y)];
  store4(out, col + 0, row, cols, rows, make_float4(a.x, b.x, c.x, d.x));
  store4(out, col + 1, row, cols, rows, make_float4(a.y, b.y, c.y, d.y));
  store4(out, col + 2, row, cols, rows, make_float4(a.z, b.z, c.z, d.z));
  store4(out, col + 3, row, cols, rows, make_float4(a.w, b.w, c.w, d.w));
}

// One lane looks, and the warp goes on when it has seen `least`.
__device__ void until(volatile int* flag, int least) {
  if (threadIdx.x % 32 == 0)
    while (*flag < least) {}
  __syncwarp();
  __threadfence_block();
}
// All lanes have done it; one says so.
__device__ void one_more(int* flag) {
  __threadfence_block();
  __syncwarp();
  if (threadIdx.x % 32 == 0) atomicAdd(flag, 1);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  alignas(128) extern __shared__ float4 stage[][kTile][kPacks];
  __shared__ int full, empty;  // warps that have copied, and that have turned, counted over all tiles
  const size_t row0 = blockIdx.x * kTiles * kTile, col0 = blockIdx.y * kTile;
  const int tiles = int(min((rows - row0 + kTile - 1) / kTile, size_t(kTiles)));
  const int thread = threadIdx.x % 256, x = thread % 16, y = thread / 16;
  if (threadIdx.x == 0) full = 0, empty = 0;
  __syncthreads();
  if (threadIdx.x >= 256) {
    const auto start = [&](int t) {
      for (int r = y; r < kTile && t < tiles; r += kPacks)
        copy4(&stage[t % kStages][r][place(r, x)], in, row0 + t * kTile + r, col0 + 4 * x, rows, cols);
      lab::commit_copies();
    };
    for (int t = 0; t < tiles; ++t) {
      if (t > 2) until(&empty, 8 * (t - 2));
      start(t);
      lab::wait_copies<0>();
      one_more(&full);
    }
  } else {
    for (int t = 0; t < tiles; ++t) {
      until(&full, 8 * (t + 1));
      turn(out, stage[t % kStages], row0 + t * kTile, col0, x, y, rows, cols);
      one_more(&empty);
    }
  }
}
