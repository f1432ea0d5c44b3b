// Texture and surface objects: which texels an image has, and how a texture unit makes one value of them.
//
// Enters: an object's number, coordinates. Leaves: the texels that take part with their weights, and the
// value. An object is a small read-only allocation that only make_texture can make, so that no kernel
// can forge one. What was measured on an NVIDIA H200, and what was not, is in docs/model.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/sim/memory/memory.h"

namespace lab::sim {

enum class AddressMode : std::uint32_t { Wrap, Clamp, Mirror, Border };  // as cudaTextureAddressMode
enum class TexelKind : std::uint32_t { Signed, Unsigned, Float };        // as cudaChannelFormatKind

// Texels in memory. Of layers and faces, `depth` is their number.
struct Image {
  DeviceAddress base = 0;
  std::uint32_t width = 1, height = 1, depth = 1;
  bool layered = false, cube = false;
  std::uint32_t channels = 1, channel_bits = 32;
  TexelKind kind = TexelKind::Float;
  std::uint64_t pitch_bytes = 0, plane_bytes = 0;
  [[nodiscard]] std::uint32_t texel_bytes() const { return channels * channel_bits / 8; }
  // From the first texel to the end of the last.
  [[nodiscard]] std::uint64_t extent_bytes() const {
    return (depth - 1) * plane_bytes + (height - 1) * pitch_bytes + std::uint64_t{width} * texel_bytes();
  }
};

// Images of which each is half as wide, high and deep as the one before it, one behind the other in memory.
[[nodiscard]] Image level_of(const Image& first, std::uint32_t level);
[[nodiscard]] std::uint64_t extent_bytes(const Image& first, std::uint32_t levels);

struct Texture {
  Image image;
  std::uint32_t levels = 1;  // `image` is the first
  bool mixes_levels = false;
  float level_bias = 0, least_level = 0, most_level = 0;
  bool is_surface = false;
  std::array<AddressMode, 3> mode{};
  bool linear = false, normalised = false;
  bool to_float = false;  // integers become 0 … 1 or -1 … 1
  std::array<float, 4> border{};
};

// The number that programs hand to kernels; Memory::release ends it.
[[nodiscard]] DeviceAddress make_texture(Memory& memory, const Texture& texture);
// Null: there is no such object.
[[nodiscard]] const Texture* texture_at(const Memory& memory, DeviceAddress object);

// One texel of a sample: where it lies (bytes from Image::base; only when `inside`), and its weight of 256.
struct Tap {
  std::uint64_t offset = 0;
  bool inside = false;
  std::int32_t weight = 0;
};
inline constexpr std::size_t kMostTaps = 8;
struct Sample {
  std::array<Tap, kMostTaps> taps;  // of linear filtering: four of one plane, four of the next
  std::size_t count = 0;
};
inline constexpr std::size_t kPlaneTaps = 4;

// Coordinates in texels or, of a normalised texture, in parts of its size; those that a read does not name
// are 0. `dimensions`: of the read, 1 to 3, layers not among them.
[[nodiscard]] Sample sample_at(const Texture& texture, const std::array<float, 3>& at, int dimensions,
                               std::uint32_t layer);
// A sample of the face of a cube that a direction points to.
[[nodiscard]] Sample sample_on_cube(const Texture& texture, const std::array<float, 3>& direction);
// Two levels, and how much of 256 the second has, for a level of detail as OpenGL and Vulkan define it.
struct LevelMix {
  std::uint32_t first = 0, second = 0;
  std::int32_t part = 0;
};
[[nodiscard]] LevelMix levels_at(const Texture& texture, float level_of_detail);
// From what the coordinates change by from one pixel to the next, to the right and down.
[[nodiscard]] float level_of_detail(const Texture& texture, const std::array<float, 3>& right,
                                    const std::array<float, 3>& down);
// The texture of one level alone.
[[nodiscard]] Texture only_level(const Texture& texture, std::uint32_t level);
// What two levels gave, as `value_of` did.
[[nodiscard]] std::array<std::uint32_t, 4> mixed(const Texture& t, const std::array<std::uint32_t, 4>& first,
                                                 const std::array<std::uint32_t, 4>& second,
                                                 std::int32_t part);
// The texel with these numbers: tex1Dfetch.
[[nodiscard]] Sample texel_at(const Texture& texture, const std::array<std::int32_t, 3>& at,
                              std::uint32_t layer);

// Four values of 32 bits, floats or integers as they are, from the bytes of the image.
[[nodiscard]] std::array<std::uint32_t, 4> value_of(const Texture& texture, const Sample& sample,
                                                    const std::byte* image);
// One channel of the four texels that linear filtering in two dimensions would mix: below left, below right,
// above right, above left, where y grows downwards.
[[nodiscard]] std::array<std::uint32_t, 4> gathered(const Texture& texture, const std::array<float, 3>& at,
                                                    std::uint32_t layer, std::size_t channel,
                                                    const std::byte* image);

}  // namespace lab::sim
