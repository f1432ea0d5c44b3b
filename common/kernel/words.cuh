// Words of 1 to 16 bytes that move in one access, and small blocks of elements turned in registers.
//
// Enters: a number of bytes, or P words that hold P elements each. Leaves: a type whose loads and stores are
// one access with each compiler (a struct of four floats will not do: clang copies it in two halves), or the
// P words transposed.
#pragma once

namespace lab {

template <int kBytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = unsigned char;
};
template <>
struct WordOf<2> {
  using Type = unsigned short;
};
template <>
struct WordOf<4> {
  using Type = unsigned int;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};

template <int kBytes>
using Word = typename WordOf<kBytes>::Type;

// The transpose of P × P elements of type T: row k of `block` becomes column k of `turned`. After unrolling,
// all indices are constants, so everything stays in registers.
template <typename T, int P, typename WordType>
__device__ void transpose_in_registers(const WordType (&block)[P], WordType (&turned)[P]) {
  static_assert(sizeof(WordType) == P * sizeof(T));
#pragma unroll
  for (int row = 0; row < P; ++row) {
#pragma unroll
    for (int col = 0; col < P; ++col) {
      reinterpret_cast<T*>(turned)[col * P + row] = reinterpret_cast<const T*>(block)[row * P + col];
    }
  }
}

}  // namespace lab
