// Where pointers come from. See pointer_roots.h.
#include "common/sim/analysis/pointer_roots.h"
#include "common/sim/ptx/modifiers.h"

#include <algorithm>

namespace lab::sim {
namespace {

using ptx::OperandKind;

int widest(const ptx::Instruction& in) {
  int bytes = 0;
  for (const std::string& m : in.modifiers) {
    if (const ptx::Type type = ptx::type_named(m); type != ptx::Type::None)
      bytes = std::max(bytes, static_cast<int>(ptx::size_bytes(type)));
  }
  return bytes;
}

// By a register, where its second source is one.
bool multiplies(ptx::Computes how) {
  using ptx::Computes;
  return how == Computes::Multiply || how == Computes::MultiplyAdd || how == Computes::ShiftLeft;
}

class Flow {
 public:
  explicit Flow(const ptx::Function& function) : function_(function) {}

  void run() {
    for (bool grew = true; grew;) {
      grew = false;
      for (const ptx::Instruction& in : function_.body) grew |= step(in);
    }
  }

  [[nodiscard]] PointerRoots of(const ptx::Operand& address) const {
    PointerRoots roots;
    if (address.base_is_register) return of_register(address.name);
    roots.unknown = address.name.empty();
    if (!address.name.empty()) roots.variables.insert(address.name);
    return roots;
  }

 private:
  [[nodiscard]] PointerRoots of_register(const std::string& name) const {
    const auto found = registers_.find(name);
    return found == registers_.end() ? PointerRoots{} : found->second;
  }

  bool step(const ptx::Instruction& in) {
    const ptx::Operand* const written = written_operand(in);
    if (written == nullptr) return false;
    PointerRoots made;
    if (in.row->loads()) {
      made = loaded(in);
    } else if (in.row->sees != ptx::Sees::Operands) {
      made.unknown = widest(in) == 8;
    } else {
      for (std::size_t k = 1; k < in.operands.size(); ++k) add(made, in.operands[k]);
      add_factors(made, in);
    }
    return give(*written, made);
  }

  [[nodiscard]] PointerRoots loaded(const ptx::Instruction& in) const {
    PointerRoots made;
    made.unknown = widest(in) == 8;
    if (in.operands.size() < 2 || !made.unknown) return made;  // without an address decode refuses it
    const ptx::Operand& from =
        in.operands.back().kind == OperandKind::Address ? in.operands.back() : in.operands[1];
    const bool parameter = has(in, "param") && function_.is_entry && !from.base_is_register;
    const bool of_entry = std::any_of(function_.parameters.begin(), function_.parameters.end(),
                                      [&](const ptx::Variable& p) { return p.name == from.name; });
    if (parameter && of_entry && in.operands[0].kind == OperandKind::Register) {
      made.parameters.insert({from.name, from.offset});
      made.unknown = false;
    }
    return made;
  }

  void add(PointerRoots& made, const ptx::Operand& from) const {
    if (from.kind == OperandKind::Register) made.join(of_register(from.name));
    if (from.kind == OperandKind::Symbol) made.variables.insert(from.name);
    for (const ptx::Operand& e : from.elements) add(made, e);
  }

  void add_factors(PointerRoots& made, const ptx::Instruction& in) const {
    if (!multiplies(in.row->computes) || in.operands.size() < 3 ||
        in.operands[1].kind != OperandKind::Register || in.operands[2].kind != OperandKind::Register)
      return;
    for (const std::size_t k : {1, 2}) {
      const PointerRoots factor = of_register(in.operands[k].name);
      made.factors.insert(factor.parameters.begin(), factor.parameters.end());
    }
  }

  bool give(const ptx::Operand& to, const PointerRoots& made) {
    bool grew = false;
    if (to.kind == OperandKind::Register && (made.unknown || made.known()))
      grew = registers_[to.name].join(made);
    for (const ptx::Operand& e : to.elements) grew |= give(e, made);
    return grew;
  }

  const ptx::Function& function_;
  std::map<std::string, PointerRoots> registers_;
};

}  // namespace

bool PointerRoots::join(const PointerRoots& other) {
  const auto size = [&] {
    return parameters.size() + factors.size() + variables.size() + (unknown ? 1u : 0u);
  };
  const std::size_t before = size();
  unknown = unknown || other.unknown;
  parameters.insert(other.parameters.begin(), other.parameters.end());
  factors.insert(other.factors.begin(), other.factors.end());
  variables.insert(other.variables.begin(), other.variables.end());
  return before != size();
}

RootsOfOperands pointer_roots(const ptx::Function& function) {
  Flow flow(function);
  flow.run();
  RootsOfOperands found;
  for (const ptx::Instruction& in : function.body) {
    if (!in.row->moves_bytes()) continue;
    for (const ptx::Operand& operand : in.operands) {
      if (operand.kind == OperandKind::Address) found[&operand] = flow.of(operand);
    }
  }
  return found;
}

}  // namespace lab::sim
