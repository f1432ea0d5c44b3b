#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  asm volatile("{ .local .align 4 .b8 huge_local[4294967295]; .reg .b64 a; mov.u64 a, huge_local; st.local.u32 [a+4], 1; }");
}
