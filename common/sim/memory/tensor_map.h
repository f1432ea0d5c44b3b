// Tensor maps: what cuTensorMapEncodeTiled writes and the TMA unit reads. A tensor in global memory, and the
// box of it that one copy moves.
//
// Enters: dimensions, strides, a box. Leaves: 128 opaque bytes, or the rule that the map breaks. The layout
// of the bytes is our own: programs may not look inside, and a mark in them distinguishes a map from other
// memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/base/text/message.h"

namespace lab::sim {

inline constexpr std::size_t kTensorMapBytes = 128, kTensorMapAlign = 64, kMostDimensions = 5;

// In the order of CUtensorMapDataType.
enum class TensorType : std::uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F64,
  BF16,
  F32Ftz,
  TF32,
  TF32Ftz
};
inline constexpr std::uint32_t kTensorTypes = 13;
[[nodiscard]] std::uint32_t bytes_of(TensorType type);

// In the order of CUtensorMapSwizzle: chunks of 16 bytes change places within a span of so many bytes.
enum class Swizzle : std::uint8_t { None, Bytes32, Bytes64, Bytes128 };
[[nodiscard]] constexpr std::uint32_t span_bytes(Swizzle mode) {  // 0: none
  return mode == Swizzle::None ? 0 : 16u << static_cast<std::uint32_t>(mode);
}
// Where the byte at `offset` of shared memory lies under that mode. The pattern goes by addresses, not by
// where a tile begins.
[[nodiscard]] constexpr std::uint32_t swizzled(Swizzle mode, std::uint32_t offset) {
  const std::uint32_t bits = mode == Swizzle::None ? 0 : span_bytes(mode) / 16 - 1;
  return offset ^ (offset >> 3 & bits << 4);
}

struct TensorMap {
  TensorType type = TensorType::F32;
  std::uint32_t rank = 1;
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMostDimensions> dims{1, 1, 1, 1, 1};      // elements; [0] is the innermost
  std::array<std::uint64_t, kMostDimensions> strides{};                // bytes; [0] is that of dimension 1
  std::array<std::uint32_t, kMostDimensions> box{1, 1, 1, 1, 1};       // elements that a copy spans
  std::array<std::uint32_t, kMostDimensions> steps{1, 1, 1, 1, 1};     // it takes every so-manyth of them
  std::uint32_t interleave = 0, swizzle = 0, promotion = 0, fill = 0;  // as CUDA numbers them

  // How many elements a copy takes along a dimension. The hardware ignores the step of the innermost one.
  [[nodiscard]] std::uint32_t taken(std::size_t dimension) const {
    return dimension == 0 ? box[0] : (box[dimension] + steps[dimension] - 1) / steps[dimension];
  }
  [[nodiscard]] std::uint32_t row_bytes() const { return box[0] * bytes_of(type); }
  // From row to row in shared memory: a swizzle pads narrower rows to its span.
  [[nodiscard]] std::uint32_t pitch_bytes() const;
  [[nodiscard]] std::uint32_t rows() const;
  [[nodiscard]] std::uint32_t box_bytes() const { return rows() * row_bytes(); }  // that a barrier expects
  [[nodiscard]] std::uint32_t tile_bytes() const { return (rows() - 1) * pitch_bytes() + row_bytes(); }
  [[nodiscard]] Swizzle mode() const { return static_cast<Swizzle>(swizzle); }
};

// The rule of cuTensorMapEncodeTiled that a map breaks, as a whole sentence; nothing when it is legal.
// Verdicts as a driver gave them (tests/golden/programs.json, tensor_maps).
struct TensorMapRefusal {
  Message why;
  bool unsupported = false;  // legal on some GPU, and not simulated
};
[[nodiscard]] std::optional<TensorMapRefusal> refusal(const TensorMap& map);

[[nodiscard]] std::array<std::byte, kTensorMapBytes> encoded(const TensorMap& map);
// Nothing when no map is there.
[[nodiscard]] std::optional<TensorMap> decoded(std::span<const std::byte> bytes);

// What tensormap.replace names, as PTX spells it.
enum class TensorMapField : std::uint8_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  Elemtype,
  InterleaveLayout,
  SwizzleMode,
  FillMode
};
// Puts a value, as PTX counts it, into a field of the map that lies there. False: none does.
[[nodiscard]] bool replace_in_map(std::span<std::byte> bytes, TensorMapField field, std::size_t dimension,
                                  std::uint64_t value);

}  // namespace lab::sim
