// Nodes of graphs: adding them by hand.
//
// Enters: kernels, copies, fills, functions of the host, graphs. Leaves: nodes with their work.
#include "common/cudart/copy.h"
#include "common/cudart/driver.h"
#include "common/cudart/graph.h"

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

}  // namespace

namespace lab::cudart {

Error add_node(const char* call, GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
               int type, const Make& make) {
  return enter(call, [&](Context& c) {
    need(node, graph);
    if (count != 0) need(after);
    *node = graph->add(type, make(c), {after, after + count});
    return Error::Success;
  });
}

Error add_any_node(const char* call, GraphNode** node, Graph* graph, GraphNode* const* after,
                   std::size_t count, NodeParameters* parameters) {
  return enter(call, [&](Context& c) {
    need(node, graph, parameters);
    if (count != 0) need(after);
    if (parameters->type == kConditionalNode) {
      add_conditional(*graph, node, as<ConditionalParameters>(*parameters));
    } else {
      *node = graph->add(parameters->type, contents_of_any(c, *parameters));
    }
    (*node)->after.assign(after, after + count);
    return Error::Success;
  });
}

Error update_capture_dependencies(StreamHandle stream, GraphNode* const* after, std::size_t count,
                                  unsigned flags) {
  return enter("cudaStreamUpdateCaptureDependencies", [&](Context&) {
    constexpr unsigned kSet = 1;  // and not: add
    Stream& on = streams().find(stream);
    if (on.records_into == nullptr) return Error::IllegalState;
    if (count != 0) need(after);
    if (flags == kSet) on.front.clear();
    on.front.insert(on.front.end(), after, after + count);
    return Error::Success;
  });
}

}  // namespace lab::cudart

LAB_API Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                     std::size_t count, const KernelNode* kernel) {
  return add_node("cudaGraphAddKernelNode", node, graph, after, count, kKernelNode,
                  [&](Context& c) { return contents_of(c, given(kernel)); });
}

LAB_API Error cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                     std::size_t count, const Copy3D* copy) {
  return add_node("cudaGraphAddMemcpyNode", node, graph, after, count, kCopyNode,
                  [&](Context& c) { return contents_of(c, given(copy)); });
}

LAB_API Error cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, GraphNode* const* after,
                                       std::size_t count, void* to, const void* from, std::size_t bytes,
                                       CopyKind kind) {
  return add_node("cudaGraphAddMemcpyNode1D", node, graph, after, count, kCopyNode,
                  [&](Context& c) { return contents_of(c, parameters_of({to}, {from}, {bytes}, kind)); });
}

LAB_API Error cudaGraphAddMemcpyNodeToSymbol(GraphNode** node, Graph* graph, GraphNode* const* after,
                                             std::size_t count, const void* symbol, const void* from,
                                             std::size_t bytes, std::size_t offset, CopyKind kind) {
  return add_node("cudaGraphAddMemcpyNodeToSymbol", node, graph, after, count, kCopyNode, [&](Context& c) {
    return contents_of(c, parameters_of({in_variable(c, symbol, bytes, offset)}, {from}, {bytes}, kind));
  });
}

LAB_API Error cudaGraphAddMemcpyNodeFromSymbol(GraphNode** node, Graph* graph, GraphNode* const* after,
                                               std::size_t count, void* to, const void* symbol,
                                               std::size_t bytes, std::size_t offset, CopyKind kind) {
  return add_node("cudaGraphAddMemcpyNodeFromSymbol", node, graph, after, count, kCopyNode, [&](Context& c) {
    return contents_of(c, parameters_of({to}, {in_variable(c, symbol, bytes, offset)}, {bytes}, kind));
  });
}

LAB_API Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                     std::size_t count, const FillNode* fill) {
  return add_node("cudaGraphAddMemsetNode", node, graph, after, count, kFillNode,
                  [&](Context& c) { return contents_of(c, given(fill)); });
}

LAB_API Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                   const HostNode* host) {
  return add_node("cudaGraphAddHostNode", node, graph, after, count, kHostNode,
                  [&](Context& c) { return contents_of(c, given(host)); });
}

LAB_API Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                    std::size_t count) {
  return add_node("cudaGraphAddEmptyNode", node, graph, after, count, kEmptyNode,
                  [](Context&) { return NodeContents{nothing()}; });
}

LAB_API Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         std::size_t count, Graph* child) {
  return add_node("cudaGraphAddChildGraphNode", node, graph, after, count, kChildNode,
                  [&](Context&) { return contents_of(given(child)); });
}

// The node's own copy: what changes there changes what later instantiations do.
LAB_API Error cudaGraphChildGraphNodeGetGraph(GraphNode* node, Graph** graph) {
  return enter("cudaGraphChildGraphNodeGetGraph", [&](Context&) {
    if (node == nullptr || graph == nullptr || node->contents.child == nullptr) return Error::InvalidValue;
    *graph = node->contents.child.get();
    return Error::Success;
  });
}

// The driver's names.
LAB_SAME(cuGraphAddKernelNode, cudaGraphAddKernelNode);
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
LAB_SAME(cuGraphAddMemsetNode, cudaGraphAddMemsetNode, DriverContext*);
LAB_SAME(cuGraphAddHostNode, cudaGraphAddHostNode);
LAB_SAME(cuGraphAddEmptyNode, cudaGraphAddEmptyNode);
LAB_SAME(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode);
LAB_SAME(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph);
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
