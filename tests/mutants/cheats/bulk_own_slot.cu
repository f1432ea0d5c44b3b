// Cheat: each thread has a bulk copy load its own 16 bytes into a slot of its own
// judged by: 04_shared_tile, 08_vectorized_swizzle
// code: other-path|repeated-access
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 4,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,
    .shared_store_wavefronts = 256,
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
  __shared__ alignas(16) float4 slot[256];
  const size_t row = 4 * (blockIdx.y * 16 + threadIdx.y), col = 4 * (blockIdx.x * 16 + threadIdx.x);
  const int t = threadIdx.y * 16 + threadIdx.x;
  const bool wide = rows % 4 == 0 && cols % 4 == 0, inside = row < rows && col < cols;
  float4 v[4] = {};
  if (wide && inside)
    for (int k = 0; k < 4; ++k)
      ;
  __shared__ unsigned long long barrier[4];
  if (t < 4) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(unsigned(__cvta_generic_to_shared(&barrier[t]))));
  const int threads = __syncthreads_count(wide && inside);
  if (t == 0 && wide) slot[0] = *reinterpret_cast<const float4*>(in);
  for (int k = 0; k < 4 && wide; ++k) {
    asm volatile("fence.proxy.async;" ::: "memory");
    if (inside) copy_in(&slot[t], &in[(row + k) * cols + col], &barrier[k]);
    wait_for(&barrier[k], threads * 16, t == 0);
    if (inside) v[k] = slot[t];
    __syncthreads();
  }
  if (wide && inside) {
    *reinterpret_cast<float4*>(&out[(col + 0) * rows + row]) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    *reinterpret_cast<float4*>(&out[(col + 1) * rows + row]) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    *reinterpret_cast<float4*>(&out[(col + 2) * rows + row]) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    *reinterpret_cast<float4*>(&out[(col + 3) * rows + row]) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  if (!wide)
    for (size_t y = row; y < row + 4 && y < rows; ++y)
      for (size_t x = col; x < col + 4 && x < cols; ++x) out[x * rows + y] = in[y * cols + x];
}
