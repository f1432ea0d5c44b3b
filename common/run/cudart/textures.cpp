// Arrays, textures and surfaces. See textures.h.
#include "common/run/cudart/textures.h"
#include "common/sim/memory/memory.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <set>

namespace lab::cudart {
namespace {

constexpr auto kInvalidChannelDescriptor = static_cast<Error>(20),
               kInvalidFilterSetting = static_cast<Error>(26), kInvalidNormSetting = static_cast<Error>(27);
constexpr std::uint64_t kTextureAlign = 512, kPitchStep = 32;  // as cudaDeviceProp says

std::set<const void*>& arrays() {
  static auto* const all = new std::set<const void*>;  // never destroyed, as the Context
  return *all;
}

// One, two or four channels of one size.
void set_format(sim::Image& image, const ChannelFormat& f) {
  const int sizes[] = {f.x, f.y, f.z, f.w};
  image.channels = static_cast<std::uint32_t>(4 - std::count(std::begin(sizes), std::end(sizes), 0));
  const bool same = std::all_of(sizes, sizes + image.channels, [&](int size) { return size == f.x; });
  const bool size_fits = f.x == 16 || f.x == 32 || (f.x == 8 && f.kind != 2);
  if (!same || !size_fits || image.channels == 3 || f.kind < 0 || f.kind > 2) {
    throw ApiError{
        kInvalidChannelDescriptor,
        "a texel has one, two or four channels of one size: integers of 8, 16 or 32 bits, floats of 16 or "
        "32. Make the description with cudaCreateChannelDesc<float>() or the like."};
  }
  image.channel_bits = static_cast<std::uint32_t>(f.x);
  image.kind = static_cast<sim::TexelKind>(f.kind);
}

void check_extent(const Extent& e, unsigned flags) {
  const auto refuse = [](const char* why) { throw ApiError{Error::InvalidValue, why}; };
  constexpr std::size_t kMost = 131072;
  if (e.width == 0 || e.width > kMost || e.height > kMost || e.depth > kMost)
    refuse("an array is 1 to 131 072 elements wide.");
  if ((flags & ~(kLayered | kSurface | kCubemap | kGather)) != 0)
    throw ApiError{Error::NotSupported, "sparse and deferred arrays are not simulated."};
  const bool cube = (flags & kCubemap) != 0, layered = (flags & kLayered) != 0;
  if (cube && layered) throw ApiError{Error::NotSupported, "layers of cubemaps are not simulated."};
  if (cube && (e.width != e.height || e.depth != 6))
    refuse("a cubemap has six square faces: as wide as high, and depth 6.");
  if (layered && e.depth == 0) refuse("a layered array needs a depth: the number of its layers.");
  if (!layered && e.height == 0 && e.depth != 0)
    refuse("an array with a depth needs a height, or cudaArrayLayered.");
}

// Texels in memory that the program allocated itself.
sim::Image image_at(const Context& c, const void* pointer, const ChannelFormat& format, std::size_t width,
                    std::size_t height, std::size_t pitch_bytes) {
  sim::Image image;
  set_format(image, format);
  image.base = address_of(pointer);
  image.width = static_cast<std::uint32_t>(width);
  image.height = static_cast<std::uint32_t>(height);
  image.pitch_bytes = pitch_bytes;
  image.plane_bytes = pitch_bytes * height;
  if (width == 0 || height == 0 || width > (1u << 28) || height > (1u << 20))
    throw ApiError{Error::InvalidValue, "the size of the texture is 0, or larger than a GPU allows."};
  if (image.base % kTextureAlign != 0)
    throw ApiError{Error::InvalidValue,
                   "the memory of a texture starts at a multiple of 512 bytes (textureAlignment), as "
                   "cudaMalloc gives it."};
  if (height > 1 && (pitch_bytes % kPitchStep != 0 || pitch_bytes < width * image.texel_bytes()))
    throw ApiError{
        Error::InvalidPitchValue,
        "the pitch of a texture is a multiple of 32 bytes (texturePitchAlignment) and no shorter than a row. "
        "cudaMallocPitch gives one."};
  if (c.memory.find(image.base, image.extent_bytes()) == nullptr)
    throw ApiError{Error::InvalidValue, msg("the texture does not lie in memory of the program: it is {}.",
                                            c.memory.describe(image.base, image.extent_bytes()))};
  return image;
}

sim::Image image_of(const Context& c, const ResourceDescription& resource) {
  switch (resource.type) {
    case ResourceType::Array:
      return array_at(resource.array).image;
    case ResourceType::Linear: {
      sim::Image image;
      set_format(image, resource.linear.format);
      return image_at(c, resource.linear.pointer, resource.linear.format,
                      resource.linear.size_bytes / image.texel_bytes(), 1, resource.linear.size_bytes);
    }
    case ResourceType::Pitch2D:
      return image_at(c, resource.rows.pointer, resource.rows.format, resource.rows.width,
                      resource.rows.height, resource.rows.pitch_bytes);
    case ResourceType::Mipmapped:
      return mipmaps_at(resource.mipmaps).levels.front()->image;
  }
  throw ApiError{Error::InvalidValue, "the resource has no type that CUDA knows."};
}

// What no read was measured for is refused, not guessed.
void check_description(const sim::Image& image, const TextureDescription& how) {
  const auto refuse = [](Error code, const char* why) { throw ApiError{code, why}; };
  const bool floats = image.kind == sim::TexelKind::Float;
  if (how.to_float != 0 && !floats && image.channel_bits == 32)
    refuse(kInvalidNormSetting,
           "only integers of 8 and 16 bits can be read as 0 … 1 (cudaReadModeNormalizedFloat).");
  if (how.linear_filter != 0 && !floats && how.to_float == 0)
    refuse(
        kInvalidFilterSetting,
        "linear filtering needs floats, or integers read as floats: readMode = cudaReadModeNormalizedFloat.");
  if (how.mipmap_filter != 0 && !floats && how.to_float == 0)
    refuse(kInvalidFilterSetting,
           "linear filtering between levels needs floats, or integers read as floats: readMode = "
           "cudaReadModeNormalizedFloat.");
  if (how.srgb != 0) refuse(Error::NotSupported, "sRGB textures are not simulated.");
  if (how.most_anisotropy > 1) refuse(Error::NotSupported, "anisotropic filtering is not simulated.");
  const bool has_border = std::any_of(how.border, how.border + 4, [](float x) { return x != 0; });
  if (has_border && !floats)
    refuse(Error::NotSupported, "a border colour other than 0 is simulated for textures of floats alone.");
}

}  // namespace

namespace {

// All of an array but its memory.
std::unique_ptr<Array> array_without_memory(const ChannelFormat& format, const Extent& extent,
                                            unsigned flags) {
  auto made = std::make_unique<Array>();
  made->format = format;
  made->extent = extent;
  made->flags = flags;
  sim::Image& image = made->image;
  if (extent.width != 0) set_format(image, format);  // an array of no width is refused before its format is
  check_extent(extent, flags);
  image.width = static_cast<std::uint32_t>(extent.width);
  image.height = static_cast<std::uint32_t>(std::max<std::size_t>(extent.height, 1));
  image.depth = static_cast<std::uint32_t>(std::max<std::size_t>(extent.depth, 1));
  image.cube = (flags & kCubemap) != 0;
  image.layered = image.cube || (flags & kLayered) != 0;
  image.pitch_bytes = std::uint64_t{image.width} * image.texel_bytes();
  image.plane_bytes = image.pitch_bytes * image.height;
  return made;
}

sim::DeviceAddress texel_memory(Context& c, std::uint64_t size_bytes) {
  if (size_bytes > c.free_bytes()) throw std::bad_alloc();
  c.device().used_bytes += size_bytes;
  return c.memory.allocate(size_bytes, sim::Fill::Written, "a CUDA array");
}

void give_back_texels(Context& c, sim::DeviceAddress base, std::uint64_t size_bytes) {
  c.device(c.owner(pointer_to(base))).used_bytes -= size_bytes;
  work_order().forget(base);
  c.memory.release(base);
}

std::set<const void*>& mipmapped_arrays() {
  static auto* const all = new std::set<const void*>;  // never destroyed, as the Context
  return *all;
}

}  // namespace

Array* make_array(Context& c, const ChannelFormat& format, const Extent& extent, unsigned flags) {
  std::unique_ptr<Array> made = array_without_memory(format, extent, flags);
  made->image.base = texel_memory(c, made->image.extent_bytes());
  arrays().insert(made.get());
  return made.release();
}

void free_array(Context& c, Array* array) {
  const Array& found = array_at(array);
  if (found.is_level) return;  // its memory is the mipmapped array's; no error on an H200
  give_back_texels(c, found.image.base, found.image.extent_bytes());
  arrays().erase(array);
  delete array;
}

Mipmaps* make_mipmaps(Context& c, const ChannelFormat& format, const Extent& extent, unsigned levels,
                      unsigned flags) {
  const std::unique_ptr<Array> first = array_without_memory(format, extent, flags);
  const bool is_flat = first->image.layered;  // layers and faces stay as many
  const std::size_t longest = std::max({extent.width, extent.height, is_flat ? 1 : extent.depth});
  const auto count = std::clamp<unsigned>(levels, 1, static_cast<unsigned>(std::bit_width(longest)));
  first->image.base = texel_memory(c, sim::extent_bytes(first->image, count));
  auto made = std::make_unique<Mipmaps>();
  const auto halved = [](std::size_t side, unsigned k) {
    return side == 0 ? 0 : std::max<std::size_t>(side >> k, 1);
  };
  for (unsigned k = 0; k < count; ++k) {
    auto level = std::make_unique<Array>(*first);
    level->image = sim::level_of(first->image, k);
    level->extent = {halved(extent.width, k), halved(extent.height, k),
                     is_flat ? extent.depth : halved(extent.depth, k)};
    level->is_level = true;
    arrays().insert(level.get());
    made->levels.push_back(std::move(level));
  }
  mipmapped_arrays().insert(made.get());
  return made.release();
}

void free_mipmaps(Context& c, Mipmaps* mipmaps) {
  const Mipmaps& found = mipmaps_at(mipmaps);
  const sim::Image& first = found.levels.front()->image;
  give_back_texels(c, first.base, sim::extent_bytes(first, static_cast<std::uint32_t>(found.levels.size())));
  for (const auto& level : found.levels) arrays().erase(level.get());
  mipmapped_arrays().erase(mipmaps);
  delete mipmaps;
}

Mipmaps& mipmaps_at(const void* handle) {
  if (!mipmapped_arrays().contains(handle))
    throw ApiError{Error::InvalidResourceHandle, "this is no mipmapped array, or it was freed before."};
  return *static_cast<Mipmaps*>(const_cast<void*>(handle));
}

Array* level_at(const void* handle, unsigned level) {
  const Mipmaps& found = mipmaps_at(handle);
  if (level >= found.levels.size())
    throw ApiError{Error::InvalidValue,
                   msg("the mipmapped array has {} levels, numbered from 0.", found.levels.size())};
  return found.levels[level].get();
}

Array& array_at(const void* handle) {
  if (!arrays().contains(handle))
    throw ApiError{Error::InvalidResourceHandle, "this is no CUDA array, or it was freed before."};
  return *static_cast<Array*>(const_cast<void*>(handle));
}

Side side_of(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z, const CopyShape& shape) {
  const sim::Image& image = array.image;
  const bool fits = x_bytes + shape.width_bytes <= image.pitch_bytes && y + shape.height <= image.height &&
                    z + shape.depth <= image.depth;
  if (!fits) {
    throw ApiError{
        Error::InvalidValue,
        msg("the copy of {} bytes × {} × {} leaves the array, whose rows have {} bytes, × {} × {}.",
            big(shape.width_bytes), shape.height, shape.depth, big(image.pitch_bytes), image.height,
            image.depth)};
  }
  const sim::DeviceAddress at = image.base + x_bytes + y * image.pitch_bytes + z * image.plane_bytes;
  return {pointer_to(at), image.pitch_bytes, image.plane_bytes};
}

sim::Texture texture_of(const Context& c, const ResourceDescription& resource,
                        const TextureDescription& how) {
  sim::Texture t;
  t.image = image_of(c, resource);
  check_description(t.image, how);
  std::copy(how.mode, how.mode + 3, t.mode.begin());
  for (const sim::AddressMode mode : t.mode)
    if (mode > sim::AddressMode::Border)
      throw ApiError{Error::InvalidValue, "the address mode is none that CUDA knows."};
  t.linear = how.linear_filter != 0;
  t.normalised = how.normalised != 0;
  t.to_float = how.to_float != 0;
  std::copy(how.border, how.border + 4, t.border.begin());
  if (resource.type == ResourceType::Mipmapped) {
    if (!t.normalised)
      throw ApiError{Error::InvalidValue,
                     "a mipmapped array is read with normalised coordinates: normalizedCoords = 1."};
    t.levels = static_cast<std::uint32_t>(mipmaps_at(resource.mipmaps).levels.size());
    t.mixes_levels = how.mipmap_filter != 0;
    t.level_bias = how.mipmap_bias;
    t.least_level = how.least_mipmap;
    t.most_level = how.most_mipmap;
  }
  return t;
}

sim::Texture surface_of(const ResourceDescription& resource) {
  if (resource.type != ResourceType::Array)
    throw ApiError{Error::InvalidValue,
                   "a surface needs a CUDA array: cudaMallocArray with cudaArraySurfaceLoadStore."};
  const Array& array = array_at(resource.array);
  if ((array.flags & kSurface) == 0)
    throw ApiError{
        Error::InvalidValue,
        "the array was not made for surfaces. Give cudaMallocArray the flag cudaArraySurfaceLoadStore."};
  sim::Texture t;
  t.image = array.image;
  t.is_surface = true;
  return t;
}

}  // namespace lab::cudart
