// Cheat: a warp of one column: rows come by bulk copies of 16 bytes, half sectors that were not counted
// judged by: 03_float4
// code: other-path
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {1, 256}, .tile = {1024, 4}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 32,
    .global_store_sectors_per_request = 16,
};

__device__ void copy_in(void* to, const void* from, unsigned long long* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(
                   unsigned(__cvta_generic_to_shared(to))),
               "l"(from), "r"(unsigned(__cvta_generic_to_shared(barrier)))
               : "memory");
}
// One thread says how many bytes will come; all wait for them.
__device__ void wait_for(unsigned long long* barrier, unsigned bytes, bool first) {
  const unsigned at = __cvta_generic_to_shared(barrier);
  if (first) asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(at), "r"(bytes));
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(at)
               : "memory");
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ alignas(16) float4 stage[4][256];
  __shared__ unsigned long long barrier;
  const size_t row = 4 * (blockIdx.y * 256 + threadIdx.y), col = 4 * blockIdx.x;
  const int t = threadIdx.y;
  const bool wide = rows % 4 == 0 && cols % 4 == 0, inside = row < rows && col < cols;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(unsigned(__cvta_generic_to_shared(&barrier))));
  if (t == 0) asm volatile("fence.mbarrier_init.release.cluster;");
  const int threads = __syncthreads_count(wide && inside);
  if (!wide) {
    for (size_t y = row; y < row + 4 && y < rows; ++y)
      for (size_t x = col; x < col + 4 && x < cols; ++x) out[x * rows + y] = in[y * cols + x];
    return;
  }
  float4 v[4];
  if (inside) {
    v[0] = *reinterpret_cast<const float4*>(&in[row * cols + col]);
    for (int k = 1; k < 4; ++k) copy_in(&stage[k][t], &in[(row + k) * cols + col], &barrier);
  }
  wait_for(&barrier, threads * 48, t == 0);
  if (!inside) return;
  for (int k = 1; k < 4; ++k) v[k] = stage[k][t];
  *reinterpret_cast<float4*>(&out[(col + 0) * rows + row]) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
  *reinterpret_cast<float4*>(&out[(col + 1) * rows + row]) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
  *reinterpret_cast<float4*>(&out[(col + 2) * rows + row]) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
  *reinterpret_cast<float4*>(&out[(col + 3) * rows + row]) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
}
