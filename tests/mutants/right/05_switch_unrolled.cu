// Right: switch unrolled
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ __shared__ float t[32][33]; const size_t X = blockIdx.x * 32, Y = blockIdx.y * 32; const int x = threadIdx.x, y = threadIdx.y;
 const int left = min(4, (int(rows - Y) - y + 7) / 8); const float* p = in + (Y + y) * cols + X + x;
 if (X + x < cols) switch (left) { case 4: t[y + 24][x] = p[24 * size_t(cols)]; case 3: t[y + 16][x] = p[16 * size_t(cols)]; case 2: t[y + 8][x] = p[8 * size_t(cols)]; case 1: t[y][x] = p[0]; default: break; }
 __syncthreads();
 const int l2 = min(4, (int(cols - X) - y + 7) / 8); float* q = out + (X + y) * rows + Y + x;
 if (Y + x < rows) switch (l2) { case 4: q[24 * size_t(rows)] = t[x][y + 24]; case 3: q[16 * size_t(rows)] = t[x][y + 16]; case 2: q[8 * size_t(rows)] = t[x][y + 8]; case 1: q[0] = t[x][y]; default: break; } }