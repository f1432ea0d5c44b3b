// Cheat: whole tiles are padded, tiles at the ragged edge are not
// judged by: 05_padding
// code: bank-conflict
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 33];
  const int x = threadIdx.x, row = blockIdx.y * 32, col = blockIdx.x * 32;
  const int pitch = row + 32 <= rows && col + 32 <= cols ? 33 : 32;
  for (int y = threadIdx.y; y < 32; y += 8)
    if (row + y < rows && col + x < cols) tile[y * pitch + x] = in[static_cast<size_t>(row + y) * cols + col + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (col + y < cols && row + x < rows) out[static_cast<size_t>(col + y) * rows + row + x] = tile[x * pitch + y];
}
