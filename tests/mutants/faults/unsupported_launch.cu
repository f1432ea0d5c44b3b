// Fault: the kernel has another kernel launched for it, which no goal would count
// shape: 64x64
// code: unsupported
// says: launches kernels
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};

// The words that a launch becomes; nvcc hides this one where it compiles files by themselves.
#undef __cudaCDP2GetParameterBufferV2
extern "C" __device__ void* __cudaCDP2GetParameterBufferV2(void* kernel, dim3 grid, dim3 block, unsigned shared_bytes);

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  if (blockIdx.x != 0 || blockIdx.y != 0 || threadIdx.x != 0 || threadIdx.y != 0) return;
  void* const p = __cudaCDP2GetParameterBufferV2(nullptr, dim3(rows), dim3(32), 0);  // <-- here
  static_cast<float**>(p)[0] = out;
  static_cast<const float**>(p)[1] = in;
}
