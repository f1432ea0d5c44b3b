// Right: volatile shared and counter
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ volatile __shared__ float t[32][33]; const size_t X = size_t(blockIdx.x) << 5, Y = size_t(blockIdx.y) << 5;
 for (unsigned y = threadIdx.y; y < 32u; y += 8u) if (Y + y < rows && X + threadIdx.x < cols) t[y][threadIdx.x] = __ldcs(in + (Y + y) * cols + X + threadIdx.x);
 __syncthreads();
 for (unsigned y = threadIdx.y; y < 32u; y += 8u) if (X + y < cols && Y + threadIdx.x < rows) __stcs(out + (X + y) * rows + Y + threadIdx.x, t[threadIdx.x][y]); }