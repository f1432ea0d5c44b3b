// Beside chapter 17: the paths that no transpose needs, one kernel for each number of docs/atomics.md. Try one with
// ./lab profile chapters/17_read_the_profiler/paths.cu --entry sum_by_halves
#include "common/kernel/findings.cuh"
#include "common/kernel/lab.cuh"

constexpr int kThreads = 256, kRows4 = 4;  // a thread takes four rows of its column
LAUNCH_SHAPE = {.block = {kThreads, 1}, .tile = {kRows4, kThreads}, .block_x_walks = kCols};

// Calls use(element) for the four elements of this thread.
template <typename Use>
__device__ void for_own(const unsigned* in, int rows, int cols, Use use) {
  const size_t col = size_t(blockIdx.x) * kThreads + threadIdx.x;
  for (int k = 0; k < kRows4; ++k) {
    const size_t row = size_t(blockIdx.y) * kRows4 + k;
    if (row < rows && col < cols) use(in[row * cols + col]);
  }
}

// Sums. An atomic for each element:
TASK_OF(sum_each) = kSum;
extern "C" __global__ void sum_each(unsigned* out, const unsigned* in, int rows, int cols) {
  for_own(in, rows, cols, [&](unsigned v) { atomicAdd(out, v); });
}

// Through shared memory, neighbours first: step 1, 2, 4, … 128.
TASK_OF(sum_neighbours_first) = kSum;
extern "C" __global__ void sum_neighbours_first(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned part[kThreads];
  const int t = threadIdx.x;
  unsigned mine = 0;
  for_own(in, rows, cols, [&](unsigned v) { mine += v; });
  part[t] = mine;
  for (int step = 1; step < kThreads; step *= 2) {
    __syncthreads();
    if (t % (2 * step) == 0) part[t] += part[t + step];
  }
  if (t == 0) atomicAdd(out, part[0]);
}

// Through shared memory, by halves: 128, 64, … 1.
TASK_OF(sum_by_halves) = kSum;
extern "C" __global__ void sum_by_halves(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned part[kThreads];
  const int t = threadIdx.x;
  unsigned mine = 0;
  for_own(in, rows, cols, [&](unsigned v) { mine += v; });
  part[t] = mine;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) atomicAdd(out, part[0]);
}

// Inside of a warp values go from register to register; shared memory has one word for each warp.
TASK_OF(sum_by_shuffles) = kSum;
extern "C" __global__ void sum_by_shuffles(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned of_warp[kThreads / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned mine = 0;
  for_own(in, rows, cols, [&](unsigned v) { mine += v; });
  for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(~0u, mine, half);
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp != 0) return;
  mine = lane < kThreads / 32 ? of_warp[lane] : 0;
  for (int half = 4; half > 0; half /= 2) mine += __shfl_down_sync(~0u, mine, half);
  if (lane == 0) atomicAdd(out, mine);
}

// Atomics in shared memory: neighbouring lanes in neighbouring words, …
TASK_OF(sum_in_many_words) = kSum;
extern "C" __global__ void sum_in_many_words(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned part[32];
  const int t = threadIdx.x;
  if (t < 32) part[t] = 0;
  __syncthreads();
  for_own(in, rows, cols, [&](unsigned v) { atomicAdd(&part[t % 32], v); });
  __syncthreads();
  if (t < 32) atomicAdd(out, part[t]);
}

// … and all lanes in one word.
TASK_OF(sum_in_one_word) = kSum;
extern "C" __global__ void sum_in_one_word(unsigned* out, const unsigned* in, int rows, int cols) {
  __shared__ unsigned all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  for_own(in, rows, cols, [&](unsigned v) { atomicAdd(&all, v); });
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, all);
}

// An array of each thread with an index that is not known before the run lies in local memory, …
extern "C" __global__ void array_in_memory(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t col = size_t(blockIdx.x) * kThreads + threadIdx.x, row0 = size_t(blockIdx.y) * kRows4;
  unsigned own[kRows4] = {};
  int n = 0;
  for_own(in, rows, cols, [&](unsigned v) { own[n++ + blockIdx.x & 3] = v; });
  for (int k = 0; k < kRows4; ++k)
    if (row0 + k < rows && col < cols) out[(row0 + k) * cols + col] = own[k + blockIdx.x & 3];
}

// … and one whose indices are all known, in registers.
extern "C" __global__ void array_in_registers(unsigned* out, const unsigned* in, int rows, int cols) {
  const size_t col = size_t(blockIdx.x) * kThreads + threadIdx.x, row0 = size_t(blockIdx.y) * kRows4;
  unsigned own[kRows4] = {};
#pragma unroll
  for (int k = 0; k < kRows4; ++k)
    if (row0 + k < rows && col < cols) own[k] = in[(row0 + k) * cols + col];
#pragma unroll
  for (int k = 0; k < kRows4; ++k)
    if (row0 + k < rows && col < cols) out[(row0 + k) * cols + col] = own[k];
}
