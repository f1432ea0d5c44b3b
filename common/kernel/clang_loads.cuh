// Loads and stores that name their path: __ldg and the cache hints. Part of clang_builtins.cuh.
//
// __ldg is `ld.global.nc`, one access for a whole vector. The cache hints (cg, cs, ca, lu, wt) change no
// counter of this course; they are real instructions all the same, so that the PTX says what the student
// wrote.
#pragma once

#define LAB_LDG(TYPE, BUILTIN) \
  LAB_DEVICE TYPE __ldg(const TYPE* p) { return __nvvm_ldg_##BUILTIN(p); }

LAB_LDG(char, c)
LAB_LDG(short, s)
LAB_LDG(int, i)
LAB_LDG(long, l)
LAB_LDG(long long, ll)
LAB_LDG(unsigned char, uc)
LAB_LDG(unsigned short, us)
LAB_LDG(unsigned int, ui)
LAB_LDG(unsigned long, ul)
LAB_LDG(unsigned long long, ull)
LAB_LDG(float, f)
LAB_LDG(double, d)
LAB_DEVICE signed char __ldg(const signed char* p) {
  return static_cast<signed char>(__nvvm_ldg_c(reinterpret_cast<const char*>(p)));
}

// The builtins of vectors take clang's vector type; `ELEMENT` is the spelling that they want.
#define LAB_LDG_WIDE(TYPE, ELEMENT, COUNT, BUILTIN)                                            \
  LAB_DEVICE TYPE __ldg(const TYPE* p) {                                                       \
    using Wide = ELEMENT __attribute__((ext_vector_type(COUNT)));                              \
    TYPE value;                                                                                \
    *reinterpret_cast<Wide*>(&value) = __nvvm_ldg_##BUILTIN(reinterpret_cast<const Wide*>(p)); \
    return value;                                                                              \
  }

LAB_LDG_WIDE(char2, char, 2, c2)
LAB_LDG_WIDE(char4, char, 4, c4)
LAB_LDG_WIDE(short2, short, 2, s2)
LAB_LDG_WIDE(short4, short, 4, s4)
LAB_LDG_WIDE(int2, int, 2, i2)
LAB_LDG_WIDE(int4, int, 4, i4)
LAB_LDG_WIDE(longlong2, long long, 2, ll2)
LAB_LDG_WIDE(uchar2, unsigned char, 2, uc2)
LAB_LDG_WIDE(uchar4, unsigned char, 4, uc4)
LAB_LDG_WIDE(ushort2, unsigned short, 2, us2)
LAB_LDG_WIDE(ushort4, unsigned short, 4, us4)
LAB_LDG_WIDE(uint2, unsigned int, 2, ui2)
LAB_LDG_WIDE(uint4, unsigned int, 4, ui4)
LAB_LDG_WIDE(ulonglong2, unsigned long long, 2, ull2)
LAB_LDG_WIDE(float2, float, 2, f2)
LAB_LDG_WIDE(float4, float, 4, f4)
LAB_LDG_WIDE(double2, double, 2, d2)

#undef LAB_LDG
#undef LAB_LDG_WIDE

// One scalar, and vectors of two and four of it, for one cache hint.
#define LAB_LOAD(NAME, HINT, TYPE, PTX, REG)                                  \
  LAB_DEVICE TYPE NAME(const TYPE* p) {                                       \
    TYPE v;                                                                   \
    asm("ld.global." HINT "." PTX " %0, [%1];" : REG(v) : "l"(p) : "memory"); \
    return v;                                                                 \
  }
#define LAB_LOAD2(NAME, HINT, TYPE, PTX, REG)                                                      \
  LAB_DEVICE TYPE NAME(const TYPE* p) {                                                            \
    TYPE v;                                                                                        \
    asm("ld.global." HINT ".v2." PTX " {%0, %1}, [%2];" : REG(v.x), REG(v.y) : "l"(p) : "memory"); \
    return v;                                                                                      \
  }
#define LAB_LOAD4(NAME, HINT, TYPE, PTX, REG)                   \
  LAB_DEVICE TYPE NAME(const TYPE* p) {                         \
    TYPE v;                                                     \
    asm("ld.global." HINT ".v4." PTX " {%0, %1, %2, %3}, [%4];" \
        : REG(v.x), REG(v.y), REG(v.z), REG(v.w)                \
        : "l"(p)                                                \
        : "memory");                                            \
    return v;                                                   \
  }
#define LAB_LOADS(NAME, HINT)                     \
  LAB_LOAD(NAME, HINT, int, "s32", "=r")          \
  LAB_LOAD(NAME, HINT, unsigned int, "u32", "=r") \
  LAB_LOAD(NAME, HINT, float, "f32", "=f")        \
  LAB_LOAD(NAME, HINT, double, "f64", "=d")       \
  LAB_LOAD2(NAME, HINT, int2, "s32", "=r")        \
  LAB_LOAD2(NAME, HINT, uint2, "u32", "=r")       \
  LAB_LOAD2(NAME, HINT, float2, "f32", "=f")      \
  LAB_LOAD2(NAME, HINT, double2, "f64", "=d")     \
  LAB_LOAD4(NAME, HINT, int4, "s32", "=r")        \
  LAB_LOAD4(NAME, HINT, uint4, "u32", "=r")       \
  LAB_LOAD4(NAME, HINT, float4, "f32", "=f")

LAB_LOADS(__ldca, "ca")
LAB_LOADS(__ldcg, "cg")
LAB_LOADS(__ldcs, "cs")
LAB_LOADS(__ldlu, "lu")
LAB_LOADS(__ldcv, "cv")

#undef LAB_LOAD
#undef LAB_LOAD2
#undef LAB_LOAD4
#undef LAB_LOADS

#define LAB_STORE(NAME, HINT, TYPE, PTX, REG)                                         \
  LAB_DEVICE void NAME(TYPE* p, TYPE v) {                                             \
    asm volatile("st.global." HINT "." PTX " [%0], %1;" ::"l"(p), REG(v) : "memory"); \
  }
#define LAB_STORE2(NAME, HINT, TYPE, PTX, REG)                                                             \
  LAB_DEVICE void NAME(TYPE* p, TYPE v) {                                                                  \
    asm volatile("st.global." HINT ".v2." PTX " [%0], {%1, %2};" ::"l"(p), REG(v.x), REG(v.y) : "memory"); \
  }
#define LAB_STORE4(NAME, HINT, TYPE, PTX, REG)                                                         \
  LAB_DEVICE void NAME(TYPE* p, TYPE v) {                                                              \
    asm volatile("st.global." HINT ".v4." PTX " [%0], {%1, %2, %3, %4};" ::"l"(p), REG(v.x), REG(v.y), \
                 REG(v.z), REG(v.w)                                                                    \
                 : "memory");                                                                          \
  }
#define LAB_STORES(NAME, HINT)                    \
  LAB_STORE(NAME, HINT, int, "s32", "r")          \
  LAB_STORE(NAME, HINT, unsigned int, "u32", "r") \
  LAB_STORE(NAME, HINT, float, "f32", "f")        \
  LAB_STORE(NAME, HINT, double, "f64", "d")       \
  LAB_STORE2(NAME, HINT, int2, "s32", "r")        \
  LAB_STORE2(NAME, HINT, uint2, "u32", "r")       \
  LAB_STORE2(NAME, HINT, float2, "f32", "f")      \
  LAB_STORE2(NAME, HINT, double2, "f64", "d")     \
  LAB_STORE4(NAME, HINT, int4, "s32", "r")        \
  LAB_STORE4(NAME, HINT, uint4, "u32", "r")       \
  LAB_STORE4(NAME, HINT, float4, "f32", "f")

LAB_STORES(__stwb, "wb")
LAB_STORES(__stcg, "cg")
LAB_STORES(__stcs, "cs")
LAB_STORES(__stwt, "wt")

#undef LAB_STORE
#undef LAB_STORE2
#undef LAB_STORE4
#undef LAB_STORES
