// Right: union and bit cast
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};
union Word { float f; unsigned u; };
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ __shared__ unsigned t[32][33]; const size_t X = blockIdx.x * size_t(32), Y = blockIdx.y * size_t(32);
 for (int y = threadIdx.y; y < 32; y += 8) if (Y + y < rows && X + threadIdx.x < cols) { Word w; w.f = in[(Y + y) * cols + X + threadIdx.x]; t[y][threadIdx.x] = w.u; }
 __syncthreads();
 for (int y = threadIdx.y; y < 32; y += 8) if (X + y < cols && Y + threadIdx.x < rows) out[(X + y) * rows + Y + threadIdx.x] = __uint_as_float(t[threadIdx.x][y]); }