// Cheat: each element is stored with a release
// judged by: 01_naive
// code: many-waits
// 01 naive: one thread per element, reading along the rows of `in`.
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {8, 32},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// A warp is one row of the block. It reads 32 neighbours: 128 bytes, 4 sectors. It writes one float into each of
// 32 rows of `out`: 32 sectors, with 4 bytes of use in each.
PREDICTIONS = {
    .global_load_sectors_per_request = 4,
    .global_store_sectors_per_request = 32,
    .global_load_sectors = 131072,    // 32 768 requests of 4
    .global_store_sectors = 1048576,  // 32 768 requests of 32
};

__device__ __forceinline__ void rel(float* p, float v) { asm volatile("st.release.sys.global.f32 [%0], %1;" :: "l"(p), "f"(v) : "memory"); }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // 64 bits, so that row * cols is right for matrices of more than 2^31 elements.
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) {
    rel(&out[col * rows + row], in[row * cols + col]);
  }
}
