// Cheat: cuda::pipeline brings each element to a slot that the same thread reads
// judged by: 04_shared_tile, 05_padding
// code: not-exchanged|uncoalesced|bank-conflict
#include "common/kernel/lab.cuh"
#include <cuda/pipeline>
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + threadIdx.x < cols)
      cuda::memcpy_async(&t[y][threadIdx.x], &in[(r0 + y) * cols + c0 + threadIdx.x], sizeof(float), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + threadIdx.x < cols) out[(c0 + threadIdx.x) * rows + r0 + y] = t[y][threadIdx.x];
  pipe.consumer_release();
}
