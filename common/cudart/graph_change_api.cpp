// Nodes of graphs that are there: other parameters for them, and what they show.
//
// Enters: nodes, of a graph or of one that was instantiated. Leaves: other work in a node's place; parameters
// as they were given.
#include <algorithm>

#include "common/cudart/copy.h"
#include "common/cudart/driver.h"
#include "common/cudart/graph.h"

using namespace lab::cudart;

namespace {

// Other work for a node that was added before; graphs that were instantiated keep what they have.
Error set_node(const char* call, GraphNode* node, int type, const Make& make) {
  return enter(call, [&](Context& c) {
    if (node == nullptr || node->type != type) return Error::InvalidValue;
    node->contents = make(c);
    return Error::Success;
  });
}

// The same in a graph that was instantiated.
Error set_step(const char* call, GraphExec* graph, const GraphNode* node, int type, const Make& make) {
  return enter(call, [&](Context& c) {
    if (graph == nullptr) return Error::InvalidValue;
    const auto found = std::find_if(graph->steps.begin(), graph->steps.end(),
                                    [&](const GraphStep& step) { return step.node == node; });
    if (found == graph->steps.end())
      throw ApiError{Error::InvalidValue, "the graph that was instantiated has no such node."};
    if (found->type != type) return Error::InvalidValue;
    found->work = make(c).work;
    return Error::Success;
  });
}

template <class T>
Error show_parameters(const char* call, const GraphNode* node, int type, T* parameters) {
  return enter(call, [&](Context&) {
    if (node == nullptr || parameters == nullptr || node->type != type) return Error::InvalidValue;
    if (node->contents.parameters == nullptr)
      throw ApiError{Error::NotSupported, "the node is a library's work, which has no parameters to show."};
    *parameters = *static_cast<const T*>(node->contents.parameters.get());
    return Error::Success;
  });
}

// What a kernel's node holds besides its parameters; null: it is no such node.
KeptKernel* kernel_in(GraphNode* node) {
  if (node == nullptr || node->type != kKernelNode) return nullptr;
  return static_cast<KeptKernel*>(node->contents.parameters.get());
}
std::map<int, LaunchAttribute> attributes_of(GraphNode* node) {
  const KeptKernel* const kernel = kernel_in(node);
  return kernel == nullptr ? std::map<int, LaunchAttribute>{} : kernel->attributes;
}

// Types whose parameters a node may change: an allocation stays what it is.
bool may_change(const NodeParameters* p) {
  return p != nullptr && p->type != kAllocNode && p->type != kFreeNode && p->type != kConditionalNode;
}

}  // namespace

LAB_API Error cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNode* p) {
  return set_node("cudaGraphKernelNodeSetParams", node, kKernelNode,
                  [&](Context& c) { return contents_of(c, given(p), attributes_of(node)); });
}
LAB_API Error cudaGraphExecKernelNodeSetParams(GraphExec* graph, GraphNode* node, const KernelNode* p) {
  return set_step("cudaGraphExecKernelNodeSetParams", graph, node, kKernelNode,
                  [&](Context& c) { return contents_of(c, given(p), attributes_of(node)); });
}

LAB_API Error cudaGraphMemsetNodeSetParams(GraphNode* node, const FillNode* p) {
  return set_node("cudaGraphMemsetNodeSetParams", node, kFillNode,
                  [&](Context& c) { return contents_of(c, given(p)); });
}
LAB_API Error cudaGraphExecMemsetNodeSetParams(GraphExec* graph, GraphNode* node, const FillNode* p) {
  return set_step("cudaGraphExecMemsetNodeSetParams", graph, node, kFillNode,
                  [&](Context& c) { return contents_of(c, given(p)); });
}

LAB_API Error cudaGraphHostNodeSetParams(GraphNode* node, const HostNode* p) {
  return set_node("cudaGraphHostNodeSetParams", node, kHostNode,
                  [&](Context& c) { return contents_of(c, given(p)); });
}
LAB_API Error cudaGraphExecHostNodeSetParams(GraphExec* graph, GraphNode* node, const HostNode* p) {
  return set_step("cudaGraphExecHostNodeSetParams", graph, node, kHostNode,
                  [&](Context& c) { return contents_of(c, given(p)); });
}

LAB_API Error cudaGraphMemcpyNodeSetParams(GraphNode* node, const Copy3D* p) {
  return set_node("cudaGraphMemcpyNodeSetParams", node, kCopyNode,
                  [&](Context& c) { return contents_of(c, given(p)); });
}
LAB_API Error cudaGraphExecMemcpyNodeSetParams(GraphExec* graph, GraphNode* node, const Copy3D* p) {
  return set_step("cudaGraphExecMemcpyNodeSetParams", graph, node, kCopyNode,
                  [&](Context& c) { return contents_of(c, given(p)); });
}

LAB_API Error cudaGraphMemcpyNodeSetParams1D(GraphNode* node, void* to, const void* from, std::size_t bytes,
                                             CopyKind kind) {
  return set_node("cudaGraphMemcpyNodeSetParams1D", node, kCopyNode,
                  [&](Context& c) { return contents_of(c, parameters_of({to}, {from}, {bytes}, kind)); });
}
LAB_API Error cudaGraphExecMemcpyNodeSetParams1D(GraphExec* graph, GraphNode* node, void* to,
                                                 const void* from, std::size_t bytes, CopyKind kind) {
  return set_step("cudaGraphExecMemcpyNodeSetParams1D", graph, node, kCopyNode,
                  [&](Context& c) { return contents_of(c, parameters_of({to}, {from}, {bytes}, kind)); });
}

LAB_API Error cudaGraphMemcpyNodeSetParamsToSymbol(GraphNode* node, const void* symbol, const void* from,
                                                   std::size_t bytes, std::size_t offset, CopyKind kind) {
  return set_node("cudaGraphMemcpyNodeSetParamsToSymbol", node, kCopyNode, [&](Context& c) {
    return contents_of(c, parameters_of({in_variable(c, symbol, bytes, offset)}, {from}, {bytes}, kind));
  });
}
LAB_API Error cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec* graph, GraphNode* node, const void* symbol,
                                                       const void* from, std::size_t bytes,
                                                       std::size_t offset, CopyKind kind) {
  return set_step("cudaGraphExecMemcpyNodeSetParamsToSymbol", graph, node, kCopyNode, [&](Context& c) {
    return contents_of(c, parameters_of({in_variable(c, symbol, bytes, offset)}, {from}, {bytes}, kind));
  });
}

LAB_API Error cudaGraphMemcpyNodeSetParamsFromSymbol(GraphNode* node, void* to, const void* symbol,
                                                     std::size_t bytes, std::size_t offset, CopyKind kind) {
  return set_node("cudaGraphMemcpyNodeSetParamsFromSymbol", node, kCopyNode, [&](Context& c) {
    return contents_of(c, parameters_of({to}, {in_variable(c, symbol, bytes, offset)}, {bytes}, kind));
  });
}
LAB_API Error cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec* graph, GraphNode* node, void* to,
                                                         const void* symbol, std::size_t bytes,
                                                         std::size_t offset, CopyKind kind) {
  return set_step("cudaGraphExecMemcpyNodeSetParamsFromSymbol", graph, node, kCopyNode, [&](Context& c) {
    return contents_of(c, parameters_of({to}, {in_variable(c, symbol, bytes, offset)}, {bytes}, kind));
  });
}

LAB_API Error cudaGraphEventRecordNodeSetEvent(GraphNode* node, Event* event) {
  return set_node("cudaGraphEventRecordNodeSetEvent", node, kRecordNode,
                  [&](Context&) { return contents_of(event, true); });
}
LAB_API Error cudaGraphExecEventRecordNodeSetEvent(GraphExec* graph, GraphNode* node, Event* event) {
  return set_step("cudaGraphExecEventRecordNodeSetEvent", graph, node, kRecordNode,
                  [&](Context&) { return contents_of(event, true); });
}
LAB_API Error cudaGraphEventRecordNodeGetEvent(GraphNode* node, Event** event) {
  return show_parameters("cudaGraphEventRecordNodeGetEvent", node, kRecordNode, event);
}

LAB_API Error cudaGraphEventWaitNodeSetEvent(GraphNode* node, Event* event) {
  return set_node("cudaGraphEventWaitNodeSetEvent", node, kWaitNode,
                  [&](Context&) { return contents_of(event, false); });
}
LAB_API Error cudaGraphExecEventWaitNodeSetEvent(GraphExec* graph, GraphNode* node, Event* event) {
  return set_step("cudaGraphExecEventWaitNodeSetEvent", graph, node, kWaitNode,
                  [&](Context&) { return contents_of(event, false); });
}
LAB_API Error cudaGraphEventWaitNodeGetEvent(GraphNode* node, Event** event) {
  return show_parameters("cudaGraphEventWaitNodeGetEvent", node, kWaitNode, event);
}

LAB_API Error cudaGraphExecChildGraphNodeSetParams(GraphExec* graph, GraphNode* node, Graph* child) {
  return set_step("cudaGraphExecChildGraphNodeSetParams", graph, node, kChildNode,
                  [&](Context&) { return contents_of(given(child)); });
}

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

LAB_API Error cudaGraphKernelNodeGetParams(GraphNode* node, KernelNode* p) {
  return show_parameters("cudaGraphKernelNodeGetParams", node, kKernelNode, p);
}
LAB_API Error cudaGraphMemsetNodeGetParams(GraphNode* node, FillNode* p) {
  return show_parameters("cudaGraphMemsetNodeGetParams", node, kFillNode, p);
}
LAB_API Error cudaGraphHostNodeGetParams(GraphNode* node, HostNode* p) {
  return show_parameters("cudaGraphHostNodeGetParams", node, kHostNode, p);
}
LAB_API Error cudaGraphMemcpyNodeGetParams(GraphNode* node, Copy3D* p) {
  return show_parameters("cudaGraphMemcpyNodeGetParams", node, kCopyNode, p);
}
LAB_API Error cudaGraphMemAllocNodeGetParams(GraphNode* node, AllocNode* p) {
  return show_parameters("cudaGraphMemAllocNodeGetParams", node, kAllocNode, p);
}
LAB_API Error cudaGraphMemFreeNodeGetParams(GraphNode* node, void** pointer) {
  return show_parameters("cudaGraphMemFreeNodeGetParams", node, kFreeNode, pointer);
}

// --- attributes of kernels: cooperative launches and clusters take effect, the others are kept ---

using AttributeValue = decltype(LaunchAttribute::value);

LAB_API Error cudaGraphKernelNodeSetAttribute(GraphNode* node, int attribute, const AttributeValue* value) {
  return enter("cudaGraphKernelNodeSetAttribute", [&](Context& c) {
    const KeptKernel* const kernel = kernel_in(node);
    if (kernel == nullptr || value == nullptr) return Error::InvalidValue;
    std::map<int, LaunchAttribute> attributes = kernel->attributes;
    attributes[attribute].value = *value;
    node->contents = contents_of(c, KernelNode{kernel->node}, attributes);
    return Error::Success;
  });
}
LAB_API Error cudaGraphKernelNodeGetAttribute(GraphNode* node, int attribute, AttributeValue* value) {
  return enter("cudaGraphKernelNodeGetAttribute", [&](Context&) {
    if (kernel_in(node) == nullptr || value == nullptr) return Error::InvalidValue;
    *value = attributes_of(node)[attribute].value;
    return Error::Success;
  });
}
LAB_API Error cudaGraphKernelNodeCopyAttributes(GraphNode* to, GraphNode* from) {
  return enter("cudaGraphKernelNodeCopyAttributes", [&](Context& c) {
    const KeptKernel* const kernel = kernel_in(to);
    if (kernel == nullptr || kernel_in(from) == nullptr) return Error::InvalidValue;
    to->contents = contents_of(c, KernelNode{kernel->node}, attributes_of(from));
    return Error::Success;
  });
}

// --- the driver's names: what stands for a copy is its own, and kernels may be named by a CUkernel ---

LAB_ENTRY int cuGraphKernelNodeSetParams_v2(GraphNode* node, const DriverKernelNode* p) {
  return as_driver([&] {
    const KernelNode same = given(p).as_runtime();
    return cudaGraphKernelNodeSetParams(node, &same);
  });
}
LAB_ENTRY int cuGraphExecKernelNodeSetParams_v2(GraphExec* graph, GraphNode* node,
                                                const DriverKernelNode* p) {
  return as_driver([&] {
    const KernelNode same = given(p).as_runtime();
    return cudaGraphExecKernelNodeSetParams(graph, node, &same);
  });
}
LAB_ENTRY int cuGraphKernelNodeGetParams_v2(GraphNode* node, DriverKernelNode* p) {
  if (p == nullptr) return kInvalidValue;
  p->kernel = p->context = nullptr;
  return as_driver([&] { return cudaGraphKernelNodeGetParams(node, &p->node); });
}
LAB_SAME(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams);
LAB_SAME(cuGraphExecMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, DriverContext*);
LAB_SAME(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams);
LAB_SAME(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams);
LAB_SAME(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams);
LAB_SAME(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams);
LAB_ENTRY int cuGraphMemcpyNodeSetParams(GraphNode* node, const Copy3DRequest* p) {
  return as_driver([&] {
    const Copy3D same = as_runtime(given(p));
    return cudaGraphMemcpyNodeSetParams(node, &same);
  });
}
LAB_ENTRY int cuGraphExecMemcpyNodeSetParams(GraphExec* graph, GraphNode* node, const Copy3DRequest* p,
                                             DriverContext* /*context*/) {
  return as_driver([&] {
    const Copy3D same = as_runtime(given(p));
    return cudaGraphExecMemcpyNodeSetParams(graph, node, &same);
  });
}
LAB_ENTRY int cuGraphMemcpyNodeGetParams(GraphNode* node, Copy3DRequest* p) {
  return as_driver([&] {
    need(p);
    Copy3D copy{};
    const Error e = cudaGraphMemcpyNodeGetParams(node, &copy);
    if (e == Error::Success) *p = as_request(context(), copy);
    return e;
  });
}
LAB_SAME(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent);
LAB_SAME(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent);
LAB_SAME(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent);
LAB_SAME(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent);
LAB_SAME(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent);
LAB_SAME(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent);
LAB_SAME(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams);
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
LAB_SAME(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams);
LAB_SAME(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams);
LAB_SAME(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute);
LAB_SAME(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute);
LAB_SAME(cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes);
