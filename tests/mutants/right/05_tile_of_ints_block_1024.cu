// Right: tile of ints block 1024
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 32}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ __shared__ int t[32][33]; const int* src = reinterpret_cast<const int*>(in); int* dst = reinterpret_cast<int*>(out);
 const size_t c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y; if (c < cols && r < rows) t[threadIdx.y][threadIdx.x] = src[r * cols + c];
 __syncthreads(); const size_t c2 = blockIdx.y * 32 + threadIdx.x, r2 = blockIdx.x * 32 + threadIdx.y; if (c2 < rows && r2 < cols) dst[r2 * rows + c2] = t[threadIdx.x][threadIdx.y]; }