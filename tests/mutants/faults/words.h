// What the kernels here call by short names: asynchronous copies, named barriers, accesses with an order and
// a scope.
#pragma once

__device__ inline unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ inline void copy_async(int* to, const int* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ inline void commit_async() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ inline void wait_async() { asm volatile("cp.async.wait_all;" ::: "memory"); }
template <int count>
__device__ inline void wait_async_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(count) : "memory");
}
__device__ inline void named_barrier(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void arrive_barrier(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void store_relaxed(int* p, int v) {
  asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ inline void store_release(int* p, int v) {
  asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ inline void store_release_block(int* p, int v) {
  asm volatile("st.release.cta.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ inline int load_acquire(int* p) {
  int v;
  asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ inline int load_acquire_block(int* p) {
  int v;
  asm volatile("ld.acquire.cta.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ inline int swap_acquire(int* p, int v) {
  int old;
  asm volatile("atom.acquire.gpu.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
  return old;
}
__device__ inline int swap_acquire_block(int* p, int v) {
  int old;
  asm volatile("atom.acquire.cta.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
  return old;
}
using Mbarrier = unsigned long long;
__device__ inline void init_mbarrier(Mbarrier* bar, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1; fence.proxy.async;" ::"r"(shared_address(bar)),
               "r"(arrivals)
               : "memory");
}
__device__ inline void wait_phase(Mbarrier* bar, int parity) {
  int over = 0;
  while (over == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(shared_address(bar)), "r"(parity)
                 : "memory");
}
__device__ inline void copies_arrive(Mbarrier* bar) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ inline void load_bulk(void* to, const void* from, int bytes, Mbarrier* bar) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared.b64 _, [%3], %2;"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(bar))
      : "memory");
}
__device__ inline void store_bulk(void* to, const void* from, int bytes) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to),
      "r"(shared_address(from)), "r"(bytes)
      : "memory");
}
__device__ inline void wait_bulk() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
__device__ inline void wait_bulk_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ inline void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// Adds to a byte as cuda::atomic_ref<char> does: swaps the word around it.
__device__ inline void add_to_byte(char* p, int v) {
  unsigned* word = (unsigned*)((size_t)p & ~(size_t)3);
  unsigned shift = 8 * ((size_t)p & 3), old = *(volatile unsigned*)word, assumed;
  do {
    assumed = old;
    unsigned next = (((assumed >> shift) + v) & 0xff) << shift;
    old = atomicCAS(word, assumed, (assumed & ~(0xffu << shift)) | next);
  } while (old != assumed);
}
