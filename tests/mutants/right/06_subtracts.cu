// Right: subtracts
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ __shared__ float t[1024]; const size_t X = blockIdx.x * 32, Y = blockIdx.y * 32; const unsigned l = threadIdx.x;
 auto at = [](unsigned y, unsigned x) { return y * 32 + ((x - y) & 31u); };
 #pragma unroll 4
 for (unsigned y = threadIdx.y; y < 32; y += 8) if (Y + y < rows && X + l < cols) t[at(y, l)] = in[(Y + y) * cols + X + l];
 __syncthreads();
 #pragma unroll 1
 for (unsigned x = threadIdx.y; x < 32; x += 8) if (X + x < cols && Y + l < rows) out[(X + x) * rows + Y + l] = t[at(l, x)]; }