// A copy within the GPU's memory, from one half to the other.
// clean
#include <cuda_runtime.h>
int main() {
  int* data;
  cudaMalloc(&data, 1024);
  cudaMemset(data, 0, 1024);
  cudaMemcpy(data + 128, data, 256, cudaMemcpyDeviceToDevice);
  // Columns beside each other share rows, and no byte.
  cudaMemcpy2D(data + 4, 64, data, 64, 16, 8, cudaMemcpyDeviceToDevice);
  cudaFree(data);
}
