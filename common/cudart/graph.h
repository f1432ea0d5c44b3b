// Graphs: nodes that a program adds or a stream records, and what is launched.
#pragma once

#include <vector>

#include "common/cudart/streams.h"

namespace lab::cudart {

// cudaGraphNodeType.
constexpr int kKernelNode = 0, kCopyNode = 1, kFillNode = 2, kHostNode = 3, kChildNode = 4, kEmptyNode = 5,
              kWaitNode = 6, kRecordNode = 7, kAllocNode = 10, kFreeNode = 11, kConditionalNode = 13;

// The work of a node as it was when the graph was instantiated; a program may give it other parameters.
struct GraphStep {
  const GraphNode* node = nullptr;  // by which the program calls it; it may be gone
  Work work;
};
struct GraphExec {
  std::vector<GraphStep> steps;
  std::vector<Condition> conditions;
};

// cudaGraphNodeParams: what kind of node, and its parameters in a union.
struct NodeParameters {
  int type;
  int reserved[3];
  alignas(8) std::byte of_type[29 * 8];
};
// cudaGraphAddNode, which CUDA 12 and 13 call with other arguments.
[[nodiscard]] Error add_any_node(const char* call, GraphNode** node, Graph* graph,
                                 NodeParameters* parameters);
// cudaStreamUpdateCaptureDependencies, likewise.
[[nodiscard]] Error update_capture_dependencies(StreamHandle stream);

[[nodiscard]] std::vector<GraphStep> steps_of(const Graph& graph);
Error run_all(Context& c, Stream& on, const std::vector<GraphStep>& steps);

}  // namespace lab::cudart
