// 03 float4: each thread turns a block of 4 × 4 elements in its registers, with 16-byte accesses.
#include "common/kernel/lab.cuh"

// TODO (2 lines): each thread will cover 4 × 4 elements, so the tile is 4 times the block each way. Compare blocks of
// (32, 8) and (16, 16): which one writes whole sectors?
LAUNCH_SHAPE = {
    .block = {8, 32},        // threads: x, y
    .tile = {32, 8},         // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// TODO (2 numbers): 32 lanes with 16 bytes each. How many sectors is that at best, and with your block?
PREDICTIONS = {
    .global_load_sectors_per_request = 0,
    .global_store_sectors_per_request = 0,
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  // 64 bits, so that row * cols is right for matrices of more than 2^31 elements.
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO (about 20 lines): let (row, col) be the corner of this thread's 4 × 4 block. Read its four rows as float4:
  //     const float4 a = *reinterpret_cast<const float4*>(&in[...]);
  // and write its four columns as float4: make_float4(a.x, b.x, c.x, d.x), and so on. A float4 must start on 16
  // bytes: that holds for every row only when `cols` and `rows` are multiples of 4. Other shapes go element by
  // element.
  if (row < rows && col < cols) {
    out[col * rows + row] = __ldg(&in[row * cols + col]);
  }
}
