#include "common/kernel/lab.cuh"
__device__ char huge_variable[1ull << 40];
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { out[0] = huge_variable[rows]; huge_variable[cols] = 1; }
