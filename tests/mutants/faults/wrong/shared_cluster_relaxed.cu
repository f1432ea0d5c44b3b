// The barrier of the cluster between a write and the read of the other block orders nothing: arrivals are relaxed.
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
__device__ inline void relaxed_sync() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) kernel(int* out, int* in, int n) {
  __shared__ int slots[64];
  slots[threadIdx.x] = slots[32 + threadIdx.x] = 0;
  cluster_sync();
  unsigned at = in_first_block(slots + 32 * blockIdx.x + threadIdx.x);
  asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(at), "r"(in[threadIdx.x]) : "memory");  // FAULT shared-race
  relaxed_sync();
  if (blockIdx.x == 0) out[threadIdx.x] = slots[63 - threadIdx.x];  // FAULT shared-race
  cluster_sync();
}
