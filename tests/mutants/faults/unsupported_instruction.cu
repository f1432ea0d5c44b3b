// Fault: an instruction that the simulator does not know
// shape: 64x64
// code: unsupported|bad-ptx
// says: multimem
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  int sum;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.s32 %0, [%1];" : "=r"(sum) : "l"(in));  // <-- here
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col] + float(sum);
}
