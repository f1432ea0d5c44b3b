// golden: none
// reports: the read at PTX line
// A flag is waited for with plain reads, which the compiler makes one; the atomic that sets it stands in the other branch, so
// that nothing repeats what was read.
#include <cstdio>

__global__ void hand_over(int* flag, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      out[0] = 1;
      __threadfence();
      atomicExch(flag, 1);
    }
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    __threadfence();
    out[1] = 2;
  }
}

int main() {
  int* words;
  cudaMalloc(&words, 64);
  cudaMemset(words, 0, 64);
  hand_over<<<2, 32>>>(words, words + 4);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
