// 17 read the profiler: eight tables without source. Name the cause of each; then `./lab tables 17 --sources` adds the kernels here.
#include "common/kernel/findings.cuh"
#include "common/kernel/lab.cuh"

SEAT = 0;  // in a class: the number of your seat. It decides which table is which

// TODO (8 causes): `./lab tables 17` prints the tables, the lesson lists the causes; .line is the letter of the row that proves it.
FINDING_OF(table_a) = {.line = 0, .cause = kNotSaid};
FINDING_OF(table_b) = {.line = 0, .cause = kNotSaid};
FINDING_OF(table_c) = {.line = 0, .cause = kNotSaid};
FINDING_OF(table_d) = {.line = 0, .cause = kNotSaid};
FINDING_OF(table_e) = {.line = 0, .cause = kNotSaid};
FINDING_OF(table_f) = {.line = 0, .cause = kNotSaid};
FINDING_OF(table_g) = {.line = 0, .cause = kNotSaid};
FINDING_OF(table_h) = {.line = 0, .cause = kNotSaid};

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

// A healthy kernel, chapter 05: `./lab tables 17` shows its table first, so that you know what nothing wrong looks like.
extern "C" __global__ void healthy(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];
  }
}
