// Copies from global to shared memory that pass through no register and do not make the thread wait.
//
// Enters: both addresses. Leaves: one instruction per function. The copies that a thread started since its
// last commit are a group; it waits for groups, in the order in which it committed them, and for its own
// alone. CUDA's cuda_pipeline.h has the same three: __pipeline_memcpy_async, __pipeline_commit,
// __pipeline_wait_prior.
#pragma once

namespace lab {

// Starts a copy of 4, 8 or 16 bytes; both addresses are multiples of that. Only `read_bytes` of them are
// read, the rest become zeros: with 0, nothing is read, wherever `from` points.
template <int kBytes>
__device__ __forceinline__ void copy_async(void* to_shared, const void* from, int read_bytes = kBytes) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
  const unsigned to = unsigned(__cvta_generic_to_shared(to_shared));
  if constexpr (kBytes == 16)  // .cg: past the first-level cache
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(read_bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(kBytes),
                 "r"(read_bytes)
                 : "memory");
}

// The copies started since the last commit become a group; without any, an empty one.
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until all groups of this thread have landed but for the newest `kGroups`.
template <int kGroups>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

}  // namespace lab
