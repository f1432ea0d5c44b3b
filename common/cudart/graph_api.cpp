// Graphs: work recorded once, launched many times.
//
// Enters: streams that record, or nodes added by hand. Leaves: a list of work, done in the order in which it
// was recorded as far as the dependencies allow (graph_edges_api.cpp).
#include <map>
#include <span>

#include "common/cudart/driver.h"
#include "common/cudart/graph.h"

using namespace lab::cudart;

namespace lab::cudart {

namespace {

constexpr int kCapturing = 1;

// Bodies as they are now, when the graph is instantiated: the program fills them after it made the node.
Work conditional_work(const ConditionalNode& node) {
  std::vector<std::vector<GraphStep>> bodies;
  for (const auto& body : node.bodies) bodies.push_back(steps_of(*body));
  return [kind = node.kind, at = node.handle, bodies = std::move(bodies)](Context& c, Stream& on) {
    using Kind = ConditionalNode::Kind;
    for (;;) {
      std::uint32_t value = 0;
      c.memory.read(at, std::as_writable_bytes(std::span(&value, 1)));
      const std::size_t chosen = kind == Kind::Switch ? value : value != 0 ? 0 : 1;
      if (chosen >= bodies.size()) return Error::Success;
      if (const Error e = run_all(c, on, bodies[chosen]); e != Error::Success) return e;
      if (kind != Kind::While || c.stuck != Error::Success) return Error::Success;
    }
  };
}

// Of the graph and of all bodies in it.
std::vector<Condition> conditions_of(const Graph& graph) {
  std::vector<Condition> all = graph.conditions;
  for (const auto& node : graph.nodes) {
    if (node->contents.child != nullptr) {
      const std::vector<Condition> inner = conditions_of(*node->contents.child);
      all.insert(all.end(), inner.begin(), inner.end());
    }
    if (node->conditional == nullptr) continue;
    for (const auto& body : node->conditional->bodies) {
      const std::vector<Condition> inner = conditions_of(*body);
      all.insert(all.end(), inner.begin(), inner.end());
    }
  }
  return all;
}

}  // namespace

std::vector<GraphStep> steps_of(const Graph& graph) {
  std::vector<GraphStep> all;
  for (const GraphNode* const node : ordered(graph)) {
    Work work = node->contents.work;
    if (node->conditional != nullptr) work = conditional_work(*node->conditional);
    if (node->contents.child != nullptr) work = contents_of(*node->contents.child).work;  // as it is now
    all.push_back({node, node->type, std::move(work)});
  }
  return all;
}

std::unique_ptr<Graph> clone_of(const Graph& graph) {
  auto copy = std::make_unique<Graph>();
  std::map<const GraphNode*, GraphNode*> twin;
  for (const auto& node : graph.nodes) {
    GraphNode* const made = twin[node.get()] = copy->add(node->type, node->contents);
    if (made->contents.child != nullptr) made->contents.child = clone_of(*made->contents.child);
    made->conditional = node->conditional;
    made->cloned_from = node.get();
  }
  for (const auto& node : graph.nodes) {
    for (const GraphNode* const before : node->after) twin[node.get()]->after.push_back(twin[before]);
  }
  copy->conditions = graph.conditions;
  copy->objects = graph.objects;
  return copy;
}

Error run_all(Context& c, Stream& on, const std::vector<GraphStep>& steps) {
  for (const GraphStep& step : steps) {
    if (!step.enabled) continue;
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
    on.front.clear();
    return Error::Success;
  });
}
LAB_ALIAS(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz)

LAB_API Error cudaStreamBeginCaptureToGraph(StreamHandle stream, Graph* graph, GraphNode* const* after,
                                            const void* /*edges*/, std::size_t count, int /*mode*/) {
  return enter("cudaStreamBeginCaptureToGraph", [&](Context& c) {
    Stream& on = streams().find(stream);
    if (graph == nullptr) return Error::InvalidValue;
    if (on.legacy) return Error::StreamCaptureUnsupported;
    if (on.records_into != nullptr) return Error::IllegalState;
    wait_for(c, streams().tasks_before(on));
    on.records_into = graph;
    on.began_capture = true;
    on.front.assign(after, after + count);
    return Error::Success;
  });
}
LAB_ALIAS(cudaStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph_ptsz)

LAB_API Error cudaStreamEndCapture(StreamHandle stream, Graph** graph) {
  return enter("cudaStreamEndCapture", [&](Context&) {
    Stream& on = streams().find(stream);
    if (on.records_into == nullptr) return Error::IllegalState;
    if (!on.began_capture) return Error::StreamCaptureUnmatched;
    Graph* const recorded = on.records_into;
    streams().end_capture(recorded);
    if (graph != nullptr) *graph = recorded;
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
    *copy = clone_of(*graph).release();
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
    *made = new GraphExec{steps_of(*graph), conditions_of(*graph), graph->objects};
    return Error::Success;
  });
}
LAB_ALIAS(cudaGraphInstantiate, cudaGraphInstantiateWithFlags)

// struct cudaGraphInstantiateParams.
struct Instantiation {
  unsigned long long flags;
  StreamHandle upload_stream;
  GraphNode* failed_node;
  int result;
};
LAB_API Error cudaGraphInstantiateWithParams(GraphExec** made, Graph* graph, Instantiation* p) {
  if (p == nullptr) return Error::InvalidValue;
  const Error e = cudaGraphInstantiate(made, graph, p->flags);
  p->failed_node = nullptr;
  p->result = e == Error::Success ? 0 : 1;  // cudaGraphInstantiateSuccess, …Error
  return e;
}

LAB_API Error cudaGraphExecDestroy(GraphExec* graph) {
  return enter("cudaGraphExecDestroy", [&](Context&) {
    delete graph;
    return Error::Success;
  });
}

LAB_API Error cudaGraphExecUpdate(GraphExec* made, Graph* graph, void* /*result*/) {
  return enter("cudaGraphExecUpdate", [&](Context&) {
    if (made == nullptr || graph == nullptr) return Error::InvalidValue;
    *made = GraphExec{steps_of(*graph), conditions_of(*graph), graph->objects};
    return Error::Success;
  });
}

LAB_API Error cudaGraphLaunch(GraphExec* graph, StreamHandle stream) {
  return enter("cudaGraphLaunch", [&](Context& c) {
    if (graph == nullptr) return Error::InvalidValue;
    return submit(
        c, stream,
        [graph = *graph](Context& now, Stream& on) {
          for (const Condition& condition : graph.conditions)
            now.memory.write(condition.handle, std::as_bytes(std::span(&condition.value, 1)));
          return run_all(now, on, graph.steps);
        },
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

// The driver's names.
LAB_ENTRY int cuStreamIsCapturing(StreamHandle stream, int* status) {
  return as_driver([&] { return cudaStreamIsCapturing(stream, status); });
}
LAB_ENTRY int cuThreadExchangeStreamCaptureMode(int* mode) {
  return as_driver([&] { return cudaThreadExchangeStreamCaptureMode(mode); });
}
