// The parser of PTX: what each construct of the compilers becomes. Bad texts are in test_ptx_errors.cpp.
#include <doctest/doctest.h>

#include <bit>
#include <string>
#include <vector>

#include "common/sim/ptx/ptx_module.h"

using namespace lab::sim::ptx;

namespace {

constexpr const char* kHeader = ".version 8.5\n.target sm_90\n.address_size 64\n";

Module module_of(const std::string& text) { return parse(kHeader + text); }
Function body_of(const std::string& body) {
  return module_of(".visible .entry k(.param .u64 p) {\n" + body + "\n}").functions.at(0);
}
Variable variable_of(const std::string& text) { return module_of(text).variables.at(0); }
using Bytes = std::vector<std::uint8_t>;

// The first operand of `op`, inside a body with some registers.
Operand operand_of(const std::string& text) {
  const Function f =
      body_of(".reg .b32 %r<9>; .reg .pred %p<4>; .reg .b64 %rd<4>; .local .b8 buf[64];\n op " + text + ";");
  REQUIRE(f.body.size() == 1);
  REQUIRE(f.body[0].operands.size() == 1);
  return f.body[0].operands[0];
}

}  // namespace

TEST_CASE("ptx: an entry with registers, a guard and a label") {
  const Function f = body_of(
      ".reg .pred %p<2>; .reg .b32 %r<5>;\n"
      "mov.u32 %r1, %tid.x;\n"
      "setp.ge.s32 %p1, %r1, -4;\n"
      "@!%p1 bra $L__BB0_2;\n"
      "ld.global.nc.L1::no_allocate.v2.u32 {%r2, _}, [%r1+-8];\n"
      "$L__BB0_2:\n ret;");
  REQUIRE(f.body.size() == 5);
  REQUIRE(f.registers.size() == 2);
  CHECK(f.registers[1].name == "%r");
  CHECK(f.registers[1].type == Type::B32);
  CHECK(f.registers[1].count == 5);
  CHECK(f.is_entry);
  CHECK(f.body[0].operands[1].name == "%tid.x");
  CHECK(static_cast<std::int64_t>(f.body[1].operands[2].bits) == -4);
  CHECK(f.body[2].guard == "%p1");
  CHECK(f.body[2].guard_negated);
  CHECK(f.body[2].operands[0].kind == OperandKind::Symbol);
  CHECK(f.body[3].full_opcode() == "ld.global.nc.L1::no_allocate.v2.u32");
  CHECK(f.body[3].operands[0].elements[1].kind == OperandKind::Sink);
  CHECK(f.body[3].operands[1].base_is_register);
  CHECK(f.body[3].operands[1].offset == -8);
  CHECK(f.body[3].ptx_line == 9);
  CHECK(f.labels.at("$L__BB0_2") == 4);
}

TEST_CASE("ptx: the header, comments, debug sections and a final NUL byte") {
  const std::string text =
      "//\n// Generated\n/* two\n lines */ .version 9.0\n.target sm_90a, debug\n.address_size 64\n"
      ".file 1 \"/a b/c.cu\", 123, 45\n.file 2 \"/a/src/../include/tile.cuh\"\n.section .debug_info {\n.b8 "
      "1\n$L__info_string0:\n.b64 x // } no\n}\n"
      ".pragma \"nounroll\";\n";
  const Module m = parse(text + '\0');
  CHECK(m.version_major == 9);
  CHECK(m.version_minor == 0);
  CHECK(m.target == "sm_90a");
  CHECK(m.address_size == 64);
  CHECK(m.files.at(1) == "/a b/c.cu");
  CHECK(m.files.at(2) == "/a/include/tile.cuh");
  CHECK(m.functions.empty());
}

TEST_CASE("ptx: source lines, and where they were inlined") {
  const Function f = body_of(
      "add.s32 0;\n.loc 1 12 5\n add.s32 1;\n.loc 2 3 0, function_name $L__info_string0, inlined_at 1 13 9\n"
      "add.s32 2;\n.loc 1 14 1 is_stmt 1 prologue_end\nret;");
  REQUIRE(f.body.size() == 4);
  CHECK(f.body[0].source == SourceLine{});
  CHECK(f.body[1].source == SourceLine{1, 12});
  CHECK(f.body[1].inlined_at.line == 0);
  CHECK(f.body[2].source == SourceLine{2, 3});
  CHECK(f.body[2].inlined_at == SourceLine{1, 13});
  CHECK(f.body[3].source == SourceLine{1, 14});
  CHECK(f.body[3].inlined_at.line == 0);
  CHECK(f.source == SourceLine{1, 12});
}

TEST_CASE("ptx: immediates") {
  const auto bits = [](const std::string& text) { return operand_of(text).bits; };
  const auto literal = [](const std::string& text) { return operand_of(text).literal; };
  CHECK(bits("0x1F") == 31);
  CHECK(bits("017") == 15);
  CHECK(bits("0b101") == 5);
  CHECK(bits("0") == 0);
  CHECK(bits("7U") == 7);
  CHECK(bits("-1") == ~std::uint64_t{0});
  CHECK(bits("18446744073709551615") == ~std::uint64_t{0});
  CHECK(bits("WARP_SZ") == 32);
  CHECK(bits("(2+3)*4-1") == 19);
  CHECK(bits("1<<4|3") == 19);
  CHECK(bits("-7/2") == static_cast<std::uint64_t>(-3));
  CHECK(bits("-9223372036854775808/-1") == std::uint64_t{1} << 63);
  CHECK(bits("0f3F800000") == 0x3f800000);
  CHECK(bits("-1.5") == std::bit_cast<std::uint64_t>(-1.5));
  CHECK(bits("1.5*2+0.5") == std::bit_cast<std::uint64_t>(3.5));
  CHECK(bits("1?2:3") == 2);
  CHECK(bits("0?2:1<2?5:6") == 5);
  CHECK(bits("3>=3&&!(2==2)||4!=4") == 0);
  CHECK(bits("(.u64)-1>>60") == 15);
  CHECK(bits("(.s64)0xffffffffffffffff<0") == 1);
  CHECK(bits("0xffffffffffffffff<0") == 0);
  CHECK(bits("!0") == 1);
  CHECK(bits("0d3FF8000000000000") == std::bit_cast<std::uint64_t>(1.5));
  CHECK(bits("2.5e-1") == std::bit_cast<std::uint64_t>(0.25));
  CHECK(bits("1e3") == std::bit_cast<std::uint64_t>(1000.0));
  CHECK(literal("5") == Type::S64);
  CHECK(literal("5U") == Type::U64);
  CHECK(literal("0x8000000000000000") == Type::U64);
  CHECK(literal("0f00000000") == Type::F32);
  CHECK(literal("0D0000000000000000") == Type::F64);
  CHECK(literal("1.0") == Type::F64);
}

TEST_CASE("ptx: operands") {
  CHECK(operand_of("%p1|%p2").predicate_or == "%p2");
  CHECK(operand_of("%p1|_").predicate_or.empty());
  CHECK(operand_of("_|%p2").kind == OperandKind::Sink);
  CHECK(operand_of("_|%p2").predicate_or == "%p2");
  CHECK(operand_of("!%p1").negated);
  CHECK(operand_of("-%r1").negated);
  CHECK(operand_of("buf+8").kind == OperandKind::Symbol);
  CHECK(operand_of("buf+8").offset == 8);
  CHECK(operand_of("[buf]").name == "buf");
  CHECK_FALSE(operand_of("[buf]").base_is_register);
  CHECK(operand_of("[64]").offset == 64);
  CHECK(operand_of("[64]").name.empty());
  CHECK(operand_of("[%rd1 + -8]").offset == -8);
  CHECK(operand_of("[%rd1, {%r1, %r2}]").elements.size() == 2);
  CHECK(operand_of("{%r1, 0f00000000, _, 4}").elements.size() == 4);
  CHECK(operand_of("{}").elements.empty());
  for (const char* special :
       {"%envreg1", "%clock64", "%lanemask_lt", "%globaltimer", "%reserved_smem_offset_1", "%laneid"}) {
    CHECK(operand_of(special).kind == OperandKind::Register);
    CHECK(operand_of(special).name == special);
  }
}

TEST_CASE("ptx: modifiers apart from the opcode") {
  CHECK(body_of("bar .sync 0;").body[0].full_opcode() == "bar.sync");
  CHECK(body_of("ret;").body[0].full_opcode() == "ret");
}

TEST_CASE("ptx: calls, direct and through a pointer") {
  const Module m = module_of(
      ".extern .func (.param .b32 r) f (.param .b32 a, .param .align 8 .b8 b[16]) .noreturn ;\n"
      ".func g () { ret; }\n"
      ".entry k() { .reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
      "{ .reg .b32 temp_param_reg; .param .b32 param0; .param .align 8 .b8 param1[16]; st.param.b32 "
      "[param0+0], %r1; .param .b32 retval0;\n"
      "call.uni (retval0), f, (param0, param1); ld.param.b32 %r2, [retval0+0]; }\n"
      "{ .param .b32 param0; prototype_4 : .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;\n"
      ".param .b32 retval0; call (retval0), %rd1, (param0), prototype_4; }\n"
      "call.uni g; }");
  REQUIRE(m.functions.size() == 3);
  const Function* callee = m.find_function("f");
  REQUIRE(callee != nullptr);
  CHECK(callee->is_declaration);
  CHECK(callee->parameters[1].size_bytes == 16);
  CHECK(callee->parameters[1].align_bytes == 8);
  CHECK(callee->returns[0].space == Space::Param);
  const Function& k = *m.find_function("k");
  REQUIRE(k.body.size() == 5);
  CHECK(k.body[1].full_opcode() == "call.uni");
  REQUIRE(k.body[1].operands.size() == 3);
  CHECK(k.body[1].operands[0].kind == OperandKind::Group);
  CHECK(k.body[1].operands[0].elements[0].name == "retval0@1");
  CHECK(k.body[1].operands[1].kind == OperandKind::Symbol);
  CHECK(k.body[1].operands[2].elements[0].name == "param0@1");
  CHECK(k.body[3].operands[1].kind == OperandKind::Register);
  CHECK(k.body[3].operands[3].name == "prototype_4@2");
  REQUIRE(k.prototypes.size() == 1);
  CHECK(k.prototypes[0].label == "prototype_4@2");
  CHECK(k.prototypes[0].parameters.size() == 1);
  CHECK(k.body[4].operands[0].name == "g");
  REQUIRE(k.variables.size() == 5);
  CHECK(k.variables[3].name == "param0@2");
}

TEST_CASE("ptx: names of nested scopes become unique, and each use finds the nearest") {
  const Function f = body_of(
      ".reg .b32 %r<3>; .reg .b32 t; .reg .pred q;\n mov.b32 t, 1;\n"
      "{ .reg .b32 t, u<4>; .param .b32 param0; mov.b32 t, u3; st.param.b32 [param0], %r1; @q bra DONE;\n"
      "  { .reg .b32 u<2>; mov.b32 t, u1; mov.b32 t, u2; bra DONE; bra OUT; }\n"
      "  DONE: ret; }\n"
      "{ .param .b32 param0; st.param.b32 [param0], t; DONE: bra DONE; }\n"
      "OUT: mov.b32 t, 2;");
  REQUIRE(f.body.size() == 12);
  CHECK(f.body[0].operands[0].name == "t");
  CHECK(f.body[1].operands[0].name == "t@1");
  CHECK(f.body[1].operands[1].name == "u@1_3");
  CHECK(f.body[2].operands[0].name == "param0@1");
  CHECK(f.body[3].operands[0].name == "DONE@1");
  CHECK(f.body[4].operands[1].name == "u@2_1");
  CHECK(f.body[5].operands[1].name == "u@1_2");
  CHECK(f.body[6].operands[0].name == "DONE@1");
  CHECK(f.body[7].operands[0].name == "OUT");
  CHECK(f.body[9].operands[0].name == "param0@3");
  CHECK(f.body[9].operands[1].name == "t");
  CHECK(f.body[10].operands[0].name == "DONE@3");
  CHECK(f.labels.at("DONE@1") == 8);
  CHECK(f.labels.at("DONE@3") == 10);
  CHECK(f.labels.at("OUT") == 11);
}

TEST_CASE("ptx: shared variables of two functions are two variables") {
  const Module m = module_of(
      ".func f { .shared .b8 x[4]; st.shared.u8 [x], 1; }\n"
      ".func g { .shared .b8 x[8]; st.shared.u8 [x], 1; { .shared .b8 x[2]; st.shared.u8 [x], 1; } }");
  CHECK(m.functions[0].variables[0].name == "x");
  CHECK(m.functions[1].variables[0].name == "x@1");
  CHECK(m.functions[1].body[0].operands[0].name == "x@1");
  CHECK(m.functions[1].body[1].operands[0].name == m.functions[1].variables[1].name);
  CHECK(m.functions[1].variables[1].name != "x@1");
}

TEST_CASE("ptx: vector registers are declared member by member") {
  const Function f =
      body_of(".reg .v2 .f32 %v; .reg .f32 %f<3>; mov.f32 %f1, %v.y; st.local.v2.f32 [4], %v;");
  REQUIRE(f.registers.size() == 3);
  CHECK(f.registers[0].name == "%v.x");
  CHECK(f.registers[1].name == "%v.y");
  CHECK(f.body[0].operands[1].name == "%v.y");
  REQUIRE(f.body[1].operands[1].elements.size() == 2);
  CHECK(f.body[1].operands[1].elements[1].name == "%v.y");
}

TEST_CASE("ptx: parameters that are registers") {
  const Module m = module_of(".func (.reg .b32 r) f (.reg .b32 a) { add.s32 r, a, 1; ret; }");
  CHECK(m.functions[0].registers.size() == 2);
  CHECK(m.functions[0].body[0].operands[0].kind == OperandKind::Register);
}

TEST_CASE("ptx: a switch by table") {
  const Function f = body_of(
      ".reg .b32 %r<2>;\n{ $L_brx_0: .branchtargets $L1, $L2; brx.idx %r1, $L_brx_0; $L1: ret; }\n$L2: ret;\n"
      "fs: .calltargets k;");
  REQUIRE(f.branch_targets.size() == 1);
  CHECK(f.branch_targets[0].label == "$L_brx_0@1");
  CHECK(f.branch_targets[0].targets == std::vector<std::string>{"$L1@1", "$L2"});
  CHECK(f.body[0].operands[1].name == "$L_brx_0@1");
  CHECK(f.labels.at("$L1@1") == 1);
  REQUIRE(f.call_targets.size() == 1);
  CHECK(f.call_targets[0].targets == std::vector<std::string>{"k"});
}

TEST_CASE("ptx: variables and their initial values") {
  const Variable table = variable_of(".const .align 4 .u32 t[3][4] = {{1, 2}, {3}, {4, 5, 6, 7}};");
  CHECK(table.space == Space::Const);
  CHECK(table.size_bytes == 48);
  REQUIRE(table.initial.size() == 48);
  CHECK(table.initial[16] == 3);
  CHECK(table.initial[8] == 0);
  CHECK(table.initial[44] == 7);
  CHECK(variable_of(".global .b8 s[6] = {104, 105};").initial == Bytes{104, 105});
  CHECK(variable_of(".global .b8 s[6] = {104, 105};").size_bytes == 6);
  CHECK(variable_of(".global .b16 s[] = {1, -2, 3};").initial == Bytes{1, 0, 0xfe, 0xff, 3, 0});
  CHECK(variable_of(".global .b16 s[] = {1, -2, 3};").size_bytes == 6);
  CHECK(variable_of(".global .f32 x = 1.5;").initial == Bytes{0, 0, 0xc0, 0x3f});
  CHECK(variable_of(".global .f32 x = 2;").initial == Bytes{0, 0, 0, 0x40});
  CHECK(variable_of(".global .b32 x = 0f3F800000;").initial == Bytes{0, 0, 0x80, 0x3f});
  CHECK(variable_of(".global .v4 .f32 x = {1.0, 2.0};").size_bytes == 16);
  CHECK(variable_of(".global .v4 .f32 x = {1.0, 2.0};").align_bytes == 16);
  CHECK(variable_of(".global .v2 .u8 x[2] = {{1}, {2, 3}};").initial == Bytes{1, 0, 2, 3});
  CHECK(variable_of(".visible .global .align 8 .f64 d;").is_visible);
  CHECK(variable_of(".extern .shared .align 16 .b8 dyn[];").size_bytes == 0);
  CHECK(variable_of(".extern .shared .align 16 .b8 dyn[];").is_extern);
  CHECK(variable_of(".global .attribute(.managed) .align 4 .u32 m = 5;").initial == Bytes{5, 0, 0, 0});
  CHECK(module_of(".weak .global .u32 a, b[2];").variables.size() == 2);
}

TEST_CASE("ptx: addresses as initial values") {
  const Variable v =
      module_of(".global .u32 gi; .func f; .global .u64 p[4] = {generic(gi)+12, gi-4, f};").variables.at(1);
  REQUIRE(v.relocations.size() == 3);
  CHECK(v.relocations[0].generic);
  CHECK(v.relocations[0].addend == 12);
  CHECK(v.relocations[1].offset_bytes == 8);
  CHECK(v.relocations[1].addend == -4);
  CHECK(v.relocations[2].symbol == "f");
  const Variable packed =
      module_of(
          ".global .u32 gi; .global .align 1 .u8 pk[10] = {98, 0xFF(generic(gi)+4), 0xFF00(generic(gi)+4), "
          "0xFF0000(generic(gi)+4), "
          "0xFF000000(generic(gi)+4), 0xFF00000000(generic(gi)+4), 0xFF0000000000(generic(gi)+4), "
          "0xFF000000000000(generic(gi)+4), 0xFF00000000000000(generic(gi)+4), 7};")
          .variables.at(1);
  REQUIRE(packed.relocations.size() == 1);
  CHECK(packed.relocations[0].offset_bytes == 1);
  CHECK(packed.relocations[0].size_bytes == 8);
  CHECK(packed.relocations[0].addend == 4);
  CHECK(packed.initial.at(9) == 7);
}

TEST_CASE("ptx: performance directives and attributes of parameters") {
  const Function f =
      module_of(
          ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24])\n"
          ".maxntid 256, 2\n.minnctapersm 2\n.maxnreg 64\n.explicitcluster\n.reqnctapercluster 2, 1, "
          "1\n.pragma \"nounroll\";\n{ ret; }")
          .functions.at(0);
  CHECK(f.max_threads == 512);
  CHECK(f.parameters[0].align_bytes == 8);
  CHECK(f.parameters[1].size_bytes == 24);
  const Function g = module_of(".entry k() .reqntid 16, 16 { ret; }").functions.at(0);
  CHECK(g.required_threads[1] == 16);
  CHECK(g.required_threads[2] == 1);
  CHECK(g.max_threads == 256);
}

TEST_CASE("ptx: a function may be declared before it is defined, and have an alias") {
  const Module m = module_of(".func f; .func f { ret; } .func f; .alias g, f;");
  REQUIRE(m.functions.size() == 2);
  CHECK_FALSE(m.functions[0].is_declaration);
  CHECK(m.find_function("g")->body.size() == 1);
  CHECK(m.find_function("h") == nullptr);
}

TEST_CASE("ptx: types know their names and sizes") {
  for (int i = 1; i <= static_cast<int>(Type::F64); ++i) {
    const auto type = static_cast<Type>(i);
    CHECK(type_named(name(type)) == type);
  }
  CHECK(type_named("f33") == Type::None);
  CHECK(size_bytes(Type::BF16x2) == 4);
  CHECK(size_bytes(Type::B128) == 16);
}
