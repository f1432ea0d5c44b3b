// Batches: many copies, prefetches or discards in one call.
//
// Enters: lists. Leaves: the same calls one by one, in the order of the list, which is one that CUDA allows.
// The calls whose parameters differ between CUDA 12 and 13 are in their files.
#include <vector>

#include "common/run/cudart/allocation.h"
#include "common/run/cudart/driver.h"
#include "common/run/cudart/textures.h"
#include "common/sim/memory/memory.h"

using namespace lab::cudart;

namespace lab::cudart {
namespace {

enum SourceOrder : int { kInStream = 1, kDuringCall, kAnyOrder };

// A batch cannot go where other streams are waited for.
Stream& batch_stream(StreamHandle stream) {
  Stream& on = streams().find(stream);
  if (on.legacy)
    throw ApiError{Error::InvalidValue, "a batch cannot go into the legacy default stream. Create a stream."};
  return on;
}

// Which attribute or place each of `count` operations has: the one whose first operation is the last not
// behind it. Throws ApiError where the list of first operations breaks a rule.
std::vector<std::size_t> assigned(std::size_t count, const std::size_t* first, std::size_t first_count) {
  need(first);
  std::vector<std::size_t> found(count);
  for (std::size_t k = 0; k < first_count; ++k) {
    const std::size_t end = k + 1 < first_count ? first[k + 1] : count;
    if ((k == 0 && first[0] != 0) || first[k] > end || first[k] >= count || end > count)
      throw ApiError{Error::InvalidValue,
                     "the list of first operations begins with 0, never falls, and ends below their number."};
    for (std::size_t at = first[k]; at < end; ++at) found[at] = k;
  }
  return found;
}

// The bytes of an operand from where the copy begins. `texel_bytes`: of the array on either side, else 1.
Side side_of(const BatchOperand& o, const Extent& extent, std::size_t texel_bytes) {
  const CopyShape shape{extent.width * texel_bytes, extent.height, extent.depth};
  if (o.type == BatchOperand::kArray)
    return side_of(array_at(o.array.array), o.array.offset.x * texel_bytes, o.array.offset.y,
                   o.array.offset.z, shape);
  if (o.type != BatchOperand::kPointer)
    throw ApiError{Error::InvalidValue, "an operand of a batch is a pointer or an array."};
  const std::size_t row = o.memory.row_elems == 0 ? extent.width : o.memory.row_elems;
  const std::size_t rows = o.memory.layer_rows == 0 ? extent.height : o.memory.layer_rows;
  if (row < extent.width || rows < extent.height)
    throw ApiError{Error::InvalidValue, "rows or layers of an operand are smaller than those of the copy."};
  return {o.memory.pointer, row * texel_bytes, row * texel_bytes * rows};
}

std::size_t texel_bytes_of(const BatchCopy3D& copy) {
  std::size_t found = 0;
  for (const BatchOperand* o : {&copy.from, &copy.to}) {
    if (o->type != BatchOperand::kArray) continue;
    const std::size_t bytes = array_at(o->array.array).image.texel_bytes();
    if (found != 0 && found != bytes)
      throw ApiError{Error::InvalidValue, "the elements of the two arrays differ in size."};
    found = bytes;
  }
  return found == 0 ? 1 : found;
}

void check_hints(Context& c, const void* const* pointers, const std::size_t* sizes_bytes, std::size_t count,
                 unsigned long long flags) {
  need(pointers, sizes_bytes);
  if (count == 0 || flags != 0)
    throw ApiError{Error::InvalidValue, "a batch has at least one operation, and no flags."};
  for (std::size_t k = 0; k < count; ++k) {
    const lab::sim::Allocation* const a = c.memory.find(address_of(pointers[k]), sizes_bytes[k]);
    const auto found = a == nullptr ? c.allocated.end() : c.allocated.find(a->base);
    if (sizes_bytes[k] == 0 || found == c.allocated.end() || found->second.type != MemoryType::Managed)
      throw ApiError{Error::InvalidValue,
                     msg("operation {} of the batch does not name managed memory (cudaMallocManaged).", k)};
  }
}

}  // namespace

Error submit_batch(void* const* to, const void* const* from, const std::size_t* size_bytes, std::size_t count,
                   const BatchAttributes* attributes, const std::size_t* first_copies,
                   std::size_t attribute_count, StreamHandle stream) {
  return enter("cudaMemcpyBatchAsync", [&](Context& c) {
    need(to, from, size_bytes);
    if (count == 0 || attribute_count > count) return Error::InvalidValue;
    if (attribute_count != 0) {
      need(attributes);
      (void)assigned(count, first_copies, attribute_count);
    }
    Stream& on = batch_stream(stream);
    for (std::size_t k = 0; k < count; ++k) {
      const Error e = submit_copy(c, stream, false, {to[k]}, {from[k]}, {size_bytes[k]}, CopyKind::Default);
      if (e != Error::Success) return e;
    }
    bool waits = false;
    for (std::size_t k = 0; k < attribute_count; ++k)
      waits = waits || attributes[k].source_order == kDuringCall;
    if (waits) wait_for_stream(c, on);
    return Error::Success;
  });
}

Error submit_batch_3d(std::size_t count, const BatchCopy3D* list, unsigned long long flags,
                      StreamHandle stream) {
  return enter("cudaMemcpy3DBatchAsync", [&](Context& c) {
    need(list);
    if (count == 0 || flags != 0) return Error::InvalidValue;
    Stream& on = batch_stream(stream);
    bool waits = false;
    for (const BatchCopy3D& copy : std::span(list, count)) {
      const Extent& extent = copy.extent;
      if (extent.width == 0 || extent.height == 0 || extent.depth == 0 || copy.source_order < kInStream ||
          copy.source_order > kAnyOrder)
        throw ApiError{
            Error::InvalidValue,
            "each copy of a batch needs an extent without 0 and an order in which its source is read "
            "(srcAccessOrder)."};
      const std::size_t texel_bytes = texel_bytes_of(copy);
      const Error e = submit_copy(
          c, stream, false, side_of(copy.to, extent, texel_bytes), side_of(copy.from, extent, texel_bytes),
          {extent.width * texel_bytes, extent.height, extent.depth}, CopyKind::Default);
      if (e != Error::Success) return e;
      waits |= copy.source_order == kDuringCall;
    }
    if (waits) wait_for_stream(c, on);
    return Error::Success;
  });
}

}  // namespace lab::cudart

// --- hints for managed memory; what is discarded keeps its values here, which CUDA allows ---

LAB_API Error cudaMemPrefetchBatchAsync(void** pointers, std::size_t* sizes_bytes, std::size_t count,
                                        Place* places, std::size_t* first, std::size_t place_count,
                                        unsigned long long flags, StreamHandle stream) {
  std::vector<std::size_t> which;
  const Error checked = enter([&](Context& c) {
    check_hints(c, pointers, sizes_bytes, count, flags);
    need(places);
    if (place_count == 0 || place_count > count) throw ApiError{Error::InvalidValue};
    which = assigned(count, first, place_count);
    (void)batch_stream(stream);
  });
  Error e = checked;
  for (std::size_t k = 0; k < count && e == Error::Success; ++k)
    e = cudaMemPrefetchAsync_v2(pointers[k], sizes_bytes[k], places[which[k]], 0, stream);
  return e;
}

LAB_API Error cudaMemDiscardBatchAsync(void** pointers, std::size_t* sizes_bytes, std::size_t count,
                                       unsigned long long flags, StreamHandle stream) {
  return enter([&](Context& c) {
    check_hints(c, pointers, sizes_bytes, count, flags);
    (void)batch_stream(stream);
  });
}

LAB_API Error cudaMemDiscardAndPrefetchBatchAsync(void** pointers, std::size_t* sizes_bytes,
                                                  std::size_t count, Place* places, std::size_t* first,
                                                  std::size_t place_count, unsigned long long flags,
                                                  StreamHandle stream) {
  return cudaMemPrefetchBatchAsync(pointers, sizes_bytes, count, places, first, place_count, flags, stream);
}

// --- the driver's names ---

LAB_SAME(cuMemcpyBatchAsync_v2, submit_batch);
LAB_ENTRY int cuMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* size_bytes,
                                 std::size_t count, const BatchAttributes* attributes,
                                 const std::size_t* first_copies, std::size_t attribute_count,
                                 std::size_t* failed, StreamHandle stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return lab_same_cuMemcpyBatchAsync_v2(to, from, size_bytes, count, attributes, first_copies,
                                        attribute_count, stream);
}
LAB_SAME(cuMemcpy3DBatchAsync_v2, submit_batch_3d);
LAB_ENTRY int cuMemcpy3DBatchAsync(std::size_t count, const BatchCopy3D* list, std::size_t* failed,
                                   unsigned long long flags, StreamHandle stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return lab_same_cuMemcpy3DBatchAsync_v2(count, list, flags, stream);
}
LAB_SAME(cuMemPrefetchBatchAsync, cudaMemPrefetchBatchAsync);
LAB_SAME(cuMemDiscardBatchAsync, cudaMemDiscardBatchAsync);
LAB_SAME(cuMemDiscardAndPrefetchBatchAsync, cudaMemDiscardAndPrefetchBatchAsync);
