// Right: a tile whose operator[] gives a row, wrap-around tests of the edge, loops that count down
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 4}, .tile = {32, 32}, .block_x_walks = kRows};

struct Row {
  float* first;
  __device__ float& operator[](unsigned x) { return first[x]; }
};

template <int kRowsOf, int kColsOf>
struct Padded {
  float words[kRowsOf * (kColsOf + 1)];
  __device__ Row operator[](unsigned y) { return {words + y * (kColsOf + 1)}; }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Padded<32, 32> tile;
  const unsigned x = threadIdx.x, left = unsigned(rows) - blockIdx.x * 32u, wide = unsigned(cols) - blockIdx.y * 32u;
  const float* from = in + size_t(blockIdx.x) * 32 * cols + size_t(blockIdx.y) * 32;
  float* to = out + size_t(blockIdx.y) * 32 * rows + size_t(blockIdx.x) * 32;
  for (int k = 7; k >= 0; --k) {
    const unsigned y = k * 4 + threadIdx.y;
    if (y < left && x < wide) tile[y][x] = from[size_t(y) * cols + x];
  }
  __syncthreads();
  for (int k = 7; k >= 0; --k) {
    const unsigned y = k * 4 + threadIdx.y;
    if (y < wide && x < left) to[size_t(y) * rows + x] = tile[x][y];
  }
}
