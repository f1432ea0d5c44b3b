#include "common/kernel/lab.cuh"
#include <stdio.h>
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  printf("%s %n %1000000000d %*.*f %lld %", "x", rows, 3);
  printf("%s", reinterpret_cast<const char*>(0x1234));
}
