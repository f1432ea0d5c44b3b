// Right: two tiles of a block: the second is loaded into registers before the first is stored
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const size_t top = size_t(blockIdx.y) * 64, col0 = size_t(blockIdx.x) * 32, lane = threadIdx.x;
  float mine[4];
  const auto load = [&](size_t row0) {
    for (int k = 0; k < 4; ++k) {
      const size_t row = row0 + threadIdx.y + 8 * k;
      mine[k] = row < rows && col0 + lane < cols ? in[row * cols + col0 + lane] : 0.f;
    }
  };
  load(top);
  for (int part = 0; part < 2; ++part) {
    const size_t row0 = top + 32 * part;
    for (int k = 0; k < 4; ++k) tile[threadIdx.y + 8 * k][lane] = mine[k];
    __syncthreads();
    if (part == 0) load(top + 32);
    for (int x = threadIdx.y; x < 32; x += 8)
      if (row0 + lane < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + lane] = tile[lane][x];
    __syncthreads();
  }
}
