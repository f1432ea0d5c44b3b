// What the C++ library of older Emscriptens lacks, read before every file of the lab for browsers (wasm.py).
#pragma once

#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>

namespace std {

#ifndef __cpp_lib_bit_cast
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif

#if _LIBCPP_VERSION < 200000
// Decimal numbers alone, as the lab reads them; rounded rightly, as strtod does it there.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const char* end = first + (first != last && *first == '-');
  const char* const digits = end;
  while (end != last && (*end == '.' || (*end >= '0' && *end <= '9'))) ++end;
  if (end == digits) return {first, errc::invalid_argument};
  if (end != last && (*end == 'e' || *end == 'E')) {
    const char* power = end + 1;
    if (power != last && (*power == '-' || *power == '+')) ++power;
    if (power != last && *power >= '0' && *power <= '9') {
      while (power != last && *power >= '0' && *power <= '9') ++power;
      end = power;
    }
  }
  const string text(first, end);
  char* used = nullptr;
  const double number = strtod(text.c_str(), &used);
  if (used == text.c_str()) return {first, errc::invalid_argument};
  value = number;
  return {first + (used - text.c_str()), errc()};
}
#endif

}  // namespace std
