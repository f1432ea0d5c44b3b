// Nodes of graphs: adding them by hand, giving them other parameters.
//
// Enters: kernels, copies, fills, functions of the host, graphs. Leaves: work of a node; for a graph that was
// instantiated, other work in a node's place.
#include <algorithm>
#include <string>

#include "common/cudart/copy.h"
#include "common/cudart/graph.h"
#include "common/cudart/launch.h"

using namespace lab::cudart;

namespace {

struct KernelNode {
  void* function;
  Dim3 grid, block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
};
struct FillNode {
  void* to;
  std::size_t pitch_bytes;
  unsigned value, elem_bytes;
  std::size_t width_elems, height;
};
struct HostNode {
  HostFunction function;
  void* data;
};
// cudaMemAllocNodeParams: of what kind, for whom, how much; and where.
struct AllocNode {
  std::byte pool[88];
  void* access;
  std::size_t access_count, size_bytes;
  void* pointer;
};

Work work_of(Context& c, const KernelNode& kernel) {
  Function* const function = modules().function(kernel.function);
  if (function == nullptr)
    throw ApiError{Error::InvalidDeviceFunction, "no kernel is registered at that address."};
  return launch_work(c, *function, {kernel.grid, kernel.block, kernel.shared_bytes, false, {}},
                     kernel.arguments);
}
Work work_of(Context& c, const FillNode& fill) {
  return fill_work(c, {fill.to, fill.pitch_bytes, 0}, fill.value, fill.elem_bytes,
                   {fill.width_elems * fill.elem_bytes, fill.height, 1});
}
Work work_of(Context& /*c*/, const HostNode& host) {
  return [function = host.function, data = host.data](Context& now, Stream& on) {
    now.flush_output();
    start_host_task(on, [=] { function(data); });
    return Error::Success;
  };
}
Work nothing() {
  return [](Context&, Stream&) { return Error::Success; };
}

Error add_node(const char* call, GraphNode** node, Graph* graph, int type,
               const std::function<Work(Context&)>& make) {
  return enter(call, [&](Context& c) {
    if (graph == nullptr) return Error::InvalidValue;
    GraphNode* added = graph->add(type, make(c));
    if (node != nullptr) *node = added;
    return Error::Success;
  });
}

// Other work for a node that was added before; graphs that were instantiated keep what they have.
Error set_node(const char* call, GraphNode* node, const std::function<Work(Context&)>& make) {
  return enter(call, [&](Context& c) {
    if (node == nullptr) return Error::InvalidValue;
    node->work = make(c);
    return Error::Success;
  });
}
// The same in a graph that was instantiated.
Error set_step(const char* call, GraphExec* graph, const GraphNode* node,
               const std::function<Work(Context&)>& make) {
  return enter(call, [&](Context& c) {
    if (graph == nullptr) return Error::InvalidValue;
    const auto found = std::find_if(graph->steps.begin(), graph->steps.end(),
                                    [&](const GraphStep& step) { return step.node == node; });
    if (found == graph->steps.end())
      throw ApiError{Error::InvalidValue, "the graph that was instantiated has no such node."};
    found->work = make(c);
    return Error::Success;
  });
}

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
  *node = graph.add(kConditionalNode, nothing());
  (*node)->conditional = std::move(made);
}

// The node's parameters as one of its kind.
template <class T>
T& as(NodeParameters& p) {
  return *reinterpret_cast<T*>(p.of_type);
}

Work work_of_any(Context& c, NodeParameters& p) {
  struct CopyNode {
    int reserved[4];
    Copy3D copy;
  };
  switch (p.type) {
    case kKernelNode:
      return work_of(c, as<KernelNode>(p));
    case kCopyNode:
      return copy_work(c, as<CopyNode>(p).copy);
    case kFillNode:
      return work_of(c, as<FillNode>(p));
    case kHostNode:
      return work_of(c, as<HostNode>(p));
    case kChildNode:
      return [steps = steps_of(*as<Graph*>(p))](Context& now, Stream& on) { return run_all(now, on, steps); };
    case kEmptyNode:
    case kFreeNode:
      return nothing();
    case kAllocNode:
      as<AllocNode>(p).pointer = allocate_for_graph(c, as<AllocNode>(p).size_bytes);
      return nothing();
    default:
      throw ApiError{Error::NotSupported,
                     "nodes of this type (" + std::to_string(p.type) + ") are not simulated."};
  }
}

}  // namespace

namespace lab::cudart {

Error add_any_node(const char* call, GraphNode** node, Graph* graph, NodeParameters* parameters) {
  return enter(call, [&](Context& c) {
    if (node == nullptr || graph == nullptr || parameters == nullptr) return Error::InvalidValue;
    if (parameters->type == kConditionalNode) {
      add_conditional(*graph, node, as<ConditionalParameters>(*parameters));
    } else {
      *node = graph->add(parameters->type, work_of_any(c, *parameters));
    }
    return Error::Success;
  });
}

// Nodes run in the order in which they are added, so that no dependency behind the last one can be broken.
Error update_capture_dependencies(StreamHandle stream) {
  return enter("cudaStreamUpdateCaptureDependencies", [&](Context&) {
    return streams().find(stream).records_into == nullptr ? Error::IllegalState : Error::Success;
  });
}

}  // namespace lab::cudart

// The program's handle is where the value lies, which kernels set (cudaGraphSetConditional).
LAB_API Error cudaGraphConditionalHandleCreate(lab::sim::DeviceAddress* handle, Graph* graph, unsigned value,
                                               unsigned flags) {
  return enter("cudaGraphConditionalHandleCreate", [&](Context& c) {
    constexpr unsigned kAssignDefault = 1;
    if (handle == nullptr || graph == nullptr || flags > kAssignDefault) return Error::InvalidValue;
    *handle = c.memory.allocate(sizeof value, lab::sim::Fill::Written, "a condition of a graph");
    if (flags == kAssignDefault) graph->conditions.push_back({*handle, value});
    return Error::Success;
  });
}

LAB_API Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                     std::size_t /*count*/, const KernelNode* kernel) {
  return add_node("cudaGraphAddKernelNode", node, graph, kKernelNode,
                  [&](Context& c) { return work_of(c, *kernel); });
}

LAB_API Error cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                     std::size_t /*count*/, const Copy3D* copy) {
  return add_node("cudaGraphAddMemcpyNode", node, graph, kCopyNode,
                  [&](Context& c) { return copy_work(c, *copy); });
}

LAB_API Error cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                       std::size_t /*count*/, void* to, const void* from, std::size_t bytes,
                                       CopyKind kind) {
  return add_node("cudaGraphAddMemcpyNode1D", node, graph, kCopyNode,
                  [&](Context& c) { return copy_work(c, {to}, {from}, {bytes}, kind); });
}

LAB_API Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                     std::size_t /*count*/, const FillNode* fill) {
  return add_node("cudaGraphAddMemsetNode", node, graph, kFillNode,
                  [&](Context& c) { return work_of(c, *fill); });
}

LAB_API Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                   std::size_t /*count*/, const HostNode* host) {
  return add_node("cudaGraphAddHostNode", node, graph, kHostNode,
                  [&](Context& c) { return work_of(c, *host); });
}

LAB_API Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                    std::size_t /*count*/) {
  return add_node("cudaGraphAddEmptyNode", node, graph, kEmptyNode, [](Context&) { return nothing(); });
}

LAB_API Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                         std::size_t /*count*/, Graph* child) {
  return add_node("cudaGraphAddChildGraphNode", node, graph, kChildNode, [&](Context&) -> Work {
    return [steps = steps_of(*child)](Context& now, Stream& on) { return run_all(now, on, steps); };
  });
}

LAB_API Error cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNode* p) {
  return set_node("cudaGraphKernelNodeSetParams", node, [&](Context& c) { return work_of(c, *p); });
}
LAB_API Error cudaGraphExecKernelNodeSetParams(GraphExec* graph, GraphNode* node, const KernelNode* p) {
  return set_step("cudaGraphExecKernelNodeSetParams", graph, node,
                  [&](Context& c) { return work_of(c, *p); });
}

LAB_API Error cudaGraphMemsetNodeSetParams(GraphNode* node, const FillNode* p) {
  return set_node("cudaGraphMemsetNodeSetParams", node, [&](Context& c) { return work_of(c, *p); });
}
LAB_API Error cudaGraphExecMemsetNodeSetParams(GraphExec* graph, GraphNode* node, const FillNode* p) {
  return set_step("cudaGraphExecMemsetNodeSetParams", graph, node,
                  [&](Context& c) { return work_of(c, *p); });
}

LAB_API Error cudaGraphHostNodeSetParams(GraphNode* node, const HostNode* p) {
  return set_node("cudaGraphHostNodeSetParams", node, [&](Context& c) { return work_of(c, *p); });
}
LAB_API Error cudaGraphExecHostNodeSetParams(GraphExec* graph, GraphNode* node, const HostNode* p) {
  return set_step("cudaGraphExecHostNodeSetParams", graph, node, [&](Context& c) { return work_of(c, *p); });
}

LAB_API Error cudaGraphMemcpyNodeSetParams(GraphNode* node, const Copy3D* p) {
  return set_node("cudaGraphMemcpyNodeSetParams", node, [&](Context& c) { return copy_work(c, *p); });
}
LAB_API Error cudaGraphExecMemcpyNodeSetParams(GraphExec* graph, GraphNode* node, const Copy3D* p) {
  return set_step("cudaGraphExecMemcpyNodeSetParams", graph, node,
                  [&](Context& c) { return copy_work(c, *p); });
}

LAB_API Error cudaGraphMemcpyNodeSetParams1D(GraphNode* node, void* to, const void* from, std::size_t bytes,
                                             CopyKind kind) {
  return set_node("cudaGraphMemcpyNodeSetParams1D", node,
                  [&](Context& c) { return copy_work(c, {to}, {from}, {bytes}, kind); });
}
LAB_API Error cudaGraphExecMemcpyNodeSetParams1D(GraphExec* graph, GraphNode* node, void* to,
                                                 const void* from, std::size_t bytes, CopyKind kind) {
  return set_step("cudaGraphExecMemcpyNodeSetParams1D", graph, node,
                  [&](Context& c) { return copy_work(c, {to}, {from}, {bytes}, kind); });
}
LAB_API Error cudaGraphExecChildGraphNodeSetParams(GraphExec* graph, GraphNode* node, Graph* child) {
  return set_step("cudaGraphExecChildGraphNodeSetParams", graph, node, [&](Context&) -> Work {
    return [steps = steps_of(*child)](Context& now, Stream& on) { return run_all(now, on, steps); };
  });
}

// --- memory of graphs ---

// The address is fixed when the node is made, and the memory is there from then on.
LAB_API Error cudaGraphAddMemAllocNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                       std::size_t /*count*/, AllocNode* alloc) {
  return add_node("cudaGraphAddMemAllocNode", node, graph, kAllocNode, [&](Context& c) {
    alloc->pointer = allocate_for_graph(c, alloc->size_bytes);
    return nothing();
  });
}
LAB_API Error cudaGraphAddMemFreeNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                      std::size_t /*count*/, void* pointer) {
  return add_node("cudaGraphAddMemFreeNode", node, graph, kFreeNode, [&](Context& c) {
    if (!c.graph_memory.contains(address_of(pointer)))
      throw ApiError{Error::InvalidValue, "the memory that a graph frees must be a graph's."};
    return nothing();
  });
}
LAB_API Error cudaDeviceGraphMemTrim(int /*device*/) {
  return enter("cudaDeviceGraphMemTrim", [](Context&) { return Error::Success; });
}
// What graphs hold: now and at most, in use and reserved.
LAB_API Error cudaDeviceGetGraphMemAttribute(int /*device*/, int /*attribute*/, std::uint64_t* value) {
  return enter("cudaDeviceGetGraphMemAttribute", [&](Context& c) {
    *value = 0;
    for (const auto& [at, bytes] : c.graph_memory) *value += bytes;
    return Error::Success;
  });
}
LAB_API Error cudaDeviceSetGraphMemAttribute(int /*device*/, int /*attribute*/, void* /*value*/) {
  return enter("cudaDeviceSetGraphMemAttribute", [](Context&) { return Error::Success; });
}
