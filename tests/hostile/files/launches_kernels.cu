#include "common/kernel/lab.cuh"
__global__ void child(float* out) { out[0] = 1; }
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  child<<<1000000, 1024>>>(out);
}
