// Bad PTX texts: each is refused with its place and a sentence that says what is wrong, and none costs much
// time or memory. Every find of the fuzzer ends up here.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/sim/ptx/ptx_module.h"

using namespace lab::sim::ptx;

namespace {

constexpr const char* kHeader = ".version 8.5 .target sm_90 .address_size 64\n";

// The message for a text, or "" when it is accepted. Every rejection names a place inside or right behind the
// text.
std::string complaint(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const ParseError& error) {
    CHECK(error.line >= 1);
    CHECK(error.column >= 1);
    return error.what();
  }
  return "";
}

std::string module_complaint(const std::string& text) { return complaint(kHeader + text); }
std::string body_complaint(const std::string& text) {
  return module_complaint(".entry k() { .reg .b32 %r<4>; .reg .pred %p<2>;\n" + text + "\n}");
}

struct Row {
  std::string text;
  std::string message;  // part of what is said
};

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

void check_all(const std::vector<Row>& rows, std::string (*complain)(const std::string&)) {
  for (const Row& row : rows) {
    const std::string message = complain(row.text);
    CAPTURE(row.text.substr(0, 200));
    CAPTURE(message);
    CHECK(message.find(row.message) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("ptx errors: the text as a whole") {
  check_all(
      {
          {"", "starts with `.version`, found the end of the text"},
          {"\x7f"
           "ELF\x02\x01",
           "PTX has no character `\\x7f`"},
          {std::string("\0\0\0", 3), "starts with `.version`"},
          {"int main() {}",
           "PTX line 1, column 1: a PTX text starts with `.version`, found `int`; is this really PTX?"},
          {".version", "needs a number such as 8.5"},
          {".version 9", "needs a number such as 8.5"},
          {".version 99999999999.1", "needs a number such as 8.5"},
          {".version 8.5", "expected `.target` after `.version`"},
          {".version 8.5\n.target 90", "expected a target such as sm_90, found `90`"},
          {".version 8.5 .target sm_90 .address_size 32", "only 64-bit addresses are simulated"},
          {"/* never", "PTX line 1, column 1: this comment never ends"},
          {".version 8.5 .target sm_90 \n  /*/", "PTX line 2, column 3: this comment never ends"},
          {".version 8.5 .target sm_90 .file 1 \"abc\n\"", "no closing quote on its line"},
          {".version 8.5 .target sm_90 .", "a dot must be followed by the name of a directive"},
      },
      complaint);
}

TEST_CASE("ptx errors: module scope") {
  check_all(
      {
          {"mov.u32 x, y;", "expected a directive such as `.entry` or `.global` here, found `mov.u32`"},
          {".nothing", "expected a variable, a function or an entry here, found `.nothing`"},
          {".visible", "expected a variable, a function or an entry here, found the end of the text"},
          {".visible 5", "expected a variable, a function or an entry here, found `5`"},
          {".param .u32 x;", "expected a variable, a function or an entry"},
          {".file x \"a\"", "expected a number, found `x`"},
          {".file 1 a", "expected the path of a file in double quotes, found `a`"},
          {".section .debug_info { .b8 1", "this section never ends"},
          {".section .debug_info .b8 1", "expected '{' after the name of a section"},
          {".section {", "expected the name of a section"},
          {".entry", "expected the name of an entry, found the end"},
          {".entry k(.u32 x) {}", "expected `.param` or `.reg` before a parameter, found `.u32`"},
          {".entry k(.param .u32 x {}", "expected ')' after the parameters, found `{`"},
          {".entry k(.param .u32 x, .param .u32 x) {}", "`x` is declared twice in this scope"},
          {".entry k() .maxntid x {}", "expected a number, found `x`"},
          {".entry k() .reqntid 8, 0 {}", "`.reqntid` needs numbers from 1 on"},
          {".entry k() .unknown {}", "expected the body of `k`, found `.unknown`"},
          {".entry k()", "expected '{' before the body of a function"},
          {".entry k() { ret;", "the body of `k` never ends: expected '}'"},
          {".entry k() { { ret; }", "the body of `k` never ends: expected '}'"},
          {".entry k() { ret; } }", "expected a directive such as `.entry` or `.global` here, found `}`"},
          {".entry k() { } .entry k() { }", "the function `k` is defined twice, first on line 2"},
          {".global .u32 k; .entry k() { }", "`k` is declared twice: as a variable and as a function"},
          {".func k; .global .u32 k;", "`k` is declared twice: as a function and as a variable"},
          {".global .u32 x;\n.global .u32 x;",
           "PTX line 3, column 14: the variable `x` is defined twice, first on line 2"},
          {".alias g, f;", "there is no function `f` above this alias"},
          {".func f { ret; } .alias g, f; .alias g, f;", "the function `g` is defined twice"},
          {".func f { ret; }" + repeated(".alias g, f;", 1) + repeated(".alias f, g;", 1),
           "is defined twice"},
      },
      module_complaint);
}

TEST_CASE("ptx errors: variables") {
  check_all(
      {
          {".global x;", "the variable `x` has no type"},
          {".global .u33 x;", "`.u33` is no type or attribute of a variable"},
          {".global .v8 .f32 x;", "`.v8` is no type or attribute of a variable"},
          {".func f(.reg .v8 .b16 x) { ret; }", "`.v8` is no type or attribute of a variable"},
          {".global .texref t;", "`.texref` is no type or attribute of a variable"},
          {".global .pred x;", "a predicate is no value that memory can hold"},
          {".global .align 3 .u32 x;", "an alignment must be a power of two"},
          {".global .align 0 .u32 x;", "an alignment must be a power of two"},
          {".global .u32 5;", "expected the name of a variable, found `5`"},
          {".global .u32 a.b;", "is no name for a variable"},
          {".global .u32 x", "expected ';' after the declaration of a variable"},
          {".global .u32 x[];", "has neither a size nor an initial value"},
          {".global .u32 x[2][];", "only the first dimension of an array may be left open"},
          {".global .u32 x[-1];", "the size of an array must be a whole number"},
          {".global .u32 x[1.5];", "the size of an array must be a whole number"},
          {".global .u32 x[1][1][1][1][1][1][1][1][1];", "an array may have 8 dimensions at most"},
          {".global .u32 x[4;", "expected ']' after the size of an array"},
          {".shared .b8 a[99999999999999];",
           "the size of an array must be a whole number from 0 to 1099511627776"},
          {".shared .b8 a[99999999999999999999];", "does not fit in 64 bits"},
          {".shared .b64 a[999999999999];", "the variable `a` is too large"},
          {".shared .b8 a[1000000][1000000][1000000];", "the variable `a` is too large"},
          {".global .b8 a[1000000000000]; .global .b8 b[1000000000000];",
           "the variables of this module are too large"},
          {".global .u32 x[2] = 5;", "the initial value of an array stands in braces"},
          {".global .u32 x[2] = {1, 2, 3};", "more initial values than the variable `x` has room for"},
          {".global .u32 x[2] = {{1}};", "nested deeper than the array has dimensions"},
          {".global .u32 x[2][2] = {{1}, {2}, {3}};", "more initial values than"},
          {".global .u32 x[2] = {1 2};", "expected ',' or '}' between initial values, found `2`"},
          {".global .u32 x[2] = {1", "expected ',' or '}' between initial values, found the end"},
          {".global .u8 x = 256;", "`256` does not fit in a value of type .u8"},
          {".global .s8 x = -129;", "does not fit in a value of type .s8"},
          {".global .u32 x = 1.5;", "a floating-point number does not fit in a value of type .u32"},
          {".global .u64 x = nobody;", "nothing is named `nobody`"},
          {".global .u64 x = generic(nobody);", "nothing is named `nobody`"},
          {".global .u16 x = y; .global .u32 y;", "an address does not fit in a value of type .u16"},
          {".global .u32 y; .global .b8 x[2] = {0xFF00(y), 0};",
           "the bytes of an address must follow each other"},
          {".global .u32 y; .global .b8 x[2] = {0x0F(y), 0};", "a byte mask must select one byte"},
          {".global .u32 y; .global .b8 x[2] = {0xFF(3), 0};", "expected a symbol behind a byte mask"},
          {".global .b8 x[2][100000000000] = {{1}, {2}};", "the initial values of this module are too large"},
          {".global .b8 x[2] = {0f3F80};", "needs exactly 8 hexadecimal digits"},
          {".global .attribute(.managed .u32 x;", "expected ')' after the attributes"},
      },
      module_complaint);
}

TEST_CASE("ptx errors: bodies") {
  check_all(
      {
          {"bra $nowhere;", "PTX line 3, column 5: the label `$nowhere` is not defined in `k`"},
          {"{ inner: } bra inner;", "the label `inner` is not defined in `k`"},
          {"t: .branchtargets nowhere;", "the label `nowhere` is not defined in `k`"},
          {"t: .calltargets nothing;", "nothing is named `nothing`"},
          {"call.uni nothing;",
           "nothing is named `nothing`: no label of this function, no variable and no function"},
          {"mov.u32 %r1, nothing;", "nothing is named `nothing`"},
          {"here: here:", "`here` is declared twice in this scope, first on line 3"},
          {"mov.u32 %r4, 1;", "the register `%r4` is not declared"},
          {"mov.u32 %r01, 1;", "the register `%r01` is not declared"},
          {"mov.u32 %r99999999999999999999, 1;", "is not declared"},
          {"mov.u32 %q.x, 1;", "the register `%q.x` is not declared"},
          {"@q ret;", "the register `q` is not declared"},
          {"@ret;", "the register `ret` is not declared"},
          {"@!ret;", "the register `ret` is not declared"},
          {"@5 ret;", "expected a predicate register after '@', found `5`"},
          {".reg .b32 %r1;", "`%r1` is declared twice in this scope: alone, and as one of a range"},
          {".reg .b32 %r<4>;", "the registers `%r` are declared twice in this scope, first on line 2"},
          {".reg .b32 a1<5>, a<20>;", "`a10` is declared twice in this scope, by two ranges"},
          {".reg .b32 x, x;", "`x` is declared twice in this scope"},
          {".reg %r9;", "expected a type after `.reg`"},
          {".reg .b32 q", "expected ';' after a declaration of registers"},
          {".reg .b32 q<4;", "expected '>' after the number of registers"},
          {".reg .b32 q<4000000000>;", "the number of registers must be a whole number from 0 to 16777216"},
          {".reg .b32 a<16000000>, b<16000000>;", "a function may have 16777216 registers at most"},
          {".reg .v4 .b32 v; mov.b32 v.q, 1;", "the vector register has no member `.q`"},
          {".reg .v2 .b32 v; mov.b32 v.z, 1;", "the vector register has no member `.z`"},
          {".local .u32 x = 5;", "this variable cannot have an initial value"},
          {".nonsense 5;", "a function body has no directive `.nonsense`"},
          {"5;", "expected an instruction, a label or a directive here, found `5`"},
          {"%r1;", "expected an instruction here, found `%r1`"},
          {"ret", "PTX line 4, column 1: expected an operand, found `}`"},
          {"add.u32 %r1, %r2;; ] ", "expected an instruction, a label or a directive here, found `]`"},
          {"add.u32 %r1 %r2;", "expected ';' after the operands of an instruction, found `%r2`"},
          {"add.u32 %r1,;", "expected an operand, found `;`"},
          {"ld.u32 %r1, [%r2;", "expected ']' after an address"},
          {"ld.u32 %r1, [];", "expected a number, found `]`"},
          {"ld.u32 %r1, [1.5];", "an address cannot be a floating-point number"},
          {"ld.u32 %r1, [%r2+1.5];", "an address offset must be a whole number"},
          {"ld.u32 %r1, [_];", "an address starts with a register, a symbol or a number"},
          {"ld.u32 %r1, [%r2, %r3];", "expected coordinates in braces"},
          {"ld.u32 {%r1, [%r2];", "expected an operand, found `[`"},
          {"mov.u32 %r1, {{%r2}};", "expected an operand, found `{`"},
          {"call f, (%r1;", "expected ')' after a list of operands"},
          {"mov.u32 %r1, 12abc;", "`12abc` is no number that PTX knows"},
          {"mov.u32 %r1, 089;", "`089` is no number that PTX knows"},
          {"mov.u32 %r1, 0b2;", "`0b2` is no number that PTX knows"},
          {"mov.u32 %r1, 0x;", "`0x` is no number that PTX knows"},
          {"mov.u32 %r1, 1.5x;", "`1.5x` is no number that PTX knows"},
          {"mov.u32 %r1, 1e999;", "`1e999` is no number that PTX knows"},
          {"mov.u32 %r1, 1/0;", "a constant expression divides by zero"},
          {"mov.u32 %r1, 1.5|2;", "a constant expression may only contain whole numbers"},
          {"mov.u32 %r1, ~1.5;", "`~` needs a whole number"},
          {"mov.u32 %r1, (1;", "expected ')' at the end of a constant expression"},
          {"mov.u32 %r1, \"text\";", "expected an operand, found a string"},
          {"setp.eq %p1|5, 1;", "expected a register after '|', found `5`"},
          {"mov k|%r1;", "only registers stand on both sides of '|'"},
          {"p: .callprototype (.param .b32 _) 5;", "expected `_` in a prototype"},
          {".loc 1 2;", "expected a number, found `;`"},
          {".pragma 5;", "expected the text of `.pragma` in double quotes"},
          {"a.b: ret;", "`a.b` is no name for a label"},
          {"mov.u32 %r1, #;", "PTX has no character `#`"},
          {"mov.u32 %r1, \xff;", "PTX has no character `\\xff`"},
      },
      body_complaint);
}

TEST_CASE("ptx errors: hostile texts are refused quickly and in little memory") {
  check_all(
      {
          {repeated("{", 100000), "scopes are nested more than 100 deep"},
          {"mov.u32 %r1, " + repeated("(", 100000), "nested too deeply"},
          {"mov.u32 %r1, " + repeated("-", 100000), "nested too deeply"},
          {"mov.u32 %r1, " + repeated("!", 100000) + "1", "nested too deeply"},
          {"mov.u32 %r1, " + repeated("1,", 100000), "this instruction has too many operands"},
          {"mov.u32 {" + repeated("1,", 100000), "this list is too long"},
          {"t: .branchtargets " + repeated("t,", 100000), "too many targets"},
          {"mov.u32 %r1, " + std::string(1000000, 'a') + ";", "a…`: no label"},
      },
      body_complaint);
  CHECK(module_complaint(".entry k(" + repeated(".param .u32 x, ", 100000)).find("too many parameters") !=
        std::string::npos);
  CHECK(module_complaint(".global .u32 x[1] = " + repeated("{", 100000)).find("nested deeper") !=
        std::string::npos);
  // Aliases copy: their number and the instructions they add are limited.
  std::string aliases = ".func f { ret; }";
  for (int i = 0; i < 70; ++i) aliases += ".alias g" + std::to_string(i) + ", f;";
  CHECK(module_complaint(aliases).find("64 aliases at most") != std::string::npos);
  // Many ranges and many uses: the cost stays linear.
  std::string many;
  for (int i = 0; i < 20000; ++i) many += ".reg .b32 q" + std::to_string(i) + "x<3>;";
  for (int i = 0; i < 20000; ++i) many += "mov.u32 q" + std::to_string(i) + "x1, 0;";
  CHECK(body_complaint(many).empty());
}

TEST_CASE("ptx errors: every beginning of a good text is refused or complete, never worse") {
  const std::string good =
      std::string(kHeader) +
      ".global .align 8 .u64 p[2] = {generic(g)+4, 0xFF}; .global .u32 g; /* c */\n"
      ".visible .entry k(.param .u64 .ptr .align 4 a) .maxntid 32, 1, 1 {\n"
      ".reg .pred %p<2>; .reg .b32 %r<4>; .loc 1 2 3, function_name f, inlined_at 1 2 3\n"
      "L: @!%p1 bra L; { .param .b32 q; call (q), k, (%r1); }\n"
      "ld.v2.f32 {%r1, _}, [%r2+-4]; setp.lt %p1|_, 0f3F800000, (1<<2)-1; t: .branchtargets L;\n"
      "} // end\n";
  CHECK(complaint(good).empty());
  int accepted = 0;
  for (std::size_t length = 0; length < good.size(); ++length)
    accepted += complaint(good.substr(0, length)).empty();
  CHECK(accepted > 0);
  CHECK(accepted < 40);
}
