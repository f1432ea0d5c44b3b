// Atomic operations on 32- and 64-bit words, global or shared. Part of clang_builtins.cuh.
//
// Relaxed order, as CUDA defines them. Each returns the old value.
#pragma once

#define LAB_ATOMIC(NAME, TYPE, OP) \
  LAB_DEVICE TYPE NAME(TYPE* p, TYPE v) { return __atomic_fetch_##OP(p, v, __ATOMIC_RELAXED); }
#define LAB_ATOMICS(TYPE)          \
  LAB_ATOMIC(atomicMin, TYPE, min) \
  LAB_ATOMIC(atomicMax, TYPE, max) \
  LAB_ATOMIC(atomicAnd, TYPE, and) \
  LAB_ATOMIC(atomicOr, TYPE, or)   \
  LAB_ATOMIC(atomicXor, TYPE, xor)

LAB_ATOMICS(int)
LAB_ATOMICS(unsigned int)
LAB_ATOMICS(long long)
LAB_ATOMICS(unsigned long long)
LAB_ATOMIC(atomicAdd, int, add)
LAB_ATOMIC(atomicAdd, unsigned int, add)
LAB_ATOMIC(atomicAdd, unsigned long long, add)
LAB_ATOMIC(atomicSub, int, sub)
LAB_ATOMIC(atomicSub, unsigned int, sub)
LAB_DEVICE float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
LAB_DEVICE double atomicAdd(double* p, double v) { return __nvvm_atom_add_gen_d(p, v); }
LAB_DEVICE unsigned int atomicInc(unsigned int* p, unsigned int v) { return __nvvm_atom_inc_gen_ui(p, v); }
LAB_DEVICE unsigned int atomicDec(unsigned int* p, unsigned int v) { return __nvvm_atom_dec_gen_ui(p, v); }

// An exchange whose result is not read would become a plain store; as assembly it stays what the student
// wrote.
#define LAB_EXCHANGE(TYPE, PTX, REG)                                                            \
  LAB_DEVICE TYPE atomicExch(TYPE* p, TYPE v) {                                                 \
    TYPE old;                                                                                   \
    asm volatile("atom.exch." PTX " %0, [%1], %2;" : "=" REG(old) : "l"(p), REG(v) : "memory"); \
    return old;                                                                                 \
  }
#define LAB_COMPARE_AND_SWAP(TYPE)                                                           \
  LAB_DEVICE TYPE atomicCAS(TYPE* p, TYPE expected, TYPE v) {                                \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                         \
  }
LAB_EXCHANGE(int, "b32", "r")
LAB_EXCHANGE(unsigned int, "b32", "r")
LAB_EXCHANGE(float, "b32", "f")
LAB_EXCHANGE(unsigned long long, "b64", "l")
LAB_COMPARE_AND_SWAP(int)
LAB_COMPARE_AND_SWAP(unsigned int)
LAB_COMPARE_AND_SWAP(unsigned long long)
#undef LAB_ATOMIC
#undef LAB_ATOMICS
#undef LAB_EXCHANGE
#undef LAB_COMPARE_AND_SWAP
