// Each output is the sum of its neighbours up to RADIUS away; a block keeps its part and two halos in shared memory.
#include <algorithm>
#include <stdio.h>

using namespace std;

#define N 40960
#define RADIUS 3
#define BLOCK_SIZE 128

#define cudaCheckErrors(msg)                                                            \
  do {                                                                                  \
    cudaError_t __err = cudaGetLastError();                                             \
    if (__err != cudaSuccess) {                                                         \
      fprintf(stderr, "Fatal error: %s (%s at %s:%d)\n", msg, cudaGetErrorString(__err), __FILE__, __LINE__); \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

__global__ void stencil_1d(int *in, int *out) {
  __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = in[gindex];
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex - RADIUS];
    temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
  out[gindex] = result;
}

void fill_ints(int *x, int n) { fill_n(x, n, 1); }

int main(void) {
  int *in, *out;
  int *d_in, *d_out;
  int size = (N + 2 * RADIUS) * sizeof(int);
  in = (int *)malloc(size);
  fill_ints(in, N + 2 * RADIUS);
  in[RADIUS + 1000] = 100;
  out = (int *)malloc(size);
  fill_ints(out, N + 2 * RADIUS);
  cudaMalloc((void **)&d_in, size);
  cudaMalloc((void **)&d_out, size);
  cudaCheckErrors("cudaMalloc");
  cudaMemcpy(d_in, in, size, cudaMemcpyHostToDevice);
  cudaMemcpy(d_out, out, size, cudaMemcpyHostToDevice);
  stencil_1d<<<N / BLOCK_SIZE, BLOCK_SIZE>>>(d_in + RADIUS, d_out + RADIUS);
  cudaCheckErrors("kernel");
  cudaMemcpy(out, d_out, size, cudaMemcpyDeviceToHost);
  cudaCheckErrors("cudaMemcpy");
  int touched = 0;
  for (int i = 0; i < N + 2 * RADIUS; i++) {
    int want = 1;
    if (i >= RADIUS && i < N + RADIUS) {
      want = 0;
      for (int o = -RADIUS; o <= RADIUS; o++) want += in[i + o];
    }
    if (out[i] != want) {
      printf("Element h_out[%d] == %d != %d\n", i, out[i], want);
      return 1;
    }
    touched += out[i] > 7;
  }
  printf("the peak reached %d elements\nSUCCESS!\n", touched);
  free(in);
  free(out);
  cudaFree(d_in);
  cudaFree(d_out);
  return 0;
}
