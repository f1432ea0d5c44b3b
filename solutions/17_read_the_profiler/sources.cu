// 17 read the profiler: the kernels behind the tables. What stands below the next line comes into a student's file by `./lab tables 17
// --sources`, once every table has a finding.
#include "solutions/17_read_the_profiler/skeleton.cu"

// The kernels behind the tables, in an order of their own. Fix each: the same result, without the waste that its table shows.

// Transposes.
extern "C" __global__ void turn_1(float* out, const float* in, int rows, int cols) {
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}

extern "C" __global__ void turn_2(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 4];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.x][y] = in[row * cols + col];
  }
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x, col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[x][threadIdx.x];
  }
}

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

extern "C" __global__ void turn_4(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile, first = 3;  // the first column is the third, as in a ring
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

extern "C" __global__ void turn_5(float* out, const float* in, int rows, int cols) {
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = blockIdx.y * kTile + threadIdx.x, col = blockIdx.x * kTile + x;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}

// Adds the sum of all elements to out[0], modulo 2^32.
TASK_OF(sum) = kSum;
LAUNCH_SHAPE_OF(sum) = {.block = {256, 1}, .tile = {32, 128}, .block_x_walks = kCols};
extern "C" __global__ void sum(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned part[256];
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  const int t = threadIdx.x;
  unsigned mine = 0;
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + t; i < count; i += threads) mine += in[i];
  part[t] = mine;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    if (t % (2 * step) == 0) part[t] = mine += part[t + step];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, mine);
}

// Adds to out[b] how many elements leave the remainder b when they are divided by kBins.
constexpr int kBins = 251;
TASK_OF(histogram) = kHistogram;
LAUNCH_SHAPE_OF(histogram) = {.block = {256, 1}, .tile = {64, 128}, .block_x_walks = kCols};
extern "C" __global__ void histogram(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t count = size_t{1} * rows * cols, threads = size_t{256} * gridDim.x * gridDim.y;
  for (size_t i = (blockIdx.y * gridDim.x + blockIdx.x) * size_t{256} + threadIdx.x; i < count; i += threads)
    atomicAdd(&out[in[i] % kBins], 1u);
}

// out(r, c) = in(r - 1, c) + in(r, c) + in(r + 1, c), modulo 2^32; what lies outside is 0. `out` is rows × cols here.
TASK_OF(stencil) = kStencil;
LAUNCH_SHAPE_OF(stencil) = {.block = {32, 8}, .tile = {64, 32}, .block_x_walks = kCols};
extern "C" __global__ void stencil(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t col = blockIdx.x * 32 + threadIdx.x;
  for (int y = threadIdx.y; y < 64; y += 8) {
    const size_t row = blockIdx.y * 64 + y;
    if (row >= rows || col >= cols) continue;
    const unsigned above = row > 0 ? in[(row - 1) * cols + col] : 0;
    const unsigned below = row + 1 < rows ? in[(row + 1) * cols + col] : 0;
    out[row * cols + col] = above + in[row * cols + col] + below;
  }
}
