// __syncwarp() for all lanes, in a branch that two lanes take (as numba's cuda.reduce has it): the others are past it
// and return, and the two go on. A kernel of the device runtime's handle alone, without its barrier, runs too.
// nvcc: -rdc=true -lcudadevrt
// reports: waits for lanes that never come
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_of_four(const int* in, int* out) {
  __shared__ int part[4];
  const int i = threadIdx.x;
  if (i < 4) part[i] = in[i];
  __syncthreads();
  if (i < 2) {
    part[i] += part[i + 2];
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  }
  if (i == 0) *out = part[0] + part[1];
}

__global__ void handle_alone(int* out) { *out = cudaCGGetIntrinsicHandle(cudaCGScopeGrid) != 1 ? 7 : 8; }

int main() {
  int* numbers;
  cudaMallocManaged(&numbers, 8 * sizeof(int));
  for (int i = 0; i < 4; ++i) numbers[i] = 10 * (i + 1);
  sum_of_four<<<1, 64>>>(numbers, numbers + 4);
  handle_alone<<<1, 1>>>(numbers + 5);
  const cudaError_t code = cudaDeviceSynchronize();
  std::printf("%s, %d %d\n", cudaGetErrorString(code), numbers[4], numbers[5]);
  const bool right = code == cudaSuccess && numbers[4] == 100 && numbers[5] == 7;
  cudaFree(numbers);
  return right ? 0 : 1;
}
