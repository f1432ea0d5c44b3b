// Blocks of a cluster, which run at the same time and reach each other's shared memory.
//
// Enters: a launch shape with .cluster. Leaves: the block's number in its cluster, a barrier of all its
// threads, and pointers into another block's shared memory, good for ordinary loads and stores.
#pragma once

#if defined(__clang__) && !defined(__NVCC__) && !defined(LAB_EDITOR)
#error "Clusters need the instructions of sm_90, which this clang does not compile for. Run: ./lab setup"
#endif

namespace lab {

// 0, 1, …; along x first.
__device__ inline int rank_in_cluster() {
  int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// All threads of all blocks of the cluster; what they wrote before, all see after.
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The same place in the shared memory of block `rank`. That block must have begun, and must not have ended.
template <typename T>
__device__ T* in_block(T* mine, int rank) {
  T* theirs;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
  return theirs;
}

}  // namespace lab
