// The parser's inside: one class, spread over five files by topic.
//
// Second station of the tour: tokens → *module*. Enters: a PTX text. Leaves: a Module, or a ParseError that
// says where and why. Users call parse() of ptx_module.h; only ptx_parser*.cpp include this file.
//   ptx_parser.cpp             the module: header, files, functions' heads
//   ptx_parser_variables.cpp   declarations and initial values
//   ptx_parser_function.cpp    bodies: statements, labels, registers, source lines
//   ptx_parser_operands.cpp    operands of instructions
//   ptx_parser_short.cpp       what a text may say in short, written out
// It never looks at what an instruction means: that is the decoder's work.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/sim/ptx/ptx_constant.h"
#include "common/sim/ptx/ptx_lexer.h"
#include "common/sim/ptx/ptx_module.h"
#include "common/sim/ptx/ptx_scope.h"

namespace lab::sim::ptx {

// Far above any real program, far below what would exhaust a machine.
inline constexpr std::size_t kMostTextBytes = 256u << 20;
inline constexpr std::uint64_t kMostRegisters = 1u << 24;        // of one function
inline constexpr std::uint64_t kMostDeclaredBytes = 1ull << 40;  // of all variables of a module together
inline constexpr std::uint64_t kMostInitialBytes = 256u << 20;   // the same, with an initial value
inline constexpr std::size_t kMostInstructions = 1u << 22;       // of a module
inline constexpr std::size_t kMostListed = 1u << 16;  // operands, elements, parameters, targets of one list
inline constexpr std::size_t kMostDimensions = 8;

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}
  Module run();

 private:
  struct Linkage {
    bool is_extern = false, is_visible = false;
  };
  struct Symbol {
    bool is_function = false;
    std::size_t index = 0;  // into Module::functions or ::variables
  };
  // The shape of a variable while its initial value is read: `a[2][3]` of .v4 has dimensions 2, 3, 4.
  struct Shape {
    std::vector<std::uint64_t> extents;
    bool open = false;  // the first dimension is `[]`
  };

  // ptx_parser.cpp
  void header();
  void target();
  void statement();
  void file();
  void section();
  void alias();
  Linkage linkage();
  void function(bool is_entry, const Linkage& linkage);
  void performance_directives(Function& function);
  bool performance_directive(Function& function, std::string_view name);
  std::array<std::uint32_t, 3> three_counts(std::string_view name);
  void add_function(Function function, const Token& name);
  void add_variable(Variable variable, const Token& name);
  void check_symbols() const;

  // ptx_parser_variables.cpp
  [[nodiscard]] static std::optional<Space> space_named(std::string_view text);
  // `.align 4 .b8 a[16] = {…}, b` behind the space; `declared` receives each variable and its name.
  template <class Declared>
  void variables(Space space, const Linkage& linkage, bool may_have_value, Declared declared);
  Variable variable(Space space, const Linkage& linkage, const Variable& first, bool may_have_value,
                    Token& name);
  void attributes(Variable& variable);
  std::vector<Variable> parameter_list(std::vector<Token>* names);
  Variable parameter(Token& name);
  Shape array_shape(Variable& variable);
  void set_size(Variable& variable, const Shape& shape, const Token& name);
  void initial_value(Variable& variable, Shape& shape);
  std::uint64_t braces(Variable& variable, const Shape& shape, std::size_t level, std::uint64_t start);
  void element(Variable& variable, std::uint64_t offset);
  bool symbol_value(Relocation& relocation);
  void store_symbol(Variable& variable, Relocation relocation, std::uint64_t offset, const Token& at);
  void store_masked(Variable& variable, std::uint64_t mask, Relocation relocation, std::uint64_t offset,
                    const Token& at);
  void store_number(Variable& variable, const Constant& value, std::uint64_t offset, const Token& at);
  void store_bytes(Variable& variable, std::uint64_t bits, int size, std::uint64_t offset, const Token& at);

  // ptx_parser_function.cpp
  void body(Function& function, const std::vector<Token>& parameter_names);
  void statements(Function& function, const Token& brace);
  void close_scope(Function& function);
  void body_directive(Function& function);
  void registers(Function& function);
  void declare_registers(Function& function, const Named& named, std::optional<std::uint64_t> count,
                         const Token& name);
  void location(Function& function);
  SourceLine location_line();
  SourceLine call_in_own_file();
  void label(Function& function, const Token& name);
  void target_list(Function& function, const Token& name, bool branches);
  void prototype(Function& function, const Token& name);
  void instruction(Function& function, const Token& opcode, Instruction instruction);
  void guarded_instruction(Function& function);
  void append(Function& function, Instruction instruction);

  // ptx_parser_short.cpp
  void name_parameter(Function& function, Variable& parameter, const Token& name);
  void element_of(Operand& array, const Token& name, const Instruction& in);
  void sum(Function& function, Operand& first, const Token& name, const Instruction& in);
  void pass_arguments(Function& function, const Instruction& call, Operand& group, bool results,
                      const std::vector<Variable>& parameters);
  void write_out_call(Function& function, Instruction& call);
  void write_out_lop3(Function& function, Instruction& in);
  void give_results(Function& function, const Instruction& end);
  void store_argument(Function& function, const Variable& parameter, const std::string& at, Operand value,
                      const Instruction& in);
  void load_argument(Function& function, std::vector<Instruction>& list, const Variable& parameter,
                     const std::string& at, Operand to, const Instruction& in);
  std::string scratch(Function& function, Type type, int line, std::string name = "short");

  // ptx_parser_operands.cpp
  Operand operand(Function& function, const Instruction& in);
  Operand simple_operand();
  Operand list_operand(OperandKind kind, char closing);
  Operand address();
  Operand part_operand(const Token& name);
  Operand named_operand(const Token& name);
  Operand constant_operand();
  std::string register_name(const Token& name);
  std::int64_t address_offset();

  Lexer lexer_;
  Module module_;
  std::unordered_map<std::string, Symbol> symbols_;  // module scope
  std::unordered_set<std::string> shared_names_;     // of variables inside functions
  std::vector<Token> used_symbols_;                  // to be found in module scope at the end
  std::uint64_t declared_bytes_ = 0;
  std::uint64_t initial_bytes_ = 0;
  std::size_t instructions_ = 0;
  std::size_t aliases_ = 0;
  int opened_scopes_ = 0;

  // State of the function body that is being read.
  std::optional<Scopes> scopes_;
  SourceLine line_, inlined_at_;
  std::map<std::pair<int, int>, SourceLine> called_from_;  // of lines that were inlined, by file and line
  std::uint64_t registers_ = 0;
  LabelUse use_;                             // where the operand that is being read will stand
  std::vector<Instruction> before_, after_;  // the instruction that is being read
};

template <class Declared>
void Parser::variables(Space space, const Linkage& linkage, bool may_have_value, Declared declared) {
  Variable common;
  attributes(common);
  do {
    Token name;
    Variable made = variable(space, linkage, common, may_have_value, name);
    declared(std::move(made), name);
  } while (lexer_.accept(','));
  lexer_.expect(';', "after the declaration of a variable");
}

}  // namespace lab::sim::ptx
