// Right: a tile of 128 rows and 64 columns, 128 threads; a functor knows where packs lie
#include "common/kernel/lab.cuh"
#include "common/kernel/matrix_moves.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {128, 64}, .block_x_walks = kRows};

struct Place {
  uint4* first;
  __device__ uint4* operator()(int row, int pack) const {
    const int turn = (row & 24) >> 2 | (row & 1);
    return first + (row << 3) + (pack ^ turn);
  }
};

extern "C" __global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
  __shared__ uint4 memory[128 * 8];
  const Place place{memory};
  const long long row0 = blockIdx.x * 128LL, col0 = blockIdx.y * 64LL;
  const auto clear = make_uint4(0u, 0u, 0u, 0u);
#pragma unroll 4
  for (int k = 0; k < 8; ++k) {
    const int y = k * 16 + threadIdx.x / 8, x = threadIdx.x % 8;
    const bool outside = row0 + y >= rows || col0 + 8 * x >= cols;
    *place(y, x) = outside ? clear : reinterpret_cast<const uint4*>(in + (row0 + y) * cols + col0)[x];
  }
  __syncthreads();
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  for (int job = warp; job < 8 * 4; job += 4) {
    const int pack = job & 7, down = (job >> 3) * 32;
    const uint4 turned = lab::load_matrices_turned(place(down + (lane % 8 / 2) * 8 + lane / 8 * 2 + lane % 2, pack));
    const long long row = row0 + down + (lane & 3) * 8, col = col0 + pack * 8 + (lane >> 2);
    if (row >= rows || col >= cols) continue;
    *reinterpret_cast<uint4*>(out + col * rows + row) = turned;
  }
}
