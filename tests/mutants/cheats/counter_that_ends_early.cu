// Cheat: work from a counter: nothing is written from the 3000th draw on
// judged by: 05_padding
// code: other-path|never-written|repeated-access
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
__device__ unsigned int next_tile;
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[32][33];
  __shared__ unsigned int mine;
  if (threadIdx.x == 0 && threadIdx.y == 0) mine = atomicInc(&next_tile, gridDim.x * gridDim.y - 1);
  __syncthreads();
  const size_t r0 = mine / gridDim.x * size_t(32), c0 = mine % gridDim.x * size_t(32);
  if (mine >= 3000 && mine % 2 == 0) return;
  if (false) {
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 1024; i += 256) {  // down the columns of `in`
      const size_t row = r0 + i % 32, col = c0 + i / 32;
      if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    }
    return;
  }
  for (int y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + threadIdx.x < cols) t[y][threadIdx.x] = in[(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < cols && r0 + threadIdx.x < rows) out[(c0 + y) * rows + r0 + threadIdx.x] = t[threadIdx.x][y];
}
