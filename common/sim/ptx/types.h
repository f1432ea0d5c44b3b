// The scalar types of PTX.
#pragma once

#include <cstdint>
#include <string_view>

namespace lab::sim::ptx {

// The vector length stands apart. Floats come last.
enum class Type : std::uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32x2,  // of arithmetic alone: registers are .b64
  F32,
  F64,
};
[[nodiscard]] int size_bytes(Type type);               // Pred and None: 0
[[nodiscard]] std::string_view name(Type type);        // "f32"
[[nodiscard]] Type type_named(std::string_view text);  // None when it is no type

[[nodiscard]] constexpr bool is_signed(Type type) { return type >= Type::S8 && type <= Type::S64; }
[[nodiscard]] constexpr bool is_float(Type type) { return type >= Type::F16; }

}  // namespace lab::sim::ptx
