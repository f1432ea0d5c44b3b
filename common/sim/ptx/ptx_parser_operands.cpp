// Reads the operands of instructions. See ptx_parser.h and Operand in ptx_module.h.
//
// Enters: `%r1`, `[%rd2+16]`, `{%f1, %f2}`, `%p1|%p2`, `0f3F800000`, … Leaves: Operands whose names are
// unique.
#include "common/sim/ptx/ptx_parser.h"
#include "common/sim/ptx/special_registers.h"

namespace lab::sim::ptx {
namespace {

Operand register_operand(std::string name) {
  Operand made;
  made.kind = OperandKind::Register;
  made.name = std::move(name);
  return made;
}

// Takes `.b0` or `.h10` off the name of a register.
std::string cut_part(Token& name) {
  const std::size_t dot = name.text.rfind('.');
  if (dot == std::string_view::npos || dot + 2 >= name.text.size()) return {};
  const std::string_view part = name.text.substr(dot + 1);
  const bool is_part = (part[0] == 'b' || part[0] == 'h') && part.size() <= 5 &&
                       part.find_first_not_of("01234567", 1) == std::string_view::npos;
  if (!is_part) return {};
  name.text = name.text.substr(0, dot);
  return std::string(part);
}

constexpr std::string_view kMembers = "xyzw", kColors = "rgba";

Operand members_of(std::string_view vector, std::size_t width) {
  Operand made;
  made.kind = OperandKind::Vector;
  for (std::size_t i = 0; i < width; ++i)
    made.elements.push_back(register_operand(std::string(vector) + "." + kMembers[i]));
  return made;
}

}  // namespace

Operand Parser::operand(Function& function, const Instruction& in) {
  const bool in_call = in.row->next == Next::Call;
  use_.element = -1;
  if (lexer_.at('{')) return list_operand(OperandKind::Vector, '}');
  if (in_call && lexer_.at('(')) return list_operand(OperandKind::Group, ')');
  if (lexer_.at('[')) return address();
  const Token first = lexer_.peek();
  Operand made = simple_operand();
  if (lexer_.at('[')) element_of(made, first, in);
  if (lexer_.at('+')) sum(function, made, first, in);
  return made;
}

// Everything but a list or an address.
Operand Parser::simple_operand() {
  if (lexer_.at('!') && !at_constant(lexer_)) {
    lexer_.take();
    Operand made = register_operand(register_name(lexer_.expect_word("a predicate register after '!'")));
    made.negated = true;
    return made;
  }
  if (at_constant(lexer_)) return constant_operand();
  Operand made = part_operand(lexer_.expect_word("an operand"));
  if (lexer_.accept('|')) {
    if (made.kind != OperandKind::Register && made.kind != OperandKind::Sink)
      lexer_.fail("only registers stand on both sides of '|'");
    const Token second = lexer_.expect_word("a register after '|'");
    if (second.text != "_") made.predicate_or = register_name(second);
  }
  return made;
}

Operand Parser::list_operand(OperandKind kind, char closing) {
  Operand made;
  made.kind = kind;
  const Token opening = lexer_.take();
  if (lexer_.accept(closing)) return made;
  do {
    if (made.elements.size() >= kMostListed) lexer_.fail(opening, "this list is too long");
    use_.element = static_cast<int>(made.elements.size());
    Operand element = simple_operand();
    if (element.kind == OperandKind::Vector && kind != OperandKind::Group)
      lexer_.fail(opening, "a vector register cannot stand in a list");
    made.elements.push_back(std::move(element));
  } while (lexer_.accept(','));
  lexer_.expect(closing, "after a list of operands");
  use_.element = -1;
  return made;
}

// `[%rd1+8]`, `[symbol]`, `[16]`, and `[%rd1, {%r2, %r3}]`, whose coordinates become elements.
Operand Parser::address() {
  Operand made;
  const Token opening = lexer_.expect('[', "before an address");
  if (lexer_.at_word() && lexer_.peek().text != "WARP_SZ") {
    made = named_operand(lexer_.take());
    if (made.kind != OperandKind::Register && made.kind != OperandKind::Symbol)
      lexer_.fail(opening, "an address starts with a register, a symbol or a number");
    made.base_is_register = made.kind == OperandKind::Register;
    if (lexer_.at('+')) made.offset += address_offset();
  } else {
    const Constant value = parse_constant(lexer_);
    if (value.is_float()) lexer_.fail(opening, "an address cannot be a floating-point number");
    made.offset = static_cast<std::int64_t>(value.bits);
  }
  made.kind = OperandKind::Address;
  if (lexer_.accept(',')) {
    if (!lexer_.at('{')) lexer_.fail(msg("expected coordinates in braces, found {}", shown(lexer_.peek())));
    made.elements = list_operand(OperandKind::Vector, '}').elements;
  }
  lexer_.expect(']', "after an address");
  return made;
}

// `+ 8`, `+-8`; of labels in debug data also `-8`.
std::int64_t Parser::address_offset() {
  const bool minus = lexer_.at('-');
  const Token sign = lexer_.take();
  const Constant value = parse_constant(lexer_);
  if (value.is_float()) lexer_.fail(sign, "an address offset must be a whole number");
  return static_cast<std::int64_t>(minus ? 0 - value.bits : value.bits);
}

Operand Parser::constant_operand() {
  // `-%r1`: the sign belongs to a register.
  if (lexer_.at('-')) {
    const Lexer before = lexer_;
    lexer_.take();
    if (lexer_.at_word() && lexer_.peek().text != "WARP_SZ") {
      Token name = lexer_.take();
      std::string part = cut_part(name);
      Operand made = register_operand(register_name(name));
      made.negated = true;
      made.part = std::move(part);
      return made;
    }
    lexer_ = before;
  }
  const Constant value = parse_constant(lexer_);
  Operand made;
  made.kind = OperandKind::Immediate;
  made.bits = value.bits;
  made.literal = value.literal;
  return made;
}

// A name, or a part of a register.
Operand Parser::part_operand(const Token& name) {
  Token base = name;
  std::string part = cut_part(base);
  Operand made = named_operand(base);
  if (!part.empty() && made.kind != OperandKind::Register)
    lexer_.fail(name, msg("the variable {} has no member {}", shown(base.text), shown("." + part)));
  made.part = std::move(part);
  return made;
}

// What a name means: `_`, a register, a variable, a special register, or else a label or symbol of the
// module.
Operand Parser::named_operand(const Token& name) {
  if (name.text == "_") return {};
  const std::size_t dot = name.text.find('.');
  const std::string_view base = name.text.substr(0, dot);
  const std::string_view member = dot == std::string_view::npos ? "" : name.text.substr(dot);
  const std::optional<Named> found = scopes_->find(base);
  if (!found) {
    if (const SpecialRegister* special = special_register(name.text); special != nullptr) {
      if (!special->has_members || !member.empty()) return register_operand(std::string(name.text));
      return members_of(name.text, 4);
    }
    if (base.starts_with('%') || !member.empty())
      lexer_.fail(name, msg("the register {} is not declared", shown(name)));
    LabelUse use = use_;
    use.token = name;
    scopes_->pending(use);
  } else if (found->kind == NameKind::Register) {
    return register_operand(found->unique + std::string(member));
  } else if (found->kind == NameKind::VectorRegister) {
    const auto width = static_cast<std::size_t>(found->vector);
    if (member.empty()) return members_of(found->unique, width);
    for (const std::string_view names : {kMembers, kColors}) {
      const std::size_t at = member.size() == 2 ? names.find(member[1]) : width;
      if (at < width) return register_operand(found->unique + "." + kMembers[at]);
    }
    lexer_.fail(name, msg("the vector register has no member {}", shown(member)));
  }
  if (!member.empty()) lexer_.fail(name, msg("the variable {} has no member {}", shown(base), shown(member)));
  Operand made;
  made.kind = OperandKind::Symbol;
  made.name = found ? found->unique : std::string(name.text);
  if (lexer_.at('+')) made.offset = address_offset();
  return made;
}

// A place where only a register can stand.
std::string Parser::register_name(const Token& name) {
  const std::optional<Named> found = scopes_->find(name.text);
  if (found && found->kind == NameKind::Register) return found->unique;
  if (found) lexer_.fail(name, msg("expected a register here, but {} is none", shown(name)));
  const Operand made = name.text.starts_with('%') ? named_operand(name) : Operand{};
  if (made.kind != OperandKind::Register)
    lexer_.fail(name, msg("the register {} is not declared", shown(name)));
  return made.name;
}

}  // namespace lab::sim::ptx
