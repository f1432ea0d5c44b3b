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

std::optional<Message> wrong_dimension(const TensorMap& m, std::size_t k) {
  const std::string at = "[" + std::to_string(k) + "]";
  if (m.dims[k] == 0 || m.dims[k] > kMostElements)
    return msg("globalDim{} is {}; it must be 1 to 2^32.", at, m.dims[k]);
  if (m.box[k] == 0 || m.box[k] > kMostBox) return msg("boxDim{} is {}; it must be 1 to 256.", at, m.box[k]);
  if (m.steps[k] == 0 || m.steps[k] > kMostStep)
    return msg("elementStrides{} is {}; it must be 1 to 8.", at, m.steps[k]);
  if (k + 1 < m.rank && (m.strides[k] % kUnit != 0 || m.strides[k] >= kStrideLimit))
    return msg(
        "globalStrides{} is {} bytes; it must be a multiple of 16 and less than 2^40. Pad the rows of the "
        "matrix.",
        at, m.strides[k]);
  return std::nullopt;
}

std::optional<Message> wrong_box(const TensorMap& m) {
  if (m.row_bytes() % kUnit != 0)
    return msg(
        "a row of the box has {} bytes (boxDim[0] = {} elements of {} bytes); it must be a multiple of 16 "
        "bytes.",
        m.row_bytes(), m.box[0], bytes_of(m.type));
  if (const std::uint32_t span = span_bytes(m.mode()); span != 0 && m.row_bytes() > span)
    return msg(
        "a row of the box has {} bytes (boxDim[0] = {} elements of {} bytes), and the swizzle of {} bytes "
        "takes at most {}. Make the box narrower.",
        m.row_bytes(), m.box[0], bytes_of(m.type), span, span);
  if (m.box_bytes() > kMostBoxBytes)
    return msg("the box has {} bytes, and shared memory does not hold it.", m.box_bytes());
  return std::nullopt;
}

std::optional<Message> broken_rule(const TensorMap& m) {
  if (static_cast<std::uint32_t>(m.type) >= kTensorTypes) return "the element type does not exist.";
  if (m.rank == 0 || m.rank > kMostDimensions) return msg("the rank is {}; it must be 1 to 5.", m.rank);
  if (m.address % kUnit != 0)
    return msg("globalAddress lies {} bytes behind a multiple of 16; it must be one.", m.address % kUnit);
  if (m.interleave > 2) return msg("interleave is {}, which does not exist.", m.interleave);
  if (m.swizzle > 6) return msg("swizzle is {}, which does not exist.", m.swizzle);
  if (m.swizzle > 3)
    return "the swizzles of 128 bytes with atoms of 32 or 64 bytes need a GPU of compute capability 10.0; "
           "this one has 9.0.";
  if (m.promotion > 3) return msg("l2Promotion is {}, which does not exist.", m.promotion);
  if (m.fill > 1) return msg("oobFill is {}, which does not exist.", m.fill);
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

bool replace_in_map(std::span<std::byte> bytes, TensorMapField field, std::size_t dimension,
                    std::uint64_t value) {
  CopyImage image{};
  if (bytes.size() < kTensorMapBytes) return false;
  std::memcpy(&image, bytes.data(), sizeof image);
  if (image.mark != kMark) return false;
  // PTX numbers the types in another order than CUDA.
  static constexpr TensorType kTypes[] = {
      TensorType::U8,   TensorType::U16,  TensorType::U32,    TensorType::S32,    TensorType::U64,
      TensorType::S64,  TensorType::F16,  TensorType::F32,    TensorType::F32Ftz, TensorType::F64,
      TensorType::BF16, TensorType::TF32, TensorType::TF32Ftz};
  const auto byte = static_cast<std::uint8_t>(value);
  switch (field) {
    case TensorMapField::GlobalAddress:
      image.address = value;
      break;
    case TensorMapField::Rank:  // less one
      image.rank = static_cast<std::uint8_t>(byte + 1);
      break;
    case TensorMapField::BoxDim:
      image.box[dimension] = static_cast<std::uint16_t>(value);
      break;
    case TensorMapField::GlobalDim:
      image.last[dimension] = static_cast<std::uint32_t>(value - 1);
      break;
    case TensorMapField::GlobalStride:
      image.strides[dimension] = value;
      break;
    case TensorMapField::ElementStride:
      image.steps[dimension] = byte;
      break;
    case TensorMapField::Elemtype:
      image.type = static_cast<std::uint8_t>(kTypes[value]);
      break;
    case TensorMapField::InterleaveLayout:
      image.interleave = byte;
      break;
    case TensorMapField::SwizzleMode:
      image.swizzle = byte;
      break;
    case TensorMapField::FillMode:
      image.fill = byte;
      break;
  }
  std::memcpy(bytes.data(), &image, sizeof image);
  return true;
}

}  // namespace lab::sim
