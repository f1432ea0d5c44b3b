// CUDA's keywords as clang's attributes. Part of clang_builtins.cuh.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#if __clang_major__ < 15  // later versions know the keyword
#define __noinline__ __attribute__((noinline))
#endif
#define __grid_constant__

// What this header's own functions are. Without debug rows of their own, what they do counts for the line
// that calls them.
#define LAB_HIDDEN __attribute__((always_inline, nodebug))
#define LAB_DEVICE static inline __device__ LAB_HIDDEN
