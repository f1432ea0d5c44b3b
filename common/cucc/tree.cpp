// See tree.h.
#include "common/cucc/tree.h"

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

std::string outer_space(const std::string& space) {
  if (space.size() < 3) return "";
  const std::size_t at = space.rfind("::", space.size() - 3);
  return at == std::string::npos ? "" : space.substr(0, at + 2);
}

}  // namespace lab::cucc
