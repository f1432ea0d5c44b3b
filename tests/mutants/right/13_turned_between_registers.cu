// Right: matrices are loaded as they are, and turned between registers
// judged by: 13_matrix_moves
#include "common/kernel/lab.cuh"
#include "common/kernel/matrix_moves.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {.global_store_sectors_per_request = 20, .shared_load_wavefronts_per_request = 32};

extern "C" __global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
  __shared__ uint4 tile[64][8];
  const size_t row0 = blockIdx.x * 64, col0 = blockIdx.y * 64;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int y = 32 * k + 4 * warp + lane / 8, x = lane % 8;
    const size_t row = row0 + y, col = col0 + 8 * x;
    const bool there = row < rows && col < cols;
    tile[y][x ^ (y / 8 % 4 * 2 + y % 2)] = there ? *reinterpret_cast<const uint4*>(&in[row * cols + col]) : uint4{};
  }
  __syncthreads();
#pragma unroll 1
  for (int half = 0; half < 2; ++half) {
    const int y = 32 * half + lane % 8 / 2 * 8 + lane / 8 * 2 + lane % 2;
    const uint4 a = lab::load_matrices(&tile[y][warp ^ (y / 8 % 4 * 2 + y % 2)]);
    const uint4 m = {lab::turn_matrix(a.x), lab::turn_matrix(a.y), lab::turn_matrix(a.z), lab::turn_matrix(a.w)};
    const size_t row = row0 + 32 * half + lane % 4 * 8, col = col0 + 8 * warp + lane / 4;
    if (row < rows && col < cols) asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(&out[col * rows + row]), "r"(m.x), "r"(m.y), "r"(m.z), "r"(m.w) : "memory");
  }
}
