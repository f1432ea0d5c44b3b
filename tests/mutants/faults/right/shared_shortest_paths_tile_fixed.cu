// As wrong/shared_shortest_paths_tile, with what was missing.
// launch: 1 256
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[16][16];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  tile[y][x] = in[threadIdx.x] % 37;
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    const int over = tile[y][k] + tile[k][x];
    __syncthreads();
    tile[y][x] = min(tile[y][x], over);
    __syncthreads();
  }
  out[threadIdx.x] = tile[y][x];
}
