// What stands between an instruction's name and its operands: `.global`, `.relaxed`, `.v4` …
#pragma once

#include <algorithm>
#include <string_view>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim::ptx {

inline bool has(const Instruction& in, std::string_view modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
}

}  // namespace lab::sim::ptx
