// What CUDA 13 calls differently from 12, for libcudart.so.13 alone.
//
// Enters: programs built with CUDA 13. Leaves: calls that have other parameters in CUDA 12.
#include <algorithm>

#include "common/cudart/graph.h"

using namespace lab::cudart;

LAB_API Error cudaStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id,
                                       Graph** graph, const void** dependencies, const void** edges,
                                       std::size_t* count) {
  return enter("cudaStreamGetCaptureInfo", [&](Context&) {
    const Stream& on = streams().find(stream);
    *status = on.records_into != nullptr ? 1 : 0;
    if (*status == 0) return Error::Success;
    if (id != nullptr) *id = on.id;
    if (graph != nullptr) *graph = on.records_into;
    if (dependencies != nullptr) *dependencies = nullptr;
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = 0;
    return Error::Success;
  });
}
LAB_ALIAS(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz)

LAB_API Error cudaStreamUpdateCaptureDependencies(StreamHandle stream, GraphNode* const* /*after*/,
                                                  const void* /*edges*/, std::size_t /*count*/,
                                                  unsigned /*flags*/) {
  return update_capture_dependencies(stream);
}
LAB_ALIAS(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz)

// Nodes are added after those that they depend on, and run in that order.
LAB_API Error cudaGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                               const void* /*edges*/, std::size_t /*count*/, NodeParameters* parameters) {
  return add_any_node("cudaGraphAddNode", node, graph, parameters);
}

LAB_API Error cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                       const void* /*edges*/, std::size_t count) {
  return enter("cudaGraphAddDependencies", [&](Context&) {
    if (graph == nullptr) return Error::InvalidValue;
    const auto place = [&](const GraphNode* wanted) {
      return std::find_if(graph->nodes.begin(), graph->nodes.end(),
                          [&](const auto& node) { return node.get() == wanted; });
    };
    for (std::size_t k = 0; k < count; ++k) {
      const auto before = place(from[k]), after = place(to[k]);
      if (before == graph->nodes.end() || after == graph->nodes.end()) return Error::InvalidValue;
      if (before > after) std::rotate(after, before, before + 1);
    }
    return Error::Success;
  });
}
