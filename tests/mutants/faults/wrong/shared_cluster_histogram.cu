// Two blocks of a cluster add to the sums of the first one without atomics.
// launch: 2 32
#include "../words.h"

// Shared memory of the first block of the cluster.
__device__ inline unsigned in_first_block(int* p) {
  unsigned at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(at) : "r"(shared_address(p)));
  return at;
}
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) kernel(int* out, int* in, int n) {
  __shared__ int sums[32];
  sums[threadIdx.x] = 0;
  cluster_sync();
  unsigned at = in_first_block(sums + threadIdx.x);
  int old = 0;
  asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(old) : "r"(at) : "memory");  // FAULT shared-race
  asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(at), "r"(old + 1) : "memory");  // FAULT shared-race
  cluster_sync();
  if (blockIdx.x == 0) out[threadIdx.x] = sums[threadIdx.x] + old / n;
}
