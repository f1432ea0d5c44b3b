// Graphs: nodes that a program adds or a stream records, and what is launched.
#pragma once

#include <vector>

#include "common/cudart/streams.h"

namespace lab::cudart {

// cudaGraphNodeType.
constexpr int kKernelNode = 0, kCopyNode = 1, kFillNode = 2, kHostNode = 3, kChildNode = 4, kEmptyNode = 5,
              kAllocNode = 10, kFreeNode = 11;

// The work of a node as it was when the graph was instantiated; a program may give it other parameters.
struct GraphStep {
  const GraphNode* node = nullptr;  // by which the program calls it; it may be gone
  Work work;
};
struct GraphExec {
  std::vector<GraphStep> steps;
};

[[nodiscard]] std::vector<GraphStep> steps_of(const Graph& graph);
Error run_all(Context& c, Stream& on, const std::vector<GraphStep>& steps);

}  // namespace lab::cudart
