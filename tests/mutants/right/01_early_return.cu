// Right: early return
// judged by: 01_naive
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 4,
    .global_store_sectors_per_request = 32,
    .global_load_sectors = 131072,    // 32 768 requests of 4
    .global_store_sectors = 1048576,  // 32 768 requests of 32
};
extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols){ const unsigned x = threadIdx.x + blockIdx.x * blockDim.x; if (x >= cols) return;
 const unsigned y = threadIdx.y + blockIdx.y * blockDim.y; if (y >= rows) return;
 out[x * size_t(rows) + y] = __ldg(in + (y * size_t(cols) + x)); }