// The runtime's calls of arrays, textures and surfaces that the driver's stand on.
//
// Enters and leaves: what the runtime documents. Not in textures.h, whose layouts a test compares with the
// toolkit's own.
#pragma once

#include "common/run/cudart/textures.h"

extern "C" {
using lab::cudart::Array, lab::cudart::ChannelFormat, lab::cudart::CopyKind, lab::cudart::Error,
    lab::cudart::Extent, lab::cudart::Mipmaps, lab::cudart::ResourceDescription,
    lab::cudart::TextureDescription;
Error cudaMalloc3DArray(Array** array, const ChannelFormat* format, Extent extent, unsigned flags);
Error cudaFreeArray(Array* array);
Error cudaMallocMipmappedArray(Mipmaps** mipmaps, const ChannelFormat* format, Extent extent, unsigned levels,
                               unsigned flags);
Error cudaGetMipmappedArrayLevel(Array** level, const Mipmaps* mipmaps, unsigned number);
Error cudaFreeMipmappedArray(Mipmaps* mipmaps);
Error cudaMemcpyToArray(Array* to, std::size_t x_bytes, std::size_t y, const void* from, std::size_t count,
                        CopyKind kind);
Error cudaMemcpyFromArray(void* to, const Array* from, std::size_t x_bytes, std::size_t y, std::size_t count,
                          CopyKind kind);
Error cudaCreateTextureObject(std::uint64_t* object, const ResourceDescription* resource,
                              const TextureDescription* how, const void* view);
Error cudaDestroyTextureObject(std::uint64_t object);
Error cudaCreateSurfaceObject(std::uint64_t* object, const ResourceDescription* resource);
Error cudaDestroySurfaceObject(std::uint64_t object);
}
