// The driver: arrays, texture and surface objects.
//
// Enters: descriptions of cuda.h. Leaves: the runtime's calls of the same meaning.
#include <algorithm>

#include "common/run/cudart/driver.h"
#include "common/run/cudart/texture_calls.h"
#include "common/run/cudart/textures.h"

using namespace lab::cudart;

namespace {

struct ArrayRequest {  // CUDA_ARRAY_DESCRIPTOR
  std::size_t width, height;
  unsigned format, channels;
};
struct Array3DRequest {
  std::size_t width, height, depth;
  unsigned format, channels, flags;
};
struct DriverResource {  // CUDA_RESOURCE_DESC
  ResourceType type;
  struct Linear {
    void* pointer;
    unsigned format, channels;
    std::size_t size_bytes;
  };
  struct Rows {
    void* pointer;
    unsigned format, channels;
    std::size_t width, height, pitch_bytes;
  };
  union {
    Array* array;
    Mipmaps* mipmaps;
    Linear linear;
    Rows rows;
  };
};
struct DriverTexture {  // CUDA_TEXTURE_DESC
  lab::sim::AddressMode mode[3];
  int linear_filter;
  unsigned flags, most_anisotropy;
  int mipmap_filter;
  float mipmap_bias, least_mipmap, most_mipmap, border[4];
};
enum : unsigned { kReadAsInteger = 1, kNormalised = 2, kSrgb = 16 };

// CUarray_format: 1, 2, 3 unsigned of 8, 16, 32 bits; 8, 9, 10 signed; 16, 32 floats of 16 and 32 bits.
ChannelFormat format_of(unsigned format, unsigned channels) {
  const bool floats = format == 16 || format == 32, is_signed = format >= 8 && format <= 10;
  const int bits = floats           ? static_cast<int>(format)
                   : is_signed      ? 8 << (format - 8)
                   : format - 1 < 3 ? 8 << (format - 1)
                                    : 0;
  int sizes[4] = {};
  std::fill_n(sizes, std::min(channels, 4u), bits);
  return {sizes[0], sizes[1], sizes[2], sizes[3], floats ? 2 : is_signed ? 0 : 1};
}

ResourceDescription described(const DriverResource& r) {
  ResourceDescription made{};
  made.type = r.type;
  if (r.type == ResourceType::Linear) {
    made.linear = {r.linear.pointer, format_of(r.linear.format, r.linear.channels), r.linear.size_bytes};
  } else if (r.type == ResourceType::Pitch2D) {
    made.rows = {r.rows.pointer, format_of(r.rows.format, r.rows.channels), r.rows.width, r.rows.height,
                 r.rows.pitch_bytes};
  } else if (r.type == ResourceType::Mipmapped) {
    made.mipmaps = r.mipmaps;
  } else {
    made.array = r.array;
  }
  return made;
}

}  // namespace

LAB_ENTRY int cuArray3DCreate_v2(Array** array, const Array3DRequest* r) {
  if (r == nullptr) return kInvalidValue;
  const ChannelFormat format = format_of(r->format, r->channels);
  return as_driver([&] {
    return cudaMalloc3DArray(array, &format, {r->width, r->height, r->depth}, r->flags);
  });
}
// Surfaces may show any array of the driver's.
LAB_ENTRY int cuArrayCreate_v2(Array** array, const ArrayRequest* r) {
  if (r == nullptr) return kInvalidValue;
  const Array3DRequest request{r->width, r->height, 0, r->format, r->channels, kSurface};
  return cuArray3DCreate_v2(array, &request);
}
LAB_ENTRY int cuArrayDestroy(Array* array) {
  if (array == nullptr) return static_cast<int>(Error::InvalidResourceHandle);
  return as_driver([&] { return cudaFreeArray(array); });
}
LAB_ENTRY int cuMipmappedArrayCreate(Mipmaps** mipmaps, const Array3DRequest* r, unsigned levels) {
  if (r == nullptr) return kInvalidValue;
  const ChannelFormat format = format_of(r->format, r->channels);
  return as_driver([&] {
    return cudaMallocMipmappedArray(mipmaps, &format, {r->width, r->height, r->depth}, levels, r->flags);
  });
}
LAB_SAME(cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel);
LAB_ENTRY int cuMipmappedArrayDestroy(Mipmaps* mipmaps) {
  if (mipmaps == nullptr) return static_cast<int>(Error::InvalidResourceHandle);
  return as_driver([&] { return cudaFreeMipmappedArray(mipmaps); });
}
LAB_ENTRY int cuMemcpyHtoA_v2(Array* to, std::size_t x_bytes, const void* from, std::size_t count) {
  return as_driver([&] { return cudaMemcpyToArray(to, x_bytes, 0, from, count, CopyKind::HostToDevice); });
}
LAB_ENTRY int cuMemcpyAtoH_v2(void* to, const Array* from, std::size_t x_bytes, std::size_t count) {
  return as_driver([&] { return cudaMemcpyFromArray(to, from, x_bytes, 0, count, CopyKind::DeviceToHost); });
}

LAB_ENTRY int cuTexObjectCreate(std::uint64_t* object, const DriverResource* resource,
                                const DriverTexture* how, const void* view) {
  if (resource == nullptr || how == nullptr) return static_cast<int>(Error::InvalidValue);
  const ResourceDescription made = described(*resource);
  TextureDescription d{};
  std::copy(how->mode, how->mode + 3, d.mode);
  d.linear_filter = how->linear_filter;
  d.normalised = (how->flags & kNormalised) != 0 ? 1 : 0;
  d.srgb = (how->flags & kSrgb) != 0 ? 1 : 0;
  d.most_anisotropy = how->most_anisotropy;
  d.mipmap_filter = how->mipmap_filter;
  d.mipmap_bias = how->mipmap_bias;
  d.least_mipmap = how->least_mipmap;
  d.most_mipmap = how->most_mipmap;
  std::copy(how->border, how->border + 4, d.border);
  // Integers of 32 bits are never read as floats.
  ChannelFormat format{};
  if (made.type == ResourceType::Linear) format = made.linear.format;
  if (made.type == ResourceType::Pitch2D) format = made.rows.format;
  if (made.type == ResourceType::Array || made.type == ResourceType::Mipmapped) {
    const int code = enter_driver([&](Context&) {
      const Array& texels =
          made.type == ResourceType::Array ? array_at(made.array) : *level_at(made.mipmaps, 0);
      format = texels.format;
    });
    if (code != 0) return code;
  }
  d.to_float = (how->flags & kReadAsInteger) == 0 && format.x < 32 ? 1 : 0;
  return as_driver([&] { return cudaCreateTextureObject(object, &made, &d, view); });
}
LAB_SAME(cuTexObjectDestroy, cudaDestroyTextureObject);
LAB_ENTRY int cuSurfObjectCreate(std::uint64_t* object, const DriverResource* resource) {
  if (resource == nullptr) return static_cast<int>(Error::InvalidValue);
  const ResourceDescription made = described(*resource);
  return as_driver([&] { return cudaCreateSurfaceObject(object, &made); });
}
LAB_SAME(cuSurfObjectDestroy, cudaDestroySurfaceObject);
