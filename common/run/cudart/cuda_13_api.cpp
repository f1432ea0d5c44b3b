// What CUDA 13 calls differently from 12, for libcudart.so.13 alone.
//
// Enters: programs built with CUDA 13. Leaves: calls that have other parameters in CUDA 12.
#include "common/run/cudart/allocation.h"
#include "common/run/cudart/copy.h"
#include "common/run/cudart/graph.h"

using namespace lab::cudart;

LAB_API Error cudaStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id,
                                       Graph** graph, GraphNode* const** front, const void** edges,
                                       std::size_t* count) {
  return capture_info(stream, status, id, graph, front, edges, count);
}

LAB_API Error cudaStreamUpdateCaptureDependencies(StreamHandle stream, GraphNode* const* after,
                                                  const void* /*edges*/, std::size_t count, unsigned flags) {
  return update_capture_dependencies(stream, after, count, flags);
}

LAB_API Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* size_bytes,
                                   std::size_t count, const BatchAttributes* attributes,
                                   const std::size_t* first_copies, std::size_t attribute_count,
                                   StreamHandle stream) {
  return submit_batch(to, from, size_bytes, count, attributes, first_copies, attribute_count, stream);
}

LAB_API Error cudaMemcpy3DBatchAsync(std::size_t count, const BatchCopy3D* list, unsigned long long flags,
                                     StreamHandle stream) {
  return submit_batch_3d(count, list, flags, stream);
}
