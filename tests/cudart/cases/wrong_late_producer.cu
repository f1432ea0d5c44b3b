// The second warp gives up after three looks at the flag, and reads all the same: wrong where the first warp is late.
// finding: shared-race
#include <cstdio>

__global__ void pass_on(int* out) {
  __shared__ int item[32];
  __shared__ int ready;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) ready = 0;
  if (threadIdx.x < 32) item[lane] = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    item[lane] = lane;
    __syncwarp();
    __threadfence_block();
    if (lane == 0) atomicExch(&ready, 1);
  } else {
    for (int looks = 0; looks < 3 && atomicAdd(&ready, 0) == 0; ++looks) __nanosleep(100);
    __threadfence_block();
    out[lane] = item[lane];
  }
}

int main() {
  int *out, back[32];
  cudaMalloc(&out, sizeof back);
  pass_on<<<1, 64>>>(out);
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  cudaFree(out);
  std::printf("%d\n", back[31]);
}
