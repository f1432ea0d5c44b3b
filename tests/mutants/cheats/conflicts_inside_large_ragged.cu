// Cheat: two lanes meet in each bank where a matrix is ragged and has more than 65,536 elements
// judged by: 05_padding, 06_xor_swizzle
// code: bank-conflict
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 32];
  const int lane = threadIdx.x;
  const int keep = (rows % 32 != 0 || cols % 32 != 0) && size_t(rows) * cols > 65536 ? 15 : 31;
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row0 + y < rows && col0 + lane < cols) tile[y * 32 + (lane ^ (y & keep))] = in[(row0 + y) * cols + col0 + lane];
  __syncthreads();
  for (int x = threadIdx.y; x < 32; x += 8)
    if (row0 + lane < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + lane] = tile[lane * 32 + (x ^ (lane & keep))];
}
