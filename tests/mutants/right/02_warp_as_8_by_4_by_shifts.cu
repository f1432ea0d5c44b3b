// Right: warp as 8 by 4 by shifts
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 8}, .block_x_walks = kCols};
PREDICTIONS = {
    .global_load_sectors_per_request = 4,
    .global_store_sectors_per_request = 8,
    .global_load_sectors = 131072,   // 32 768 requests of 4
    .global_store_sectors = 262144,  // 32 768 requests of 8
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ const unsigned t = threadIdx.x, lane = t & 31, w = t >> 5; const unsigned c = lane & 7, r = (lane >> 3) + 4 * w;
 const size_t row = size_t(blockIdx.y) * 32 + r, col = size_t(blockIdx.x) * 8 + c; if (!(row < rows) || !(col < cols)) return;
 out[col * rows + row] = in[row * cols + col]; }