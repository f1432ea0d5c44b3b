// A tiled matrix product.
// launch: 1 256
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int a[16][16], b[16][16];
  int x = threadIdx.x % 16, y = threadIdx.x / 16, sum = 0;
  for (int k = 0; k < 2; ++k) {
    a[y][x] = in[k * 256 + y * 16 + x];
    b[y][x] = in[k * 256 + x * 16 + y];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += a[y][j] * b[j][x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
