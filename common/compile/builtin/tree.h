// What a file says, as a tree: what the parser makes and the walk reads.
//
// Nothing here knows types or values: a type is a node that names it, a template is what it was written as.
// Nodes live as long as their Program; pointers to them are their identity, which the walk uses to remember
// what it learnt of them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/compile/builtin/source.h"

namespace lab::cucc {

enum class NodeKind {
  // Types; is_type() counts on their being first.
  NamedType,
  PointerType,
  ReferenceType,
  ArrayType,
  ExpandedType,  // of a pack of types: `T...`
  // Expressions.
  Number,
  String,
  Character,
  Name,
  Member,
  Index,
  Call,
  Unary,
  Postfix,
  Binary,
  Assign,
  Conditional,
  Cast,
  SizeOf,
  List,
  Lambda,
  Expansion,  // of a pack: `x...`
  Fold,
  // Statements.
  Block,
  Declaration,
  Variable,
  Alias,
  Expression,
  If,
  For,  // while and do, too
  Switch,
  Case,
  Return,
  Break,
  Continue,
  Assembly,
  StaticAssert,
  Empty,
};

struct Node;

// What stands before a declaration.
struct Storage {
  bool is_constexpr = false, is_shared = false, is_constant = false, is_device = false, is_extern = false,
       is_static = false;
  bool is_kernel = false, has_plain_name = false;  // __global__; extern "C"
  Node* align = nullptr;
  Node* most_threads = nullptr;  // __launch_bounds__
};

struct Operand {  // of an asm: "=r"(x)
  std::string text;
  Node* tree = nullptr;
};

struct Node {
  NodeKind kind = NodeKind::Empty;
  Position at;
  std::string text;              // a name, an operator, the text of a literal; of a cast which one
  std::vector<Node*> captures;   // of a lambda: what its brackets name, `&` and values in `member` and kids
  std::vector<Node*> kids;       // null where something optional is missing; of a lambda body and parameters
  Node* type = nullptr;          // of a variable, a cast, a sizeof, a lambda's result
  std::vector<Node*> arguments;  // of a template …
  std::string member;            // … and what follows them: WordOf<4>::Type
  bool is_const = false, is_volatile = false;  // of a type
  bool in_brackets = false;                    // of an expression: written in ( ); of a lambda: mutable
  bool is_pack = false;                        // of a parameter
  bool begins_line = false;                    // of an operator: a `;` may be missing above it
  Storage storage;                             // of a variable
  Node* unroll = nullptr;                      // of a loop: the count of its pragma, a name or a number
  std::vector<std::string>
      names;  // of a lambda: all that its body names; of a list: designators; of a structured binding
  std::vector<Operand> operands;  // of an asm, the first `outputs` are written
  std::size_t outputs = 0;
  Position end;  // of a block; of the left side of an operator
  int item = 0;  // the declaration outside of functions that it is part of
};
// What a node has below it, null where something is missing.
template <class AnyNode, class Action>
void for_each_below(AnyNode& n, const Action& action) {
  for (auto& kid : n.kids) action(kid);
  for (auto& argument : n.arguments) action(argument);
  for (auto& capture : n.captures) action(capture);
  for (auto& operand : n.operands) action(operand.tree);
  action(n.type), action(n.storage.align);
}

[[nodiscard]] inline bool is_type(const Node& node) { return node.kind <= NodeKind::ExpandedType; }
[[nodiscard]] inline bool is_statement(const Node& node) { return node.kind >= NodeKind::Block; }

struct TemplateParameter {
  std::string name;
  Node* value_type = nullptr;  // null: it is a type
  Node* standard = nullptr;
  bool is_pack = false;
};
struct Function {
  std::string name, space;  // "swizzle", "lab::"
  Position at;
  Node* returns = nullptr;
  std::vector<Node*> parameters;
  Node* body = nullptr;  // null: only declared
  bool is_deleted = false;
  std::string instead;  // of a deleted one: what stands in the brackets
  std::vector<TemplateParameter> templates;
  Storage storage;
  bool is_defaulted = false;    // of a constructor, an operator==
  std::vector<Node*> initials;  // … what stands behind its `:`, as variables
  const Function* written_from = nullptr;
  std::map<std::string, std::size_t> packs;  // of one whose packs are written out: their lengths
};
struct Struct {
  std::string name, space;
  Position at;
  bool is_complete = false, is_union = false, is_local = false;  // local: inside of a function
  std::vector<Node*> fields, aliases;                            // aliases: and static constexpr members
  Node* align = nullptr;
  std::vector<TemplateParameter> templates;
  std::vector<Node*> special;  // the arguments that this specialisation is for
  std::vector<Struct*> specialised;
  std::vector<Node*> asserts;
  std::vector<Function*> constructors;
  std::map<std::string, std::vector<Function*>> functions;
};

// Names are qualified: "lab::swizzle".
struct Program {
  struct Variable {
    Node* tree;
    std::string space;
  };
  struct Enumerator {
    Node* value;
    std::string space, type;  // of an enum without a name: ""
  };
  struct Enumeration {
    bool is_scoped;
    Node* underlying;
  };
  std::map<std::string, std::vector<Function*>> functions;
  std::map<std::string, Variable> variables;
  std::map<std::string, Struct*> structs;
  std::map<std::string, Node*> aliases;
  std::map<std::string, std::vector<TemplateParameter>> templates;  // of aliases and variables
  std::map<std::string, std::string> same;                          // using lab::kRows; namespace cg = …
  std::map<std::string, Enumerator> enumerators;
  std::map<std::string, Enumeration> enums;
  std::set<std::string> spaces;    // namespaces
  std::vector<std::string> order;  // of variables and kernels, as the file has them
  std::vector<std::pair<Node*, std::string>> asserts;
  std::vector<std::string> asserting;  // structs that are no templates and assert something
  using NameInItem = std::pair<int, std::string>;
  int item = 0;                         // that is being parsed
  std::set<NameInItem> changed;         // names that something assigns to, but for the counting of loops …
  std::set<NameInItem> changed_inside;  // … and those whose elements or members are assigned to

  // What `name` means in namespace `space`, from the inner namespace outwards and through other names, of
  // what `is_known` knows; "" where it knows none.
  using Known = std::function<bool(const std::string&)>;
  [[nodiscard]] std::string qualified(const std::string& name, std::string space,
                                      const Known& is_known) const;

  Node* make(NodeKind kind, Position at, std::string text = "", std::vector<Node*> kids = {});
  Function& make_function() { return all_functions.emplace_back(); }
  Struct& make_struct() { return all_structs.emplace_back(); }

  std::deque<Node> nodes;
  std::deque<Function> all_functions;
  std::deque<Struct> all_structs;
};

}  // namespace lab::cucc
