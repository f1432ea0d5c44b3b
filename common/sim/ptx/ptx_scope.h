// The names of one function body, scope by scope.
//
// Compilers wrap every call in `{ … }` and declare `param0` there, again and again; inline assembly does the
// same with its registers and labels. This class gives each declaration in a nested scope a name of its own,
// `param0@7`, and finds the declaration that a name in the text means. Names of the outermost scope stay as
// they are; `@` cannot occur in a PTX name, so nothing collides.
// Enters: declarations and uses, in the order of the text. Leaves: unique names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/sim/ptx/ptx_lexer.h"

namespace lab::sim::ptx {

enum class NameKind : unsigned char { Register, VectorRegister, Variable, Label };

struct Named {
  NameKind kind = NameKind::Register;
  int vector = 1;          // VectorRegister: how many members
  std::string unique{};    // VectorRegister: its members are `unique.x`, `unique.y` …
  Type type = Type::None;  // of a register, of each member, of an element of an array
  bool is_array = false;
};

// A use of a name that may be a label further down, so that it can be resolved only when its scope closes.
struct LabelUse {
  enum class Where : unsigned char { Operand, BranchTarget, CallTarget };
  Where where = Where::Operand;
  std::size_t index = 0;    // into the body, or into the target lists
  std::size_t operand = 0;  // of the instruction, or the place in the target list
  int element = -1;         // of a Group or Vector operand
  Token token;
};

class Scopes {
 public:
  // Errors are reported through `lexer`. `opened` numbers the nested scopes of the whole module, so that
  // their names differ between functions too. Both must outlive the scopes.
  Scopes(const Lexer& lexer, int& opened);

  [[nodiscard]] std::size_t depth() const { return scopes_.size(); }
  void open(const Token& brace);
  // Closes the innermost scope. `resolved` is called for every pending use that names one of its labels; all
  // others wait in the scope around. The outermost scope returns what is left over.
  template <class Resolved>
  std::vector<LabelUse> close(Resolved resolved);

  // Each declares a name in the innermost scope and returns its unique form.
  std::string declare(const Token& name, Named named);
  // The same with a number of its own even in the outermost scope: for a name that another function has too.
  std::string declare_apart(const Token& name, Named named);
  // As many registers, each as `named` says.
  std::string declare_range(const Token& base, std::uint64_t count, Named named);
  std::string declare_label(const Token& name) { return declare(name, {.kind = NameKind::Label}); }

  // What a register or variable name means here, from the innermost scope outwards. Labels are not found:
  // they may be declared after their use, see `pending`.
  [[nodiscard]] std::optional<Named> find(std::string_view name) const;
  void pending(LabelUse use) { scopes_.back().uses.push_back(use); }
  // The instruction that was to be number `from` of the body became number `to`.
  void moved(std::size_t from, std::size_t to);

 private:
  struct Range {
    std::uint64_t count = 0;
    Named named;  // its name without the number
    Token token;
  };
  struct Declared {
    Named named;
    Token token;
  };
  struct Scope {
    std::string suffix;  // "" outermost, "@7" inside
    std::unordered_map<std::string_view, Declared> names;
    std::unordered_map<std::string_view, Range> ranges;
    std::vector<LabelUse> uses;
  };

  [[nodiscard]] static std::optional<Named> find_in_ranges(const Scope& scope, std::string_view name);
  void check_overlaps(const Scope& scope) const;
  Scope pop();
  std::string declare_as(const Token& name, Named named, const std::string& suffix);

  const Lexer& lexer_;
  std::vector<Scope> scopes_;
  int& opened_;
};

template <class Resolved>
std::vector<LabelUse> Scopes::close(Resolved resolved) {
  Scope closed = pop();
  std::vector<LabelUse> left;
  for (const LabelUse& use : closed.uses) {
    const auto found = closed.names.find(use.token.text);
    if (found != closed.names.end() && found->second.named.kind == NameKind::Label) {
      resolved(use, found->second.named.unique);
    } else {
      left.push_back(use);
    }
  }
  if (scopes_.empty()) return left;
  std::vector<LabelUse>& outer = scopes_.back().uses;
  outer.insert(outer.end(), left.begin(), left.end());
  return {};
}

}  // namespace lab::sim::ptx
