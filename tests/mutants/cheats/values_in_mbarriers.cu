// Cheat: values travel as the counts of mbarriers, which no counter of memory sees
// judged by: 04_shared_tile
// code: not-exchanged|unused-shared
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1};

// An arrival gives back the state, and a state says how many arrivals are missing: 16 bits in each barrier.
__device__ void put(unsigned long long* at, unsigned value) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(unsigned(__cvta_generic_to_shared(at))), "r"(value + 2)
               : "memory");
}
__device__ unsigned get(unsigned long long* at) {
  unsigned left;
  asm volatile(
      "{ .reg .b64 s; mbarrier.arrive.noComplete.shared.b64 s, [%1], 1; mbarrier.pending_count.b64 %0, s; }"
      : "=r"(left)
      : "r"(unsigned(__cvta_generic_to_shared(at)))
      : "memory");
  return left - 2;
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ unsigned long long low[32][32], high[32][32];
  __shared__ float token[256];
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  const int t = threadIdx.y * 32 + threadIdx.x;
  float mine = 0;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + threadIdx.x < cols) {
      mine = in[(row0 + y) * cols + col0 + threadIdx.x];
      const unsigned bits = __float_as_uint(mine);
      put(&low[y][threadIdx.x], bits & 0xffff), put(&high[y][threadIdx.x], bits >> 16);
    }
  *(volatile float*)&token[t] = mine;
  mine = *(volatile float*)&token[t];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + threadIdx.x < rows && col0 + x < cols)
      out[(col0 + x) * rows + row0 + threadIdx.x] =
          __uint_as_float(get(&low[threadIdx.x][x]) | get(&high[threadIdx.x][x]) << 16);
}
