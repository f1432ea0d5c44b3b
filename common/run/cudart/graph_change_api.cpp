// Nodes of graphs that are there, whatever their kind: other parameters, and attributes of kernels.
//
// Enters: nodes, of a graph or of one that was instantiated. Leaves: other work in a node's place. The calls
// of one kind each are rows of graph_nodes_api.cpp.
#include "common/run/cudart/driver.h"
#include "common/run/cudart/graph.h"

using namespace lab::cudart;

namespace {

// Types whose parameters a node may change: an allocation stays what it is.
bool may_change(const NodeParameters* p) {
  return p != nullptr && p->type != kAllocNode && p->type != kFreeNode && p->type != kConditionalNode;
}

}  // namespace

LAB_API Error cudaGraphNodeSetParams(GraphNode* node, NodeParameters* p) {
  if (!may_change(p)) return Error::InvalidValue;
  return set_node("cudaGraphNodeSetParams", node, p->type,
                  [&](Context& c) { return contents_of_any(c, *p); });
}
LAB_API Error cudaGraphExecNodeSetParams(GraphExec* graph, GraphNode* node, NodeParameters* p) {
  if (!may_change(p)) return Error::InvalidValue;
  return set_step("cudaGraphExecNodeSetParams", graph, node, p->type,
                  [&](Context& c) { return contents_of_any(c, *p); });
}

// --- attributes of kernels: cooperative launches and clusters take effect, the others are kept ---

using AttributeValue = decltype(LaunchAttribute::value);

LAB_API Error cudaGraphKernelNodeSetAttribute(GraphNode* node, int attribute, const AttributeValue* value) {
  return enter([&](Context& c) {
    const KeptKernel* const kernel = kernel_in(node);
    if (kernel == nullptr || value == nullptr) throw ApiError{Error::InvalidValue};
    std::map<int, LaunchAttribute> attributes = kernel->attributes;
    attributes[attribute].value = *value;
    node->contents = contents_of(c, KernelNode{kernel->node}, attributes);
  });
}
LAB_API Error cudaGraphKernelNodeGetAttribute(GraphNode* node, int attribute, AttributeValue* value) {
  return enter([&](Context&) {
    if (kernel_in(node) == nullptr || value == nullptr) throw ApiError{Error::InvalidValue};
    *value = attributes_of(node)[attribute].value;
  });
}
LAB_API Error cudaGraphKernelNodeCopyAttributes(GraphNode* to, GraphNode* from) {
  return enter([&](Context& c) {
    const KeptKernel* const kernel = kernel_in(to);
    if (kernel == nullptr || kernel_in(from) == nullptr) throw ApiError{Error::InvalidValue};
    to->contents = contents_of(c, KernelNode{kernel->node}, attributes_of(from));
  });
}

// The driver's names.
LAB_ENTRY int cuGraphNodeSetParams(GraphNode* node, const NodeParameters* p) {
  return as_driver([&] {
    NodeParameters same = as_runtime(given(p));
    return cudaGraphNodeSetParams(node, &same);
  });
}
LAB_ENTRY int cuGraphExecNodeSetParams(GraphExec* graph, GraphNode* node, const NodeParameters* p) {
  return as_driver([&] {
    NodeParameters same = as_runtime(given(p));
    return cudaGraphExecNodeSetParams(graph, node, &same);
  });
}
LAB_SAME_EARLY(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute);
LAB_SAME_EARLY(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute);
LAB_SAME_EARLY(cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes);
