// See tree.h.
#include "common/compile/builtin/tree.h"

namespace lab::cucc {

Node* Program::make(NodeKind kind, Position at, std::string text, std::vector<Node*> kids) {
  Node& node = nodes.emplace_back();
  node.kind = kind;
  node.at = at;
  node.text = std::move(text);
  node.kids = std::move(kids);
  node.item = item;
  return &node;
}

namespace {

constexpr int kMostHops = 16;  // using a = b, using b = a

// "lab::detail::" → "lab::" → "".
std::string outer_space(const std::string& space) {
  if (space.size() < 3) return "";
  const std::size_t at = space.rfind("::", space.size() - 3);
  return at == std::string::npos ? "" : space.substr(0, at + 2);
}

// The name that `q` is another name for, as a whole or by its namespace (namespace cg = cooperative_groups);
// "".
std::string other_name(const std::map<std::string, std::string>& same, const std::string& q) {
  if (const auto whole = same.find(q); whole != same.end()) return whole->second;
  const std::size_t colon = q.find("::");
  if (colon == std::string::npos) return "";
  const auto first = same.find(q.substr(0, colon));
  return first == same.end() ? "" : first->second + q.substr(colon);
}

}  // namespace

std::string Program::qualified(const std::string& name, std::string space, const Known& is_known) const {
  for (;; space = outer_space(space)) {
    std::string q = space + name;
    for (int hops = 0; hops < kMostHops && !q.empty(); ++hops, q = other_name(same, q))
      if (is_known(q)) return q;
    if (space.empty()) return "";
  }
}

}  // namespace lab::cucc
