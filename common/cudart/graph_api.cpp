// Graphs: work recorded once, launched many times.
//
// Enters: streams that record, or nodes added by hand. Leaves: a list of work, done in the order in which it
// was recorded, which every graph's dependencies allow (a node can only depend on nodes that exist).
#include <algorithm>

#include "common/cudart/graph.h"

using namespace lab::cudart;

namespace lab::cudart {

namespace {

constexpr int kCapturing = 1;

}  // namespace

std::vector<GraphStep> steps_of(const Graph& graph) {
  std::vector<GraphStep> all;
  for (const auto& node : graph.nodes) all.push_back({node.get(), node->work});
  return all;
}

Error run_all(Context& c, Stream& on, const std::vector<GraphStep>& steps) {
  for (const GraphStep& step : steps) {
    wait_for(c, streams().tasks_before(on));
    if (const Error e = step.work(c, on); e != Error::Success) return e;
  }
  return Error::Success;
}

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
    *made = new GraphExec{steps_of(*graph)};
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
    made->steps = steps_of(*graph);
    return Error::Success;
  });
}

LAB_API Error cudaGraphLaunch(GraphExec* graph, StreamHandle stream) {
  return enter("cudaGraphLaunch", [&](Context& c) {
    if (graph == nullptr) return Error::InvalidValue;
    return submit(
        c, stream, [steps = graph->steps](Context& now, Stream& on) { return run_all(now, on, steps); },
        kChildNode);
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
