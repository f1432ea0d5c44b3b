// float4 and its like for clang. Part of clang_builtins.cuh.
//
// A plain struct of four floats is copied by clang as two 8-byte accesses. On the GPU, and with nvcc, a
// float4 is one 16-byte access: the idea of whole chapters. So copies go through clang's own vector type, and
// the members stay ordinary ones that have addresses, as in CUDA.
#pragma once

struct dim3;

#define LAB_VECTOR2(NAME, ELEMENT, ALIGN)                                                   \
  struct __align__(ALIGN) NAME {                                                            \
    using Wide = ELEMENT __attribute__((ext_vector_type(2)));                               \
    ELEMENT x, y;                                                                           \
    NAME() = default;                                                                       \
    __host__ __device__ LAB_HIDDEN constexpr NAME(ELEMENT x_, ELEMENT y_) : x(x_), y(y_) {} \
    __host__ __device__ LAB_HIDDEN NAME(const NAME& other) { *this = other; }               \
    __host__ __device__ LAB_HIDDEN NAME& operator=(const NAME& other) {                     \
      *reinterpret_cast<Wide*>(this) = *reinterpret_cast<const Wide*>(&other);              \
      return *this;                                                                         \
    }                                                                                       \
  };                                                                                        \
  static inline __host__ __device__ LAB_HIDDEN NAME make_##NAME(ELEMENT x, ELEMENT y) { return NAME(x, y); }

#define LAB_VECTOR3(NAME, ELEMENT)                                                                 \
  struct NAME {                                                                                    \
    ELEMENT x, y, z;                                                                               \
  };                                                                                               \
  static inline __host__ __device__ LAB_HIDDEN NAME make_##NAME(ELEMENT x, ELEMENT y, ELEMENT z) { \
    return NAME{x, y, z};                                                                          \
  }

#define LAB_VECTOR4(NAME, ELEMENT, ALIGN)                                                                 \
  struct __align__(ALIGN) NAME {                                                                          \
    using Wide = ELEMENT __attribute__((ext_vector_type(4)));                                             \
    ELEMENT x, y, z, w;                                                                                   \
    NAME() = default;                                                                                     \
    __host__ __device__ LAB_HIDDEN constexpr NAME(ELEMENT x_, ELEMENT y_, ELEMENT z_ = 0, ELEMENT w_ = 0) \
        : x(x_), y(y_), z(z_), w(w_) {}                                                                   \
    __host__ __device__ LAB_HIDDEN NAME(const NAME& other) { *this = other; }                             \
    __host__ __device__ LAB_HIDDEN NAME& operator=(const NAME& other) {                                   \
      *reinterpret_cast<Wide*>(this) = *reinterpret_cast<const Wide*>(&other);                            \
      return *this;                                                                                       \
    }                                                                                                     \
  };                                                                                                      \
  static inline __host__ __device__ LAB_HIDDEN NAME make_##NAME(ELEMENT x, ELEMENT y, ELEMENT z,          \
                                                                ELEMENT w) {                              \
    return NAME(x, y, z, w);                                                                              \
  }

#define LAB_VECTORS(NAME, ELEMENT)                   \
  struct NAME##1 {                                   \
    ELEMENT x;                                       \
  };                                                 \
  LAB_VECTOR2(NAME##2, ELEMENT, 2 * sizeof(ELEMENT)) \
  LAB_VECTOR3(NAME##3, ELEMENT)

using schar = signed char;
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

LAB_VECTORS(char, schar)
LAB_VECTORS(uchar, unsigned char)
LAB_VECTORS(short, short)
LAB_VECTORS(ushort, unsigned short)
LAB_VECTORS(int, int)
LAB_VECTORS(uint, unsigned int)
LAB_VECTORS(long, long)
LAB_VECTORS(ulong, unsigned long)
LAB_VECTORS(longlong, long long)
LAB_VECTORS(ulonglong, unsigned long long)
LAB_VECTORS(float, float)
LAB_VECTORS(double, double)

LAB_VECTOR4(char4, schar, 4)
LAB_VECTOR4(uchar4, unsigned char, 4)
LAB_VECTOR4(short4, short, 8)
LAB_VECTOR4(ushort4, unsigned short, 8)
LAB_VECTOR4(int4, int, 16)
LAB_VECTOR4(uint4, unsigned int, 16)
LAB_VECTOR4(float4, float, 16)

#undef LAB_VECTOR2
#undef LAB_VECTOR3
#undef LAB_VECTOR4
#undef LAB_VECTORS

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ LAB_HIDDEN constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  __host__ __device__ LAB_HIDDEN constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ LAB_HIDDEN constexpr operator uint3() const { return uint3{x, y, z}; }
};
