// Right: both halves are lambdas that are handed each place
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {

  __shared__ float tile[32][33];
  const size_t row0 = size_t(blockIdx.y) * 32, col0 = size_t(blockIdx.x) * 32;
  const auto each = [&](const auto& f) { for (int k = threadIdx.y; k < 32; k += 8) f(k, int(threadIdx.x)); };
  const auto inside = [&](size_t r, size_t c) { return r < size_t(rows) && c < size_t(cols); };
  each([&](int y, int x) { if (inside(row0 + y, col0 + x)) tile[y][x] = in[(row0 + y) * cols + col0 + x]; });
  __syncthreads();
  each([&](int x, int y) { if (inside(row0 + y, col0 + x)) out[(col0 + x) * rows + row0 + y] = tile[y][x]; });
}
