#include "common/kernel/lab.cuh"
extern "C" __device__ int vprintf(const char*, const char*);
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  vprintf(reinterpret_cast<const char*>(~0ull), nullptr);
}
