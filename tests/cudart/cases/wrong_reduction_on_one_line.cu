// The warp reduction of old: lanes read what others write on the same line, and the advice says how to part the two.
// finding: missing-syncwarp.*between the read and the write of line 10: read into a variable
#include <cstdio>

__global__ void sum(int* out) {
  __shared__ int part[64];
  part[threadIdx.x] = threadIdx.x;
  part[threadIdx.x + 32] = 1;
  __syncwarp();
  part[threadIdx.x] += part[threadIdx.x + 16];
  __syncwarp();
  if (threadIdx.x == 0) *out = part[0];
}

int main() {
  int *out, back = 0;
  cudaMalloc(&out, sizeof back);
  sum<<<1, 32>>>(out);
  cudaMemcpy(&back, out, sizeof back, cudaMemcpyDeviceToHost);
  cudaFree(out);
  std::printf("%d\n", back);
}
