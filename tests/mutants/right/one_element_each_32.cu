// Right: 1 024 threads, one element each, XOR
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 32}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float t[1024];
  size_t r = blockIdx.y * 32ull + threadIdx.y, c = blockIdx.x * 32ull + threadIdx.x;
  if (r < rows && c < cols) t[threadIdx.y * 32 + (threadIdx.x ^ threadIdx.y)] = in[r * cols + c];
  __syncthreads();
  r = blockIdx.y * 32ull + threadIdx.x, c = blockIdx.x * 32ull + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = t[threadIdx.x * 32 + (threadIdx.x ^ threadIdx.y)];
}
