// A fault in a kernel stays: every later call fails with the same code.
// reports: out-of-bounds
#include <cstdio>

__global__ void wild(int *p) { p[threadIdx.x + (1ull << 40)] = 1; }
__global__ void fine(int *p) { p[threadIdx.x] = 1; }

int main() {
  int *d, h = 0;
  cudaMalloc(&d, 128);
  fine<<<1, 32>>>(d);
  std::printf("before: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  wild<<<1, 32>>>(d);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  cudaError_t e = cudaDeviceSynchronize();
  std::printf("synchronise: %s (%d): %s\n", cudaGetErrorName(e), (int)e, cudaGetErrorString(e));
  std::printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("and again: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost)));
  int *more;
  std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&more, 4)));
  fine<<<1, 32>>>(d);
  std::printf("next launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  return e == cudaErrorIllegalAddress ? 0 : 1;
}
