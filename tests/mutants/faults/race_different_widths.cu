// Fault: one warp stores words, another bytes of them
// shape: 32x32
// code: shared-race
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ unsigned int words[64];
  unsigned char* bytes = reinterpret_cast<unsigned char*>(words);
  if (threadIdx.y == 0) words[threadIdx.x] = 7u * threadIdx.x + 1;
  if (threadIdx.y == 1) bytes[4 * threadIdx.x + 2] = 200;  // <-- here
  __syncthreads();
  if (threadIdx.y == 0) out[threadIdx.x] = float(words[threadIdx.x]) + in[0];
}
