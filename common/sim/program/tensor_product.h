// What a decoded mma computes: D = A × B + C for a whole warp, each lane holding pieces of all four.
//
// Enters: decode fills it from the table of instructions/tensor_shapes.h. Leaves: read-only data for
// execute/exec_tensor.cpp.
//
// One of A and B is the *tall* side, whose lines come in sixteens (rows of A, or of B's transpose in
// m8n32k16), the other the *flat* side, in eights. A register holds, over all lanes, a core of 8 lines × 4
// neighbouring chunks: lane 4g + t has chunk t of line g. A line of K elements is `cores_along` cores long.
#pragma once

#include <cstdint>

namespace lab::sim {

enum class Element : std::uint8_t { F16, BF16, TF32, F32, F64, E4M3, E5M2, S8, U8, S4, U4, B1, S32 };

[[nodiscard]] constexpr int bits_of(Element type) {
  switch (type) {
    case Element::B1:
      return 1;
    case Element::S4:
    case Element::U4:
      return 4;
    case Element::E4M3:
    case Element::E5M2:
    case Element::S8:
    case Element::U8:
      return 8;
    case Element::F16:
    case Element::BF16:
      return 16;
    case Element::F64:
      return 64;
    default:
      return 32;
  }
}

struct TensorShape {
  std::uint8_t m = 0, n = 0;
  std::uint16_t k = 0;
  [[nodiscard]] bool swapped() const { return m == 8 && n == 32; }  // B is the tall side
  [[nodiscard]] int tall() const { return swapped() ? n : m; }
  [[nodiscard]] int flat() const { return swapped() ? m : n; }
  // Cores that a line of K elements takes: 16 bytes each, 32 of f64.
  [[nodiscard]] int cores_along(Element type) const {
    return k * bits_of(type) / (type == Element::F64 ? 256 : 128);
  }
};

// Where core `index` of a side lies: the first of its 8 lines, and which one along them.
struct CorePlace {
  int line = 0, along = 0;
};
[[nodiscard]] constexpr CorePlace place_of_core(int index, int lines, int cores_along, bool tall) {
  if (!tall || lines == 8) return {8 * (index / cores_along), index % cores_along};
  const int tile = index / (2 * cores_along), inside = index % (2 * cores_along);
  return {16 * tile + 8 * (inside % 2), inside / 2};
}
// A core of C or D is 8 × 8 numbers, two neighbours a lane.
struct ResultPlace {
  int tall = 0, flat = 0;
};
[[nodiscard]] constexpr ResultPlace place_of_result(int index, int tall_lines) {
  if (tall_lines == 8) return {0, 8 * index};
  const int half = index % 2, tile = index / 2;
  return tall_lines == 32 ? ResultPlace{16 * tile + 8 * half, 0} : ResultPlace{8 * half, 8 * tile};
}

struct TensorProductInfo {
  TensorShape shape;
  Element a = Element::F16, b = Element::F16, c = Element::F32, d = Element::F32;
  int group = 0;                           // products that are summed at once, with one rounding
  bool saturates = false;                  // integers
  bool ands = false;                       // b1: and, else xor
  bool in_quads = false;                   // m8n8k4 of f16: four products, each of eight lanes
  bool a_columns = false, b_rows = false;  // in_quads only: elsewhere the layout is that of the load
  std::uint32_t sources = 0, results = 0;  // indices into ProgramData::vectors: A, B, C; and D
  int a_registers = 0, b_registers = 0;
  // mma.sp: half of A's numbers stand in registers. Behind those of C stands the one that says which, and `selector` picks the lanes whose
  // register is read.
  bool sparse = false;
  std::uint8_t selector = 0;
};

// mma.sp: of so many neighbours in a line of A half are kept, and 4 bits say which. They are two numbers of 2 bits, the places of what is
// kept: of 4-bit numbers, of pairs; of tf32, of halves.
[[nodiscard]] constexpr int sparse_group(Element type) {
  return bits_of(type) == 32 ? 2 : bits_of(type) == 4 ? 8 : 4;
}
// How many of four neighbouring lanes hold such bits; and how many choices of them a selector has.
[[nodiscard]] constexpr int sparse_lanes(const TensorProductInfo& p) {
  return p.shape.k / sparse_group(p.a) / 4;
}
[[nodiscard]] constexpr int selectors_of(const TensorProductInfo& p) { return 4 / sparse_lanes(p); }

}  // namespace lab::sim
