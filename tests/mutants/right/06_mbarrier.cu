// Right: an mbarrier in place of __syncthreads
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][32];
  __shared__ unsigned long long bar;
  const unsigned b = unsigned(__cvta_generic_to_shared(&bar));
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int x = threadIdx.x;
  if (threadIdx.x + threadIdx.y == 0) asm volatile("mbarrier.init.shared.b64 [%0], 256;" ::"r"(b) : "memory");
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + x < cols) t[y][x ^ y] = in[(r0 + y) * cols + c0 + x];
  asm volatile("{\n.reg .b64 s;\n.reg .pred p;\nmbarrier.arrive.shared.b64 s, [%0];\nW: mbarrier.try_wait.shared.b64 p, [%0], s;\n@!p bra W;\n}" ::"r"(b) : "memory");
  for (int y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < cols && r0 + x < rows) out[(c0 + y) * rows + r0 + x] = t[x][y ^ x];
}
