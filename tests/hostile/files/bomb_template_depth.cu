#include "common/kernel/lab.cuh"
template <int N>
struct Down {
  static constexpr int value = Down<N + 1>::value;
};
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { out[0] = Down<0>::value; }
