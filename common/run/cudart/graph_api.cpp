// Graphs: work recorded once, launched many times.
//
// Enters: streams that record, or nodes added by hand. Leaves: a list of work, done in the order in which it
// was recorded as far as the dependencies allow (graph_edges_api.cpp).
#include <algorithm>
#include <map>
#include <span>

#include "common/run/cudart/capture.h"
#include "common/run/cudart/driver.h"
#include "common/run/cudart/graph.h"

using namespace lab::cudart;

namespace lab::cudart {

namespace {

enum CaptureStatus : int { kNotCapturing, kCapturing, kBroken };

// Does not break what it asks about, unlike other calls on the default stream.
CaptureStatus capture_status(StreamHandle handle, const Stream*& stream) {
  stream = &streams().find_only(handle);
  if (stream->legacy) refuse_implicit(*stream, false);
  if (stream->capture == nullptr) return kNotCapturing;
  return stream->capture->is_broken ? kBroken : kCapturing;
}

void begin_capture(Context& c, StreamHandle stream, int mode, Graph* graph, std::vector<GraphNode*> front) {
  Stream& on = streams().find(stream);
  if (on.legacy) {
    throw ApiError{Error::StreamCaptureUnsupported,
                   "the legacy default stream cannot be captured. Create a stream with cudaStreamCreate."};
  }
  if (mode < 0 || mode > static_cast<int>(Capture::Mode::Relaxed)) throw ApiError{Error::InvalidValue};
  if (on.capture != nullptr) throw ApiError{Error::IllegalState, "the stream is being captured already."};
  wait_for(c, streams().tasks_before(on));
  const bool owns = graph == nullptr;
  on.capture = std::make_shared<Capture>(Capture{owns ? new Graph : graph, static_cast<Capture::Mode>(mode),
                                                 std::this_thread::get_id(), &on, owns});
  on.front = std::move(front);
}

// What came of it, and its graph, when that is whole.
Error end_capture(Stream& on, Graph*& whole) {
  const std::shared_ptr<Capture> capture = on.capture;
  if (capture == nullptr) throw ApiError{Error::IllegalState, "the stream is not being captured."};
  if (capture->origin != &on) {
    capture->is_broken = true;
    throw ApiError{Error::StreamCaptureUnmatched, "the capture began in another stream: end it there."};
  }
  if (capture->mode != Capture::Mode::Relaxed && capture->thread != std::this_thread::get_id())
    throw ApiError{Error::StreamCaptureWrongThread, "another host thread began the capture: end it there."};
  const bool joined = all_joined(*capture);
  streams().end_capture(*capture);
  if (joined && !capture->is_broken) {
    whole = capture->graph;
    return Error::Success;
  }
  if (capture->owns_graph) delete capture->graph;
  if (capture->is_broken)
    throw ApiError{Error::StreamCaptureInvalidated,
                   "an earlier call broke the capture: there is no graph of it."};
  throw ApiError{Error::StreamCaptureUnjoined,
                 "a stream that joined the capture has work that the first one does not wait for. Record an "
                 "event behind that work, and let the first stream wait for it before it ends the capture."};
}

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

// The conditions of the graph and of all bodies in it.
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
  if (graph.owns_memory)
    throw ApiError{Error::NotSupported,
                   "a graph that allocates or frees memory can be neither cloned nor a child of another "
                   "graph: one graph owns that memory."};
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
    const Stream* on = nullptr;
    *status = capture_status(stream, on);
    if (*status != kCapturing) return;
    if (id != nullptr) *id = on->capture->origin->id;
    if (graph != nullptr) *graph = on->capture->graph;
    if (front != nullptr) *front = const_cast<GraphNode* const*>(on->front.data());
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = on->front.size();
  });
}

}  // namespace lab::cudart

LAB_API Error cudaStreamBeginCapture(StreamHandle stream, int mode) {
  return enter([&](Context& c) { begin_capture(c, stream, mode, nullptr, {}); });
}

LAB_API Error cudaStreamBeginCaptureToGraph(StreamHandle stream, Graph* graph, GraphNode* const* after,
                                            const void* /*edges*/, std::size_t count, int mode) {
  return enter([&](Context& c) {
    need(graph);
    if (const Stream& on = streams().find(stream); !on.legacy && on.capture == nullptr)
      check_nodes(graph, after, count);
    begin_capture(c, stream, mode, graph, {after, after + count});
  });
}

LAB_API Error cudaStreamEndCapture(StreamHandle stream, Graph** graph) {
  return enter(Asks::HostFirst, [&](Context& c) {
    Graph* not_wanted = nullptr;
    Graph*& whole = graph != nullptr ? *graph : not_wanted;
    whole = nullptr;
    c.reach_gpu();
    return end_capture(streams().find(stream), whole);
  });
}

LAB_API Error cudaStreamIsCapturing(StreamHandle stream, int* status) {
  return enter([&](Context&) {
    const Stream* on = nullptr;
    given(status) = capture_status(stream, on);
  });
}

LAB_API Error cudaThreadExchangeStreamCaptureMode(int* mode) {
  return enter(Asks::Host, [&](Context&) {
    const int wanted = given(mode);
    if (wanted < 0 || wanted > static_cast<int>(Capture::Mode::Relaxed)) throw ApiError{Error::InvalidValue};
    *mode = static_cast<int>(exchange_mode(static_cast<Capture::Mode>(wanted)));
  });
}

LAB_API Error cudaGraphCreate(Graph** graph, unsigned flags) {
  return enter(Asks::Host, [&](Context&) {
    need(graph);
    if (flags != 0) throw ApiError{Error::InvalidValue};
    *graph = new Graph;
  });
}

LAB_API Error cudaGraphClone(Graph** copy, Graph* graph) {
  return enter(Asks::Host, [&](Context&) {
    need(copy);
    if (graph == nullptr) throw ApiError{Error::InvalidValue};
    *copy = clone_of(*graph).release();
  });
}

LAB_API Error cudaGraphDestroy(Graph* graph) {
  return enter(Asks::Host, [&](Context&) {
    need(graph);
    delete graph;
  });
}

// Whether a conditional node of the graph, or of a body or child graph in it, asks the condition.
static bool asks_condition(const Graph& graph, lab::sim::DeviceAddress handle) {
  const auto in_graph = [handle](const auto& inner) { return asks_condition(*inner, handle); };
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
    if (node->contents.child != nullptr && in_graph(node->contents.child)) return true;
    if (node->conditional == nullptr) return false;
    const auto& bodies = node->conditional->bodies;
    return node->conditional->handle == handle || std::any_of(bodies.begin(), bodies.end(), in_graph);
  });
}

static void check_conditions(const Graph& graph) {
  for (const lab::sim::DeviceAddress handle : graph.condition_handles) {
    if (!asks_condition(graph, handle))
      throw ApiError{Error::InvalidValue,
                     "no conditional node uses a condition that was made for the graph."};
  }
}

LAB_API Error cudaGraphInstantiate(GraphExec** made, Graph* graph, unsigned long long flags) {
  return enter(Asks::HostFirst, [&](Context& c) {
    constexpr unsigned long long kAutoFree = 1, kDeviceLaunch = 4, kUseNodePriority = 8;
    if ((flags & ~(kAutoFree | kDeviceLaunch | kUseNodePriority)) != 0) throw ApiError{Error::InvalidValue};
    c.reach_gpu();
    refuse_unsafe();
    need(made, graph);
    check_conditions(*graph);
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
  constexpr unsigned long long kUpload = 2;  // with these parameters alone: they name the stream
  const Error e = cudaGraphInstantiate(made, graph, p->flags & ~kUpload);
  p->failed_node = nullptr;
  p->result = e == Error::Success ? 0 : 1;  // cudaGraphInstantiateSuccess, …Error
  return e;
}

LAB_API Error cudaGraphExecDestroy(GraphExec* graph) {
  return enter_outside_capture(Asks::Host, [&](Context&) {
    need(graph);
    delete graph;
  });
}

LAB_API Error cudaGraphExecGetFlags(GraphExec* graph, unsigned long long* flags) {
  return enter(Asks::Host, [&](Context&) {
    if (graph == nullptr || flags == nullptr) throw ApiError{Error::InvalidValue};
    *flags = graph->flags;
  });
}

// Nodes keep the names that they had, and whether they are enabled.
LAB_API Error cudaGraphExecUpdate(GraphExec* made, Graph* graph, UpdateResult* result) {
  return enter(Asks::Host, [&](Context&) {
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
    refuse_captured(streams().find(stream));
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
    refuse_captured(streams().find(stream));
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
