// Copies and fills, in one, two and three dimensions, to and from variables.
//
// Enters: pointers of either side, sizes, pitches. Leaves: bytes moved (copy.h). A copy that returns to the
// caller only when it is done also fetches printf output.
#include "common/run/cudart/copy.h"
#include "common/run/cudart/driver.h"
#include "common/run/cudart/modules.h"
#include "common/sim/memory/memory.h"

using namespace lab::cudart;

namespace {

// Rows that overlap themselves are refused before anything else is looked at.
Error copy_rows(Context& c, StreamHandle stream, bool waits, const Side& to, const Side& from,
                const CopyShape& shape, CopyKind kind) {
  if (shape.bytes() == 0) return Error::Success;
  check_pitch(to, shape);
  check_pitch(from, shape);
  for (const Side* const side : {&to, &from})  // one row: no pitch, or one that is no lie
    if (side->pitch_bytes != 0 && side->pitch_bytes < shape.width_bytes) throw ApiError{Error::InvalidValue};
  return submit_copy(c, stream, waits, to, from, shape, kind);
}

// The size is looked at first, then the direction.
Error copy_variable(Context& c, StreamHandle stream, bool waits, const void* symbol, bool to_variable,
                    const void* other, std::size_t count, std::size_t offset, CopyKind kind) {
  if (count != 0) c.reach_gpu();
  if (!waits) (void)directed(kind, to_variable, count);  // of an asynchronous copy the direction comes first
  if (count != 0 && !waits) (void)usable(stream);
  const Side variable{in_variable(c, symbol, count, offset)};
  const CopyKind way = directed(kind, to_variable, count);
  return submit_copy(c, stream, waits, to_variable ? variable : Side{other},
                     to_variable ? Side{other} : variable, {count}, way);
}

}  // namespace

LAB_PAIR(cudaMemcpy, cudaMemcpyAsync, submit_copy(c, stream, waits, {to}, {from}, {count}, kind), void* to,
         const void* from, std::size_t count, CopyKind kind)
LAB_PAIR(cudaMemcpy2D, cudaMemcpy2DAsync,
         copy_rows(c, stream, waits, {to, to_pitch, 0}, {from, from_pitch, 0}, {width_bytes, height}, kind),
         void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width_bytes,
         std::size_t height, CopyKind kind)
LAB_PAIR(cudaMemcpy3D, cudaMemcpy3DAsync, submit_copy(c, stream, waits, given(parameters)),
         const Copy3D* parameters)
LAB_PAIR(cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync,
         copy_variable(c, stream, waits, symbol, true, from, count, offset, kind), const void* symbol,
         const void* from, std::size_t count, std::size_t offset, CopyKind kind)
LAB_PAIR(cudaMemcpyFromSymbol, cudaMemcpyFromSymbolAsync,
         copy_variable(c, stream, waits, symbol, false, to, count, offset, kind), void* to,
         const void* symbol, std::size_t count, std::size_t offset, CopyKind kind)

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
