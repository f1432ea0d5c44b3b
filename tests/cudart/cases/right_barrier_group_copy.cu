// cuda::barrier and cuda::memcpy_async as their documentation has it.
// clean
#include <cstdio>
#include <cuda/barrier>
#include <cooperative_groups.h>
#pragma nv_diag_suppress static_var_with_dynamic_init
namespace cg = cooperative_groups;
__global__ void k(float* out, const float* in) {
  __shared__ alignas(16) float s[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto b = cg::this_thread_block();
  if (b.thread_rank() == 0) init(&bar, b.size());
  b.sync();
  cuda::memcpy_async(b, s, in, cuda::aligned_size_t<16>(sizeof(s)), bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = s[127 - threadIdx.x];
}
int main() {
  float *a, *o; cudaMalloc(&a, 512); cudaMalloc(&o, 512); cudaMemset(a, 0, 512);
  k<<<1, 128>>>(o, a); printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); cudaFree(a); cudaFree(o);
}
