// A copy within the GPU's memory, whose ends overlap.
// finding: overlapping-copy: a copy of 256 bytes reads from byte 0.*writes from byte 64
#include <cuda_runtime.h>
int main() {
  int* data;
  cudaMalloc(&data, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemcpy(data + 16, data, 256, cudaMemcpyDeviceToDevice);
  // Columns beside each other share rows, and no byte.
  cudaMemcpy2D(data + 4, 64, data, 64, 16, 8, cudaMemcpyDeviceToDevice);
  cudaFree(data);
}
