// What a cvt does, as a value, and the function that does it.
//
// Enters: the modifiers of a conversion (forms_convert.cpp makes them from the table of forms). Leaves:
// changed rows.
#pragma once

#include <cstdint>

#include "common/sim/instructions/forms_build.h"

namespace lab::sim {

// The modifiers of a cvt, as Form::variant and Inst::extra hold them.
struct Conversion {
  Type dst, src;
  Round round = Round::Nearest;
  bool to_integer : 1 = false;  // .rni .rzi .rmi .rpi
  bool ftz : 1 = false;
  bool sat : 1 = false;
  bool relu : 1 = false;
  bool finite : 1 = false;  // .satfinite: what is too large becomes the largest number
  std::uint8_t unused : 3 = 0;
};
static_assert(sizeof(Conversion) == sizeof(std::uint32_t));

// The bits of an f32 that .tf32 keeps.
inline constexpr std::uint32_t kTf32Bits = 0xffffe000u;

// Handlers. Inst::extra holds the Conversion.
void cvt(WarpContext& w, const Inst& i);
// Two f32 into the halves of one register: a above, b below.
void cvt_pair(WarpContext& w, const Inst& i);

// Calls body(T{}) with the C++ type of an integer type.
template <class Body>
void with_integer(Type t, Body&& body) {
  switch (t) {
    case Type::U8:
      return body(std::uint8_t{});
    case Type::S8:
      return body(std::int8_t{});
    case Type::U16:
      return body(std::uint16_t{});
    case Type::S16:
      return body(std::int16_t{});
    case Type::U32:
      return body(std::uint32_t{});
    case Type::S32:
      return body(std::int32_t{});
    case Type::U64:
      return body(std::uint64_t{});
    default:
      return body(std::int64_t{});
  }
}
}  // namespace lab::sim
