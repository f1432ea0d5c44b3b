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
// What a program may ask for again. The arguments of a kernel are the node's own, as in CUDA.
template <class T>
std::shared_ptr<const void> kept(const T& parameters) {
  return std::make_shared<const T>(parameters);
}
struct KeptKernel {
  KernelNode node;  // first: what is shown
  std::vector<std::vector<std::byte>> values;
  std::vector<void*> pointers;
};
std::shared_ptr<const void> kept(const KernelNode& kernel) {
  auto own = std::make_shared<KeptKernel>();
  own->node = kernel;
  Function* const function = modules().function(kernel.function);
  if (function == nullptr || kernel.arguments == nullptr) return own;
  for (const lab::sim::ParameterInfo& p : Modules::program(context(), *function).parameters()) {
    const auto* const value = static_cast<const std::byte*>(kernel.arguments[own->values.size()]);
    own->values.emplace_back(value, value + p.size_bytes);
  }
  for (std::vector<std::byte>& value : own->values) own->pointers.push_back(value.data());
  own->node.arguments = own->pointers.data();
  return own;
}
// Other work for a node that was added before; graphs that were instantiated keep what they have.
Error set_node(const char* call, GraphNode* node, const std::function<Work(Context&)>& make,
               const Keep& keep = nullptr) {
  return enter(call, [&](Context& c) {
    if (node == nullptr) return Error::InvalidValue;
    node->work = make(c);
    node->parameters = keep ? keep() : nullptr;
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

template <class T>
Error show_parameters(const char* call, const GraphNode* node, int type, T* parameters) {
  return enter(call, [&](Context&) {
    if (node == nullptr || parameters == nullptr || node->type != type) return Error::InvalidValue;
    if (node->parameters == nullptr) {
      throw ApiError{Error::NotSupported,
                     "the parameters of a node that was captured from a stream, or added another way than by "
                     "the call of its kind, are not kept here. Add the node by hand to ask for them."};
    }
    *parameters = *static_cast<const T*>(node->parameters.get());
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

Work nothing() {
  return [](Context&, Stream&) { return Error::Success; };
}

Error add_node(const char* call, GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
               int type, const std::function<Work(Context&)>& make, const Keep& keep) {
  return enter(call, [&](Context& c) {
    if (graph == nullptr || (count != 0 && after == nullptr)) return Error::InvalidValue;
    GraphNode* added = graph->add(type, make(c), {after, after + count});
    if (keep) added->parameters = keep();
    if (node != nullptr) *node = added;
    return Error::Success;
  });
}

Error add_any_node(const char* call, GraphNode** node, Graph* graph, GraphNode* const* after,
                   std::size_t count, NodeParameters* parameters) {
  return enter(call, [&](Context& c) {
    if (node == nullptr || graph == nullptr || parameters == nullptr) return Error::InvalidValue;
    if (parameters->type == kConditionalNode) {
      add_conditional(*graph, node, as<ConditionalParameters>(*parameters));
    } else {
      *node = graph->add(parameters->type, work_of_any(c, *parameters));
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
    if (flags == kSet) on.front.clear();
    on.front.insert(on.front.end(), after, after + count);
    return Error::Success;
  });
}

}  // namespace lab::cudart

LAB_API Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                     std::size_t count, const KernelNode* kernel) {
  return add_node(
      "cudaGraphAddKernelNode", node, graph, after, count, kKernelNode,
      [&](Context& c) { return work_of(c, *kernel); }, [&] { return kept(*kernel); });
}

LAB_API Error cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                     std::size_t count, const Copy3D* copy) {
  return add_node(
      "cudaGraphAddMemcpyNode", node, graph, after, count, kCopyNode,
      [&](Context& c) { return copy_work(c, *copy); }, [&] { return kept(*copy); });
}

LAB_API Error cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, GraphNode* const* after,
                                       std::size_t count, void* to, const void* from, std::size_t bytes,
                                       CopyKind kind) {
  return add_node("cudaGraphAddMemcpyNode1D", node, graph, after, count, kCopyNode,
                  [&](Context& c) { return copy_work(c, {to}, {from}, {bytes}, kind); });
}

LAB_API Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                     std::size_t count, const FillNode* fill) {
  return add_node(
      "cudaGraphAddMemsetNode", node, graph, after, count, kFillNode,
      [&](Context& c) { return work_of(c, *fill); }, [&] { return kept(*fill); });
}

LAB_API Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                                   const HostNode* host) {
  return add_node(
      "cudaGraphAddHostNode", node, graph, after, count, kHostNode,
      [&](Context& c) { return work_of(c, *host); }, [&] { return kept(*host); });
}

LAB_API Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                    std::size_t count) {
  return add_node("cudaGraphAddEmptyNode", node, graph, after, count, kEmptyNode,
                  [](Context&) { return nothing(); });
}

LAB_API Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                         std::size_t count, Graph* child) {
  return add_node("cudaGraphAddChildGraphNode", node, graph, after, count, kChildNode, [&](Context&) -> Work {
    return [steps = steps_of(*child)](Context& now, Stream& on) { return run_all(now, on, steps); };
  });
}

LAB_API Error cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNode* p) {
  return set_node(
      "cudaGraphKernelNodeSetParams", node, [&](Context& c) { return work_of(c, *p); },
      [&] { return kept(*p); });
}
LAB_API Error cudaGraphExecKernelNodeSetParams(GraphExec* graph, GraphNode* node, const KernelNode* p) {
  return set_step("cudaGraphExecKernelNodeSetParams", graph, node,
                  [&](Context& c) { return work_of(c, *p); });
}

LAB_API Error cudaGraphMemsetNodeSetParams(GraphNode* node, const FillNode* p) {
  return set_node(
      "cudaGraphMemsetNodeSetParams", node, [&](Context& c) { return work_of(c, *p); },
      [&] { return kept(*p); });
}
LAB_API Error cudaGraphExecMemsetNodeSetParams(GraphExec* graph, GraphNode* node, const FillNode* p) {
  return set_step("cudaGraphExecMemsetNodeSetParams", graph, node,
                  [&](Context& c) { return work_of(c, *p); });
}

LAB_API Error cudaGraphHostNodeSetParams(GraphNode* node, const HostNode* p) {
  return set_node(
      "cudaGraphHostNodeSetParams", node, [&](Context& c) { return work_of(c, *p); },
      [&] { return kept(*p); });
}
LAB_API Error cudaGraphExecHostNodeSetParams(GraphExec* graph, GraphNode* node, const HostNode* p) {
  return set_step("cudaGraphExecHostNodeSetParams", graph, node, [&](Context& c) { return work_of(c, *p); });
}

LAB_API Error cudaGraphMemcpyNodeSetParams(GraphNode* node, const Copy3D* p) {
  return set_node(
      "cudaGraphMemcpyNodeSetParams", node, [&](Context& c) { return copy_work(c, *p); },
      [&] { return kept(*p); });
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
