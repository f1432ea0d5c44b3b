// Right: add rotation and constexpr table
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};
struct Table { int a[32]; }; constexpr Table make() { Table t{}; for (int i = 0; i < 32; ++i) t.a[i] = (i * 5) % 32; return t; }
__device__ constexpr int phase(int y) { constexpr Table t = make(); return t.a[y & 31]; }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ __shared__ float t[32][32]; const size_t X = blockIdx.x * 32, Y = blockIdx.y * 32;
 for (int y = threadIdx.y; y < 32; y += 8) if (Y + y < rows && X + threadIdx.x < cols) t[y][(threadIdx.x + 5 * y) % 32] = in[(Y + y) * cols + X + threadIdx.x];
 __syncthreads();
 for (int x = threadIdx.y; x < 32; x += 8) if (X + x < cols && Y + threadIdx.x < rows) out[(X + x) * rows + Y + threadIdx.x] = t[threadIdx.x][(x + 5 * threadIdx.x) % 32]; }