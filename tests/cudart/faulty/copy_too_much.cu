// cudaMemcpy with the count in elements on one side and bytes on the other: more bytes than the buffer has.
// golden: none
#include <cstdio>

int main() {
  float *d, h[256] = {};
  cudaMalloc(&d, 256);
  cudaError_t e = cudaMemcpy(d, h, 256 * sizeof(float), cudaMemcpyHostToDevice);
  printf("%s\n", cudaGetErrorName(e));
  return e == cudaErrorInvalidValue ? 0 : 1;
}
