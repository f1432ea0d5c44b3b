#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
struct Huge { char bytes[4000]; };
extern "C" __global__ void transpose(Huge h, float* out, const float* in, int rows) { out[0] = h.bytes[rows]; }
