// The TMA unit in the PTX that it takes: a barrier in shared memory, copies of whole tiles, and fences.
//
// Enters: a tensor map, which the launch shape asks for (.maps) and the kernel takes by value as `const
// __grid_constant__ lab::TensorMap`; a tile in shared memory that starts at a multiple of 1,024 bytes.
// Leaves: one instruction a function. Coordinates count elements, columns before rows, as the hardware takes
// them.
#pragma once

#if defined(__clang__) && !defined(__NVCC__) && !defined(LAB_EDITOR)
#error "Tensor copies need the instructions of sm_90, which this clang does not compile for. Run: ./lab setup"
#endif

namespace lab {

struct alignas(64) TensorMap {
  char opaque[128];
};

// An mbarrier. A phase ends when as many threads have arrived as it was initialised for, and all bytes are
// there that they made it expect. Phases are counted 0, 1, 0, 1, …
using Barrier = unsigned long long;

__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// One thread calls it, and all others go through __syncthreads() before they use the barrier.
__device__ inline void init(Barrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");  // the TMA unit sees it, too
}

// Arrives, and adds the bytes on their way to what the barrier expects.
__device__ inline void arrive_and_expect(Barrier* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

// Until that phase has ended. Then its bytes can be read.
__device__ inline void wait(Barrier* barrier, int phase) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(phase)
        : "memory");
  }
}

// The box of the matrix whose first element is (row, col). What lies outside of the matrix becomes 0.
__device__ inline void load_tile(void* tile, const TensorMap& map, int col, int row, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(shared_address(tile)),
      "l"(&map), "r"(col), "r"(row), "r"(shared_address(barrier))
      : "memory");
}

// The other way. What lies outside of the matrix is not written.
__device__ inline void store_tile(const TensorMap& map, int col, int row, const void* tile) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
               "r"(col), "r"(row), "r"(shared_address(tile))
               : "memory");
}

// Ends a group of stores, and waits until the TMA unit has read the tiles of all groups: then they may be
// overwritten, and the block may end.
__device__ inline void commit_and_wait_for_reads() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// What this thread wrote to shared memory becomes visible to the TMA unit.
__device__ inline void fence_for_tma() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

}  // namespace lab
