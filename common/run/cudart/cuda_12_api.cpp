// What CUDA 12 calls differently, for libcudart.so.12 alone.
//
// Enters: programs built with CUDA 12. Leaves: the struct of that version; calls that have other parameters
// there.
#include "common/run/cudart/allocation.h"
#include "common/run/cudart/copy.h"
#include "common/run/cudart/graph.h"
#include "common/run/cudart/properties.h"

using namespace lab::cudart;

LAB_API Error cudaGetDeviceProperties_v2(DeviceProperties12* properties, int device) {
  return enter(Asks::Host, [&](Context& c) {
    if (properties == nullptr) throw ApiError{Error::InvalidValue};
    check_device(c, device);
    *properties = properties_of<DeviceProperties12>(c.gpu, device);
  });
}

LAB_API Error cudaThreadSynchronize() {
  return enter([](Context& c) { wait_for_all(c); });
}

LAB_API Error cudaStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id) {
  return capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

LAB_API Error cudaStreamUpdateCaptureDependencies(StreamHandle stream, GraphNode* const* after,
                                                  std::size_t count, unsigned flags) {
  return update_capture_dependencies(stream, after, count, flags);
}

LAB_API Error cudaGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                               NodeParameters* parameters) {
  return cudaGraphAddNode_v2(node, graph, after, nullptr, count, parameters);
}

LAB_API Error cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                       std::size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count);
}

LAB_API Error cudaGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                          std::size_t count) {
  return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

LAB_API Error cudaGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return cudaGraphGetEdges_v2(graph, from, to, nullptr, count);
}

LAB_API Error cudaGraphNodeGetDependencies(GraphNode* node, GraphNode** found, std::size_t* count) {
  return cudaGraphNodeGetDependencies_v2(node, found, nullptr, count);
}

LAB_API Error cudaGraphNodeGetDependentNodes(GraphNode* node, GraphNode** found, std::size_t* count) {
  return cudaGraphNodeGetDependentNodes_v2(node, found, nullptr, count);
}

// `failed`: which copy was wrong, if that is known.
LAB_API Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* size_bytes,
                                   std::size_t count, const BatchAttributes* attributes,
                                   const std::size_t* first_copies, std::size_t attribute_count,
                                   std::size_t* failed, StreamHandle stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return submit_batch(to, from, size_bytes, count, attributes, first_copies, attribute_count, stream);
}

LAB_API Error cudaMemcpy3DBatchAsync(std::size_t count, const BatchCopy3D* list, std::size_t* failed,
                                     unsigned long long flags, StreamHandle stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return submit_batch_3d(count, list, flags, stream);
}

LAB_API Error cudaMemAdvise(const void* pointer, std::size_t count, int advice, int device) {
  return cudaMemAdvise_v2(pointer, count, advice, place_numbered(device));
}

LAB_API Error cudaMemPrefetchAsync(const void* pointer, std::size_t count, int device, StreamHandle stream) {
  return cudaMemPrefetchAsync_v2(pointer, count, place_numbered(device), 0, stream);
}
