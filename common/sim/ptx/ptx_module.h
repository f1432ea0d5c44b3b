// The parsed form of a PTX text: what the parser makes and the decoder reads.
//
// Enters: nothing. Leaves: plain data, close to the text, with the place each piece came from.
// Second station of the tour (common/sim/README.md): text → tokens → *module* → program → warps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text/message.h"

#include "common/sim/base/space.h"
#include "common/sim/ptx/opcodes.h"

namespace lab::sim::ptx {

// A line of the student's source, as `.loc` gives it. line 0: the compiler named none.
struct SourceLine {
  int file = 0;  // key into Module::files
  int line = 0;
  bool operator==(const SourceLine&) const = default;
};

using sim::Space;

enum class OperandKind : std::uint8_t {
  Register,   // %r1, %tid.x (special registers keep their dot suffix in `name`)
  Immediate,  // 4, -1, 0f3F800000, 0d..., WARP_SZ; `bits` holds the value (see is_float)
  Symbol,     // a variable, function or label by name, perhaps with `+ offset`
  Address,    // [base + offset]; base is a register, a symbol, or nothing (immediate address)
  Vector,     // {a, b, c, d} of registers, immediates or `_`
  Sink,       // _ (with `predicate_or`: _|%p)
  Group,      // (a, b): the lists of a call
};

// What PTX lets a text say in short is written out here (ptx_parser_short.cpp): elements of arrays, sums in
// operands, arguments that are registers. One operand. `predicate_or` is the q of `p|q`; `negated` is the ! of `!p` or the - of `-%r1`.
// Names of a nested scope carry a suffix that no PTX name can have: `param0@7`, registers of a range `t@7_2`.
struct Operand {
  OperandKind kind = OperandKind::Sink;
  std::string name;               // Register, Symbol, Address base ("" when the address is a number)
  bool base_is_register = false;  // Address
  std::int64_t offset = 0;        // Symbol, Address; the whole address when `name` is empty
  std::uint64_t bits = 0;         // Immediate: integer value (sign-extended), or raw float bits
  Type literal = Type::None;  // Immediate: S64 or U64 for integers, F32 for 0f…, F64 for 0d… and decimals
  bool negated = false;
  std::string part;               // Register: b0 of `%r1.b0`, h10 of `%r1.h10`: of video instructions
  std::string predicate_or;       // Register: second destination of `p|q`
  std::vector<Operand> elements;  // Vector, Group; Address: the coordinates of `[p, {x, y}]`
};
[[nodiscard]] inline bool is_register(const Operand& operand) {
  return operand.kind == OperandKind::Register;
}

// One instruction. `ld.global.nc.v4.f32` has opcode "ld" and modifiers {"global","nc","v4","f32"}.
// `::` stays inside a modifier ("L1::no_allocate"). Labels are pseudo-free: see Function::labels.
struct Instruction {
  std::string opcode;
  std::vector<std::string> modifiers;
  const OpcodeRow* row = &unknown_opcode();
  std::string guard;  // predicate register of `@%p1`, "" when there is none
  bool guard_negated = false;
  std::vector<Operand> operands;
  SourceLine source;      // innermost line (the inlined callee's own)
  SourceLine inlined_at;  // where that was inlined, line 0 when it was not
  int ptx_line = 0, ptx_column = 0;
  [[nodiscard]] std::string full_opcode() const;  // "ld.global.nc.v4.f32"
};
// Opcode and modifiers of `ld.global.f32`.
void set_opcode(Instruction& in, std::string_view text);
// What ends a function that runs off its end.
[[nodiscard]] Instruction plain_return();

// Part of a variable's initial bytes that holds the address of a symbol.
struct Relocation {
  std::size_t offset_bytes = 0;
  int size_bytes = 8;
  std::string symbol;
  std::int64_t addend = 0;
  bool generic = false;  // generic(symbol)
};

// A variable of any space, a kernel parameter, or a parameter of a function.
struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  int vector = 1;                // .v2 → 2
  std::uint64_t size_bytes = 0;  // 0 for extern unsized shared arrays
  std::uint32_t align_bytes = 1;
  bool is_array = false;
  bool is_extern = false;
  bool is_visible = false;
  bool is_managed = false;            // .attribute(.managed): the host sees it too
  bool in_register = false;           // of a function's parameters: `.reg` in the text
  std::vector<std::uint8_t> initial;  // empty, or up to size_bytes (the rest is zero)
  std::vector<Relocation> relocations;
  int ptx_line = 0;
};

// `.reg .f32 %f<9>;` declares %f0..%f8 (count 9); `.reg .b32 %x;` has count 0 and one name. Members of a
// vector register, `.reg .v2 .f32 %v;`, are declared one by one: %v.x, %v.y.
struct RegisterDeclaration {
  std::string name;
  Type type = Type::B32;
  int count = 0;
  int ptx_line = 0;
};

// `label: .branchtargets a, b;` or `.calltargets`.
struct TargetList {
  std::string label;
  std::vector<std::string> targets;
};

struct Prototype {  // `label: .callprototype (ret) _ (params)`
  std::string label;
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  // no body
  bool is_visible = false;      // other modules may call it
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  std::vector<RegisterDeclaration> registers;  // of every scope, and parameters that are registers
  std::vector<Variable> variables;             // .local, .shared, .param, .global inside the body
  std::vector<Instruction> body;
  std::map<std::string, std::size_t, std::less<>> labels;  // label → index into body (may equal body.size())
  std::vector<std::size_t> no_unroll;                      // places of `.pragma "nounroll"` in the body
  std::vector<TargetList> branch_targets;
  std::vector<TargetList> call_targets;
  std::vector<Prototype> prototypes;
  std::uint32_t max_threads = 0;                  // .maxntid product, 0: none
  std::uint32_t required_threads[3] = {0, 0, 0};  // .reqntid
  std::uint32_t required_cluster[3] = {0, 0, 0};  // .reqnctapercluster: blocks
  bool blocks_are_clusters = false;               // .blocksareclusters
  SourceLine source;                              // first .loc of the body
  int ptx_line = 0;
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;             // "sm_90"
  bool is_for_debugging = false;  // `.target sm_90, debug`: compiled without optimisation
  int address_size = 64;
  std::map<int, std::string> files;  // `.file 1 "/abs/path.cu"`
  std::vector<Variable> variables;   // module scope
  std::vector<Function> functions;
  [[nodiscard]] const Function* find_function(std::string_view name) const;
  [[nodiscard]] const Variable* find_variable(std::string_view name) const;
};

// What is wrong with a PTX text, and where. Columns count bytes from 1.
class ParseError : public text::Said<std::runtime_error> {
 public:
  ParseError(int line, int column, const Message& message);
  int line, column;
};

// Parses a whole PTX text. Throws ParseError on anything it does not understand; never crashes or hangs.
[[nodiscard]] Module parse(std::string_view text);

}  // namespace lab::sim::ptx
