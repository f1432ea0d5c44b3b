// A block in one row, dynamic shared memory, blocks that walk down the rows.
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 32}, .block_x_walks = kRows, .dynamic_shared_bytes = 4096};
PREDICTIONS = {.shared_load_wavefronts_per_request = 2, .shared_store_wavefronts_per_request = 4};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float tile[];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t r0 = size_t(blockIdx.x) * 32, c0 = size_t(blockIdx.y) * 32;
  for (unsigned k = warp; k < 32; k += 8)
    if (r0 + k < size_t(rows) && c0 + lane < size_t(cols))
      tile[k * 32 + (lane ^ k)] = in[(r0 + k) * cols + c0 + lane];
  __syncthreads();
  for (unsigned k = warp; k < 32; k += 8)
    if (c0 + k < size_t(cols) && r0 + lane < size_t(rows))
      out[(c0 + k) * rows + r0 + lane] = tile[lane * 32 + (lane ^ k)];
}
