// What an expression is while the tree is walked: a value, a place, a function.
//
// A value is a row of leaves, one for each part of its type; a leaf is a constant or a register. So constants
// fold by themselves, and a struct or a small array lives in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/compile/builtin/types.h"

namespace lab::cucc {

struct Leaf {
  std::string reg;  // empty: known
  std::int64_t i = 0;
  double d = 0;
  [[nodiscard]] bool known() const { return reg.empty(); }
};

enum class Space { Generic, Global, Shared, Local, Const, Param, Special };
[[nodiscard]] const char* space_word(Space space);  // ".shared"

struct Variable;
struct Scope;
struct Value {
  enum class Kind { Plain, InVariable, InMemory, Functions, Lambda };
  Kind kind = Kind::Plain;
  const Type* type = nullptr;
  std::vector<Leaf> leaves = {};  // of a plain value
  bool is_shared = false;         // these are registers that others read too …
  bool is_steady = false;         // … and that never change
  Variable* variable =
      nullptr;  // InVariable: it lies there, from part `first` on; of a plain pointer: it points there
  std::size_t first = 0;
  bool is_viewed = false;        // InVariable: as another type, at the byte `offset`
  const Node* owner = nullptr;   // the pointer variable that is this pointer to a variable
  Space space = Space::Generic;  // where it lies; of a plain pointer: where it points
  std::string base = {};         // InMemory: a register or a symbol
  std::int64_t offset = 0;
  std::shared_ptr<Value> kept = {};  // what was just stored there: `a = b = 0` reads nothing
  const std::vector<Function*>* functions = nullptr;
  std::shared_ptr<Value> object = {};  // whose functions they are
  const Node* node = nullptr;          // a lambda; a name with template arguments
  Scope* scope = nullptr;              // of a lambda: what it sees

  [[nodiscard]] bool is_place() const { return kind == Kind::InVariable || kind == Kind::InMemory; }
  [[nodiscard]] bool is_null() const {  // what a pointer can be compared with
    return type->kind == TypeKind::NullPointer || (known() && is_integer(type) && leaves[0].i == 0);
  }
  [[nodiscard]] bool all_known() const {
    return std::all_of(leaves.begin(), leaves.end(), [](const Leaf& leaf) { return leaf.known(); });
  }
  [[nodiscard]] bool known() const {
    return kind == Kind::Plain && leaves.size() == 1 && leaves[0].known() && variable == nullptr;
  }
};

struct Variable {
  std::string name;
  const Type* type = nullptr;
  const Node* tree = nullptr;
  std::vector<Leaf> leaves;
  std::optional<Value> refers;    // a reference, a lambda, or what lies in memory
  Space points = Space::Generic;  // where a pointer points
  bool is_steady = false;         // keeps what it began with
  bool is_computed = false;       // of a constexpr function: always known, and changes
};

struct Entity {  // what a name means: a variable or a type
  Variable* variable = nullptr;
  const Type* type = nullptr;
  bool is_broken = false;  // its declaration had a mistake, which has been reported
  bool is_pack = false;    // of parameters: `count` of them, under names of their own
  std::size_t count = 0;
};
struct Scope {
  std::map<std::string, Entity> names;
  Scope* up = nullptr;
  std::string space;       // "lab::"
  bool continues = false;  // a body: what its loop or function declares is declared here too
};

}  // namespace lab::cucc
