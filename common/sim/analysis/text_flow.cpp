// Blocks of a function's text. See text_flow.h.
#include "common/sim/analysis/text_flow.h"

#include <algorithm>
#include <string>
#include <utility>

namespace lab::sim {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

class Builder {
 public:
  explicit Builder(const ptx::Function& function) : function_(function) {}

  TextFlow run() {
    if (function_.body.empty()) return {};
    cut();
    for (std::uint32_t b = 0; b < raw_.size(); ++b) link(b);
    order();
    dominators();
    loops();
    return std::move(flow_);
  }

 private:
  void cut() {
    std::vector<bool> leader(function_.body.size() + 1, false);
    leader[0] = true;
    for (const auto& [label, at] : function_.labels) leader[at] = true;
    for (std::size_t k = 0; k < function_.body.size(); ++k)
      if (function_.body[k].row->ends_block()) leader[k + 1] = true;
    block_of_.resize(function_.body.size() + 1, kNone);
    for (std::size_t k = 0; k < function_.body.size(); ++k) {
      if (leader[k]) raw_.push_back({k, k, {}, {}, 0, {}});
      raw_.back().end = k + 1;
      block_of_[k] = static_cast<std::uint32_t>(raw_.size() - 1);
    }
  }

  void target(std::uint32_t from, const std::string& label) {
    const auto at = function_.labels.find(label);
    if (at == function_.labels.end() || block_of_[at->second] == kNone) return;
    raw_[from].next.push_back(block_of_[at->second]);
  }

  void link(std::uint32_t b) {
    const ptx::Instruction& last = function_.body[raw_[b].end - 1];
    if (last.row->next == ptx::Next::Jump && !last.operands.empty()) target(b, last.operands[0].name);
    if (last.row->next == ptx::Next::JumpIndexed && last.operands.size() > 1) {
      for (const ptx::TargetList& list : function_.branch_targets) {
        if (list.label != last.operands[1].name) continue;
        for (const std::string& label : list.targets) target(b, label);
      }
    }
    const bool goes_on = !last.row->ends_block() || !last.guard.empty();
    if (goes_on && b + 1 < raw_.size()) raw_[b].next.push_back(b + 1);
  }

  void order() {
    std::vector<std::uint32_t> place(raw_.size(), kNone), post;
    std::vector<bool> seen(raw_.size(), false);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
      auto& [block, child] = stack.back();
      if (child == raw_[block].next.size()) {
        post.push_back(block);
        stack.pop_back();
      } else if (const std::uint32_t to = raw_[block].next[child++]; !seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
    }
    std::reverse(post.begin(), post.end());
    for (std::uint32_t k = 0; k < post.size(); ++k) place[post[k]] = k;
    for (const std::uint32_t b : post) {
      flow_.blocks.push_back(raw_[b]);
      for (std::uint32_t& n : flow_.blocks.back().next) n = place[n];
    }
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
      for (const std::uint32_t n : flow_.blocks[b].next) flow_.blocks[n].before.push_back(b);
  }

  // Cooper, Harvey and Kennedy: "A Simple, Fast Dominance Algorithm".
  void dominators() {
    auto& blocks = flow_.blocks;
    for (TextBlock& b : blocks) b.dominator = kNone;
    blocks[0].dominator = 0;
    const auto meet = [&](std::uint32_t a, std::uint32_t b) {
      while (a != b) (a > b ? a : b) = blocks[a > b ? a : b].dominator;
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = 1; b < blocks.size(); ++b) {
        std::uint32_t best = kNone;
        const auto& before = blocks[b].before;  // the last first: each goes on from where the last two met
        for (auto p = before.rbegin(); p != before.rend(); ++p)
          if (blocks[*p].dominator != kNone) best = best == kNone ? *p : meet(*p, best);
        changed = changed || best != blocks[b].dominator;
        blocks[b].dominator = best;
      }
    }
    // Ranks in the tree of dominators; `behind` is how many it dominates, then where the next child begins.
    for (TextBlock& b : blocks) b.behind = 1;
    for (std::size_t b = blocks.size(); b-- > 1;) blocks[blocks[b].dominator].behind += blocks[b].behind;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      TextBlock& above = blocks[blocks[b].dominator];
      const std::uint32_t all = blocks[b].behind;
      if (b > 0) blocks[b].rank = above.behind, above.behind += all;
      blocks[b].behind = blocks[b].rank + 1;
    }
  }

  // A loop is a branch back to a block that dominates it, and all that reaches the branch without the head.
  void loops() {
    for (auto tail = static_cast<std::uint32_t>(flow_.blocks.size()); tail-- > 0;) {
      for (const std::uint32_t head : flow_.blocks[tail].next) {
        if (!flow_.dominates(head, tail)) continue;
        std::vector<std::uint32_t> open{tail};
        while (!open.empty()) {
          const std::uint32_t b = open.back();
          open.pop_back();
          auto& around = flow_.blocks[b].loops;
          const auto at = std::lower_bound(around.begin(), around.end(), head);
          if (at != around.end() && *at == head) continue;
          around.insert(at, head);
          if (b != head)
            open.insert(open.end(), flow_.blocks[b].before.begin(), flow_.blocks[b].before.end());
        }
      }
    }
  }

  const ptx::Function& function_;
  std::vector<TextBlock> raw_;
  std::vector<std::uint32_t> block_of_;
  TextFlow flow_;
};

}  // namespace

bool TextFlow::dominates(std::uint32_t a, std::uint32_t b) const {
  return blocks[a].rank <= blocks[b].rank && blocks[b].rank < blocks[a].behind;
}

bool TextFlow::leads(std::size_t from, std::size_t to) const {
  const auto block_of = [&](std::size_t at) {
    const auto found = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const TextBlock& b) { return b.begin <= at && at < b.end; });
    return found == blocks.end() ? kNone : static_cast<std::uint32_t>(found - blocks.begin());
  };
  const std::uint32_t first = block_of(from), last = block_of(to);
  if (first == kNone || last == kNone) return false;
  std::vector<bool> seen(blocks.size());
  std::vector<std::uint32_t> open{first};
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    if (block == last) return true;
    for (const std::uint32_t next : blocks[block].next) {
      if (!seen[next]) open.push_back(next);
      seen[next] = true;
    }
  }
  return false;
}

bool TextFlow::no_deeper(std::uint32_t a, std::uint32_t b) const {
  return std::includes(blocks[b].loops.begin(), blocks[b].loops.end(), blocks[a].loops.begin(),
                       blocks[a].loops.end());
}

TextFlow text_flow(const ptx::Function& function) { return Builder(function).run(); }

}  // namespace lab::sim
