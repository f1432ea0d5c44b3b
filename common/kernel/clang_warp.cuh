// Barriers, fences, and what the lanes of a warp say to one another. Part of clang_builtins.cuh.
#pragma once

// __syncthreads() is clang's own.
LAB_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
LAB_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
LAB_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
LAB_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
LAB_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
LAB_DEVICE void __threadfence() { __nvvm_membar_gl(); }
LAB_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
LAB_DEVICE void __trap() { asm volatile("trap;"); }
LAB_DEVICE void __brkpt() { asm volatile("brkpt;"); }
LAB_DEVICE void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
LAB_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
LAB_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }

LAB_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
LAB_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
LAB_DEVICE int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
LAB_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
LAB_DEVICE unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

// A shuffle moves 32 bits. Wider values travel as two halves, floats as their bits. `0x1f` keeps a segment's
// upper bound for `down`, `bfly` and `idx`; `up` bounds below, so its field is 0 (PTX ISA, shfl.sync). Narrow
// widths split the warp into segments.
#define LAB_SHUFFLE(NAME, BUILTIN, SECOND, CLAMP)                                                      \
  LAB_DEVICE int NAME(unsigned int mask, int value, SECOND lane, int width = 32) {                     \
    return __nvvm_shfl_sync_##BUILTIN(mask, value, lane, ((32 - width) << 8) | (CLAMP));               \
  }                                                                                                    \
  LAB_DEVICE unsigned int NAME(unsigned int mask, unsigned int value, SECOND lane, int width = 32) {   \
    return static_cast<unsigned int>(NAME(mask, static_cast<int>(value), lane, width));                \
  }                                                                                                    \
  LAB_DEVICE float NAME(unsigned int mask, float value, SECOND lane, int width = 32) {                 \
    return __builtin_bit_cast(float, NAME(mask, __builtin_bit_cast(int, value), lane, width));         \
  }                                                                                                    \
  LAB_DEVICE long long NAME(unsigned int mask, long long value, SECOND lane, int width = 32) {         \
    const int2 halves = __builtin_bit_cast(lab_clang::Halves, value).as_int2();                        \
    return lab_clang::joined(NAME(mask, halves.x, lane, width), NAME(mask, halves.y, lane, width));    \
  }                                                                                                    \
  LAB_DEVICE unsigned long long NAME(unsigned int mask, unsigned long long value, SECOND lane,         \
                                     int width = 32) {                                                 \
    return static_cast<unsigned long long>(NAME(mask, static_cast<long long>(value), lane, width));    \
  }                                                                                                    \
  LAB_DEVICE long NAME(unsigned int mask, long value, SECOND lane, int width = 32) {                   \
    return static_cast<long>(NAME(mask, static_cast<long long>(value), lane, width));                  \
  }                                                                                                    \
  LAB_DEVICE unsigned long NAME(unsigned int mask, unsigned long value, SECOND lane, int width = 32) { \
    return static_cast<unsigned long>(NAME(mask, static_cast<long long>(value), lane, width));         \
  }                                                                                                    \
  LAB_DEVICE double NAME(unsigned int mask, double value, SECOND lane, int width = 32) {               \
    return __builtin_bit_cast(double, NAME(mask, __builtin_bit_cast(long long, value), lane, width));  \
  }

namespace lab_clang {
struct Halves {
  int low, high;
  __device__ LAB_HIDDEN int2 as_int2() const { return int2(low, high); }
};
LAB_DEVICE long long joined(int low, int high) { return __builtin_bit_cast(long long, Halves{low, high}); }
}  // namespace lab_clang

LAB_SHUFFLE(__shfl_sync, idx_i32, int, 0x1f)
LAB_SHUFFLE(__shfl_up_sync, up_i32, unsigned int, 0)
LAB_SHUFFLE(__shfl_down_sync, down_i32, unsigned int, 0x1f)
LAB_SHUFFLE(__shfl_xor_sync, bfly_i32, int, 0x1f)
#undef LAB_SHUFFLE

#define LAB_MATCH(TYPE, WORD, BITS, CONSTRAINT)                                                   \
  LAB_DEVICE unsigned int __match_any_sync(unsigned int mask, TYPE value) {                       \
    unsigned int same;                                                                            \
    asm volatile("match.any.sync.b" BITS " %0, %1, %2;"                                           \
                 : "=r"(same)                                                                     \
                 : CONSTRAINT(__builtin_bit_cast(WORD, value)), "r"(mask));                       \
    return same;                                                                                  \
  }                                                                                               \
  LAB_DEVICE unsigned int __match_all_sync(unsigned int mask, TYPE value, int* all) {             \
    unsigned int same;                                                                            \
    asm volatile("{ .reg .pred p; match.all.sync.b" BITS " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" \
                 : "=r"(same), "=r"(*all)                                                         \
                 : CONSTRAINT(__builtin_bit_cast(WORD, value)), "r"(mask));                       \
    return same;                                                                                  \
  }
LAB_MATCH(int, unsigned int, "32", "r")
LAB_MATCH(unsigned int, unsigned int, "32", "r")
LAB_MATCH(float, unsigned int, "32", "r")
LAB_MATCH(long, unsigned long long, "64", "l")
LAB_MATCH(unsigned long, unsigned long long, "64", "l")
LAB_MATCH(long long, unsigned long long, "64", "l")
LAB_MATCH(unsigned long long, unsigned long long, "64", "l")
LAB_MATCH(double, unsigned long long, "64", "l")
#undef LAB_MATCH

#define LAB_REDUCE(NAME, OP, TYPE, PTX)                                                           \
  LAB_DEVICE TYPE NAME(unsigned int mask, TYPE value) {                                           \
    TYPE result;                                                                                  \
    asm volatile("redux.sync." OP "." PTX " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                                \
  }
LAB_REDUCE(__reduce_add_sync, "add", int, "s32")
LAB_REDUCE(__reduce_add_sync, "add", unsigned int, "u32")
LAB_REDUCE(__reduce_min_sync, "min", int, "s32")
LAB_REDUCE(__reduce_min_sync, "min", unsigned int, "u32")
LAB_REDUCE(__reduce_max_sync, "max", int, "s32")
LAB_REDUCE(__reduce_max_sync, "max", unsigned int, "u32")
LAB_REDUCE(__reduce_and_sync, "and", unsigned int, "b32")
LAB_REDUCE(__reduce_or_sync, "or", unsigned int, "b32")
LAB_REDUCE(__reduce_xor_sync, "xor", unsigned int, "b32")
#undef LAB_REDUCE

LAB_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  size_t address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
LAB_DEVICE size_t __cvta_generic_to_global(const void* p) {
  size_t address;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
