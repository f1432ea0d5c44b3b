// Where an address points, in PTX's own words.
#pragma once

#include <cstdint>

namespace lab::sim {

enum class Space : std::uint8_t { Generic, Global, Shared, Local, Const, Param, Register };

}  // namespace lab::sim
