// CUDA arrays: made, freed, asked, copied to and from.
//
// Enters: formats and extents, then copies whose offsets in rows are bytes. Leaves: images that textures and
// surfaces show (texture_api.cpp). Copies of three dimensions are in copy_api.cpp.
#include "common/run/cudart/capture.h"
#include "common/run/cudart/texture_calls.h"
#include "common/run/cudart/textures.h"
#include "common/sim/memory/memory.h"

using namespace lab::cudart;

namespace lab::cudart {
namespace {

// A window of an array: rows of bytes.
struct Window {
  const Array* array;
  std::size_t x_bytes, y;
};
// Bytes from there on, in the next rows too: rows of an array lie side by side.
struct Run : Window {};

Side side_of(const Window& window, const CopyShape& shape) {
  return side_of(array_at(window.array), window.x_bytes, window.y, 0, shape);
}
Side side_of(const Side& side, const CopyShape& /*shape*/) { return side; }

Side side_of(const Run& run, const CopyShape& shape) {
  const lab::sim::Image& image = array_at(run.array).image;
  const std::uint64_t start = run.y * image.pitch_bytes + run.x_bytes;
  if (start + shape.bytes() > image.extent_bytes())
    throw ApiError{Error::InvalidValue, msg("the copy of {} bytes leaves the array, which has {}.",
                                            big(shape.bytes()), big(image.extent_bytes()))};
  return {pointer_to(image.base + start), 0, 0};
}

// What is looked at before anything is asked of the GPU: rows that overlap themselves, then, of arrays, whether there is one.
template <class Place>
void check_pitch(const Place& /*in_array*/, const CopyShape& /*shape*/) {}
// A pitch that is given holds a row, also a single one.
template <class Place>
void check_row(const Place& side, const CopyShape& shape) {
  if constexpr (std::is_same_v<Place, Side>)
    if (side.pitch_bytes != 0 && side.pitch_bytes < shape.width_bytes) throw ApiError{Error::InvalidValue};
}
void check_there(const Side& /*side*/) {}
void check_there(const Window& window) { (void)array_at(window.array); }

template <class To, class From>
Error copy_between(Context& c, StreamHandle stream, bool waits, const To& to, const From& from,
                   const CopyShape& shape, CopyKind kind) {
  if (shape.bytes() == 0) return Error::Success;
  check_pitch(to, shape);
  check_pitch(from, shape);
  if constexpr (std::is_same_v<From, Side>) kind = directed(kind, true, shape.bytes());
  if constexpr (std::is_same_v<To, Side>) kind = directed(kind, false, shape.bytes());
  check_row(to, shape);
  check_row(from, shape);
  check_there(to);
  check_there(from);
  c.reach_gpu();
  return submit_copy(c, stream, waits, side_of(to, shape), side_of(from, shape), shape, kind);
}

}  // namespace
}  // namespace lab::cudart

LAB_API Error cudaMalloc3DArray(Array** array, const ChannelFormat* format, Extent extent, unsigned flags) {
  return enter([&](Context& c) {
    if (array == nullptr || format == nullptr) throw ApiError{Error::InvalidValue};
    *array = make_array(c, *format, extent, flags);
  });
}

LAB_API Error cudaMallocArray(Array** array, const ChannelFormat* format, std::size_t width,
                              std::size_t height, unsigned flags) {
  return enter(Asks::HostFirst, [&](Context& c) {
    constexpr unsigned kFlags = 2 | 8 | 0x40 | 0x80;  // surfaces, gathering, sparse, deferred: no layers
    if (array == nullptr || format == nullptr || (flags & ~kFlags) != 0) throw ApiError{Error::InvalidValue};
    c.reach_gpu();
    *array = make_array(c, *format, {width, height, 0}, flags);
  });
}

LAB_API Error cudaFreeArray(Array* array) {
  return enter(Asks::HostFirst, [&](Context& c) {
    if (array == nullptr) return;
    c.reach_gpu();
    refuse_unsafe();
    wait_for_all(c);
    free_array(c, array);
  });
}

LAB_API Error cudaMallocMipmappedArray(Mipmaps** mipmaps, const ChannelFormat* format, Extent extent,
                                       unsigned levels, unsigned flags) {
  return enter([&](Context& c) {
    need(mipmaps, format);
    *mipmaps = make_mipmaps(c, *format, extent, levels, flags);
  });
}

LAB_API Error cudaGetMipmappedArrayLevel(Array** level, const Mipmaps* mipmaps, unsigned number) {
  return enter([&](Context&) {
    need(level);
    *level = level_at(mipmaps, number);
  });
}

LAB_API Error cudaFreeMipmappedArray(Mipmaps* mipmaps) {
  return enter([&](Context& c) {
    if (mipmaps == nullptr) return;
    wait_for_all(c);
    free_mipmaps(c, mipmaps);
  });
}

LAB_API Error cudaArrayGetInfo(ChannelFormat* format, Extent* extent, unsigned* flags, Array* array) {
  return enter([&](Context&) {
    const Array& found = array_at(array);
    if (format != nullptr) *format = found.format;
    if (extent != nullptr) *extent = found.extent;
    if (flags != nullptr) *flags = found.flags;
  });
}

LAB_API Error cudaGetChannelDesc(ChannelFormat* format, const Array* array) {
  return enter([&](Context&) { given(format) = array_at(array).format; });
}

LAB_PAIR(cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync,
         copy_between(c, stream, waits, Window{to, x_bytes, y}, Side{from, pitch, 0}, {width_bytes, height},
                      kind),
         Array* to, std::size_t x_bytes, std::size_t y, const void* from, std::size_t pitch,
         std::size_t width_bytes, std::size_t height, CopyKind kind)
LAB_PAIR(cudaMemcpy2DFromArray, cudaMemcpy2DFromArrayAsync,
         copy_between(c, stream, waits, Side{to, pitch, 0}, Window{from, x_bytes, y}, {width_bytes, height},
                      kind),
         void* to, std::size_t pitch, const Array* from, std::size_t x_bytes, std::size_t y,
         std::size_t width_bytes, std::size_t height, CopyKind kind)

LAB_API Error cudaMemcpy2DArrayToArray(Array* to, std::size_t to_x_bytes, std::size_t to_y, const Array* from,
                                       std::size_t x_bytes, std::size_t y, std::size_t width_bytes,
                                       std::size_t height, CopyKind kind) {
  return enter([&](Context& c) {
    return copy_between(c, nullptr, true, Window{to, to_x_bytes, to_y}, Window{from, x_bytes, y},
                        {width_bytes, height}, kind);
  });
}

LAB_PAIR(cudaMemcpyToArray, cudaMemcpyToArrayAsync,
         copy_between(c, stream, waits, Run{to, x_bytes, y}, Side{from}, {count}, kind), Array* to,
         std::size_t x_bytes, std::size_t y, const void* from, std::size_t count, CopyKind kind)
LAB_PAIR(cudaMemcpyFromArray, cudaMemcpyFromArrayAsync,
         copy_between(c, stream, waits, Side{to}, Run{from, x_bytes, y}, {count}, kind), void* to,
         const Array* from, std::size_t x_bytes, std::size_t y, std::size_t count, CopyKind kind)
