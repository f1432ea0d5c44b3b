// Leaders by one sweep; post-dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast
// Dominance Algorithm") on the reversed graph of basic blocks.
#include "common/sim/analysis/control_flow.h"

#include <algorithm>
#include <utility>

namespace lab::sim {
namespace {

struct Graph {
  std::vector<std::uint32_t> first;     // first instruction of each block
  std::vector<std::uint32_t> block_of;  // block of each instruction
  std::vector<std::vector<std::uint32_t>> next, before;
};

std::vector<bool> find_leaders(const std::vector<FlowNode>& nodes) {
  std::vector<bool> leader(nodes.size(), false);
  leader[0] = true;
  leader.back() = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::uint32_t t : nodes[i].targets) leader[t] = true;
    if (nodes[i].ends_block && i + 1 < nodes.size()) leader[i + 1] = true;
  }
  return leader;
}

Graph build_graph(const std::vector<FlowNode>& nodes, const std::vector<bool>& leader) {
  Graph g;
  g.block_of.resize(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (leader[i]) g.first.push_back(i);
    g.block_of[i] = static_cast<std::uint32_t>(g.first.size() - 1);
  }
  g.next.resize(g.first.size());
  g.before.resize(g.first.size());
  for (std::uint32_t b = 0; b < g.first.size(); ++b) {
    const std::uint32_t last =
        (b + 1 < g.first.size() ? g.first[b + 1] : static_cast<std::uint32_t>(nodes.size())) - 1;
    const auto link = [&](std::uint32_t to) {
      g.next[b].push_back(to);
      g.before[to].push_back(b);
    };
    for (const std::uint32_t t : nodes[last].targets) link(g.block_of[t]);
    if (nodes[last].falls_through && last + 1 < nodes.size()) link(b + 1);
  }
  return g;
}

// Post-order of the reversed graph from the exit; blocks that cannot reach the exit stay out.
std::vector<std::uint32_t> backward_postorder(const Graph& g, std::uint32_t exit) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(g.first.size(), false);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{exit, 0}};
  seen[exit] = true;
  while (!stack.empty()) {
    auto& [block, child] = stack.back();
    if (child < g.before[block].size()) {
      const std::uint32_t to = g.before[block][child++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
    } else {
      order.push_back(block);
      stack.pop_back();
    }
  }
  return order;
}

// Immediate post-dominator of each block, as a block; kNoMeeting where there is none.
std::vector<std::uint32_t> post_dominators(const Graph& g) {
  const auto exit = static_cast<std::uint32_t>(g.first.size() - 1);
  const std::vector<std::uint32_t> order = backward_postorder(g, exit);
  std::vector<std::uint32_t> rank(g.first.size(), 0);
  for (std::uint32_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
  std::vector<std::uint32_t> idom(g.first.size(), kNoMeeting);
  idom[exit] = exit;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (rank[a] < rank[b]) a = idom[a];
      while (rank[b] < rank[a]) b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (*it == exit) continue;
      std::uint32_t best = kNoMeeting;
      for (const std::uint32_t n : g.next[*it]) {
        if (idom[n] == kNoMeeting) continue;
        best = best == kNoMeeting ? n : meet(n, best);
      }
      if (best != idom[*it]) {
        idom[*it] = best;
        changed = true;
      }
    }
  }
  idom[exit] = kNoMeeting;
  return idom;
}

}  // namespace

ControlFlow analyse_flow(const std::vector<FlowNode>& nodes) {
  ControlFlow flow;
  flow.reconverge.assign(nodes.size(), kNoMeeting);
  if (nodes.empty()) return flow;
  flow.leader = find_leaders(nodes);
  const Graph graph = build_graph(nodes, flow.leader);
  const std::vector<std::uint32_t> idom = post_dominators(graph);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].targets.empty()) continue;
    const std::uint32_t meeting = idom[graph.block_of[i]];
    if (meeting != kNoMeeting) flow.reconverge[i] = graph.first[meeting];
  }
  return flow;
}

LoopSearch::LoopSearch(const std::vector<FlowNode>& nodes) : nodes_(nodes), jumps_(nodes.size()) {
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    for (const std::uint32_t t : nodes[n].targets) jumps_[t].push_back(n);
}

void LoopSearch::mark(std::uint32_t node) { marked_.insert(node); }

bool LoopSearch::has_marked(std::uint32_t head, std::uint32_t back) const {
  const auto first = marked_.lower_bound(head);
  if (first == marked_.end() || *first >= back) return false;
  std::vector<bool> seen(back - head + 1, false);
  std::vector<std::uint32_t> open{back};
  const auto visit = [&](std::uint32_t n) {
    if (n >= head && n < back && !seen[n - head]) open.push_back(n), seen[n - head] = true;
  };
  while (!open.empty()) {
    const std::uint32_t n = open.back();
    open.pop_back();
    if (n != back && marked_.contains(n)) return true;
    if (n == head) continue;
    for (const std::uint32_t from : jumps_[n]) visit(from);
    if (nodes_[n - 1].falls_through) visit(n - 1);
  }
  return false;
}

}  // namespace lab::sim
