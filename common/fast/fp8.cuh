// 8-bit floating point numbers: what a float becomes, to the nearest, ties to even. What is too large,
// infinity too, becomes the largest number (.satfinite: as Transformer Engine and cuda_fp8.h's __NV_SATFINITE
// do; PyTorch's own conversion makes NaN or infinity of it); NaN becomes 0x7f.
//
// From compute capability 8.9 on an instruction converts; below it, and on the host, integers do, with the
// same bits.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

namespace lab::fast {

struct E4M3 {  // no infinity
  static constexpr int kFraction = 3, kLeastExponent = -6;
  static constexpr uint32_t kLargest = 0x43e00000;  // 448, as a float
};
struct E5M2 {
  static constexpr int kFraction = 2, kLeastExponent = -14;
  static constexpr uint32_t kLargest = 0x47600000;  // 57344
};

E4M3 format_of(__nv_fp8_e4m3);
E5M2 format_of(__nv_fp8_e5m2);
template <typename T>
using FormatOf = decltype(format_of(T()));

// The bits of a float to those of the number. Below the format's least exponent, more of the fraction is cut
// off.
template <typename Format>
__host__ __device__ inline uint32_t narrowed(uint32_t bits) {
  constexpr int kLeast = 127 + Format::kLeastExponent, kCut = 23 - Format::kFraction;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7f;
  if (magnitude > Format::kLargest) magnitude = Format::kLargest;
  const int exponent = int(magnitude >> 23), below = exponent < kLeast ? kLeast - exponent : 0;
  const int cut = kCut + below < 25 ? kCut + below : 25;  // from 25 on nothing is left
  const uint32_t number = (magnitude & 0x7fffff) | 0x800000;
  const uint32_t steps = (number + (1u << (cut - 1)) - 1 + (number >> cut & 1)) >> cut;
  return (bits >> 24 & 0x80) | (steps + (uint32_t(exponent + below - kLeast) << Format::kFraction));
}

// Two floats to two numbers, `low` in the lower byte.
template <typename Format>
__device__ inline uint32_t narrowed(float low, float high) {
#if __CUDA_ARCH__ >= 890
  uint16_t both;
  if constexpr (Format::kFraction == 3)
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(high), "f"(low));
  else
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(both) : "f"(high), "f"(low));
  return both;
#else
  return narrowed<Format>(__float_as_uint(low)) | narrowed<Format>(__float_as_uint(high)) << 8;
#endif
}

// The elements of a word of 32 bits as floats; the last parameter is their type.
__device__ inline void widen(uint32_t word, float* to, float) { to[0] = __uint_as_float(word); }
__device__ inline void widen(uint32_t word, float* to, __half) {
  to[0] = __half2float(__ushort_as_half(uint16_t(word)));
  to[1] = __half2float(__ushort_as_half(uint16_t(word >> 16)));
}
__device__ inline void widen(uint32_t word, float* to, __nv_bfloat16) {
  to[0] = __uint_as_float(word << 16), to[1] = __uint_as_float(word & 0xffff0000);
}

}  // namespace lab::fast
