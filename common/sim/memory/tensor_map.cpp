// Tensor maps: their rules and their bytes. See tensor_map.h.
#include "common/sim/memory/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace lab::sim {
namespace {

constexpr std::uint64_t kMark = 0x70614d726f736e54ull;
constexpr std::uint64_t kMostElements = 1ull << 32, kStrideLimit = 1ull << 40;
constexpr std::uint32_t kMostBox = 256, kMostStep = 8, kUnit = 16;
constexpr std::uint32_t kMostBoxBytes = 227 * 1024;  // of an H200, whose driver takes 128 KiB and refuses 256

// What stands in the 128 bytes.
struct CopyImage {
  std::uint64_t mark, address;
  std::uint64_t strides[4];
  std::uint32_t last[5];  // elements less one: 2^32 of them are legal
  std::uint16_t box[5];
  std::uint8_t steps[5], type, rank, swizzle, promotion, fill, interleave;
};
static_assert(sizeof(CopyImage) <= kTensorMapBytes);

std::string text(std::uint64_t number) { return std::to_string(number); }

std::optional<std::string> wrong_dimension(const TensorMap& m, std::size_t k) {
  const std::string at = "[" + text(k) + "]";
  if (m.dims[k] == 0 || m.dims[k] > kMostElements)
    return "globalDim" + at + " is " + text(m.dims[k]) + "; it must be 1 to 2^32.";
  if (m.box[k] == 0 || m.box[k] > kMostBox)
    return "boxDim" + at + " is " + text(m.box[k]) + "; it must be 1 to 256.";
  if (m.steps[k] == 0 || m.steps[k] > kMostStep)
    return "elementStrides" + at + " is " + text(m.steps[k]) + "; it must be 1 to 8.";
  if (k + 1 < m.rank && (m.strides[k] % kUnit != 0 || m.strides[k] >= kStrideLimit))
    return "globalStrides" + at + " is " + text(m.strides[k]) +
           " bytes; it must be a multiple of 16 and less than 2^40. Pad the rows of the matrix.";
  return std::nullopt;
}

std::optional<std::string> wrong_box(const TensorMap& m) {
  if (m.row_bytes() % kUnit != 0)
    return "a row of the box has " + text(m.row_bytes()) + " bytes (boxDim[0] = " + text(m.box[0]) +
           " elements of " + text(bytes_of(m.type)) + " bytes); it must be a multiple of 16 bytes.";
  if (const std::uint32_t span = span_bytes(m.mode()); span != 0 && m.row_bytes() > span)
    return "a row of the box has " + text(m.row_bytes()) + " bytes (boxDim[0] = " + text(m.box[0]) +
           " elements of " + text(bytes_of(m.type)) + " bytes), and the swizzle of " + text(span) +
           " bytes takes at most " + text(span) + ". Make the box narrower.";
  if (m.box_bytes() > kMostBoxBytes)
    return "the box has " + text(m.box_bytes()) + " bytes, and shared memory does not hold it.";
  return std::nullopt;
}

std::optional<std::string> broken_rule(const TensorMap& m) {
  if (static_cast<std::uint32_t>(m.type) >= kTensorTypes) return "the element type does not exist.";
  if (m.rank == 0 || m.rank > kMostDimensions) return "the rank is " + text(m.rank) + "; it must be 1 to 5.";
  if (m.address % kUnit != 0)
    return "globalAddress lies " + text(m.address % kUnit) +
           " bytes behind a multiple of 16; it must be one.";
  if (m.interleave > 2) return "interleave is " + text(m.interleave) + ", which does not exist.";
  if (m.swizzle > 6) return "swizzle is " + text(m.swizzle) + ", which does not exist.";
  if (m.swizzle > 3)
    return "the swizzles of 128 bytes with atoms of 32 or 64 bytes need a GPU of compute capability 10.0; "
           "this one "
           "has 9.0.";
  if (m.promotion > 3) return "l2Promotion is " + text(m.promotion) + ", which does not exist.";
  if (m.fill > 1) return "oobFill is " + text(m.fill) + ", which does not exist.";
  if (m.fill == 1 && m.type < TensorType::F16)
    return "oobFill asks for NaN, and the elements are whole numbers.";
  for (std::size_t k = 0; k < m.rank; ++k) {
    if (auto wrong = wrong_dimension(m, k)) return wrong;
  }
  return wrong_box(m);
}

}  // namespace

std::uint32_t bytes_of(TensorType type) {
  constexpr std::uint32_t bytes[kTensorTypes] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return bytes[static_cast<std::uint32_t>(type) % kTensorTypes];
}

std::uint32_t TensorMap::pitch_bytes() const { return std::max(row_bytes(), span_bytes(mode())); }

std::uint32_t TensorMap::rows() const {
  std::uint32_t count = 1;
  for (std::size_t k = 1; k < rank; ++k) count *= taken(k);
  return count;
}

std::optional<TensorMapRefusal> refusal(const TensorMap& map) {
  if (auto why = broken_rule(map)) return TensorMapRefusal{*why, false};
  if (map.interleave != 0) return TensorMapRefusal{"interleaved layouts are not simulated.", true};
  return std::nullopt;
}

std::array<std::byte, kTensorMapBytes> encoded(const TensorMap& map) {
  CopyImage image{};
  image.mark = kMark;
  image.address = map.address;
  for (std::size_t k = 0; k < kMostDimensions; ++k) {
    if (k < 4) image.strides[k] = map.strides[k];
    image.last[k] = static_cast<std::uint32_t>(map.dims[k] - 1);
    image.box[k] = static_cast<std::uint16_t>(map.box[k]);
    image.steps[k] = static_cast<std::uint8_t>(map.steps[k]);
  }
  image.type = static_cast<std::uint8_t>(map.type);
  image.rank = static_cast<std::uint8_t>(map.rank);
  image.swizzle = static_cast<std::uint8_t>(map.swizzle);
  image.promotion = static_cast<std::uint8_t>(map.promotion);
  image.fill = static_cast<std::uint8_t>(map.fill);
  image.interleave = static_cast<std::uint8_t>(map.interleave);
  std::array<std::byte, kTensorMapBytes> bytes{};
  std::memcpy(bytes.data(), &image, sizeof image);
  return bytes;
}

std::optional<TensorMap> decoded(std::span<const std::byte> bytes) {
  CopyImage image{};
  if (bytes.size() < kTensorMapBytes) return std::nullopt;
  std::memcpy(&image, bytes.data(), sizeof image);
  if (image.mark != kMark || image.type >= kTensorTypes) return std::nullopt;
  TensorMap map;
  map.type = static_cast<TensorType>(image.type);
  map.rank = image.rank;
  map.address = image.address;
  for (std::size_t k = 0; k < kMostDimensions; ++k) {
    if (k < 4) map.strides[k] = image.strides[k];
    map.dims[k] = std::uint64_t{image.last[k]} + 1;
    map.box[k] = image.box[k];
    map.steps[k] = image.steps[k];
  }
  map.swizzle = image.swizzle;
  map.promotion = image.promotion;
  map.fill = image.fill;
  map.interleave = image.interleave;
  if (refusal(map)) return std::nullopt;  // a kernel may have written anything
  return map;
}

}  // namespace lab::sim
