// 17 read the profiler: kernels that stand behind tables and nowhere else: two wastes at once, and none.
#include "solutions/17_read_the_profiler/sources.cu"

// Stores far apart cost most; the tile's conflicts are of two lanes.
extern "C" __global__ void both_1(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 2];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile, col = col0 + threadIdx.x;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows)
    if (row0 + y < rows && col < cols) tile[threadIdx.x][y] = in[(row0 + y) * cols + col];
  __syncthreads();
  for (int y = threadIdx.y; y < kTile; y += kBlockRows)
    if (row0 + y < rows && col < cols) out[col * rows + row0 + y] = tile[threadIdx.x][y];
}

// All lanes of a load meet in one bank; requests to `in` begin inside of sectors besides.
extern "C" __global__ void both_2(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile, first = 5;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + (col + first) % cols];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[(col + first) % cols * rows + row] = tile[threadIdx.x][x];
  }
}

// Nothing is wasted: no padding, and no conflict either.
extern "C" __global__ void well_1(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[y][threadIdx.x ^ y] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x ^ threadIdx.x];
  }
}

// Nor here: an atomic, and requests of one lane, but few of each.
TASK_OF(well_2) = kSum;
LAUNCH_SHAPE_OF(well_2) = {.block = {256, 1}, .tile = {32, 128}, .block_x_walks = kCols};
extern "C" __global__ void well_2(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned of_warp[8];
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  unsigned mine = 0;
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + threadIdx.x; i < count; i += threads) mine += in[i];
  for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(0xffffffff, mine, half);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  unsigned all = threadIdx.x < 8 ? of_warp[threadIdx.x] : 0;
  for (int half = 4; half > 0; half /= 2) all += __shfl_down_sync(0xffffffff, all, half);
  if (threadIdx.x == 0) atomicAdd(out, all);
}
