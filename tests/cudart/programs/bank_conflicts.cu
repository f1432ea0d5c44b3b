// Shared memory with a stride: each stride meets the banks in its own way. Cycles are printed, results are checked.
// mask: [0-9]+ cycles
#include <stdio.h>
#include <stdlib.h>

#define REPEAT 64
#define cudaErrCheck(stat) { cudaErrCheck_((stat), __FILE__, __LINE__); }
void cudaErrCheck_(cudaError_t stat, const char *file, int line) {
  if (stat != cudaSuccess) {
    fprintf(stderr, "CUDA Error: %s %s %d\n", cudaGetErrorString(stat), file, line);
    exit(1);
  }
}

__global__ void strided(int stride, int *out, long long *cycles) {
  __shared__ volatile int s[32 * 33];
  for (int i = threadIdx.x; i < 32 * 33; i += blockDim.x) s[i] = i;
  __syncthreads();
  int index = threadIdx.x * stride % (32 * 33), sum = 0;
  long long start = clock64();
#pragma unroll 8
  for (int r = 0; r < REPEAT; r++) sum += s[index];
  long long stop = clock64();
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) *cycles = stop - start;
}

__global__ void broadcast(int *out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[threadIdx.x] = s[7] + s[threadIdx.x / 2] + s[31 - threadIdx.x];
}

__global__ void bytes(unsigned char *out) {
  __shared__ unsigned char s[128];
  for (int k = 0; k < 4; k++) s[threadIdx.x + 32 * k] = threadIdx.x + 32 * k;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] ^ s[threadIdx.x * 4];
}

__global__ void doubles(double *out) {
  __shared__ double s[64];
  s[threadIdx.x] = threadIdx.x;
  s[threadIdx.x + 32] = threadIdx.x + 32;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + s[2 * threadIdx.x];
}

int main() {
  int *d, h[32], bad = 0;
  long long *dc, cycles;
  cudaErrCheck(cudaMalloc(&d, 32 * sizeof(double)));
  cudaErrCheck(cudaMalloc(&dc, sizeof cycles));
  for (int stride : {0, 1, 2, 3, 4, 8, 16, 32, 33}) {
    strided<<<1, 32>>>(stride, d, dc);
    cudaErrCheck(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    cudaErrCheck(cudaMemcpy(&cycles, dc, sizeof cycles, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 32; t++) bad += h[t] != REPEAT * (t * stride % (32 * 33));
    int ways = 0, banks[32] = {0};
    for (int t = 0; t < 32; t++)
      if (stride || !t) ways = max(ways, ++banks[t * stride % 32]);
    printf("stride %2d: %2d-way, %lld cycles\n", stride, ways, cycles);
  }
  broadcast<<<1, 32>>>(d);
  cudaErrCheck(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; t++) bad += h[t] != 21 + t / 2 * 3 + (31 - t) * 3;
  unsigned char b[32];
  bytes<<<1, 32>>>((unsigned char *)d);
  cudaErrCheck(cudaMemcpy(b, d, sizeof b, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; t++) bad += b[t] != (t ^ t * 4);
  double f[32];
  doubles<<<1, 32>>>((double *)d);
  cudaErrCheck(cudaMemcpy(f, d, sizeof f, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; t++) bad += f[t] != 3 * t;
  printf("%d wrong\n", bad);
  cudaErrCheck(cudaFree(d));
  cudaErrCheck(cudaFree(dc));
  return bad != 0;
}
