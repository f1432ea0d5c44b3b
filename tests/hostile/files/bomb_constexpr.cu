#include "common/kernel/lab.cuh"
constexpr long spin() {
  long sum = 0;
  for (long i = 0; i < 1'000'000; ++i) {
    for (long j = 0; j < 1'000'000; ++j) sum += i ^ j;
  }
  return sum;
}
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { constexpr long sum = spin(); out[0] = sum; }
