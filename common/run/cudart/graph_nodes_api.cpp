// Nodes of graphs, kind by kind: adding them by hand, other parameters for them, and what they show.
//
// Enters: kernels, copies, fills, functions of the host, graphs. Leaves: nodes with their work; other work in
// a node's place, or in that of its step in a graph that was instantiated; parameters as they were given.
#include <algorithm>
#include <span>

#include "common/run/cudart/capture.h"
#include "common/run/cudart/copy.h"
#include "common/run/cudart/driver.h"
#include "common/run/cudart/graph.h"

using namespace lab::cudart;

namespace {

struct ConditionalParameters {
  lab::sim::DeviceAddress handle;
  ConditionalNode::Kind kind;
  unsigned count;
  Graph** bodies;
};

void add_conditional(Graph& graph, GraphNode** node, ConditionalParameters& wanted) {
  using Kind = ConditionalNode::Kind;
  const unsigned most = wanted.kind == Kind::If ? 2 : wanted.kind == Kind::While ? 1 : ~0u;
  if (wanted.count == 0 || wanted.count > most)
    throw ApiError{Error::InvalidValue,
                   "a conditional node has one body (while), one or two (if), or at least one (switch)."};
  auto made = std::make_shared<ConditionalNode>();
  made->kind = wanted.kind;
  made->handle = wanted.handle;
  for (unsigned k = 0; k < wanted.count; ++k) {
    made->bodies.push_back(std::make_shared<Graph>());
    made->shown.push_back(made->bodies.back().get());
  }
  wanted.bodies = made->shown.data();
  *node = graph.add(kConditionalNode, {nothing()});
  (*node)->conditional = std::move(made);
}

template <class T>
Error show_parameters(const char* call, const GraphNode* node, int type, T* parameters) {
  return enter(call, Asks::Host, [&](Context&) {
    if (node == nullptr || parameters == nullptr || node->type != type) throw ApiError{Error::InvalidValue};
    if (node->contents.parameters == nullptr)
      throw ApiError{Error::NotSupported, "the node is a library's work, which has no parameters to show."};
    *parameters = *static_cast<const T*>(node->contents.parameters.get());
  });
}

// A node that is not there yet has no attributes of its kernel.
std::map<int, LaunchAttribute> attributes_of(GraphNode** /*added*/) { return {}; }

}  // namespace

namespace lab::cudart {

void check_nodes(const Graph* graph, GraphNode* const* after, std::size_t count) {
  if (count != 0) need(after);
  for (const GraphNode* const node : std::span(after, count)) {
    need(node);
    if (node->graph != graph) throw ApiError{Error::InvalidValue, "a dependency is a node of another graph."};
  }
}

// What nodes of a graph are is kept by the host; kernels and copies look at the GPU's modules and memory.
Asks asks_of(int type) {
  return type == kKernelNode || type == kCopyNode || type == kFillNode ? Asks::HostFirst : Asks::Host;
}

Error add_node(const char* call, GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
               int type, const Make& make) {
  return enter(call, asks_of(type), [&](Context& c) {
    if (c.stuck != Error::Success && type == kCopyNode) {
      need(node);
      check_nodes(graph, after, count);
    }
    const bool looks_first = asks_of(type) != Asks::Host || type == kChildNode;  // at what the node shall do
    if (asks_of(type) != Asks::Host) c.reach_gpu();
    NodeContents contents = looks_first ? make(c) : NodeContents{};
    need(node, graph);
    check_nodes(graph, after, count);
    *node = graph->add(type, looks_first ? std::move(contents) : make(c), {after, after + count});
  });
}

Error set_node(const char* call, GraphNode* node, int type, const Make& make) {
  return enter(call, asks_of(type), [&](Context& c) {
    if (c.stuck != Error::Success && type != kKernelNode) need(node);
    if (asks_of(type) != Asks::Host) c.reach_gpu();
    NodeContents wanted = make(c);  // what is wrong with it comes first
    if (node == nullptr || node->type != type) throw ApiError{Error::InvalidValue};
    node->contents = std::move(wanted);
  });
}

Error set_step(const char* call, GraphExec* graph, const GraphNode* node, int type, const Make& make) {
  return enter(call, asks_of(type), [&](Context& c) {
    if (c.stuck != Error::Success && type == kCopyNode) need(graph);
    if (asks_of(type) != Asks::Host) c.reach_gpu();
    NodeContents wanted = make(c);
    if (graph == nullptr) throw ApiError{Error::InvalidValue};
    const auto found = std::find_if(graph->steps.begin(), graph->steps.end(),
                                    [&](const GraphStep& step) { return step.node == node; });
    if (found == graph->steps.end())
      throw ApiError{Error::InvalidValue, "the graph that was instantiated has no such node."};
    if (found->type != type) throw ApiError{Error::InvalidValue};
    found->work = std::move(wanted.work);
  });
}

Error add_any_node(const char* call, GraphNode** node, Graph* graph, GraphNode* const* after,
                   std::size_t count, NodeParameters* parameters) {
  if (parameters != nullptr && parameters->type != kConditionalNode)
    return add_node(call, node, graph, after, count, parameters->type,
                    [&](Context& c) { return contents_of_any(c, *parameters); });
  return enter(call, [&](Context&) {
    need(node, graph, parameters);
    check_nodes(graph, after, count);
    add_conditional(*graph, node, as<ConditionalParameters>(*parameters));
    (*node)->after.assign(after, after + count);
  });
}

Error update_capture_dependencies(StreamHandle stream, GraphNode* const* after, std::size_t count,
                                  unsigned flags) {
  return enter("cudaStreamUpdateCaptureDependencies", [&](Context&) {
    constexpr unsigned kSet = 1;  // and not: add
    Stream& on = usable(stream);
    if (on.capture == nullptr) throw ApiError{Error::IllegalState};
    if (flags > kSet) throw ApiError{Error::InvalidValue};
    check_nodes(on.capture->graph, after, count);
    if (flags == kSet) on.front.clear();
    on.front.insert(on.front.end(), after, after + count);
  });
}

KeptKernel* kernel_in(GraphNode* node) {
  if (node == nullptr || node->type != kKernelNode) return nullptr;
  return static_cast<KeptKernel*>(node->contents.parameters.get());
}
std::map<int, LaunchAttribute> attributes_of(GraphNode* node) {
  const KeptKernel* const kernel = kernel_in(node);
  return kernel == nullptr ? std::map<int, LaunchAttribute>{} : kernel->attributes;
}

}  // namespace lab::cudart

// --- kinds of nodes and what is done with them: a row each ---

// Three calls of one kind: a node is added, the node gets other work, or what was made of it in a graph that
// was instantiated does. `contents` says what its parameters ask for, in all three.
#define LAB_NODE(add, set, set_step_of, type, contents, ...)                                                 \
  LAB_API Error add(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,              \
                    __VA_ARGS__) {                                                                           \
    return add_node(#add, node, graph, after, count, type,                                                   \
                    [&]([[maybe_unused]] Context& c) { return contents; });                                  \
  }                                                                                                          \
  LAB_API Error set(GraphNode* node, __VA_ARGS__) {                                                          \
    return set_node(#set, node, type, [&]([[maybe_unused]] Context& c) { return contents; });                \
  }                                                                                                          \
  LAB_API Error set_step_of(GraphExec* graph, GraphNode* node, __VA_ARGS__) {                                \
    return set_step(#set_step_of, graph, node, type, [&]([[maybe_unused]] Context& c) { return contents; }); \
  }
// What a node shows of its parameters, as they were given.
#define LAB_NODE_SHOWS(get, type, Parameters)                                                           \
  LAB_API Error get(GraphNode* node, Parameters* parameters) { /* NOLINT(bugprone-macro-parentheses) */ \
    return show_parameters(#get, node, type, parameters);                                               \
  }

LAB_NODE(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams, kKernelNode,
         contents_of(c, given(kernel), attributes_of(node)), const KernelNode* kernel)
LAB_NODE(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, kFillNode,
         contents_of(c, given(fill)), const FillNode* fill)
LAB_NODE(cudaGraphAddHostNode, cudaGraphHostNodeSetParams, cudaGraphExecHostNodeSetParams, kHostNode,
         contents_of(c, given(host)), const HostNode* host)
LAB_NODE(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams, kCopyNode,
         contents_of(c, given(copy)), const Copy3D* copy)
LAB_NODE(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
         kCopyNode, contents_of(c, parameters_of({to}, {from}, {bytes}, kind)), void* to, const void* from,
         std::size_t bytes, CopyKind kind)
LAB_NODE(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol,
         cudaGraphExecMemcpyNodeSetParamsToSymbol, kCopyNode,
         contents_of(c, parameters_of({in_variable(c, symbol, bytes, offset)}, {from}, {bytes}, kind)),
         const void* symbol, const void* from, std::size_t bytes, std::size_t offset, CopyKind kind)
LAB_NODE(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
         cudaGraphExecMemcpyNodeSetParamsFromSymbol, kCopyNode,
         contents_of(c, parameters_of({to}, {in_variable(c, symbol, bytes, offset)}, {bytes}, kind)),
         void* to, const void* symbol, std::size_t bytes, std::size_t offset, CopyKind kind)
LAB_NODE(cudaGraphAddEventRecordNode, cudaGraphEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
         kRecordNode, contents_of(event, true), Event* event)
LAB_NODE(cudaGraphAddEventWaitNode, cudaGraphEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
         kWaitNode, contents_of(event, false), Event* event)

LAB_NODE_SHOWS(cudaGraphKernelNodeGetParams, kKernelNode, KernelNode)
LAB_NODE_SHOWS(cudaGraphMemsetNodeGetParams, kFillNode, FillNode)
LAB_NODE_SHOWS(cudaGraphHostNodeGetParams, kHostNode, HostNode)
LAB_NODE_SHOWS(cudaGraphMemcpyNodeGetParams, kCopyNode, Copy3D)
LAB_NODE_SHOWS(cudaGraphMemAllocNodeGetParams, kAllocNode, AllocNode)
LAB_NODE_SHOWS(cudaGraphMemFreeNodeGetParams, kFreeNode, void*)
LAB_NODE_SHOWS(cudaGraphEventRecordNodeGetEvent, kRecordNode, Event*)
LAB_NODE_SHOWS(cudaGraphEventWaitNodeGetEvent, kWaitNode, Event*)

// What has not all three calls: an empty node has nothing to set, memory stays what it is, and a child is set
// in an instantiated graph alone.
LAB_API Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                    std::size_t count) {
  return add_node("cudaGraphAddEmptyNode", node, graph, after, count, kEmptyNode,
                  [](Context&) { return NodeContents{nothing()}; });
}
LAB_API Error cudaGraphAddMemAllocNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                       std::size_t count, AllocNode* alloc) {
  return add_node("cudaGraphAddMemAllocNode", node, graph, after, count, kAllocNode,
                  [&](Context& c) { return contents_of(c, given(alloc)); });
}
LAB_API Error cudaGraphAddMemFreeNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                      std::size_t count, void* pointer) {
  return add_node("cudaGraphAddMemFreeNode", node, graph, after, count, kFreeNode, [&](Context& c) {
    graph->owns_memory = true;
    return contents_of_free(c, pointer);
  });
}
LAB_API Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         std::size_t count, Graph* child) {
  return add_node("cudaGraphAddChildGraphNode", node, graph, after, count, kChildNode,
                  [&](Context&) { return contents_of(given(child)); });
}
LAB_API Error cudaGraphExecChildGraphNodeSetParams(GraphExec* graph, GraphNode* node, Graph* child) {
  return set_step("cudaGraphExecChildGraphNodeSetParams", graph, node, kChildNode,
                  [&](Context&) { return contents_of(given(child)); });
}

// The node's own copy: what changes there changes what later instantiations do.
LAB_API Error cudaGraphChildGraphNodeGetGraph(GraphNode* node, Graph** graph) {
  return enter(Asks::Host, [&](Context&) {
    if (node == nullptr || graph == nullptr || node->contents.child == nullptr)
      throw ApiError{Error::InvalidValue};
    *graph = node->contents.child.get();
  });
}

// The driver's names: what stands for a copy is its own, and kernels may be named by a CUkernel.
LAB_SAME_EARLY(cuGraphAddKernelNode, cudaGraphAddKernelNode);
LAB_ENTRY int cuGraphAddKernelNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after,
                                      std::size_t count, const DriverKernelNode* kernel) {
  return as_driver([&] {
    const KernelNode same = given(kernel).as_runtime();
    return cudaGraphAddKernelNode(node, graph, after, count, &same);
  });
}
LAB_ENTRY int cuGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                   const Copy3DRequest* copy, DriverContext* /*context*/) {
  return as_driver([&] {
    return add_node("cuGraphAddMemcpyNode", node, graph, after, count, kCopyNode,
                    [&](Context& c) { return contents_of(c, as_runtime(given(copy))); });
  });
}
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
LAB_SAME_EARLY(cuGraphAddMemsetNode, cudaGraphAddMemsetNode, DriverContext*);
LAB_SAME_EARLY(cuGraphAddHostNode, cudaGraphAddHostNode);
LAB_SAME_EARLY(cuGraphAddEmptyNode, cudaGraphAddEmptyNode);
LAB_SAME_EARLY(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode);
LAB_SAME_EARLY(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams);
LAB_SAME_EARLY(cuGraphExecMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams, DriverContext*);
LAB_SAME_EARLY(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams);
LAB_SAME_EARLY(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams);
LAB_SAME_EARLY(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams);
LAB_SAME_EARLY(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams);
LAB_SAME_EARLY(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent);
LAB_SAME_EARLY(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent);
LAB_SAME_EARLY(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent);
LAB_SAME_EARLY(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent);
LAB_SAME_EARLY(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent);
LAB_SAME_EARLY(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent);
LAB_SAME_EARLY(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams);
LAB_SAME_EARLY(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams);
LAB_SAME_EARLY(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams);
LAB_SAME_EARLY(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode);
LAB_SAME_EARLY(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode);
LAB_SAME_EARLY(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode);
LAB_SAME_EARLY(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode);
LAB_SAME_EARLY(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph);
LAB_API Error cudaGraphAddNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after,
                                  const void* /*edges*/, std::size_t count, NodeParameters* parameters) {
  return add_any_node("cudaGraphAddNode", node, graph, after, count, parameters);
}

// What the node leaves in its parameters is an allocation's address and a condition's bodies.
LAB_ENTRY int cuGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                             NodeParameters* p) {
  if (p == nullptr) return kInvalidValue;
  return as_driver([&] {
    NodeParameters same = as_runtime(*p);
    const Error e = add_any_node("cuGraphAddNode", node, graph, after, count, &same);
    if (p->type == kAllocNode || p->type == kConditionalNode) *p = same;
    return e;
  });
}
LAB_ENTRY int cuGraphAddNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after,
                                const void* /*edges*/, std::size_t count, NodeParameters* p) {
  return cuGraphAddNode(node, graph, after, count, p);
}
