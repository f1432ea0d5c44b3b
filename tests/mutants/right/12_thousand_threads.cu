// Right: a thread for each element of the tile, and all threads ask the barrier
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"

LAUNCH_SHAPE = {.block = {1024, 1},
                .tile = {32, 32},
                .block_x_walks = kCols,
                .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128},
                         {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}}};
PREDICTIONS = {.global_load_sectors_per_request = 128, .shared_load_wavefronts_per_request = 4};

extern "C" __global__ void __launch_bounds__(1024)
    transpose(float* out, const float* in, int rows, int cols, const __grid_constant__ lab::TensorMap source,
              const __grid_constant__ lab::TensorMap target) {
  __shared__ __align__(1024) float rows_of_in[1024];
  __shared__ __align__(1024) float rows_of_out[1024];
  __shared__ lab::Barrier landed;
  const int left = 32 * blockIdx.x, top = 32 * blockIdx.y;
  if (threadIdx.x == 0) {
    lab::init(&landed, 1);
    lab::arrive_and_expect(&landed, sizeof rows_of_in);
    lab::load_tile(rows_of_in, source, left, top, &landed);
  }
  __syncthreads();

  // bits of the thread: two of the column in its chunk, two of the row in its group, one for the group's half, and the warp:
  // three for the chunk, two for the pair of groups.
  const unsigned t = threadIdx.x, low = t % 4, inner = t / 4 % 4, half = t / 16 % 2, chunk = t / 32 % 8, pair = t / 256;
  const unsigned group = pair ^ (half ? 5u : 0u), row = 4 * group + inner, col = 4 * chunk + low;
  const unsigned from = 32 * row + 4 * (chunk ^ row % 8) + low;
  const unsigned to = 32 * col + 4 * (row / 4 ^ col % 8) + row % 4;
  lab::wait(&landed, 0);
  rows_of_out[to] = rows_of_in[from];
  lab::fence_for_tma();
  __syncthreads();
  if (threadIdx.x == 0) {
    lab::store_tile(target, top, left, rows_of_out);
    lab::commit_and_wait_for_reads();
  }
}
