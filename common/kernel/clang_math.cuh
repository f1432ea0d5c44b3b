// The small mathematics that needs no library: what PTX has as one instruction. Part of clang_builtins.cuh.
//
// sinf, expf and the like are library functions of the CUDA Toolkit; without it only their approximate twins
// (__sinf, __expf) exist, so a kernel that calls the others does not compile with clang, and says so.
#pragma once

// min and max mix types as CUDA's do: int with int, unsigned when one side is.
#define LAB_MIN_MAX(TYPE)                                                 \
  LAB_DEVICE constexpr TYPE min(TYPE a, TYPE b) { return b < a ? b : a; } \
  LAB_DEVICE constexpr TYPE max(TYPE a, TYPE b) { return a < b ? b : a; }
LAB_MIN_MAX(int)
LAB_MIN_MAX(unsigned int)
LAB_MIN_MAX(long)
LAB_MIN_MAX(unsigned long)
LAB_MIN_MAX(long long)
LAB_MIN_MAX(unsigned long long)
#undef LAB_MIN_MAX
LAB_DEVICE constexpr unsigned int min(int a, unsigned int b) { return min(static_cast<unsigned int>(a), b); }
LAB_DEVICE constexpr unsigned int min(unsigned int a, int b) { return min(a, static_cast<unsigned int>(b)); }
LAB_DEVICE constexpr unsigned int max(int a, unsigned int b) { return max(static_cast<unsigned int>(a), b); }
LAB_DEVICE constexpr unsigned int max(unsigned int a, int b) { return max(a, static_cast<unsigned int>(b)); }
LAB_DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
LAB_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
LAB_DEVICE double min(double a, double b) { return __builtin_fmin(a, b); }
LAB_DEVICE double max(double a, double b) { return __builtin_fmax(a, b); }
LAB_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
LAB_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
LAB_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
LAB_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
LAB_DEVICE constexpr int abs(int a) { return a < 0 ? -a : a; }
LAB_DEVICE float fabsf(float a) { return __builtin_fabsf(a); }
LAB_DEVICE double fabs(double a) { return __builtin_fabs(a); }
LAB_DEVICE float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
LAB_DEVICE double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
LAB_DEVICE float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
LAB_DEVICE double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
LAB_DEVICE float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
LAB_DEVICE float floorf(float a) { return __nvvm_floor_f(a); }
LAB_DEVICE float ceilf(float a) { return __nvvm_ceil_f(a); }
LAB_DEVICE float truncf(float a) { return __nvvm_trunc_f(a); }
LAB_DEVICE float __sinf(float a) { return __nvvm_sin_approx_f(a); }
LAB_DEVICE float __cosf(float a) { return __nvvm_cos_approx_f(a); }
LAB_DEVICE float __expf(float a) { return __nvvm_ex2_approx_f(a * 1.44269504f); }
LAB_DEVICE float __logf(float a) { return __nvvm_lg2_approx_f(a) * 0.69314718f; }
LAB_DEVICE float __log2f(float a) { return __nvvm_lg2_approx_f(a); }
LAB_DEVICE float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

LAB_DEVICE int __popc(unsigned int a) { return __builtin_popcount(a); }
LAB_DEVICE int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
// The zero case is defined in CUDA (32 and 64), not in the builtins.
LAB_DEVICE int __clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(a)); }
LAB_DEVICE int __clzll(long long a) {
  return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a));
}
LAB_DEVICE int __ffs(int a) { return __builtin_ffs(a); }
LAB_DEVICE int __ffsll(long long a) { return __builtin_ffsll(a); }
LAB_DEVICE unsigned int __brev(unsigned int a) { return __builtin_bitreverse32(a); }
LAB_DEVICE unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
LAB_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
LAB_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
LAB_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
LAB_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }
LAB_DEVICE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s) {
  return __nvvm_prmt(a, b, s);
}
LAB_DEVICE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
  by &= 31;
  return by == 0 ? high : (high << by) | (low >> (32 - by));
}
LAB_DEVICE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int by) {
  by &= 31;
  return by == 0 ? low : (low >> by) | (high << (32 - by));
}

LAB_DEVICE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
LAB_DEVICE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
LAB_DEVICE unsigned int __float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
LAB_DEVICE float __uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
LAB_DEVICE long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
LAB_DEVICE double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }

// clang turns a call of printf on the device into PTX's vprintf. A failed assert (from <cassert>) is a trap.
extern "C" __device__ int printf(const char*, ...);
extern "C" __device__ LAB_HIDDEN inline void __assert_fail(const char*, const char*, unsigned int,
                                                           const char*) {
  __trap();
}
extern "C" __device__ void* malloc(size_t);
extern "C" __device__ void free(void*);
