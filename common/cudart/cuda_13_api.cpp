// What CUDA 13 calls differently from 12, for libcudart.so.13 alone.
//
// Enters: programs built with CUDA 13. Leaves: calls that have other parameters in CUDA 12.
#include "common/cudart/allocation.h"
#include "common/cudart/copy.h"
#include "common/cudart/graph.h"

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

LAB_API Error cudaGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* after, const void* /*edges*/,
                               std::size_t count, NodeParameters* parameters) {
  return add_any_node("cudaGraphAddNode", node, graph, after, count, parameters);
}

LAB_API Error cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                       const void* /*edges*/, std::size_t count) {
  return change_edges("cudaGraphAddDependencies", graph, from, to, count, true);
}

LAB_API Error cudaGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                          const void* /*edges*/, std::size_t count) {
  return change_edges("cudaGraphRemoveDependencies", graph, from, to, count, false);
}

LAB_API Error cudaGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, EdgeData* data,
                                std::size_t* count) {
  return edges_of(graph, from, to, data, count);
}

LAB_API Error cudaGraphNodeGetDependencies(GraphNode* node, GraphNode** found, EdgeData* data,
                                           std::size_t* count) {
  return neighbours_of("cudaGraphNodeGetDependencies", node, true, found, data, count);
}

LAB_API Error cudaGraphNodeGetDependentNodes(GraphNode* node, GraphNode** found, EdgeData* data,
                                             std::size_t* count) {
  return neighbours_of("cudaGraphNodeGetDependentNodes", node, false, found, data, count);
}

LAB_API Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* size_bytes,
                                   std::size_t count, const BatchAttributes* attributes,
                                   const std::size_t* first_copies, std::size_t attribute_count,
                                   StreamHandle stream) {
  return submit_batch(stream, {to, from, size_bytes, count, attributes, first_copies, attribute_count});
}

LAB_API Error cudaMemcpy3DBatchAsync(std::size_t count, const BatchCopy3D* list, unsigned long long flags,
                                     StreamHandle stream) {
  return submit_batch_3d(stream, count, list, flags);
}

LAB_API Error cudaMemAdvise(const void* pointer, std::size_t count, int advice, Place place) {
  return advise(pointer, count, advice, place);
}
LAB_API Error cudaMemPrefetchAsync(const void* pointer, std::size_t count, Place place, unsigned /*flags*/,
                                   StreamHandle stream) {
  return prefetch(pointer, count, place, stream);
}
