// The part of the table of instructions that tensor cores are: which shapes and types mma and wmma have.
//
// Enters: an instruction's words. Leaves: its row. decode_tensor.cpp and decode_fragment.cpp read it; what
// has no row is unsupported, by name.
#pragma once

#include <optional>
#include <string_view>

#include "common/sim/program/tensor_product.h"

namespace lab::sim {

struct TensorRow {
  std::string_view opcode, shape;  // "wmma", "m16n16k16"
  Element factors;                 // of A; B may be another of the same family
  std::string_view results;        // types of C and D: "f16 f32"
  TensorShape size;
  int group;  // products that the hardware sums at once (docs/model.md); 0: exact
};

[[nodiscard]] std::optional<Element> element_named(std::string_view type);
// Integers of one width mix, and the 8-bit floats.
[[nodiscard]] bool same_family(Element a, Element b);
// Null: there is no such form.
[[nodiscard]] const TensorRow* find_tensor(std::string_view opcode, std::string_view shape, Element factors);
// The C of wmma says nothing about A and B: any row of the shape with this type of C.
[[nodiscard]] const TensorRow* find_accumulator(std::string_view shape, std::string_view result);
[[nodiscard]] bool has_word(std::string_view list, std::string_view word);

}  // namespace lab::sim
