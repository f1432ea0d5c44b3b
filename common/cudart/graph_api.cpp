// Graphs: work recorded once, launched many times.
//
// Enters: streams that record, or nodes added by hand. Leaves: a list of work, done in the order in which it
// was recorded as far as the dependencies allow (graph_edges_api.cpp).
#include <algorithm>
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

// Why the second cannot take the first's place; nodes stand for each other by their order.
UpdateResult difference(const std::vector<GraphStep>& old, const std::vector<GraphStep>& now) {
  for (std::size_t k = 0; k < std::min(old.size(), now.size()); ++k) {
    if (old[k].type != now[k].type) return {UpdateResult::TypeChanged, now[k].node, nullptr};
    if (old[k].after != now[k].after) return {UpdateResult::TopologyChanged, now[k].node, nullptr};
  }
  if (old.size() != now.size()) return {UpdateResult::TopologyChanged, nullptr, nullptr};
  return {UpdateResult::Success, nullptr, nullptr};
}

}  // namespace

std::vector<GraphStep> steps_of(const Graph& graph) {
  std::vector<GraphStep> all;
  std::map<const GraphNode*, std::size_t> place;
  for (const GraphNode* const node : ordered(graph)) {
    Work work = node->contents.work;
    if (node->conditional != nullptr) work = conditional_work(*node->conditional);
    if (node->contents.child != nullptr) work = contents_of(*node->contents.child).work;  // as it is now
    place.emplace(node, all.size());
    all.push_back({node, node->type, std::move(work)});
    for (const GraphNode* const before : node->after) all.back().after.push_back(place.at(before));
    std::sort(all.back().after.begin(), all.back().after.end());
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
  GraphOrder order(on, steps);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    order.begin(k);
    if (steps[k].enabled) {
      work_order().begin_step();
      wait_for(c, streams().tasks_before(on));
      if (const Error e = steps[k].work(c, on); e != Error::Success) return e;
    }
    order.end(k);
  }
  return Error::Success;
}

Error capture_info(StreamHandle stream, int* status, unsigned long long* id, Graph** graph,
                   GraphNode* const** front, const void** edges, std::size_t* count) {
  return enter("cudaStreamGetCaptureInfo", [&](Context&) {
    need(status);
    Stream& on = streams().find(stream);
    *status = on.records_into != nullptr ? kCapturing : 0;
    if (*status == 0) return;
    if (id != nullptr) *id = on.id;
    if (graph != nullptr) *graph = on.records_into;
    if (front != nullptr) *front = on.front.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = on.front.size();
  });
}

}  // namespace lab::cudart

LAB_API Error cudaStreamBeginCapture(StreamHandle stream, int /*mode*/) {
  return enter([&](Context& c) {
    Stream& on = streams().find(stream);
    if (on.legacy) {
      throw ApiError{Error::StreamCaptureUnsupported,
                     "the legacy default stream cannot be captured. Create a stream with cudaStreamCreate."};
    }
    if (on.records_into != nullptr) throw ApiError{Error::IllegalState};
    wait_for(c, streams().tasks_before(on));
    on.records_into = new Graph;
    on.began_capture = true;
    on.front.clear();
  });
}

LAB_API Error cudaStreamBeginCaptureToGraph(StreamHandle stream, Graph* graph, GraphNode* const* after,
                                            const void* /*edges*/, std::size_t count, int /*mode*/) {
  return enter([&](Context& c) {
    if (count > 0) need(after);
    Stream& on = streams().find(stream);
    if (graph == nullptr) throw ApiError{Error::InvalidValue};
    if (on.legacy) throw ApiError{Error::StreamCaptureUnsupported};
    if (on.records_into != nullptr) throw ApiError{Error::IllegalState};
    wait_for(c, streams().tasks_before(on));
    on.records_into = graph;
    on.began_capture = true;
    on.front.assign(after, after + count);
  });
}

LAB_API Error cudaStreamEndCapture(StreamHandle stream, Graph** graph) {
  return enter([&](Context&) {
    Stream& on = streams().find(stream);
    if (on.records_into == nullptr) throw ApiError{Error::IllegalState};
    if (!on.began_capture) throw ApiError{Error::StreamCaptureUnmatched};
    Graph* const recorded = on.records_into;
    streams().end_capture(recorded);
    if (graph != nullptr) *graph = recorded;
  });
}

LAB_API Error cudaStreamIsCapturing(StreamHandle stream, int* status) {
  return enter(
      [&](Context&) { given(status) = streams().find(stream).records_into != nullptr ? kCapturing : 0; });
}

LAB_API Error cudaThreadExchangeStreamCaptureMode(int* mode) {
  return enter([&](Context&) {
    need(mode);
    static thread_local int of_thread = 0;
    std::swap(of_thread, *mode);
  });
}

LAB_API Error cudaGraphCreate(Graph** graph, unsigned /*flags*/) {
  return enter([&](Context&) {
    need(graph);
    *graph = new Graph;
  });
}

LAB_API Error cudaGraphClone(Graph** copy, Graph* graph) {
  return enter([&](Context&) {
    need(copy);
    if (graph == nullptr) throw ApiError{Error::InvalidValue};
    *copy = clone_of(*graph).release();
  });
}

LAB_API Error cudaGraphDestroy(Graph* graph) {
  return enter([&](Context&) {
    need(graph);
    delete graph;
  });
}

LAB_API Error cudaGraphInstantiate(GraphExec** made, Graph* graph, unsigned long long flags) {
  return enter([&](Context&) {
    if (made == nullptr || graph == nullptr) throw ApiError{Error::InvalidValue};
    *made = new GraphExec{steps_of(*graph), conditions_of(*graph), graph->objects, flags};
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
  return enter([&](Context&) {
    need(graph);
    delete graph;
  });
}

LAB_API Error cudaGraphExecGetFlags(GraphExec* graph, unsigned long long* flags) {
  return enter([&](Context&) {
    if (graph == nullptr || flags == nullptr) throw ApiError{Error::InvalidValue};
    *flags = graph->flags;
  });
}

// Nodes keep the names that they had, and whether they are enabled.
LAB_API Error cudaGraphExecUpdate(GraphExec* made, Graph* graph, UpdateResult* result) {
  return enter([&](Context&) {
    if (result != nullptr) *result = {UpdateResult::Failed, nullptr, nullptr};
    if (made == nullptr || graph == nullptr) throw ApiError{Error::InvalidValue};
    std::vector<GraphStep> now = steps_of(*graph);
    const UpdateResult found = difference(made->steps, now);
    if (result != nullptr) *result = found;
    if (found.kind != UpdateResult::Success) throw ApiError{Error::GraphExecUpdateFailure};
    for (std::size_t k = 0; k < now.size(); ++k) made->steps[k].work = std::move(now[k].work);
    made->conditions = conditions_of(*graph);
    made->objects = graph->objects;
  });
}

LAB_API Error cudaGraphLaunch(GraphExec* graph, StreamHandle stream) {
  return enter([&](Context& c) {
    if (graph == nullptr) return Error::InvalidValue;
    return submit(
        c, stream,
        [graph = *graph](Context& now, Stream& on) {
          for (const Condition& condition : graph.conditions)
            now.memory.write(condition.handle, std::as_bytes(std::span(&condition.value, 1)));
          join(on.known, *graph.launched);  // one launch of it comes behind the other, whatever their streams
          const Error ended = run_all(now, on, graph.steps);
          *graph.launched = on.known;
          return ended;
        },
        kChildNode);
  });
}

LAB_API Error cudaGraphUpload(GraphExec* graph, StreamHandle stream) {
  return enter([&](Context&) {
    (void)streams().find(stream);
    return graph == nullptr ? Error::InvalidValue : Error::Success;
  });
}

// The driver's names.
LAB_SAME(cuStreamIsCapturing, cudaStreamIsCapturing);
LAB_SAME(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode);
LAB_SAME(cuStreamBeginCapture_v2, cudaStreamBeginCapture);
LAB_SAME(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph);
LAB_SAME(cuStreamEndCapture, cudaStreamEndCapture);
LAB_ENTRY int cuStreamGetCaptureInfo_v2(StreamHandle stream, int* status, unsigned long long* id,
                                        Graph** graph, GraphNode* const** front, std::size_t* count) {
  return as_driver([&] { return capture_info(stream, status, id, graph, front, nullptr, count); });
}
LAB_SAME(cuStreamGetCaptureInfo_v3, capture_info);
LAB_SAME(cuStreamUpdateCaptureDependencies, update_capture_dependencies);
LAB_ENTRY int cuStreamUpdateCaptureDependencies_v2(StreamHandle stream, GraphNode* const* after,
                                                   const void* /*edges*/, std::size_t count, unsigned flags) {
  return lab_same_cuStreamUpdateCaptureDependencies(stream, after, count, flags);
}
LAB_SAME_EARLY(cuGraphCreate, cudaGraphCreate);
LAB_SAME_EARLY(cuGraphClone, cudaGraphClone);
LAB_SAME_EARLY(cuGraphDestroy, cudaGraphDestroy);
LAB_SAME(cuGraphInstantiateWithFlags, cudaGraphInstantiate);
LAB_SAME(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams);
LAB_SAME_EARLY(cuGraphExecGetFlags, cudaGraphExecGetFlags);
LAB_SAME_EARLY(cuGraphExecDestroy, cudaGraphExecDestroy);
LAB_SAME(cuGraphExecUpdate_v2, cudaGraphExecUpdate);
LAB_SAME(cuGraphLaunch, cudaGraphLaunch);
LAB_SAME(cuGraphUpload, cudaGraphUpload);
