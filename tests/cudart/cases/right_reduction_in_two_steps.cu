// The advice applied: read into a variable, the barrier, then write.
// clean
#include <cstdio>

__global__ void sum(int* out) {
  __shared__ int part[64];
  part[threadIdx.x] = threadIdx.x;
  part[threadIdx.x + 32] = 1;
  __syncwarp();
  const int more = part[threadIdx.x + 16];
  __syncwarp();
  part[threadIdx.x] += more;
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
