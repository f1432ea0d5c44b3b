// Right: one warp starts all copies and waits for none; mbarriers release the others
// judged by: 11_async_copy
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"

LAUNCH_SHAPE = {.block = {288, 1}, .tile = {512, 64}, .block_x_walks = kRows, .dynamic_shared_bytes = 65536};
PREDICTIONS = {.shared_store_wavefronts_per_request = 4, .loaded_bytes_at_once_per_thread = 128};

constexpr int kTile = 64, kPacks = 16, kTiles = 8, kStages = 4;

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

__device__ unsigned at(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ void init(unsigned long long* b, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(count) : "memory");
}
__device__ void arrive(unsigned long long* b) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at(b)) : "memory");
}
// Arrives when the copies that this thread has started are there.
__device__ void copies_arrive(unsigned long long* b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(b)) : "memory");
}
__device__ void wait(unsigned long long* b, int phase) {
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(at(b)), "r"(phase) : "memory");
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  alignas(128) extern __shared__ float4 stage[][kTile][kPacks];
  __shared__ unsigned long long full[kStages], empty[kStages];
  const size_t row0 = blockIdx.x * kTiles * kTile, col0 = blockIdx.y * kTile;
  const int tiles = int(min((rows - row0 + kTile - 1) / kTile, size_t(kTiles)));
  const int thread = threadIdx.x;
  if (thread == 0)
    for (int s = 0; s < kStages; ++s) init(&full[s], 32), init(&empty[s], 256);
  __syncthreads();
  if (thread >= 256) {
    const int lane = thread - 256;
    for (int t = 0; t < tiles; ++t) {
      if (t >= kStages) wait(&empty[t % kStages], (t / kStages - 1) % 2);
      for (int i = lane; i < kTile * kPacks; i += 32)
        copy4(&stage[t % kStages][i / kPacks][place(i / kPacks, i % kPacks)], in, row0 + t * kTile + i / kPacks,
              col0 + 4 * (i % kPacks), rows, cols);
      copies_arrive(&full[t % kStages]);
    }
  } else {
    for (int t = 0; t < tiles; ++t) {
      wait(&full[t % kStages], t / kStages % 2);
      turn(out, stage[t % kStages], row0 + t * kTile, col0, thread % 16, thread / 16, rows, cols);
      arrive(&empty[t % kStages]);
    }
  }
}
