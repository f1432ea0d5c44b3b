// See prelude.h. Names that begin with LAB_ are macros of this file alone.
#include "common/compile/builtin/prelude.h"

#include <map>

namespace lab::cucc {
namespace {

const char* const kVectors = R"(
#define LAB_VECTORS(NAME, T, A2, A4) \
  struct NAME##1 { T x; }; struct alignas(A2) NAME##2 { T x, y; }; struct NAME##3 { T x, y, z; }; struct alignas(A4) NAME##4 { T x, y, z, w; }; \
  __device__ constexpr NAME##1 make_##NAME##1(T x) { return {x}; } \
  __device__ constexpr NAME##2 make_##NAME##2(T x, T y) { return {x, y}; } \
  __device__ constexpr NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; } \
  __device__ constexpr NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
LAB_VECTORS(char, signed char, 2, 4)
LAB_VECTORS(uchar, unsigned char, 2, 4)
LAB_VECTORS(short, short, 4, 8)
LAB_VECTORS(ushort, unsigned short, 4, 8)
LAB_VECTORS(int, int, 8, 16)
LAB_VECTORS(uint, unsigned, 8, 16)
LAB_VECTORS(long, long, 16, 16)
LAB_VECTORS(ulong, unsigned long, 16, 16)
LAB_VECTORS(longlong, long long, 16, 16)
LAB_VECTORS(ulonglong, unsigned long long, 16, 16)
LAB_VECTORS(float, float, 8, 16)
LAB_VECTORS(double, double, 16, 16)
#define NULL 0
#define assert(CONDITION) ((CONDITION) ? (void)0 : __trap())
typedef long clock_t;
struct dim3 { unsigned x = 1, y = 1, z = 1; };
)";

const char* const kBarriers = R"(
__device__ void __syncthreads() { asm volatile("bar.sync 0;"); }
#define LAB_BARRIER(NAME, BODY) \
  __device__ int NAME(int p) { int r; asm volatile("{ .reg .pred q, s; setp.ne.u32 q, %1, 0; " BODY " }" : "=r"(r) : "r"(p)); return r; }
LAB_BARRIER(__syncthreads_count, "bar.red.popc.u32 %0, 0, q;")
LAB_BARRIER(__syncthreads_and, "bar.red.and.pred s, 0, q; selp.u32 %0, 1, 0, s;")
LAB_BARRIER(__syncthreads_or, "bar.red.or.pred s, 0, q; selp.u32 %0, 1, 0, s;")
__device__ void __syncwarp(unsigned mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" :: "r"(mask)); }
__device__ void __threadfence_block() { asm volatile("membar.cta;"); }
__device__ void __threadfence() { asm volatile("membar.gl;"); }
__device__ void __threadfence_system() { asm volatile("membar.sys;"); }
__device__ void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" :: "r"(ns)); }
__device__ void __trap() { asm volatile("trap;"); }
__device__ void __brkpt() { asm volatile("brkpt;"); }
__device__ long long clock64() { long long r; asm volatile("mov.u64 %0, %%clock64;" : "=l"(r)); return r; }
__device__ int clock() { int r; asm volatile("mov.u32 %0, %%clock;" : "=r"(r)); return r; }
__device__ unsigned long long __globaltimer() { unsigned long long r; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(r)); return r; }
)";

const char* const kWarps = R"(
__device__ unsigned __activemask() { unsigned r; asm volatile("activemask.b32 %0;" : "=r"(r)); return r; }
#define LAB_VOTE(NAME, R, BODY) \
  __device__ R NAME(unsigned m, int p) { R r; asm volatile("{ .reg .pred q, s; setp.ne.u32 q, %1, 0; " BODY " }" : "=r"(r) : "r"(p), "r"(m)); return r; }
LAB_VOTE(__all_sync, int, "vote.sync.all.pred s, q, %2; selp.u32 %0, 1, 0, s;")
LAB_VOTE(__any_sync, int, "vote.sync.any.pred s, q, %2; selp.u32 %0, 1, 0, s;")
LAB_VOTE(__uni_sync, int, "vote.sync.uni.pred s, q, %2; selp.u32 %0, 1, 0, s;")
LAB_VOTE(__ballot_sync, unsigned, "vote.sync.ballot.b32 %0, q, %2;")
#define LAB_REDUCE(NAME, T, OP) __device__ T NAME(unsigned m, T v) { T r; asm volatile("redux.sync." OP " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(m)); return r; }
LAB_REDUCE(__reduce_add_sync, unsigned, "add.u32") LAB_REDUCE(__reduce_add_sync, int, "add.s32")
LAB_REDUCE(__reduce_min_sync, unsigned, "min.u32") LAB_REDUCE(__reduce_min_sync, int, "min.s32")
LAB_REDUCE(__reduce_max_sync, unsigned, "max.u32") LAB_REDUCE(__reduce_max_sync, int, "max.s32")
LAB_REDUCE(__reduce_and_sync, unsigned, "and.b32") LAB_REDUCE(__reduce_or_sync, unsigned, "or.b32") LAB_REDUCE(__reduce_xor_sync, unsigned, "xor.b32")
#define LAB_SHUFFLE(T, C, NAME, L, MODE, CLAMP) \
  __device__ T NAME(unsigned m, T v, L l, int w = 32) { T r; asm volatile("shfl.sync." MODE ".b32 %0, %1, %2, %3, %4;" : "=" C(r) : C(v), "r"(l), "r"(((32 - w) << 8) | CLAMP), "r"(m)); return r; }
#define LAB_SHUFFLES(T, C) LAB_SHUFFLE(T, C, __shfl_sync, int, "idx", 0x1f) LAB_SHUFFLE(T, C, __shfl_xor_sync, int, "bfly", 0x1f) \
  LAB_SHUFFLE(T, C, __shfl_down_sync, unsigned, "down", 0x1f) LAB_SHUFFLE(T, C, __shfl_up_sync, unsigned, "up", 0)
LAB_SHUFFLES(int, "r") LAB_SHUFFLES(unsigned, "r") LAB_SHUFFLES(float, "f")
#define LAB_WIDE(T, C, NAME, L) __device__ T NAME(unsigned m, T v, L l, int w = 32) { \
  unsigned low, high; asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : C(v)); \
  low = NAME(m, low, l, w); high = NAME(m, high, l, w); T r; asm("mov.b64 %0, {%1, %2};" : "=" C(r) : "r"(low), "r"(high)); return r; }
#define LAB_WIDES(T, C) LAB_WIDE(T, C, __shfl_sync, int) LAB_WIDE(T, C, __shfl_xor_sync, int) LAB_WIDE(T, C, __shfl_down_sync, unsigned) LAB_WIDE(T, C, __shfl_up_sync, unsigned)
LAB_WIDES(long, "l") LAB_WIDES(unsigned long, "l") LAB_WIDES(long long, "l") LAB_WIDES(unsigned long long, "l") LAB_WIDES(double, "d")
)";

const char* const kAtomics = R"(
#define LAB_ATOMIC(NAME, T, OP, C) __device__ T NAME(T* p, T v) { T r; asm volatile("atom." OP " %0, [%1], %2;" : "=" C(r) : "l"(p), C(v)); return r; }
#define LAB_ATOMICS(T, S, U, B, C) \
  LAB_ATOMIC(atomicAdd, T, "add." U, C) LAB_ATOMIC(atomicExch, T, "exch." B, C) LAB_ATOMIC(atomicMin, T, "min." S, C) LAB_ATOMIC(atomicMax, T, "max." S, C) \
  LAB_ATOMIC(atomicAnd, T, "and." B, C) LAB_ATOMIC(atomicOr, T, "or." B, C) LAB_ATOMIC(atomicXor, T, "xor." B, C) \
  __device__ T atomicCAS(T* p, T c, T v) { T r; asm volatile("atom.cas." B " %0, [%1], %2, %3;" : "=" C(r) : "l"(p), C(c), C(v)); return r; }
LAB_ATOMICS(int, "s32", "s32", "b32", "r") LAB_ATOMICS(unsigned, "u32", "u32", "b32", "r") LAB_ATOMICS(unsigned long long, "u64", "u64", "b64", "l")
LAB_ATOMIC(atomicMin, long long, "min.s64", "l") LAB_ATOMIC(atomicMax, long long, "max.s64", "l")
LAB_ATOMIC(atomicAdd, float, "add.f32", "f") LAB_ATOMIC(atomicExch, float, "exch.b32", "f") LAB_ATOMIC(atomicAdd, double, "add.f64", "d")
LAB_ATOMIC(atomicInc, unsigned, "inc.u32", "r") LAB_ATOMIC(atomicDec, unsigned, "dec.u32", "r")
__device__ int atomicSub(int* p, int v) { return atomicAdd(p, -v); }
__device__ unsigned atomicSub(unsigned* p, unsigned v) { return atomicAdd(p, 0u - v); }
)";

const char* const kBits = R"(
#define LAB_OF(NAME, R, RC, T, TC, OP) __device__ R NAME(T a) { R r; asm(OP " %0, %1;" : "=" RC(r) : TC(a)); return r; }
#define LAB_BINARY(NAME, T, C, OP) __device__ T NAME(T a, T b) { T r; asm(OP " %0, %1, %2;" : "=" C(r) : C(a), C(b)); return r; }
#define LAB_TERNARY(NAME, T, C, OP) __device__ T NAME(T a, T b, T c) { T r; asm(OP " %0, %1, %2, %3;" : "=" C(r) : C(a), C(b), C(c)); return r; }
LAB_OF(__float_as_uint, unsigned, "r", float, "f", "mov.b32") LAB_OF(__float_as_int, int, "r", float, "f", "mov.b32")
LAB_OF(__uint_as_float, float, "f", unsigned, "r", "mov.b32") LAB_OF(__int_as_float, float, "f", int, "r", "mov.b32")
LAB_OF(__double_as_longlong, long long, "l", double, "d", "mov.b64") LAB_OF(__longlong_as_double, double, "d", long long, "l", "mov.b64")
LAB_OF(__popc, int, "r", unsigned, "r", "popc.b32") LAB_OF(__popcll, int, "r", unsigned long long, "l", "popc.b64")
LAB_OF(__clz, int, "r", int, "r", "clz.b32") LAB_OF(__clzll, int, "r", long long, "l", "clz.b64")
LAB_OF(__brev, unsigned, "r", unsigned, "r", "brev.b32") LAB_OF(__brevll, unsigned long long, "l", unsigned long long, "l", "brev.b64")
__device__ int __ffs(int a) { return 32 - __clz(a & -a); }
__device__ int __ffsll(long long a) { return 64 - __clzll(a & -a); }
LAB_TERNARY(__byte_perm, unsigned, "r", "prmt.b32") LAB_TERNARY(__funnelshift_l, unsigned, "r", "shf.l.wrap.b32") LAB_TERNARY(__funnelshift_r, unsigned, "r", "shf.r.wrap.b32")
LAB_BINARY(__umulhi, unsigned, "r", "mul.hi.u32") LAB_BINARY(__mulhi, int, "r", "mul.hi.s32") LAB_BINARY(__umul64hi, unsigned long long, "l", "mul.hi.u64") LAB_BINARY(__mul24, int, "r", "mul24.lo.s32")
__device__ size_t __cvta_generic_to_shared(const void* p) { size_t r; asm("cvta.to.shared.u64 %0, %1;" : "=l"(r) : "l"(p)); return r; }
__device__ size_t __cvta_generic_to_global(const void* p) { size_t r; asm("cvta.to.global.u64 %0, %1;" : "=l"(r) : "l"(p)); return r; }
__device__ void* __cvta_shared_to_generic(size_t a) { void* r; asm("cvta.shared.u64 %0, %1;" : "=l"(r) : "l"(a)); return r; }
)";

const char* const kNumbers = R"(
#define LAB_UNARY(NAME, T, C, OP) LAB_OF(NAME, T, C, T, C, OP)
#define LAB_FLOAT(NAME, OP) LAB_UNARY(NAME, float, "f", OP)
#define LAB_BOTH(NAME, OP, PAIR, KIND) LAB_UNARY(NAME##f, float, "f", OP ".f32" PAIR) LAB_UNARY(NAME, float, "f", OP ".f32" PAIR) LAB_UNARY(NAME, double, "d", OP ".f64" KIND)
LAB_BOTH(sqrt, "sqrt.rn", "", "") LAB_BOTH(fabs, "abs", "", "") LAB_BOTH(floor, "cvt.rmi", ".f32", ".f64") LAB_BOTH(ceil, "cvt.rpi", ".f32", ".f64")
LAB_BOTH(trunc, "cvt.rzi", ".f32", ".f64") LAB_BOTH(rint, "cvt.rni", ".f32", ".f64") LAB_BOTH(nearbyint, "cvt.rni", ".f32", ".f64")
LAB_FLOAT(rsqrtf, "rsqrt.approx.f32") LAB_FLOAT(exp2f, "ex2.approx.f32") LAB_FLOAT(__sinf, "sin.approx.f32") LAB_FLOAT(__cosf, "cos.approx.f32") LAB_FLOAT(__log2f, "lg2.approx.f32")
LAB_FLOAT(__fsqrt_rn, "sqrt.rn.f32") LAB_FLOAT(__frcp_rn, "rcp.rn.f32") LAB_FLOAT(__saturatef, "cvt.sat.f32.f32")
LAB_BINARY(fminf, float, "f", "min.f32") LAB_BINARY(fmaxf, float, "f", "max.f32") LAB_BINARY(fmin, double, "d", "min.f64") LAB_BINARY(fmax, double, "d", "max.f64") LAB_BINARY(fmin, float, "f", "min.f32") LAB_BINARY(fmax, float, "f", "max.f32")
#define LAB_ROUNDED(MODE, WAY) LAB_BINARY(__fadd_##MODE, float, "f", "add." WAY ".f32") LAB_BINARY(__fsub_##MODE, float, "f", "sub." WAY ".f32") LAB_BINARY(__fmul_##MODE, float, "f", "mul." WAY ".f32") LAB_BINARY(__fdiv_##MODE, float, "f", "div." WAY ".f32")
LAB_ROUNDED(rn, "rn") LAB_ROUNDED(rz, "rz") LAB_ROUNDED(ru, "rp") LAB_ROUNDED(rd, "rm")
LAB_BINARY(__fdividef, float, "f", "div.approx.f32") LAB_BINARY(fdividef, float, "f", "div.rn.f32")
#define LAB_ROUND(MODE, WAY) LAB_OF(__float2int_##MODE, int, "r", float, "f", "cvt." WAY "i.s32.f32") LAB_OF(__float2uint_##MODE, unsigned, "r", float, "f", "cvt." WAY "i.u32.f32") \
  LAB_OF(__int2float_##MODE, float, "f", int, "r", "cvt." WAY ".f32.s32") LAB_OF(__uint2float_##MODE, float, "f", unsigned, "r", "cvt." WAY ".f32.u32")
LAB_ROUND(rn, "rn") LAB_ROUND(rz, "rz") LAB_ROUND(ru, "rp") LAB_ROUND(rd, "rm")
LAB_OF(lrintf, long, "l", float, "f", "cvt.rni.s64.f32")
LAB_BINARY(min, float, "f", "min.f32") LAB_BINARY(max, float, "f", "max.f32") LAB_BINARY(min, double, "d", "min.f64") LAB_BINARY(max, double, "d", "max.f64")
__device__ double min(float a, double b) { return fmin((double)a, b); }
__device__ double min(double a, float b) { return fmin(a, (double)b); }
__device__ double max(float a, double b) { return fmax((double)a, b); }
__device__ double max(double a, float b) { return fmax(a, (double)b); }
LAB_TERNARY(fmaf, float, "f", "fma.rn.f32") LAB_TERNARY(__fmaf_rn, float, "f", "fma.rn.f32") LAB_TERNARY(fma, double, "d", "fma.rn.f64")
LAB_UNARY(__lab_ex2, float, "f", "ex2.approx.ftz.f32")
__device__ float __lab_exp(float x, float by, float high, float low) {
  float t = __saturatef(fmaf(x, by, 0.5f)), whole, r; asm("fma.rm.f32 %0, %1, 0f437C0000, 0f4B400001;" : "=f"(whole) : "f"(t));
  r = fmaf(x, low, fmaf(x, high, -(whole + -12583039.0f)));
  return __lab_ex2(r) * __uint_as_float(__float_as_uint(whole) << 23);
}
__device__ float expf(float x) { return __lab_exp(x, __uint_as_float(0x3BBB989D), __uint_as_float(0x3FB8AA3B), __uint_as_float(0x32A57060)); }
__device__ float exp10f(float x) { return __lab_exp(x, __uint_as_float(0x3C57FA62), __uint_as_float(0x40549A78), __uint_as_float(0x33979A37)); }
__device__ float __expf(float x) { return exp2f(x * __uint_as_float(0x3FB8AA3B)); }
__device__ float __exp10f(float x) { return exp2f(x * __uint_as_float(0x40549A78)); }
__device__ float __logf(float x) { return __log2f(x) * __uint_as_float(0x3F317218); }
__device__ float __log10f(float x) { return __log2f(x) * __uint_as_float(0x3E9A209B); }
__device__ float __powf(float x, float y) { return exp2f(y * __log2f(x)); }
__device__ float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
__device__ void __sincosf(float x, float* s, float* c) { *s = __sinf(x); *c = __cosf(x); }
__device__ float copysignf(float a, float b) { float r; asm("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(b), "f"(a)); return r; }
__device__ float roundf(float x) { float c = copysignf(0.5f, x), r; asm("add.rz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(c)); return truncf(r); }
__device__ float fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
__device__ bool isnan(float x) { return !(fabsf(x) <= __uint_as_float(0x7F800000)); }
__device__ bool isinf(float x) { return fabsf(x) == __uint_as_float(0x7F800000); }
__device__ bool isfinite(float x) { return fabsf(x) < __uint_as_float(0x7F800000); }
__device__ bool isnan(double x) { return !(fabs(x) <= __longlong_as_double(0x7FF0000000000000)); }
__device__ bool isinf(double x) { return fabs(x) == __longlong_as_double(0x7FF0000000000000); }
__device__ bool isfinite(double x) { return fabs(x) < __longlong_as_double(0x7FF0000000000000); }
__device__ int abs(int a) { return a < 0 ? -a : a; }
__device__ long abs(long a) { return a < 0 ? -a : a; }
__device__ long long abs(long long a) { return a < 0 ? -a : a; }
__device__ long long llabs(long long a) { return a < 0 ? -a : a; }
__device__ float abs(float a) { return fabsf(a); }
__device__ double abs(double a) { return fabs(a); }
#define LAB_ORDER(R, A, B) __device__ R min(A a, B b) { return (R)b < (R)a ? (R)b : (R)a; } __device__ R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
#define LAB_ORDERS(S, U) LAB_ORDER(S, S, S) LAB_ORDER(U, U, U) LAB_ORDER(U, S, U) LAB_ORDER(U, U, S)
LAB_ORDERS(int, unsigned) LAB_ORDERS(long, unsigned long) LAB_ORDERS(long long, unsigned long long)
__device__ unsigned umin(unsigned a, unsigned b) { return min(a, b); }
__device__ unsigned umax(unsigned a, unsigned b) { return max(a, b); }
)";

// What is a hundred instructions of CUDA's library: the message says what to write instead, where there is something.
const char* const kMath = R"(
#define LAB_SINGLE(NAME) __device__ float NAME(float x) { return NAME##f(x); } double NAME(double) = delete(#NAME "f");
LAB_SINGLE(exp) LAB_SINGLE(exp2) LAB_SINGLE(exp10) LAB_SINGLE(rsqrt) LAB_SINGLE(round)
#define LAB_NONE(NAME, INSTEAD) float NAME##f(float) = delete INSTEAD; float NAME(float) = delete INSTEAD; double NAME(double) = delete INSTEAD;
LAB_NONE(sin, ("__sinf")) LAB_NONE(cos, ("__cosf")) LAB_NONE(tan, ("__tanf")) LAB_NONE(log, ("__logf")) LAB_NONE(log2, ("__log2f")) LAB_NONE(log10, ("__log10f"))
LAB_NONE(tanh, ) LAB_NONE(sinh, ) LAB_NONE(cosh, ) LAB_NONE(asin, ) LAB_NONE(acos, ) LAB_NONE(atan, ) LAB_NONE(sinpi, ) LAB_NONE(cospi, ) LAB_NONE(erf, ) LAB_NONE(erfc, ) LAB_NONE(log1p, ) LAB_NONE(expm1, ) LAB_NONE(cbrt, ) LAB_NONE(tgamma, ) LAB_NONE(lgamma, )
#define LAB_NONE2(NAME, INSTEAD) float NAME##f(float, float) = delete INSTEAD; float NAME(float, float) = delete INSTEAD; double NAME(double, double) = delete INSTEAD;
LAB_NONE2(pow, ("__powf")) LAB_NONE2(fmod, ) LAB_NONE2(remainder, ) LAB_NONE2(atan2, ) LAB_NONE2(hypot, )
float ldexpf(float, int) = delete; double pow(double, int) = delete("__powf"); float pow(float, int) = delete("__powf");
void sincosf(float, float*, float*) = delete("__sincosf"); void sincos(double, double*, double*) = delete("__sincosf");
)";

const char* const kStddef = R"(
#ifndef NULL
#define NULL 0
#endif
namespace std {
using size_t = unsigned long;
using ptrdiff_t = long;
}
)";

const char* const kStdUtility = R"(
namespace cuda { namespace std { template <typename T> __device__ inline T move(T v) { return v; } } }
)";

const char* const kCudaBarrier = R"(
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
template <thread_scope kScope> struct barrier;
template <> struct barrier<thread_scope_block> {
  unsigned long long state;
  using arrival_token = unsigned long long;
  __device__ unsigned place() { return (unsigned)__cvta_generic_to_shared(&state); }
  __device__ unsigned long long arrive(int n = 1) {
    unsigned long long token; asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(place()), "r"(n) : "memory"); return token;
  }
  __device__ bool has_passed(unsigned long long token) {
    int r; asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(r) : "r"(place()), "l"(token) : "memory"); return r != 0;
  }
  __device__ void wait(unsigned long long token) { while (!has_passed(token)) {} }
  __device__ void arrive_and_wait() { wait(arrive()); }
};
}
__device__ inline void init(cuda::barrier<cuda::thread_scope_block>* b, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(b->place()), "r"(n) : "memory"); }
)";

const char* const kGroups = R"(
namespace cooperative_groups {
struct thread_block {
  static __device__ void sync() { __syncthreads(); }
  static __device__ unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  static __device__ unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static __device__ unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static __device__ dim3 group_index() { return dim3{blockIdx.x, blockIdx.y, blockIdx.z}; }
  static __device__ dim3 thread_index() { return dim3{threadIdx.x, threadIdx.y, threadIdx.z}; }
  static __device__ dim3 group_dim() { return dim3{blockDim.x, blockDim.y, blockDim.z}; }
  static __device__ dim3 dim_threads() { return dim3{blockDim.x, blockDim.y, blockDim.z}; }
};
__device__ inline thread_block this_thread_block() { return thread_block{}; }
__device__ inline void sync(thread_block block) { __syncthreads(); }
template <unsigned kSize> struct thread_block_tile {
  static __device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
  static __device__ unsigned thread_rank() { return lane() & (kSize - 1); }
  static __device__ constexpr unsigned size() { return kSize; }
  static __device__ constexpr unsigned num_threads() { return kSize; }
  static __device__ unsigned meta_group_rank() { return thread_block::thread_rank() / kSize; }
  static __device__ unsigned meta_group_size() { return (thread_block::size() + kSize - 1) / kSize; }
  static __device__ unsigned mask() { return kSize == 32 ? 0xffffffffu : ((1u << (kSize & 31)) - 1) << (lane() & ~(kSize - 1)); }
  static __device__ void sync() { __syncwarp(mask()); }
  template <typename T> static __device__ T shfl(T v, int from) { return __shfl_sync(mask(), v, from, kSize); }
  template <typename T> static __device__ T shfl_xor(T v, unsigned with) { return __shfl_xor_sync(mask(), v, with, kSize); }
  template <typename T> static __device__ T shfl_down(T v, unsigned by) { return __shfl_down_sync(mask(), v, by, kSize); }
  template <typename T> static __device__ T shfl_up(T v, unsigned by) { return __shfl_up_sync(mask(), v, by, kSize); }
  static __device__ int any(int p) { return (__ballot_sync(mask(), p) & mask()) != 0; }
  static __device__ int all(int p) { return (__ballot_sync(mask(), p) & mask()) == mask(); }
  static __device__ unsigned ballot(int p) { return (__ballot_sync(mask(), p) & mask()) >> (lane() & ~(kSize - 1) & 31); }
};
struct cluster_group {
  using arrival_token = unsigned;
  static __device__ unsigned barrier_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); return 0; }
  static __device__ void barrier_wait(unsigned token = 0) { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
  static __device__ void sync() { barrier_arrive(); barrier_wait(); }
  static __device__ unsigned block_rank() { unsigned r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
  static __device__ unsigned num_blocks() { unsigned r; asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); return r; }
  static __device__ unsigned thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static __device__ unsigned num_threads() { return num_blocks() * thread_block::size(); }
  static __device__ unsigned size() { return num_threads(); }
  template <typename T> static __device__ T* map_shared_rank(T* mine, int rank) {
    T* theirs; asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank)); return theirs;
  }
};
__device__ inline cluster_group this_cluster() { return cluster_group{}; }
__device__ inline void sync(cluster_group cluster) { cluster.sync(); }
template <unsigned kSize> __device__ inline thread_block_tile<kSize> tiled_partition(thread_block block) { return thread_block_tile<kSize>{}; }
template <unsigned kSize> __device__ inline void sync(thread_block_tile<kSize> tile) { tile.sync(); }
}
)";

const char* const kPipeline = R"(
__device__ inline void __pipeline_memcpy_async(void* to_shared, const void* from, size_t bytes, size_t zero_bytes = 0) {
  const unsigned to = (unsigned)__cvta_generic_to_shared(to_shared), read = (unsigned)(bytes - zero_bytes);
  if (bytes == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(to), "l"(from), "r"(read) : "memory");
  else if (bytes == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(to), "l"(from), "r"(read) : "memory");
  else if (bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(read) : "memory");
  else __trap();
}
__device__ inline void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
#define LAB_WAIT(N) if (n == N) asm volatile("cp.async.wait_group " #N ";" ::: "memory"); else
__device__ inline void __pipeline_wait_prior(size_t n) {
  LAB_WAIT(0) LAB_WAIT(1) LAB_WAIT(2) LAB_WAIT(3) LAB_WAIT(4) LAB_WAIT(5) LAB_WAIT(6) LAB_WAIT(7) asm volatile("cp.async.wait_group 8;" ::: "memory");
}
)";

}  // namespace

const std::string& prelude() {
  static const std::string text =
      std::string(kVectors) + kBarriers + kWarps + kAtomics + kBits + kNumbers + kMath;
  return text;
}

std::optional<std::string> toolkit_header(const std::string& name) {
  static const std::map<std::string, const char*> kHeaders = {{"stddef.h", kStddef},
                                                              {"cstddef", kStddef},
                                                              {"cuda/std/utility", kStdUtility},
                                                              {"cuda/barrier", kCudaBarrier},
                                                              {"cooperative_groups.h", kGroups},
                                                              {"cuda_pipeline.h", kPipeline},
                                                              {"cuda_pipeline_primitives.h", kPipeline}};
  const auto header = kHeaders.find(name);
  return header == kHeaders.end() ? std::nullopt : std::optional<std::string>(header->second);
}

}  // namespace lab::cucc
