// Rows of a tile are read and changed in the same round (HeCBench issue 261).
// launch: 1 256
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[16][16];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  tile[y][x] = in[threadIdx.x] % 37;
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    const int over = tile[y][k] + tile[k][x];  // FAULT shared-race
    tile[y][x] = min(tile[y][x], over);  // FAULT shared-race
    __syncthreads();
  }
  out[threadIdx.x] = tile[y][x];
}
