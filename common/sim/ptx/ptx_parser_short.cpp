// Short forms of PTX are written out, so that readers of a module see the long forms alone.
//
// Enters: an operand or an instruction that was read. Leaves: its long form, with instructions before and after.
//   mov.u64 d, tab[2];            the address of an element: tab + 8
//   ld.global.u32 r, tab[2];      the element: [tab+8]
//   st.global.u32 [d], r+1;       a sum: add.s32 t, r, 1 before it
//   lop3.or.b32 r|p, …;           a comparison of its result behind it
//   .func (.reg .b32 o) f (.reg .b32 a), call (r), f, (5);    register arguments: .param variables, loads, stores
#include <algorithm>
#include <utility>

#include "common/sim/ptx/modifiers.h"
#include "common/sim/ptx/ptx_parser.h"

namespace lab::sim::ptx {
namespace {

Operand named(OperandKind kind, std::string name) {
  Operand made;
  made.kind = kind;
  made.name = std::move(name);
  return made;
}

Operand number(std::uint64_t bits) {
  Operand made;
  made.kind = OperandKind::Immediate;
  made.bits = bits;
  made.literal = Type::S64;
  return made;
}

// Stands where `in` does, and under its guard.
Instruction beside(const Instruction& in, const std::string& opcode, std::vector<Operand> operands) {
  Instruction made;
  made.guard = in.guard;
  made.guard_negated = in.guard_negated;
  made.source = in.source;
  made.inlined_at = in.inlined_at;
  made.ptx_line = in.ptx_line;
  made.ptx_column = in.ptx_column;
  set_opcode(made, opcode);
  made.operands = std::move(operands);
  return made;
}

// `ld.param.v2.b32` and its kin.
std::string access(std::string_view opcode, const Variable& parameter) {
  std::string text = std::string(opcode) + ".param.";
  if (parameter.vector > 1) text += "v" + std::to_string(parameter.vector) + ".";
  return text += parameter.type == Type::Pred ? "u16" : name(parameter.type);
}

}  // namespace

// A register or variable of the body. What comes or goes in a register has a variable beside it.
void Parser::name_parameter(Function& function, Variable& parameter, const Token& name) {
  if (name.text == "_") return;
  if (!parameter.in_register) {
    scopes_->declare(name, {.kind = NameKind::Variable, .type = parameter.type});
    return;
  }
  if (parameter.is_array) lexer_.fail(name, "an array cannot be passed in registers");
  const bool vector = parameter.vector > 1;
  declare_registers(function,
                    {.kind = vector ? NameKind::VectorRegister : NameKind::Register,
                     .vector = parameter.vector,
                     .type = parameter.type},
                    {}, name);
  parameter.name += "@param";
  const bool returned =
      &parameter >= function.returns.data() && &parameter < function.returns.data() + function.returns.size();
  if (returned) return;
  Instruction begin;
  begin.ptx_line = name.line;
  std::vector<Instruction> loads;
  load_argument(function, loads, parameter, parameter.name, named_operand(name), begin);
  for (Instruction& one : loads) append(function, std::move(one));
}

// `tab[2]`. Elements are those of the variable's type; of a vector's or of inner dimensions none has a number
// of its own.
void Parser::element_of(Operand& array, const Token& name, const Instruction& in) {
  const std::optional<Named> local = scopes_->find(name.text);
  const auto known = symbols_.find(std::string(name.text));
  const Variable* const global = !local && known != symbols_.end() && !known->second.is_function
                                     ? &module_.variables[known->second.index]
                                     : nullptr;
  const bool is_array =
      local ? local->kind == NameKind::Variable && local->is_array : global != nullptr && global->is_array;
  if (!is_array || array.kind != OperandKind::Symbol || array.offset != 0)
    lexer_.fail(name, msg("{} is no array", shown(name)));
  lexer_.expect('[', "before the number of an element");
  const Constant index = parse_constant(lexer_);
  if (index.is_float()) lexer_.fail(name, "the number of an element must be a whole number");
  lexer_.expect(']', "after the number of an element");
  const int bytes = size_bytes(local ? local->type : global->type);
  array.offset = static_cast<std::int64_t>(index.bits * static_cast<std::uint64_t>(bytes));
  const bool copies_box =
      in.row->reader == Reader::Bulk && ptx::has(in, "tensor") && !ptx::has(in, "prefetch");
  if (in.row->loads() || in.row->stores() || copies_box) {
    array.kind = OperandKind::Address;
  } else if (in.row->reader != Reader::Move && in.row->reader != Reader::Convert &&
             in.row->reader != Reader::PeerAddress) {
    lexer_.fail(name, "an element of an array may stand in ld, st, mov, cvta and mapa alone");
  }
}

// `%r1+8` as the value of an operand.
void Parser::sum(Function& function, Operand& first, const Token& name, const Instruction& in) {
  const std::optional<Named> found = scopes_->find(name.text);
  const bool written = in.operands.empty() && in.row->writes != Writes::Nothing;
  const int bytes = found ? size_bytes(found->type) : 0;
  if (first.kind != OperandKind::Register || !found || found->kind != NameKind::Register || bytes < 2 ||
      bytes > 8 || is_float(found->type) || !first.predicate_or.empty() || first.negated || written ||
      in.row->next == Next::Call)
    lexer_.fail("only registers with whole numbers that are read may stand in a sum");
  const auto offset = static_cast<std::uint64_t>(address_offset());
  const std::string result =
      scratch(function, found->type, name.line, first.name + "+" + std::to_string(offset));
  before_.push_back(beside(in, "add.s" + std::to_string(8 * bytes),
                           {named(OperandKind::Register, result), first, number(offset)}));
  first.name = result;
}

std::string Parser::scratch(Function& function, Type type, int line, std::string name) {
  name += "@" + std::to_string(++opened_scopes_);
  function.registers.push_back({name, type, 0, line});
  return name;
}

// Predicates are passed as 1 or 0.
void Parser::store_argument(Function& function, const Variable& parameter, const std::string& at,
                            Operand value, const Instruction& in) {
  if (parameter.type == Type::Pred) {
    const std::string as_number = scratch(function, Type::U16, in.ptx_line);
    before_.push_back(beside(
        in, "selp.u16", {named(OperandKind::Register, as_number), number(1), number(0), std::move(value)}));
    value = named(OperandKind::Register, as_number);
  }
  before_.push_back(beside(in, access("st", parameter), {named(OperandKind::Address, at), std::move(value)}));
}

void Parser::load_argument(Function& function, std::vector<Instruction>& list, const Variable& parameter,
                           const std::string& at, Operand to, const Instruction& in) {
  const Operand from = named(OperandKind::Address, at);
  if (parameter.type != Type::Pred) {
    list.push_back(beside(in, access("ld", parameter), {std::move(to), from}));
    return;
  }
  const Operand as_number = named(OperandKind::Register, scratch(function, Type::U16, in.ptx_line));
  list.push_back(beside(in, access("ld", parameter), {as_number, from}));
  list.push_back(beside(in, "setp.ne.u16", {std::move(to), as_number, number(0)}));
}

// Registers and numbers in the lists of a call get variables, stored before or loaded after it.
void Parser::pass_arguments(Function& function, const Instruction& call, Operand& group, bool results,
                            const std::vector<Variable>& parameters) {
  if (!parameters.empty() && group.elements.size() != parameters.size())
    lexer_.fail("this call does not pass what its function takes");
  for (std::size_t k = 0; k < group.elements.size(); ++k) {
    Operand& passed = group.elements[k];
    if (k >= parameters.size() && passed.kind != OperandKind::Symbol)
      lexer_.fail("this call does not pass what its function takes");
    if (passed.kind == OperandKind::Symbol) continue;
    Variable made = parameters[k];
    made.name = "argument@" + std::to_string(++opened_scopes_);
    made.initial.clear();
    const Operand variable = named(OperandKind::Symbol, made.name);
    function.variables.push_back(made);
    const Operand value = std::exchange(passed, variable);
    if (!results) {
      store_argument(function, made, made.name, value, call);
    } else if (value.kind != OperandKind::Sink) {
      if (!call.guard.empty() && value.name == call.guard)
        lexer_.fail("a call may not write the predicate that guards it");
      load_argument(function, after_, made, made.name, value, call);
    }
  }
}

void Parser::write_out_call(Function& function, Instruction& call) {
  std::size_t k = 0;
  Operand* const results =
      !call.operands.empty() && call.operands[0].kind == OperandKind::Group ? &call.operands[k++] : nullptr;
  if (k >= call.operands.size()) return;
  const std::string& callee = call.operands[k++].name;
  Operand* const arguments =
      k < call.operands.size() && call.operands[k].kind == OperandKind::Group ? &call.operands[k++] : nullptr;
  // The signature: of the function, of this one, or of the prototype.
  const auto known = symbols_.find(callee);
  const Function* const target = callee == function.name ? &function
                                 : known != symbols_.end() && known->second.is_function
                                     ? &module_.functions[known->second.index]
                                     : nullptr;
  std::vector<Variable> returns, parameters;
  if (target != nullptr) returns = target->returns, parameters = target->parameters;
  for (const Prototype& prototype : function.prototypes) {
    if (k < call.operands.size() && prototype.label == call.operands[k].name)
      returns = prototype.returns, parameters = prototype.parameters;
  }
  if ((arguments == nullptr && !parameters.empty()) || (results == nullptr && !returns.empty()))
    lexer_.fail("this call does not pass what its function takes");
  if (arguments != nullptr) pass_arguments(function, call, *arguments, false, parameters);
  if (results != nullptr) pass_arguments(function, call, *results, true, returns);
}

// lop3.or.b32 d|p, a, b, c, table, q;  is lop3.b32 d, …; setp.ne.or.u32 p, d, 0, q;
void Parser::write_out_lop3(Function& function, Instruction& in) {
  const auto join = std::find_if(in.modifiers.begin(), in.modifiers.end(),
                                 [](const std::string& m) { return m == "or" || m == "and"; });
  if (join == in.modifiers.end() || in.operands.size() != 6 || in.operands[0].predicate_or.empty()) return;
  Operand& to = in.operands[0];
  Operand predicate = named(OperandKind::Register, std::exchange(to.predicate_or, {}));
  if (to.kind == OperandKind::Sink)
    to = named(OperandKind::Register, scratch(function, Type::B32, in.ptx_line));
  after_.push_back(
      beside(in, "setp.ne." + *join + ".u32", {std::move(predicate), to, number(0), in.operands[5]}));
  in.modifiers.erase(join);
  in.operands.pop_back();
}

// Before a thread goes back, what the function gives in registers is put where the caller reads it.
void Parser::give_results(Function& function, const Instruction& end) {
  for (const Variable& result : function.returns) {
    if (!result.in_register || result.name == "_") continue;
    const std::string_view plain = std::string_view(result.name).substr(0, result.name.find('@'));
    Operand value = named(OperandKind::Register, std::string(plain));
    if (result.vector > 1) value = named(OperandKind::Vector, "");
    for (int member = 0; result.vector > 1 && member < result.vector; ++member)
      value.elements.push_back(named(OperandKind::Register, std::string(plain) + "." + "xyzw"[member]));
    store_argument(function, result, result.name, value, end);
  }
}

}  // namespace lab::sim::ptx
