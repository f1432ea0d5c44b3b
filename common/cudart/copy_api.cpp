// Copies and fills, in one, two and three dimensions, to and from variables.
//
// Enters: pointers of either side, sizes, pitches. Leaves: bytes moved (copy.h). A copy that returns to the
// caller only when it is done also fetches printf output.
#include "common/cudart/copy.h"
#include "common/cudart/driver.h"
#include "common/cudart/modules.h"
#include "common/sim/memory/memory.h"

using namespace lab::cudart;

LAB_PAIR(cudaMemcpy, cudaMemcpyAsync, submit_copy(c, stream, waits, {to}, {from}, {count}, kind), void* to,
         const void* from, std::size_t count, CopyKind kind)
LAB_PAIR(cudaMemcpy2D, cudaMemcpy2DAsync,
         submit_copy(c, stream, waits, {to, to_pitch, 0}, {from, from_pitch, 0}, {width_bytes, height}, kind),
         void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width_bytes,
         std::size_t height, CopyKind kind)
LAB_PAIR(cudaMemcpy3D, cudaMemcpy3DAsync, submit_copy(c, stream, waits, given(parameters)),
         const Copy3D* parameters)
LAB_PAIR(cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync,
         submit_copy(c, stream, waits, {in_variable(c, symbol, count, offset)}, {from}, {count}, kind),
         const void* symbol, const void* from, std::size_t count, std::size_t offset, CopyKind kind)
LAB_PAIR(cudaMemcpyFromSymbol, cudaMemcpyFromSymbolAsync,
         submit_copy(c, stream, waits, {to}, {in_variable(c, symbol, count, offset)}, {count}, kind),
         void* to, const void* symbol, std::size_t count, std::size_t offset, CopyKind kind)

LAB_API Error cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return enter([&](Context& c) { given(pointer) = in_variable(c, symbol, 0, 0); });
}

LAB_API Error cudaGetSymbolSize(std::size_t* size_bytes, const void* symbol) {
  return enter([&](Context&) {
    need(size_bytes);
    const Variable* variable = modules().variable(symbol);
    if (variable == nullptr) throw ApiError{Error::InvalidSymbol};
    *size_bytes = variable->size_bytes;
  });
}

LAB_PAIR(cudaMemset, cudaMemsetAsync,
         submit_fill(c, stream, waits, {pointer}, static_cast<std::uint32_t>(value), 1, {count}),
         void* pointer, int value, std::size_t count)
LAB_PAIR(cudaMemset2D, cudaMemset2DAsync,
         submit_fill(c, stream, waits, {pointer, pitch, 0}, static_cast<std::uint32_t>(value), 1,
                     {width_bytes, height}),
         void* pointer, std::size_t pitch, int value, std::size_t width_bytes, std::size_t height)
LAB_PAIR(cudaMemset3D, cudaMemset3DAsync,
         submit_fill(c, stream, waits, side_of(p, {0, 0, 0}), static_cast<std::uint32_t>(value), 1,
                     {extent.width, extent.height, extent.depth}),
         PitchedPointer p, int value, Extent extent)
