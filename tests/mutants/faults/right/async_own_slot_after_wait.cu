// A thread reads its own slot after its own wait.
// launch: 1 64
#include "../words.h"

extern "C" __global__ void kernel(int* out, int* in, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = 7;
  copy_async(tile + threadIdx.x, in + threadIdx.x);
  commit_async();
  wait_async();
  out[threadIdx.x] = tile[threadIdx.x];
}
