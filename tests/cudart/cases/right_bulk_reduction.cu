// Thousands of blocks add to one place in bulk: the same sums on any number of host threads.
// clean
#include <cstdint>
#include <cstdio>
__global__ void add(int* acc) {
  __shared__ __align__(128) int s[64]; int t = threadIdx.x; s[t] = t + blockIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads();
  if (t == 0) { asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(acc), "r"((unsigned)__cvta_generic_to_shared(s)) : "memory"); asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
}
int main() { int* d; cudaMalloc(&d, 256); for (int k = 0; k < 10; ++k) { cudaMemset(d, 0, 256); add<<<4000 + k, 64>>>(d); int h[64]; cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost); long long s = 0; for (int i = 0; i < 64; ++i) s += h[i]; printf("%lld\n", s); } cudaFree(d); }
