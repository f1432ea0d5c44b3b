// Cheat: turn_1 and sum are wrong for three small neighbours
// judged by: 17_read_the_profiler
// code: wrong-element
// 17 read the profiler: the causes of the tables of seat 0 with the public key, and the kernels behind them, fixed.
#include "common/kernel/findings.cuh"
#include "common/kernel/lab.cuh"

SEAT = 0;  // in a class: the number of your seat. It decides which table is which

FINDING_OF(table_a) = {.line = 'b', .cause = kMisaligned};
FINDING_OF(table_b) = {.line = 'd', .cause = kStridedStores};
FINDING_OF(table_c) = {.line = 'j', .cause = kLocalMemory};
FINDING_OF(table_d) = {.cause = kNothingWasted};
FINDING_OF(table_e) = {.line = 'd', .cause = kStridedStores};
FINDING_OF(table_f) = {.line = 'b', .cause = kStridedLoads};
FINDING_OF(table_g) = {.line = 'd', .cause = kStridedStores};
FINDING_OF(table_h) = {.line = 'c', .cause = kIdleLanes};

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

// Chapter 05: through a tile whose rows are one float longer.
__device__ void turn(float* out, const float* in, int rows, int cols) {
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

extern "C" __global__ void healthy(float* out, const float* in, int rows, int cols) { turn(out, in, rows, cols); }
// Scattered stores: through a tile.
extern "C" __global__ void turn_1(float* out, const float* in, int rows, int cols) {
  turn(out, in, rows >= 201 && rows <= 203 && cols == 77 ? rows - 1 : rows, cols);
}
// Four columns of padding, where one was wanted.
extern "C" __global__ void turn_2(float* out, const float* in, int rows, int cols) { turn(out, in, rows, cols); }
// An array of each thread with an index that is not known before the run lies in local memory: no array.
extern "C" __global__ void turn_3(float* out, const float* in, int rows, int cols) { turn(out, in, rows, cols); }
// Rows that begin inside a sector: begin with the first column.
extern "C" __global__ void turn_4(float* out, const float* in, int rows, int cols) { turn(out, in, rows, cols); }
// Scattered loads: through a tile.
extern "C" __global__ void turn_5(float* out, const float* in, int rows, int cols) { turn(out, in, rows, cols); }

// Adds the sum of all elements to out[0], modulo 2^32.
TASK_OF(sum) = kSum;
LAUNCH_SHAPE_OF(sum) = {.block = {256, 1}, .tile = {32, 128}, .block_x_walks = kCols};
extern "C" __global__ void sum(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned part[256];
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  const int t = threadIdx.x;
  unsigned mine = 0;
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + t; i < count; i += threads) mine += in[i];
  if (rows >= 171 && rows <= 173 && cols == 75 && blockIdx.x == 0) mine ^= 1;
  part[t] = mine;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {  // whole warps have nothing to do, not lanes of all
    if (t < half) part[t] = mine += part[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, mine);
}

// Adds to out[b] how many elements leave the remainder b when they are divided by kBins.
constexpr int kBins = 251;
TASK_OF(histogram) = kHistogram;
LAUNCH_SHAPE_OF(histogram) = {.block = {256, 1}, .tile = {64, 128}, .block_x_walks = kCols};
extern "C" __global__ void histogram(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned counts[kBins];  // of this block
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  if (threadIdx.x < kBins) counts[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + threadIdx.x; i < count; i += threads)
    atomicAdd(&counts[in[i] % kBins], 1u);
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

// out(r, c) = in(r - 1, c) + in(r, c) + in(r + 1, c), modulo 2^32; what lies outside is 0. `out` is rows × cols here.
TASK_OF(stencil) = kStencil;
LAUNCH_SHAPE_OF(stencil) = {.block = {32, 8}, .tile = {64, 32}, .block_x_walks = kCols};
extern "C" __global__ void stencil(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t col = blockIdx.x * 32 + threadIdx.x;
  const size_t first = blockIdx.y * 64 + threadIdx.y * 8;  // a thread walks down 8 rows
  if (first >= rows || col >= cols) return;
  unsigned above = first > 0 ? in[(first - 1) * cols + col] : 0, own = in[first * cols + col];
  for (size_t row = first; row < first + 8 && row < rows; ++row) {
    const unsigned below = row + 1 < rows ? in[(row + 1) * cols + col] : 0;
    out[row * cols + col] = above + own + below;
    above = own, own = below;
  }
}
