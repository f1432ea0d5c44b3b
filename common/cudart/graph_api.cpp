// Graphs: work recorded once, launched many times.
//
// Enters: streams that record, or nodes added by hand. Leaves: a list of work, done in the order in which it
// was recorded, which every graph's dependencies allow (a node can only depend on nodes that exist). Editing
// a graph after that, and allocations inside one, are not simulated.
#include <algorithm>

#include "common/cudart/copy.h"
#include "common/cudart/launch.h"

using namespace lab::cudart;

namespace lab::cudart {

struct GraphExec {
  std::vector<Work> nodes;
};

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

constexpr int kCopy = 1, kFill = 2, kHost = 3, kChild = 4, kEmpty = 5;
constexpr int kCapturing = 1;

Error add_node(const char* call, GraphNode** node, Graph* graph, int type,
               const std::function<Work(Context&)>& make) {
  return enter(call, [&](Context& c) {
    if (graph == nullptr) return Error::InvalidValue;
    GraphNode* added = graph->add(type, make(c));
    if (node != nullptr) *node = added;
    return Error::Success;
  });
}

std::vector<Work> work_of(const Graph& graph) {
  std::vector<Work> all;
  for (const auto& node : graph.nodes) all.push_back(node->work);
  return all;
}

Error run_all(Context& c, Stream& on, const std::vector<Work>& nodes) {
  for (const Work& work : nodes) {
    wait_for(c, streams().tasks_before(on));
    if (const Error e = work(c, on); e != Error::Success) return e;
  }
  return Error::Success;
}

}  // namespace
}  // namespace lab::cudart

LAB_API Error cudaStreamBeginCapture(StreamHandle stream, int /*mode*/) {
  return enter("cudaStreamBeginCapture", [&](Context& c) {
    Stream& on = streams().find(stream);
    if (on.legacy) {
      throw ApiError{Error::StreamCaptureUnsupported,
                     "the legacy default stream cannot be captured. Create a stream with cudaStreamCreate."};
    }
    if (on.records_into != nullptr) return Error::IllegalState;
    wait_for(c, streams().tasks_before(on));
    on.records_into = new Graph;
    on.began_capture = true;
    return Error::Success;
  });
}
LAB_ALIAS(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz)

LAB_API Error cudaStreamEndCapture(StreamHandle stream, Graph** graph) {
  return enter("cudaStreamEndCapture", [&](Context&) {
    Stream& on = streams().find(stream);
    if (on.records_into == nullptr) return Error::IllegalState;
    if (!on.began_capture) return Error::StreamCaptureUnmatched;
    *graph = on.records_into;
    streams().end_capture(*graph);
    return Error::Success;
  });
}
LAB_ALIAS(cudaStreamEndCapture, cudaStreamEndCapture_ptsz)

LAB_API Error cudaStreamIsCapturing(StreamHandle stream, int* status) {
  return enter("cudaStreamIsCapturing", [&](Context&) {
    *status = streams().find(stream).records_into != nullptr ? kCapturing : 0;
    return Error::Success;
  });
}
LAB_ALIAS(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz)

LAB_API Error cudaThreadExchangeStreamCaptureMode(int* mode) {
  return enter("cudaThreadExchangeStreamCaptureMode", [&](Context&) {
    static thread_local int of_thread = 0;
    std::swap(of_thread, *mode);
    return Error::Success;
  });
}

LAB_API Error cudaGraphCreate(Graph** graph, unsigned /*flags*/) {
  return enter("cudaGraphCreate", [&](Context&) {
    *graph = new Graph;
    return Error::Success;
  });
}

LAB_API Error cudaGraphClone(Graph** copy, Graph* graph) {
  return enter("cudaGraphClone", [&](Context&) {
    if (graph == nullptr) return Error::InvalidValue;
    *copy = new Graph;
    for (const auto& node : graph->nodes) (*copy)->add(node->type, node->work);
    return Error::Success;
  });
}

LAB_API Error cudaGraphDestroy(Graph* graph) {
  return enter("cudaGraphDestroy", [&](Context&) {
    delete graph;
    return Error::Success;
  });
}

LAB_API Error cudaGraphInstantiate(GraphExec** made, Graph* graph, unsigned long long /*flags*/) {
  return enter("cudaGraphInstantiate", [&](Context&) {
    if (made == nullptr || graph == nullptr) return Error::InvalidValue;
    *made = new GraphExec{work_of(*graph)};
    return Error::Success;
  });
}
LAB_ALIAS(cudaGraphInstantiate, cudaGraphInstantiateWithFlags)

LAB_API Error cudaGraphExecDestroy(GraphExec* graph) {
  return enter("cudaGraphExecDestroy", [&](Context&) {
    delete graph;
    return Error::Success;
  });
}

LAB_API Error cudaGraphExecUpdate(GraphExec* made, Graph* graph, void* /*result*/) {
  return enter("cudaGraphExecUpdate", [&](Context&) {
    if (made == nullptr || graph == nullptr) return Error::InvalidValue;
    made->nodes = work_of(*graph);
    return Error::Success;
  });
}

LAB_API Error cudaGraphLaunch(GraphExec* graph, StreamHandle stream) {
  return enter("cudaGraphLaunch", [&](Context& c) {
    if (graph == nullptr) return Error::InvalidValue;
    return submit(
        c, stream, [nodes = graph->nodes](Context& now, Stream& on) { return run_all(now, on, nodes); },
        kChild);
  });
}
LAB_ALIAS(cudaGraphLaunch, cudaGraphLaunch_ptsz)

LAB_API Error cudaGraphUpload(GraphExec* graph, StreamHandle stream) {
  return enter("cudaGraphUpload", [&](Context&) {
    (void)streams().find(stream);
    return graph == nullptr ? Error::InvalidValue : Error::Success;
  });
}
LAB_ALIAS(cudaGraphUpload, cudaGraphUpload_ptsz)

LAB_API Error cudaGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  return enter("cudaGraphGetNodes", [&](Context&) {
    if (graph == nullptr || count == nullptr) return Error::InvalidValue;
    const std::size_t room = nodes == nullptr ? 0 : *count;
    *count = graph->nodes.size();
    for (std::size_t k = 0; k < std::min(room, graph->nodes.size()); ++k) nodes[k] = graph->nodes[k].get();
    return Error::Success;
  });
}

LAB_API Error cudaGraphNodeGetType(GraphNode* node, int* type) {
  return enter("cudaGraphNodeGetType", [&](Context&) {
    if (node == nullptr || type == nullptr) return Error::InvalidValue;
    *type = node->type;
    return Error::Success;
  });
}

LAB_API Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                     std::size_t /*count*/, const KernelNode* kernel) {
  return add_node("cudaGraphAddKernelNode", node, graph, 0, [&](Context& c) {
    Function* function = modules().function(kernel->function);
    if (function == nullptr)
      throw ApiError{Error::InvalidDeviceFunction, "no kernel is registered at that address."};
    return launch_work(c, *function, {kernel->grid, kernel->block, kernel->shared_bytes, false, {}},
                       kernel->arguments);
  });
}

LAB_API Error cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                     std::size_t /*count*/, const Copy3D* copy) {
  return add_node("cudaGraphAddMemcpyNode", node, graph, kCopy,
                  [&](Context& c) { return copy_work(c, *copy); });
}

LAB_API Error cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                       std::size_t /*count*/, void* to, const void* from, std::size_t bytes,
                                       CopyKind kind) {
  return add_node("cudaGraphAddMemcpyNode1D", node, graph, kCopy,
                  [&](Context& c) { return copy_work(c, {to}, {from}, {bytes}, kind); });
}

LAB_API Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                     std::size_t /*count*/, const FillNode* fill) {
  return add_node("cudaGraphAddMemsetNode", node, graph, kFill, [&](Context& c) {
    return fill_work(c, {fill->to, fill->pitch_bytes, 0}, fill->value, fill->elem_bytes,
                     {fill->width_elems * fill->elem_bytes, fill->height, 1});
  });
}

LAB_API Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                   std::size_t /*count*/, const HostNode* host) {
  return add_node("cudaGraphAddHostNode", node, graph, kHost, [&](Context&) -> Work {
    return [function = host->function, data = host->data](Context& now, Stream& on) {
      now.flush_output();
      start_host_task(on, [=] { function(data); });
      return Error::Success;
    };
  });
}

LAB_API Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                    std::size_t /*count*/) {
  return add_node("cudaGraphAddEmptyNode", node, graph, kEmpty,
                  [](Context&) -> Work { return [](Context&, Stream&) { return Error::Success; }; });
}

LAB_API Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* /*after*/,
                                         std::size_t /*count*/, Graph* child) {
  return add_node("cudaGraphAddChildGraphNode", node, graph, kChild, [&](Context&) -> Work {
    return [nodes = work_of(*child)](Context& now, Stream& on) { return run_all(now, on, nodes); };
  });
}
