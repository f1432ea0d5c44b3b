#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {8, 32}, .block_x_walks = kCols};
extern "C" __device__ lab::Predictions lab_predictions = {};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  lab_predictions.global_load_sectors_per_request = 4;
  lab_predictions.global_store_sectors_per_request = 32;
  lab_predictions.global_load_sectors = 131072;
  lab_predictions.global_store_sectors = 1048576;

  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
