// A number that no other process has. Enters: the system's entropy. Leaves: 32 bits of it.
//
// std::random_device would do, but what libstdc++ makes of it asks for the newest C library (arc4random).
#pragma once

#include <unistd.h>

#include <cstdint>

namespace lab::base {

inline std::uint32_t random_number() {
  std::uint32_t number = 0;
  if (::getentropy(&number, sizeof number) != 0) return 0;  // 4 bytes never fail once the machine is up
  return number;
}

}  // namespace lab::base
