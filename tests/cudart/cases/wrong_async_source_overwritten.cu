// The source of an asynchronous copy is overwritten before the wait.
// finding: global-race
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(int *a, int *out) {
  __shared__ int s[256];
  auto b = cg::this_thread_block();
  int t = threadIdx.x;
  cg::memcpy_async(b, s, a, sizeof(int) * 256);
  a[t] = -t;
  cg::wait(b);
  out[t] = s[t];
}
int main() { int *a, *out; cudaMalloc(&a, 1024); cudaMemset(a, 1, 1024); cudaMalloc(&out, 1024); k<<<1, 256>>>(a, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())); cudaFree(a); cudaFree(out); return 0; }
