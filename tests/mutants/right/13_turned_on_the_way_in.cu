// Right: stmatrix turns the blocks on their way into a tile of rows of `out`; a fragment is what four lanes read of a row
// judged by: 13_matrix_moves
#include "common/kernel/lab.cuh"
#include "common/kernel/matrix_moves.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 64}, .block_x_walks = kRows};

struct Lines {
  uint4 packs[64 * 8];
  __device__ uint4& at(int row, int pack) { return packs[row * 8 + (pack ^ ((row >> 2 & 6) | (row & 1)))]; }
};

extern "C" __global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
  __shared__ Lines tile;
  const int lane = threadIdx.x, warp = threadIdx.y;
  const size_t row0 = size_t(blockIdx.x) * 64, col0 = size_t(blockIdx.y) * 64;
  uint4 fragment[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const size_t row = row0 + 8 * warp + lane / 4, col = col0 + 32 * half + 8 * (lane % 4);
    fragment[half] = make_uint4(0, 0, 0, 0);
    if (row < rows && col < cols) fragment[half] = __ldcs(reinterpret_cast<const uint4*>(in + row * cols + col));
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int k = lane / 8, c = lane % 8;
    lab::store_matrices_turned(&tile.at(32 * half + 8 * (c / 2) + 2 * k + c % 2, warp), fragment[half]);
  }
  __syncthreads();
  for (int i = warp * 32 + lane; i < 64 * 8; i += 256) {
    const size_t row = col0 + i / 8, col = row0 + 8 * (i % 8);
    if (row < cols && col < rows) *reinterpret_cast<uint4*>(out + row * rows + col) = tile.at(i / 8, i % 8);
  }
}
