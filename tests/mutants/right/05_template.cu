// Right: a template over the tile, the padding and the element
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {64, 4}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
template <class T, int Side, int Pad, int Threads>
struct Tile {
  T at[Side][Side + Pad];
  __device__ void load(const T* in, size_t r0, size_t c0, size_t rows, size_t cols, int thread) {
#pragma unroll
    for (int i = thread; i < Side * Side; i += Threads)
      if (r0 + i / Side < rows && c0 + i % Side < cols) at[i / Side][i % Side] = in[(r0 + i / Side) * cols + c0 + i % Side];
  }
  __device__ void store(T* out, size_t r0, size_t c0, size_t rows, size_t cols, int thread) const {
#pragma unroll
    for (int i = thread; i < Side * Side; i += Threads)
      if (c0 + i / Side < cols && r0 + i % Side < rows) out[(c0 + i / Side) * rows + r0 + i % Side] = at[i % Side][i / Side];
  }
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Tile<float, 32, 1, 256> tile;
  const size_t r0 = blockIdx.y * size_t(32), c0 = blockIdx.x * size_t(32);
  const int thread = threadIdx.y * 64 + threadIdx.x;
  tile.load(in, r0, c0, rows, cols, thread);
  __syncthreads();
  tile.store(out, r0, c0, rows, cols, thread);
}
