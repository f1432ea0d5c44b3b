// The linker of PTX modules: what two files say of each other comes together, what is private stays apart.
#include <doctest/doctest.h>

#include <cstring>
#include <span>
#include <string>

#include "common/run/cudart/link_modules.h"
#include "common/sim/gpu.h"
#include "common/sim/program/program.h"

using namespace lab;

namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

sim::ptx::Module module(const std::string& text) { return sim::ptx::parse(kHead + text); }

// What the kernel `k(out)` writes to out[0].
std::uint32_t result(std::vector<sim::ptx::Module> modules) {
  sim::Memory memory;
  const auto image = sim::load_module(cudart::link(std::move(modules)), memory);
  const auto program = sim::decode(*image, "k");
  const sim::DeviceAddress out = memory.allocate(4, sim::Fill::Written);
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &out, 8);
  const sim::LaunchResult launched = sim::launch(memory, *program, {}, parameters);
  REQUIRE_MESSAGE(launched.ok(), launched.faults.front().sentence().english());
  std::uint32_t value = 0;
  memory.read(out, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

const std::string kKernel = R"(
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .global .align 4 .u32 counter;
.global .align 4 .u32 mine = 100;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<5>; .reg .b64 %d<3>;
  ld.param.u64 %d1, [out];
  ld.global.u32 %r1, [counter];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r2, [b]; }
  ld.global.u32 %r3, [mine];
  add.u32 %r4, %r2, %r3;
  st.global.u32 [%d1], %r4;
  ret;
})";
const std::string kLibrary = R"(
.visible .global .align 4 .u32 counter = 7;
.global .align 4 .u32 mine = 5000;
.visible .func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1;
  ld.global.u32 %r3, [mine]; add.u32 %r2, %r2, %r3;
  st.param.b32 [r], %r2; ret;
})";

}  // namespace

TEST_CASE("functions and variables of another file, private names of both") {
  std::vector<sim::ptx::Module> modules;
  modules.push_back(module(kKernel));
  modules.push_back(module(kLibrary));
  CHECK(result(modules) == 2 * 7 + 5000 + 100);
  std::swap(modules[0], modules[1]);
  CHECK(result(modules) == 2 * 7 + 5000 + 100);
}

TEST_CASE("a private name that only one file knows stays as it is") {
  std::vector<sim::ptx::Module> modules;
  modules.push_back(module(".global .align 4 .u32 only;"));
  modules.push_back(module(".global .align 4 .u32 other;"));
  const sim::ptx::Module whole = cudart::link(std::move(modules));
  CHECK(whole.find_variable("only") != nullptr);
  CHECK(whole.find_variable("other") != nullptr);
}

TEST_CASE("lines keep their files") {
  std::vector<sim::ptx::Module> modules;
  for (const char* name : {"a", "b"}) {
    modules.push_back(module(std::string(".visible .entry ") + name +
                             "() {\n.loc 1 7 0\nret; }\n.file 1 \"/" + name + ".cu\"\n"));
  }
  const sim::ptx::Module whole = cudart::link(std::move(modules));
  REQUIRE(whole.functions.size() == 2);
  CHECK(whole.files.at(whole.functions[0].body.at(0).source.file) == "/a.cu");
  CHECK(whole.files.at(whole.functions[1].body.at(0).source.file) == "/b.cu");
}

TEST_CASE("one variable, two sizes: refused with its name") {
  std::vector<sim::ptx::Module> modules;
  modules.push_back(module(".visible .global .align 4 .b8 table[16];"));
  modules.push_back(module(".visible .global .align 4 .b8 table[32];"));
  CHECK_THROWS_WITH_AS(static_cast<void>(cudart::link(std::move(modules))), doctest::Contains("`table`"),
                       cudart::LinkError);
}

TEST_CASE("a function without a definition is named when the kernel is decoded") {
  sim::Memory memory;
  std::vector<sim::ptx::Module> modules;
  modules.push_back(module(kKernel));
  modules.push_back(module(".visible .global .align 4 .u32 counter;"));
  const auto image = sim::load_module(cudart::link(std::move(modules)), memory);
  try {
    static_cast<void>(sim::decode(*image, "k"));
    FAIL("decoded");
  } catch (const sim::FaultError& error) {
    CHECK(error.fault.sentence().english().find("`twice` is declared but defined nowhere") !=
          std::string::npos);
  }
}
