// Mipmaps: where the levels of an image lie, and which of them a read mixes. See texture.h.
//
// Levels that a program names are an H200's (tests/cudart/programs/mipmaps.cu); derivatives follow the
// formulas of OpenGL 4.6 (8.14) and Vulkan (16.6).
#include <algorithm>
#include <bit>
#include <cmath>

#include "common/sim/memory/texture.h"

namespace lab::sim {
namespace {

constexpr std::int32_t kPartsOfLevel = 256;
constexpr std::uint64_t kLevelAlign = 512;  // as the memory of a texture

std::uint32_t halved(std::uint32_t side, std::uint32_t level) { return std::max(side >> level, 1u); }

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kLevelAlign - 1) / kLevelAlign * kLevelAlign; }

Image sized(Image image, std::uint32_t level) {
  image.width = halved(image.width, level);
  image.height = halved(image.height, level);
  if (!image.layered && !image.cube) image.depth = halved(image.depth, level);
  image.pitch_bytes = std::uint64_t{image.width} * image.texel_bytes();
  image.plane_bytes = image.pitch_bytes * image.height;
  return image;
}

}  // namespace

Image level_of(const Image& first, std::uint32_t level) {
  if (level == 0) return first;
  Image image = sized(first, level);
  for (std::uint32_t k = 0; k < level; ++k) image.base += aligned(sized(first, k).extent_bytes());
  return image;
}

std::uint64_t extent_bytes(const Image& first, std::uint32_t levels) {
  const Image last = level_of(first, levels - 1);
  return last.base - first.base + last.extent_bytes();
}

LevelMix levels_at(const Texture& t, float level_of_detail) {
  // Whatever a float holds, cut off behind 1/256.
  const auto fixed = [](float level) {
    constexpr float kFar = 1 << 20;
    return std::isnan(level) ? 0 : static_cast<std::int32_t>(std::clamp(level, -kFar, kFar) * kPartsOfLevel);
  };
  const std::int32_t last = static_cast<std::int32_t>(t.levels - 1) * kPartsOfLevel;
  const std::int32_t most = std::clamp(fixed(t.most_level), 0, last);
  const std::int32_t wanted = std::max(fixed(level_of_detail) + fixed(t.level_bias), fixed(t.least_level));
  const std::int32_t level = std::clamp(wanted, 0, most);
  if (!t.mixes_levels) {
    const auto nearest = static_cast<std::uint32_t>((level + kPartsOfLevel / 2) / kPartsOfLevel);
    return {nearest, nearest, 0};
  }
  const auto first = static_cast<std::uint32_t>(level / kPartsOfLevel);
  return {first, std::min(first + 1, t.levels - 1), level % kPartsOfLevel};
}

float level_of_detail(const Texture& t, const std::array<float, 3>& right, const std::array<float, 3>& down) {
  const Image& image = t.image;
  const double sizes[] = {static_cast<double>(image.width), static_cast<double>(image.height),
                          image.layered ? 0.0 : static_cast<double>(image.depth)};
  const auto length = [&](const std::array<float, 3>& step) {
    double sum = 0;
    for (std::size_t k = 0; k < step.size(); ++k)
      sum += (static_cast<double>(step.at(k)) * sizes[k]) * (static_cast<double>(step.at(k)) * sizes[k]);
    return std::sqrt(sum);
  };
  return static_cast<float>(std::log2(std::max(length(right), length(down))));
}

Texture only_level(const Texture& t, std::uint32_t level) {
  Texture one = t;
  one.image = level_of(t.image, level);
  one.levels = 1;
  return one;
}

std::array<std::uint32_t, 4> mixed(const Texture& t, const std::array<std::uint32_t, 4>& first,
                                   const std::array<std::uint32_t, 4>& second, std::int32_t part) {
  // Bytes and 16-bit numbers that are read as 0 … 1 are mixed as numbers of 16 bits.
  const double steps = t.to_float && t.image.kind == TexelKind::Unsigned ? 65535 : 0;
  std::array<std::uint32_t, 4> value{};
  for (std::size_t k = 0; k < value.size(); ++k) {
    const double near = static_cast<double>(std::bit_cast<float>(first.at(k))),
                 far = static_cast<double>(std::bit_cast<float>(second.at(k)));
    double sum = (near * (kPartsOfLevel - part) + far * part) / kPartsOfLevel;
    if (steps != 0) sum = std::floor(sum * steps + 0.5) / steps;
    value.at(k) = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
  }
  return value;
}

}  // namespace lab::sim
