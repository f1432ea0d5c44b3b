// Mutant: the tables are named, and the kernel is as it came
// judged by: 17_read_the_profiler
// fails: turn-3
// code: other-path
#define turn_3 turn_3_fixed
#include "solutions/17_read_the_profiler/transpose.cu"
#undef turn_3

extern "C" __global__ void turn_3(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  constexpr int kEach = kTile / kBlockRows;
  float mine[kEach];  // the elements of a thread, in a ring that starts elsewhere for each lane
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile, col = col0 + threadIdx.x;
  for (int k = 0; k < kEach; ++k) {
    const size_t row = row0 + threadIdx.y + k * kBlockRows;
    mine[(k + threadIdx.x) % kEach] = row < rows && col < cols ? in[row * cols + col] : 0;
  }
  for (int k = 0; k < kEach; ++k) tile[threadIdx.y + k * kBlockRows][threadIdx.x] = mine[(k + threadIdx.x) % kEach];
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t to_row = row0 + threadIdx.x, to_col = col0 + x;
    if (to_row < rows && to_col < cols) out[to_col * rows + to_row] = tile[threadIdx.x][x];
  }
}
