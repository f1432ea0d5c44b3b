// The parser of PTX: what each construct becomes.
#include <doctest/doctest.h>

#include <string>

#include "common/sim/ptx_module.h"

using namespace lab::sim::ptx;

namespace {

constexpr const char* kHeader = ".version 8.5\n.target sm_90\n.address_size 64\n";

Module module_of(const std::string& text) { return parse(kHeader + text); }
Function body_of(const std::string& body) {
  return module_of(".visible .entry k(.param .u64 p) {\n" + body + "\n}").functions.at(0);
}

}  // namespace

TEST_CASE("an entry with registers, a guard and a label") {
  const Function f = body_of(
      ".reg .pred %p<2>; .reg .b32 %r<5>;\n"
      "mov.u32 %r1, %tid.x;\n"
      "setp.ge.s32 %p1, %r1, -4;\n"
      "@!%p1 bra $L__BB0_2;\n"
      "ld.global.nc.L1::no_allocate.v2.u32 {%r2, _}, [%r1+-8];\n"
      "$L__BB0_2:\n ret;");
  REQUIRE(f.body.size() == 5);
  CHECK(f.registers.size() == 2);
  CHECK(f.body[0].operands[1].name == "%tid.x");
  CHECK(static_cast<std::int64_t>(f.body[1].operands[2].bits) == -4);
  CHECK(f.body[2].guard == "%p1");
  CHECK(f.body[2].guard_negated);
  CHECK(f.body[3].full_opcode() == "ld.global.nc.L1::no_allocate.v2.u32");
  CHECK(f.body[3].operands[0].elements[1].kind == OperandKind::Sink);
  CHECK(f.body[3].operands[1].base_is_register);
  CHECK(f.body[3].operands[1].offset == -8);
  CHECK(f.labels.at("$L__BB0_2") == 4);
}
