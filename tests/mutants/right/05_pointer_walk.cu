// Right: pointer walk
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};
extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols){ __shared__ float t[32 * 33]; const int x = threadIdx.x, y = threadIdx.y;
 { const size_t gx = blockIdx.x * 32u + x; size_t gy = blockIdx.y * 32u + y; const float* p = in + gy * cols + gx; float* q = t + y * 33 + x;
   if (gx < cols) for (; gy < min(size_t(rows), (blockIdx.y + 1) * size_t(32)); gy += 8, p += 8 * size_t(cols), q += 8 * 33) *q = *p; }
 __syncthreads();
 { const size_t gx = blockIdx.y * 32u + x; size_t gy = blockIdx.x * 32u + y; float* p = out + gy * rows + gx; const float* q = t + x * 33 + y;
   if (gx < rows) for (; gy < min(size_t(cols), (blockIdx.x + 1) * size_t(32)); gy += 8, p += 8 * size_t(rows), q += 8) *p = *q; } }