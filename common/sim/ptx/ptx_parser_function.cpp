// Reads the body of a function: statements, scopes, registers, labels, source lines. See ptx_parser.h.
//
// Enters: everything between the braces. Leaves: a flat list of instructions; scopes are gone, since every
// name in them has become unique (ptx_scope.h).
#include <algorithm>

#include "common/sim/ptx/ptx_parser.h"

namespace lab::sim::ptx {
namespace {

bool is_opcode(std::string_view text) {
  const char c = text.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

void Parser::body(Function& function, const std::vector<Token>& parameter_names) {
  const Token brace = lexer_.expect('{', "before the body of a function");
  scopes_.emplace(lexer_, opened_scopes_);
  line_ = inlined_at_ = {};
  registers_ = 0;
  for (std::size_t i = 0; i < parameter_names.size(); ++i) {
    const bool returned = i < function.returns.size();
    name_parameter(function,
                   returned ? function.returns[i] : function.parameters[i - function.returns.size()],
                   parameter_names[i]);
  }
  statements(function, brace);
  Instruction end = plain_return();
  end.ptx_line = function.body.empty() ? brace.line : function.body.back().ptx_line;
  give_results(function, end);
  for (Instruction& one : std::exchange(before_, {})) append(function, std::move(one));
}

void Parser::statements(Function& function, const Token& brace) {
  while (scopes_->depth() > 0) {
    const Token token = lexer_.peek();
    if (lexer_.at_end())
      lexer_.fail(brace, msg("the body of {} never ends: expected '}}' before the end of the text",
                             shown(function.name)));
    if (lexer_.accept('{')) {
      scopes_->open(token);
    } else if (lexer_.accept('}')) {
      close_scope(function);
    } else if (lexer_.accept('@')) {
      guarded_instruction(function);
    } else if (lexer_.at_directive()) {
      body_directive(function);
    } else if (lexer_.at_word()) {
      lexer_.take();
      if (lexer_.accept(':')) {
        label(function, token);
      } else {
        instruction(function, token, {});
      }
    } else if (!lexer_.accept(';')) {
      lexer_.fail(msg("expected an instruction, a label or a directive here, found {}", shown(token)));
    }
  }
}

void Parser::close_scope(Function& function) {
  std::vector<LabelUse> left = scopes_->close([&](const LabelUse& use, const std::string& unique) {
    switch (use.where) {
      case LabelUse::Where::BranchTarget:
        function.branch_targets[use.index].targets[use.operand] = unique;
        return;
      case LabelUse::Where::CallTarget:
        function.call_targets[use.index].targets[use.operand] = unique;
        return;
      case LabelUse::Where::Operand:
        break;
    }
    Operand& operand = function.body[use.index].operands[use.operand];
    (use.element < 0 ? operand : operand.elements[static_cast<std::size_t>(use.element)]).name = unique;
  });
  for (const LabelUse& use : left) {
    const bool branch = use.where == LabelUse::Where::BranchTarget ||
                        (use.where == LabelUse::Where::Operand && function.body[use.index].opcode == "bra");
    if (branch)
      lexer_.fail(use.token,
                  msg("the label {} is not defined in {}", shown(use.token), shown(function.name)));
    used_symbols_.push_back(use.token);
  }
}

void Parser::body_directive(Function& function) {
  if (lexer_.accept_directive("reg")) return registers(function);
  if (lexer_.accept_directive("loc")) return location(function);
  if (lexer_.accept_directive("pragma")) {
    if (lexer_.peek().text.find("nounroll") != std::string::npos)
      function.no_unroll.push_back(function.body.size());
    lexer_.expect_string("the text of `.pragma`");
    lexer_.expect(';', "after `.pragma`");
    return;
  }
  if (lexer_.accept_directive("file")) return file();
  const std::optional<Space> space = space_named(lexer_.peek().text);
  if (!space) lexer_.fail(msg("a function body has no directive {} that is simulated", shown(lexer_.peek())));
  lexer_.take();
  variables(*space, {}, *space == Space::Global || *space == Space::Const,
            [&](Variable made, const Token& name) {
              // Shared variables of all functions lie side by side in one block, so their names must differ.
              const bool taken = *space == Space::Shared && !shared_names_.insert(made.name).second;
              const Named named{.kind = NameKind::Variable, .type = made.type, .is_array = made.is_array};
              made.name = taken ? scopes_->declare_apart(name, named) : scopes_->declare(name, named);
              function.variables.push_back(std::move(made));
            });
}

// `.reg .b32 %r<9>, %x;` and `.reg .v4 .f32 %v;`, which becomes %v.x … %v.w.
void Parser::registers(Function& function) {
  Variable common;
  attributes(common);
  if (common.type == Type::None)
    lexer_.fail(msg("expected a type after `.reg`, found {}", shown(lexer_.peek())));
  do {
    const Token name = lexer_.expect_word("the name of a register");
    if (name.text.find('.') != std::string_view::npos)
      lexer_.fail(name, msg("{} is no name for a register: it has a dot", shown(name)));
    const Named named{.kind = common.vector > 1 ? NameKind::VectorRegister : NameKind::Register,
                      .vector = common.vector,
                      .type = common.type};
    std::optional<std::uint64_t> count;
    if (lexer_.accept('<')) {
      count = parse_count(lexer_, kMostRegisters, "the number of registers");
      lexer_.expect('>', "after the number of registers");
    }
    declare_registers(function, named, count, name);
  } while (lexer_.accept(','));
  lexer_.expect(';', "after a declaration of registers");
}

// One register, or with a count a range of them; an empty range declares nothing.
void Parser::declare_registers(Function& function, const Named& named, std::optional<std::uint64_t> count,
                               const Token& name) {
  registers_ += std::max<std::uint64_t>(count.value_or(1), 1) * static_cast<std::uint64_t>(named.vector);
  if (registers_ > kMostRegisters)
    lexer_.fail(name, msg("a function may have {} registers at most", kMostRegisters));
  const std::string unique =
      count ? scopes_->declare_range(name, *count, named) : scopes_->declare(name, named);
  if (named.kind == NameKind::Register) {
    if (count != 0u)
      function.registers.push_back({unique, named.type, static_cast<int>(count.value_or(0)), name.line});
    return;
  }
  for (std::uint64_t i = 0; i < count.value_or(1); ++i) {
    for (int member = 0; member < named.vector; ++member)
      function.registers.push_back(
          {unique + (count ? std::to_string(i) : "") + "." + "xyzw"[member], named.type, 0, name.line});
  }
}

// `.loc 1 26 2, function_name $L__info_string3, inlined_at 1 31 5`, perhaps with words such as `is_stmt 1`.
void Parser::location(Function& function) {
  line_ = location_line();
  inlined_at_ = {};
  while (true) {
    lexer_.accept(',');
    if (!lexer_.at_word()) break;
    const std::string_view word = lexer_.peek().text;
    if (word == "inlined_at") {
      lexer_.take();
      inlined_at_ = location_line();
    } else if (word == "function_name") {
      lexer_.take();
      lexer_.expect_word("a label after `function_name`");
      if (lexer_.at('+') || lexer_.at('-')) address_offset();
    } else if (word == "is_stmt" || word == "isa" || word == "discriminator") {
      lexer_.take();
      parse_number(lexer_);
    } else if (word == "prologue_end" || word == "epilogue_begin" || word == "basic_block") {
      lexer_.take();
    } else {
      break;  // the next statement
    }
  }
  if (function.source.line == 0) function.source = line_;
  inlined_at_ = call_in_own_file();
}

// Where the code that was inlined here was called from the file of the function itself: calls inside headers
// are passed over, outwards. Compilers name the calls one by one, the outermost first.
SourceLine Parser::call_in_own_file() {
  const std::pair<int, int> here{line_.file, line_.line};
  if (inlined_at_.line == 0) {
    called_from_.erase(here);
    return {};
  }
  called_from_[here] = inlined_at_;
  std::vector<SourceLine> calls{inlined_at_};
  constexpr std::size_t kMostCalls = 64;
  while (calls.size() < kMostCalls) {
    const auto outer = called_from_.find({calls.back().file, calls.back().line});
    if (outer == called_from_.end()) break;
    calls.push_back(outer->second);
  }
  for (const SourceLine& call : calls) {
    if (call.file == calls.back().file) return call;
  }
  return inlined_at_;
}

SourceLine Parser::location_line() {
  SourceLine place;
  place.file = static_cast<int>(parse_count(lexer_, 1'000'000, "the number of a file"));
  place.line = static_cast<int>(parse_count(lexer_, 0x7fff'ffff, "a source line"));
  parse_count(lexer_, 0x7fff'ffff, "a column");
  return place;
}

void Parser::label(Function& function, const Token& name) {
  if (name.text.find('.') != std::string_view::npos)
    lexer_.fail(name, msg("{} is no name for a label: it has a dot", shown(name)));
  if (lexer_.accept_directive("branchtargets")) return target_list(function, name, true);
  if (lexer_.accept_directive("calltargets")) return target_list(function, name, false);
  if (lexer_.accept_directive("callprototype")) return prototype(function, name);
  function.labels.emplace(scopes_->declare_label(name), function.body.size());
}

void Parser::target_list(Function& function, const Token& name, bool branches) {
  std::vector<TargetList>& lists = branches ? function.branch_targets : function.call_targets;
  TargetList list;
  list.label = scopes_->declare_label(name);
  do {
    if (list.targets.size() >= kMostListed) lexer_.fail("too many targets");
    const Token target = lexer_.expect_word("a target");
    LabelUse use;
    use.where = branches ? LabelUse::Where::BranchTarget : LabelUse::Where::CallTarget;
    use.index = lists.size();
    use.operand = list.targets.size();
    use.token = target;
    scopes_->pending(use);
    list.targets.emplace_back(target.text);
  } while (lexer_.accept(','));
  lexer_.expect(';', "after the list of targets");
  lists.push_back(std::move(list));
}

void Parser::prototype(Function& function, const Token& name) {
  Prototype made;
  made.label = scopes_->declare_label(name);
  if (lexer_.at('(')) made.returns = parameter_list(nullptr);
  lexer_.expect_word("`_` in a prototype");
  if (lexer_.at('(')) made.parameters = parameter_list(nullptr);
  Function ignored;
  performance_directives(ignored);
  lexer_.expect(';', "after a prototype");
  function.prototypes.push_back(std::move(made));
}

void Parser::guarded_instruction(Function& function) {
  Instruction made;
  made.guard_negated = lexer_.accept('!');
  made.guard = register_name(lexer_.expect_word("a predicate register after '@'"));
  instruction(function, lexer_.expect_word("an instruction after its guard"), std::move(made));
}

void Parser::instruction(Function& function, const Token& opcode, Instruction made) {
  if (!is_opcode(opcode.text))
    lexer_.fail(opcode, msg("expected an instruction here, found {}", shown(opcode)));
  set_opcode(made, opcode.text);
  while (lexer_.at_directive()) made.modifiers.emplace_back(lexer_.take().text);  // `ld .global .f32`
  drop_repeated(made.modifiers);
  made.row = &opcode_row(made.opcode, made.modifiers);
  made.source = line_;
  made.inlined_at = inlined_at_;
  made.ptx_line = opcode.line;
  made.ptx_column = opcode.column;
  use_ = {};
  use_.index = function.body.size();
  if (!lexer_.at(';')) {
    do {
      if (made.operands.size() >= kMostListed) lexer_.fail("this instruction has too many operands");
      use_.operand = made.operands.size();
      made.operands.push_back(operand(function, made));
    } while (lexer_.accept(','));
  }
  lexer_.expect(';', "after the operands of an instruction");
  if (made.row->next == Next::Call) write_out_call(function, made);
  if (made.opcode == "lop3") write_out_lop3(function, made);
  if (made.row->next == Next::Return) give_results(function, made);
  if (!before_.empty()) scopes_->moved(use_.index, use_.index + before_.size());
  for (Instruction& one : std::exchange(before_, {})) append(function, std::move(one));
  append(function, std::move(made));
  for (Instruction& one : std::exchange(after_, {})) append(function, std::move(one));
}

void Parser::append(Function& function, Instruction made) {
  if (++instructions_ > kMostInstructions) lexer_.fail("this module has too many instructions");
  function.body.push_back(std::move(made));
}

}  // namespace lab::sim::ptx
