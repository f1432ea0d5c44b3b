// What a graph looks like: its edges, roots and neighbours; nodes that go.
//
// Enters: nodes and what each comes after. Leaves: an order in which their work is done; answers to programs
// that walk a graph.
#include <algorithm>
#include <cstdio>
#include <map>
#include <queue>

#include "common/run/cudart/driver.h"
#include "common/run/cudart/graph.h"

using namespace lab::cudart;

namespace lab::cudart {

namespace {

// CUDA's way to hand over a list: without room, only how many there are; places that are left over are null.
Error hand_over(const std::vector<GraphNode*>& all, GraphNode** out, std::size_t* count) {
  if (count == nullptr) return Error::InvalidValue;
  for (std::size_t k = 0; out != nullptr && k < *count; ++k) out[k] = k < all.size() ? all[k] : nullptr;
  *count = out == nullptr ? all.size() : std::min(*count, all.size());
  return Error::Success;
}

void clear(EdgeData* data, std::size_t count) {
  if (data != nullptr) std::fill(data, data + count, EdgeData{});
}

}  // namespace

std::vector<GraphNode*> ordered(const Graph& graph) {
  std::map<const GraphNode*, std::size_t> place;
  for (const auto& node : graph.nodes) place.emplace(node.get(), place.size());
  std::vector<std::size_t> waits_for(graph.nodes.size());
  std::vector<std::vector<std::size_t>> next(graph.nodes.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
    for (const GraphNode* const before : graph.nodes[k]->after) {
      next[place.at(before)].push_back(k);
      ++waits_for[k];
    }
    if (waits_for[k] == 0) ready.push(k);
  }
  std::vector<GraphNode*> all;
  while (!ready.empty()) {
    const std::size_t now = ready.top();
    ready.pop();
    all.push_back(graph.nodes[now].get());
    for (const std::size_t later : next[now]) {
      if (--waits_for[later] == 0) ready.push(later);
    }
  }
  if (all.size() != graph.nodes.size())
    throw ApiError{Error::InvalidValue, "the dependencies of the graph's nodes run in a circle."};
  return all;
}

namespace {

Error change_edges(Graph* graph, GraphNode* const* from, GraphNode* const* to, std::size_t count, bool adds,
                   const char* call = __builtin_FUNCTION()) {
  return enter(call, Asks::Host, [&](Context&) {
    need(graph);
    if (!adds && graph->owns_memory) throw ApiError{Error::NotSupported};
    if (count != 0) need(from, to);
    for (std::size_t k = 0; k < count; ++k) {
      if (from[k] == nullptr || to[k] == nullptr || from[k] == to[k] || from[k]->graph != graph ||
          to[k]->graph != graph)
        throw ApiError{Error::InvalidValue};
      std::vector<GraphNode*>& after = to[k]->after;
      const auto found = std::find(after.begin(), after.end(), from[k]);
      if (adds == (found != after.end())) throw ApiError{Error::InvalidValue};  // there already, or not there
      if (adds) {
        after.push_back(from[k]);
      } else {
        after.erase(found);
      }
    }
  });
}

Error neighbours_of(GraphNode* node, bool before, GraphNode** neighbours, EdgeData* data, std::size_t* count,
                    const char* call = __builtin_FUNCTION()) {
  return enter(call, Asks::Host, [&](Context&) {
    if (node == nullptr) return Error::InvalidValue;
    std::vector<GraphNode*> later;
    for (const auto& other : node->graph->nodes) {
      if (std::find(other->after.begin(), other->after.end(), node) != other->after.end())
        later.push_back(other.get());
    }
    const Error e = hand_over(before ? node->after : later, neighbours, count);
    if (e == Error::Success && neighbours != nullptr) clear(data, *count);
    return e;
  });
}

}  // namespace
}  // namespace lab::cudart

LAB_API Error cudaGraphAddDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                          const void* /*edges*/, std::size_t count) {
  return change_edges(graph, from, to, count, true);
}

LAB_API Error cudaGraphRemoveDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                             const void* /*edges*/, std::size_t count) {
  return change_edges(graph, from, to, count, false);
}

LAB_API Error cudaGraphNodeGetDependencies_v2(GraphNode* node, GraphNode** found, EdgeData* data,
                                              std::size_t* count) {
  return neighbours_of(node, true, found, data, count);
}

LAB_API Error cudaGraphNodeGetDependentNodes_v2(GraphNode* node, GraphNode** found, EdgeData* data,
                                                std::size_t* count) {
  return neighbours_of(node, false, found, data, count);
}

LAB_API Error cudaGraphGetEdges_v2(Graph* graph, GraphNode** from, GraphNode** to, EdgeData* data,
                                   std::size_t* count) {
  return enter(Asks::Host, [&](Context&) {
    if (graph == nullptr || count == nullptr) return Error::InvalidValue;
    std::vector<GraphNode*> starts, ends;
    for (const auto& node : graph->nodes) {
      for (GraphNode* const before : node->after) {
        starts.push_back(before);
        ends.push_back(node.get());
      }
    }
    std::size_t same = *count;
    if (const Error e = hand_over(starts, from, count); e != Error::Success) return e;
    clear(from == nullptr ? nullptr : data, *count);
    return hand_over(ends, to, &same);
  });
}

LAB_API Error cudaGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  return enter(Asks::Host, [&](Context&) {
    if (graph == nullptr) return Error::InvalidValue;
    std::vector<GraphNode*> all;
    for (const auto& node : graph->nodes) all.push_back(node.get());
    return hand_over(all, nodes, count);
  });
}

LAB_API Error cudaGraphGetRootNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
  return enter(Asks::Host, [&](Context&) {
    if (graph == nullptr) return Error::InvalidValue;
    std::vector<GraphNode*> roots;
    for (const auto& node : graph->nodes) {
      if (node->after.empty()) roots.push_back(node.get());
    }
    return hand_over(roots, nodes, count);
  });
}

LAB_API Error cudaGraphNodeGetType(GraphNode* node, int* type) {
  return enter(Asks::Host, [&](Context&) {
    if (node == nullptr || type == nullptr) throw ApiError{Error::InvalidValue};
    *type = node->type;
  });
}

LAB_API Error cudaGraphNodeFindInClone(GraphNode** found, GraphNode* original, Graph* clone) {
  return enter(Asks::Host, [&](Context&) {
    if (found == nullptr || original == nullptr || clone == nullptr) return Error::InvalidValue;
    for (const auto& node : clone->nodes) {
      if (node->cloned_from != original) continue;
      *found = node.get();
      return Error::Success;
    }
    return Error::InvalidValue;
  });
}

// Its edges go with it; graphs that were instantiated keep its work.
LAB_API Error cudaGraphDestroyNode(GraphNode* node) {
  return enter(Asks::Host, [&](Context&) {
    if (node == nullptr) throw ApiError{Error::InvalidValue};
    auto& all = node->graph->nodes;
    for (const auto& other : all) std::erase(other->after, node);
    std::erase_if(all, [&](const auto& one) { return one.get() == node; });
  });
}

LAB_API Error cudaGraphNodeSetEnabled(GraphExec* graph, GraphNode* node, unsigned enabled) {
  return enter(Asks::Host, [&](Context&) {
    if (graph == nullptr || node == nullptr || node->type > kFillNode) return Error::InvalidValue;
    for (GraphStep& step : graph->steps) {
      if (step.node != node) continue;
      step.enabled = enabled != 0;
      return Error::Success;
    }
    return Error::InvalidValue;
  });
}

LAB_API Error cudaGraphNodeGetEnabled(GraphExec* graph, GraphNode* node, unsigned* enabled) {
  return enter(Asks::Host, [&](Context&) {
    if (graph == nullptr || node == nullptr || enabled == nullptr) return Error::InvalidValue;
    for (const GraphStep& step : graph->steps) {
      if (step.node != node) continue;
      *enabled = step.enabled ? 1 : 0;
      return Error::Success;
    }
    return Error::InvalidValue;
  });
}

LAB_API Error cudaGraphDebugDotPrint(Graph* graph, const char* path, unsigned /*flags*/) {
  return enter(Asks::Host, [&](Context&) {
    constexpr const char* kKinds[] = {"kernel",     "memcpy",       "memset", "host", "graph",     "empty",
                                      "event wait", "event record", "",       "",     "mem alloc", "mem free",
                                      "",           "conditional"};
    if (graph == nullptr || path == nullptr) return Error::InvalidValue;
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return Error::OperatingSystem;
    std::map<const GraphNode*, std::size_t> place;
    std::fputs("digraph dot {\n", file);
    for (const auto& node : graph->nodes) {
      const std::size_t number = place.emplace(node.get(), place.size()).first->second;
      std::fprintf(file, "  node_%zu [label=\"%zu %s\"];\n", number, number,
                   kKinds[static_cast<std::size_t>(node->type)]);
    }
    for (const auto& node : graph->nodes) {
      for (const GraphNode* const before : node->after)
        std::fprintf(file, "  node_%zu -> node_%zu;\n", place.at(before), place.at(node.get()));
    }
    std::fputs("}\n", file);
    return std::fclose(file) == 0 ? Error::Success : Error::OperatingSystem;
  });
}

// The driver's names; calls of edges have data for each since CUDA 12.3.
LAB_SAME_EARLY(cuGraphGetNodes, cudaGraphGetNodes);
LAB_SAME_EARLY(cuGraphGetRootNodes, cudaGraphGetRootNodes);
LAB_SAME_EARLY(cuGraphNodeGetType, cudaGraphNodeGetType);
LAB_SAME_EARLY(cuGraphNodeFindInClone, cudaGraphNodeFindInClone);
LAB_SAME_EARLY(cuGraphDestroyNode, cudaGraphDestroyNode);
LAB_SAME_EARLY(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled);
LAB_SAME_EARLY(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled);
LAB_SAME_EARLY(cuGraphDebugDotPrint, cudaGraphDebugDotPrint);
LAB_SAME_EARLY(cuGraphAddDependencies_v2, cudaGraphAddDependencies_v2);
LAB_SAME_EARLY(cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies_v2);
LAB_SAME_EARLY(cuGraphGetEdges_v2, cudaGraphGetEdges_v2);
LAB_SAME_EARLY(cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies_v2);
LAB_SAME_EARLY(cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes_v2);
LAB_ENTRY int cuGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                     std::size_t count) {
  return lab_same_cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
LAB_ENTRY int cuGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                        std::size_t count) {
  return lab_same_cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
LAB_ENTRY int cuGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return lab_same_cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
LAB_ENTRY int cuGraphNodeGetDependencies(GraphNode* node, GraphNode** found, std::size_t* count) {
  return lab_same_cuGraphNodeGetDependencies_v2(node, found, nullptr, count);
}
LAB_ENTRY int cuGraphNodeGetDependentNodes(GraphNode* node, GraphNode** found, std::size_t* count) {
  return lab_same_cuGraphNodeGetDependentNodes_v2(node, found, nullptr, count);
}
