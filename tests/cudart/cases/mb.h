#pragma once
#include <cstdint>
__device__ inline uint32_t sa(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline void mb_init(uint64_t* b, int n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sa(b)), "r"(n) : "memory");
}
__device__ inline void mb_expect(uint64_t* b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sa(b)), "r"(bytes) : "memory");
}
__device__ inline void mb_arrive(uint64_t* b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sa(b)) : "memory");
}
__device__ inline void mb_wait(uint64_t* b, int parity) {
  asm volatile(
      "{\n .reg .pred p;\nLW_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @p bra LD_%=;\n bra "
      "LW_%=;\nLD_%=:\n}" ::"r"(sa(b)),
      "r"(parity)
      : "memory");
}
__device__ inline void bulk(void* dst, const void* src, int bytes, uint64_t* b) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          sa(dst)),
      "l"(src), "r"(bytes), "r"(sa(b))
      : "memory");
}
__device__ inline void bulk_multi(void* dst, const void* src, int bytes, uint64_t* b, uint16_t mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
      "[%3], %4;" ::"r"(sa(dst)),
      "l"(src), "r"(bytes), "r"(sa(b)), "h"(mask)
      : "memory");
}
__device__ inline void mb_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
