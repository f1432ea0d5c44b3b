// Half of the threads return before the barrier that the others wait at with a warp mask that names everybody.
// golden: none
#include <cstdio>

__global__ void half_of_them(int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x % 2) {
    __syncthreads();  // FAULT barrier-divergence
    out[threadIdx.x] = s[threadIdx.x ^ 1];
  } else {
    while (((volatile int *)out)[0] == 0) {}
  }
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  half_of_them<<<1, 64>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
