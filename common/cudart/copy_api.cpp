// Copies and fills, in one, two and three dimensions, to and from variables.
//
// Enters: pointers of either side, sizes, pitches. Leaves: bytes moved (copy.h). A copy that returns to the
// caller only when it is done also fetches printf output.
#include "common/cudart/copy.h"
#include "common/cudart/driver.h"
#include "common/cudart/modules.h"
#include "common/sim/memory/memory.h"

using namespace lab::cudart;

namespace lab::cudart {
namespace {

Error copy_call(const char* call, StreamHandle stream, bool waits, const Side& to, const Side& from,
                const CopyShape& shape, CopyKind kind) {
  return enter(call, [&](Context& c) { return submit_copy(c, stream, waits, to, from, shape, kind); });
}

Error fill_call(const char* call, StreamHandle stream, bool waits, const Side& to, int value,
                const CopyShape& shape) {
  return enter(call, [&](Context& c) {
    return submit_fill(c, stream, waits, to, static_cast<std::uint32_t>(value), 1, shape);
  });
}

Error to_symbol(const char* call, StreamHandle stream, bool waits, const void* symbol, const void* from,
                std::size_t count, std::size_t offset, CopyKind kind) {
  return enter(call, [&](Context& c) {
    return submit_copy(c, stream, waits, {in_variable(c, symbol, count, offset)}, {from}, {count}, kind);
  });
}

Error from_symbol(const char* call, StreamHandle stream, bool waits, void* to, const void* symbol,
                  std::size_t count, std::size_t offset, CopyKind kind) {
  return enter(call, [&](Context& c) {
    return submit_copy(c, stream, waits, {to}, {in_variable(c, symbol, count, offset)}, {count}, kind);
  });
}

Error copy_3d(const char* call, StreamHandle stream, bool waits, const Copy3D* parameters) {
  return enter(call, [&](Context& c) { return submit_copy(c, stream, waits, given(parameters)); });
}

}  // namespace
}  // namespace lab::cudart

LAB_API Error cudaMemcpy(void* to, const void* from, std::size_t count, CopyKind kind) {
  return copy_call("cudaMemcpy", nullptr, true, {to}, {from}, {count}, kind);
}
LAB_ALIAS(cudaMemcpy, cudaMemcpy_ptds)

LAB_API Error cudaMemcpyAsync(void* to, const void* from, std::size_t count, CopyKind kind,
                              StreamHandle stream) {
  return copy_call("cudaMemcpyAsync", stream, false, {to}, {from}, {count}, kind);
}
LAB_ALIAS(cudaMemcpyAsync, cudaMemcpyAsync_ptsz)

LAB_API Error cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                           std::size_t width_bytes, std::size_t height, CopyKind kind) {
  return copy_call("cudaMemcpy2D", nullptr, true, {to, to_pitch, 0}, {from, from_pitch, 0},
                   {width_bytes, height}, kind);
}
LAB_ALIAS(cudaMemcpy2D, cudaMemcpy2D_ptds)

LAB_API Error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                std::size_t width_bytes, std::size_t height, CopyKind kind,
                                StreamHandle stream) {
  return copy_call("cudaMemcpy2DAsync", stream, false, {to, to_pitch, 0}, {from, from_pitch, 0},
                   {width_bytes, height}, kind);
}
LAB_ALIAS(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz)

LAB_API Error cudaMemcpy3D(const Copy3D* parameters) {
  return copy_3d("cudaMemcpy3D", nullptr, true, parameters);
}
LAB_ALIAS(cudaMemcpy3D, cudaMemcpy3D_ptds)

LAB_API Error cudaMemcpy3DAsync(const Copy3D* parameters, StreamHandle stream) {
  return copy_3d("cudaMemcpy3DAsync", stream, false, parameters);
}
LAB_ALIAS(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz)

LAB_API Error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t count, std::size_t offset,
                                 CopyKind kind) {
  return to_symbol("cudaMemcpyToSymbol", nullptr, true, symbol, from, count, offset, kind);
}
LAB_ALIAS(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds)

LAB_API Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t count,
                                      std::size_t offset, CopyKind kind, StreamHandle stream) {
  return to_symbol("cudaMemcpyToSymbolAsync", stream, false, symbol, from, count, offset, kind);
}
LAB_ALIAS(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz)

LAB_API Error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t count, std::size_t offset,
                                   CopyKind kind) {
  return from_symbol("cudaMemcpyFromSymbol", nullptr, true, to, symbol, count, offset, kind);
}
LAB_ALIAS(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds)

LAB_API Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t count, std::size_t offset,
                                        CopyKind kind, StreamHandle stream) {
  return from_symbol("cudaMemcpyFromSymbolAsync", stream, false, to, symbol, count, offset, kind);
}
LAB_ALIAS(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz)

LAB_API Error cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return enter("cudaGetSymbolAddress", [&](Context& c) {
    need(pointer);
    *pointer = in_variable(c, symbol, 0, 0);
    return Error::Success;
  });
}

LAB_API Error cudaGetSymbolSize(std::size_t* size_bytes, const void* symbol) {
  return enter("cudaGetSymbolSize", [&](Context&) {
    need(size_bytes);
    const Variable* variable = modules().variable(symbol);
    if (variable == nullptr) return Error::InvalidSymbol;
    *size_bytes = variable->size_bytes;
    return Error::Success;
  });
}

LAB_API Error cudaMemset(void* pointer, int value, std::size_t count) {
  return fill_call("cudaMemset", nullptr, true, {pointer}, value, {count});
}
LAB_ALIAS(cudaMemset, cudaMemset_ptds)

LAB_API Error cudaMemsetAsync(void* pointer, int value, std::size_t count, StreamHandle stream) {
  return fill_call("cudaMemsetAsync", stream, false, {pointer}, value, {count});
}
LAB_ALIAS(cudaMemsetAsync, cudaMemsetAsync_ptsz)

LAB_API Error cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                           std::size_t height) {
  return fill_call("cudaMemset2D", nullptr, true, {pointer, pitch, 0}, value, {width_bytes, height});
}
LAB_ALIAS(cudaMemset2D, cudaMemset2D_ptds)

LAB_API Error cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                                std::size_t height, StreamHandle stream) {
  return fill_call("cudaMemset2DAsync", stream, false, {pointer, pitch, 0}, value, {width_bytes, height});
}
LAB_ALIAS(cudaMemset2DAsync, cudaMemset2DAsync_ptsz)

LAB_API Error cudaMemset3D(PitchedPointer p, int value, Extent extent) {
  return fill_call("cudaMemset3D", nullptr, true, side_of(p, {0, 0, 0}), value,
                   {extent.width, extent.height, extent.depth});
}
LAB_ALIAS(cudaMemset3D, cudaMemset3D_ptds)

LAB_API Error cudaMemset3DAsync(PitchedPointer p, int value, Extent extent, StreamHandle stream) {
  return fill_call("cudaMemset3DAsync", stream, false, side_of(p, {0, 0, 0}), value,
                   {extent.width, extent.height, extent.depth});
}
LAB_ALIAS(cudaMemset3DAsync, cudaMemset3DAsync_ptsz)
