// Right: do while
// judged by: 04_shared_tile
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 32,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 1048576,  // 32 768 requests of 32
    .shared_store_wavefronts = 32768,   // 32 768 requests of 1
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ __shared__ float t[32][32]; const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32; int y = threadIdx.y;
 do { if (y0 + y < rows && x0 + (int)threadIdx.x < cols) t[y][threadIdx.x] = in[size_t(y0 + y) * cols + x0 + threadIdx.x]; y += 8; } while (y < 32);
 __syncthreads(); y = threadIdx.y;
 do { if (x0 + y < cols && y0 + (int)threadIdx.x < rows) out[size_t(x0 + y) * rows + y0 + threadIdx.x] = t[threadIdx.x][y]; y += 8; } while (y < 32); }