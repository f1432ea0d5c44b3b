// Right: packs outside of the matrix have no value; matrices take them along to lanes that store nothing
// judged by: 13_matrix_moves
#include "common/kernel/lab.cuh"
#include "common/kernel/matrix_moves.cuh"
LAUNCH_SHAPE = {
    .block = {256, 1},
    .tile = {64, 64},
    .block_x_walks = kRows,
};
extern "C" __global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
  __shared__ uint4 tile[64][8];
  const size_t r0 = 64ull * blockIdx.x, c0 = 64ull * blockIdx.y;
  uint4 p[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int i = threadIdx.x + 256 * k, y = i >> 3, x = i & 7;
    if (r0 + y < rows && c0 + 8 * x < cols) p[k] = __ldg((const uint4*)(in + (r0 + y) * cols + c0 + 8 * x));
  }
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int i = threadIdx.x + 256 * k, y = i >> 3, x = i & 7;
    tile[y][x ^ (y / 8 % 4 * 2 + y % 2)] = p[k];
  }
  __syncthreads();
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int y = 32 * h + lane % 8 / 2 * 8 + lane / 8 * 2 + lane % 2;
    const uint4 v = lab::load_matrices_turned(&tile[y][w ^ (y / 8 % 4 * 2 + y % 2)]);
    const size_t r = r0 + 32 * h + lane % 4 * 8, c = c0 + 8 * w + lane / 4;
    if (r < rows && c < cols) __stcg((uint4*)(out + c * rows + r), v);
  }
}
