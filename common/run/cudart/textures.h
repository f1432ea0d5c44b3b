// CUDA arrays, and what a texture or surface object is made from.
//
// Enters: descriptions as programs write them. Leaves: images of the simulator (sim/memory/texture.h), or an
// ApiError that says what the rule is. tests/cudart/abi_layout.cu compares the layouts with the toolkit's.
#pragma once

#include <memory>
#include <vector>

#include "common/run/cudart/copy.h"
#include "common/sim/memory/texture.h"

namespace lab::cudart {

enum ArrayFlags : unsigned { kLayered = 1, kSurface = 2, kCubemap = 4, kGather = 8 };

// A CUDA array: texels in rows without padding. cudaArray_t points to one.
struct Array {
  ChannelFormat format{};
  Extent extent{};  // as the program gave it: 0 of a side that it does not have
  unsigned flags = 0;
  sim::Image image;
  bool is_level = false;  // of a mipmapped array, whose memory it has
};

// A mipmapped array: arrays of which each is half as large as the one before it. cudaMipmappedArray_t points
// to one.
struct Mipmaps {
  std::vector<std::unique_ptr<Array>> levels;
};

enum class ResourceType : int { Array, Mipmapped, Linear, Pitch2D };
struct ResourceDescription {  // cudaResourceDesc, whose end differs from one CUDA to the next
  ResourceType type;
  struct Linear {
    void* pointer;
    ChannelFormat format;
    std::size_t size_bytes;
  };
  struct Rows {
    void* pointer;
    ChannelFormat format;
    std::size_t width, height, pitch_bytes;
  };
  union {
    Array* array;
    Mipmaps* mipmaps;
    Linear linear;
    Rows rows;
  };
};
struct TextureDescription {  // cudaTextureDesc
  sim::AddressMode mode[3];
  int linear_filter, to_float, srgb;
  float border[4];
  int normalised;
  unsigned most_anisotropy;
  int mipmap_filter;
  float mipmap_bias, least_mipmap, most_mipmap;
  int no_trilinear_optimisation, seamless_cubemap;
};

[[nodiscard]] Array* make_array(Context& c, const ChannelFormat& format, const Extent& extent,
                                unsigned flags);
void free_array(Context& c, Array* array);
[[nodiscard]] Array& array_at(const void* handle);  // throws ApiError: it is none

// As many levels as the sides allow are made, at most.
[[nodiscard]] Mipmaps* make_mipmaps(Context& c, const ChannelFormat& format, const Extent& extent,
                                    unsigned levels, unsigned flags);
void free_mipmaps(Context& c, Mipmaps* mipmaps);
[[nodiscard]] Mipmaps& mipmaps_at(const void* handle);  // throws ApiError: it is none
[[nodiscard]] Array* level_at(const void* handle, unsigned level);

// Where `x_bytes` into row y of plane z lies. Throws ApiError when a copy of this shape leaves the array.
[[nodiscard]] Side side_of(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z,
                           const CopyShape& shape);

// Throw ApiError with the rule that is broken.
[[nodiscard]] sim::Texture texture_of(const Context& c, const ResourceDescription& resource,
                                      const TextureDescription& how);
[[nodiscard]] sim::Texture surface_of(const ResourceDescription& resource);

}  // namespace lab::cudart
