#include "common/kernel/lab.cuh"
__device__ __noinline__ int deeper(volatile int* p, int n) { volatile int here[64]; here[n & 63] = n; return deeper(here, n + 1) + here[*p & 63]; }
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { volatile int x = rows; out[0] = deeper(&x, 0); }
