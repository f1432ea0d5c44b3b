// What a decoded wgmma computes: D = A × B + D for the four warps of a warpgroup, 64 rows of D, 16 a warp.
//
// Enters: decode fills it. Leaves: read-only data for execute/exec_warpgroup.cpp. A comes from registers,
// laid out as for mma.m16n8k*, or from shared memory; B always lies there. A line, of A or of B's transpose,
// has 32 bytes.
#pragma once

#include <cstdint>

#include "common/sim/memory/tensor_map.h"
#include "common/sim/program/tensor_product.h"

namespace lab::sim {

struct WarpgroupProductInfo {
  Element a = Element::F16, b = Element::F16, d = Element::F32;
  int n = 8, k = 16;
  bool a_in_registers = false;
  bool a_across = false,
       b_across = false;  // lines lie across: neighbours in memory belong to neighbouring lines
  bool a_negated = false, b_negated = false;
  bool saturates = false;                      // integers
  std::uint32_t a_registers = 0, results = 0;  // indices into ProgramData::vectors
};

inline constexpr std::uint32_t kFactorBytes = 32, kUnitBytes = 16, kWarpgroupWarps = 4;

// Where a matrix lies in shared memory, as its 64-bit descriptor says. It is read in units of 16 bytes.
struct MatrixPlace {
  std::uint32_t start = 0, leading = 0, stride = 0;  // bytes
  Swizzle swizzle = Swizzle::None;
  std::uint32_t base = 0;  // bytes: where the pattern of a swizzle begins in its 1,024

  [[nodiscard]] static constexpr MatrixPlace of(std::uint64_t descriptor) {
    constexpr std::uint64_t kField = 0x3fff;
    constexpr Swizzle kModes[] = {Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64, Swizzle::Bytes32};
    const auto field = [&](int bit) { return static_cast<std::uint32_t>((descriptor >> bit & kField) << 4); };
    return {field(0), field(16), field(32), kModes[descriptor >> 62],
            static_cast<std::uint32_t>(descriptor >> 49 & 7) << 7};
  }
  // Half `half` of a line. Eight lines stand together: 16 bytes apart, or as wide as the swizzle.
  [[nodiscard]] constexpr std::uint32_t along(std::uint32_t line, std::uint32_t half) const {
    const std::uint32_t eight = line / 8 * stride, width = span_bytes(swizzle);
    if (swizzle == Swizzle::None) return start + eight + line % 8 * kUnitBytes + half * leading;
    return moved(start + eight + line % 8 * width + half * kUnitBytes);
  }
  // Element k of the eight lines from 8 * `eight` on, 2 bytes each.
  [[nodiscard]] constexpr std::uint32_t across(std::uint32_t eight, std::uint32_t k) const {
    if (swizzle == Swizzle::None) return start + eight * stride + k % 8 * kUnitBytes + k / 8 * leading;
    const std::uint32_t width = span_bytes(swizzle), units = width / kUnitBytes;
    return moved(start + eight % units * kUnitBytes + eight / units * leading + k % 8 * width +
                 k / 8 * stride);
  }

 private:
  [[nodiscard]] constexpr std::uint32_t moved(std::uint32_t address) const {
    return swizzled(swizzle, address - base) + base;
  }
};

}  // namespace lab::sim
