// Right: a tile of 64 rows and 16 columns, half a warp to a row; the permutation by a lambda that both sides share
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 16}, .block_x_walks = kRows};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[64 * 16];
  const auto cell = [&](int y, int x) -> float& { return tile[16 * y + (x ^ y / 2 % 16)]; };
  const long long top = 64LL * blockIdx.x, left = 16LL * blockIdx.y;
  const int thread = 16 * threadIdx.y + threadIdx.x;
  for (int y = threadIdx.y; y < 64; y += 16) {
    const bool inside = top + y < rows && left + threadIdx.x < cols;
    if (inside) cell(y, threadIdx.x) = in[(top + y) * cols + left + threadIdx.x];
  }
  __syncthreads();
  for (int i = thread; i < 1024; i += 256) {
    const int x = i / 64, y = i % 64;
    if (left + x < cols && top + y < rows) out[(left + x) * rows + top + y] = cell(y, x);
  }
}
