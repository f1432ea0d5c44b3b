// Every row of the table of special registers, read by every thread of drawn launches: what the table says that its
// value follows from, and nothing else, changes it.
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/sim/ptx/special_registers.h"
#include "tests/sim/ptx_run.h"

namespace lab::sim {
namespace {

using ptx::Follows;
using ptx::Kept;

struct Shape {
  Dim3 grid, block, cluster;
};

std::vector<std::string> names_of(const ptx::SpecialRegister& special) {
  const std::string name(special.name);
  if (!special.has_members) return {name};
  return {name + ".x", name + ".y", name + ".z"};
}

// The value that each thread sees, block by block.
std::vector<std::uint32_t> values(const std::string& name, const ptx::SpecialRegister& special,
                                  const Shape& shape) {
  const auto text = [](const Dim3& d) {
    return std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z);
  };
  const std::string read = (special.kept == Kept::BlockPredicate ? "selp.u32 %r0, 1, 0, "
                            : special.has_64_bits                ? "cvt.u32.u64 %r0, "
                                                                 : "mov.u32 %r0, ") +
                           name;
  PtxKernel kernel;
  kernel.grid = shape.grid, kernel.block = shape.block;
  kernel.out_words = shape.grid.count() * shape.block.count();
  const PtxRun run = run_module(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry test(.param .u64 o, .param .u64 i, "
      ".param "
      ".u32 n)\n.explicitcluster\n.reqnctapercluster " +
          text(shape.cluster) + "\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<3>;\n" + read + R"(;
  mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y; mad.lo.u32 %r1, %r1, %r2, %r3;
  mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
  mov.u32 %r2, %ntid.z; mov.u32 %r3, %tid.z; mad.lo.u32 %r1, %r1, %r2, %r3;
  mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y; mad.lo.u32 %r1, %r1, %r2, %r3;
  mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u64 %d0, [o]; mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r0;
  ret;
})",
      kernel);
  REQUIRE_MESSAGE(run.fault() == "none", name, ": ", run.message());
  return run.out;
}

struct Seen {
  bool in_warp = false, in_block = false, in_launch = false;
  std::set<std::uint32_t> first;  // of each launch
};

void look(Seen& seen, const std::vector<std::uint32_t>& out, std::size_t threads) {
  for (std::size_t t = 0; t < out.size(); ++t) {
    const std::size_t block = t / threads * threads, warp = block + (t - block) / 32 * 32;
    seen.in_warp |= out[t] != out[warp];
    seen.in_block |= out[warp] != out[block];
    seen.in_launch |= out[block] != out[0];
  }
  seen.first.insert(out[0]);
}

}  // namespace

TEST_CASE("special registers: what a value follows from, of every row") {
  for (const ptx::SpecialRegister& special : ptx::special_registers()) {
    if (special.kept == Kept::Clock) continue;
    for (const std::string& name : names_of(special)) {
      std::mt19937 chance(38);
      const auto draw = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + chance() % most); };
      Seen seen;
      for (int k = 0; k < 6; ++k) {
        const Dim3 cluster{draw(2), draw(2), draw(2)};
        const Shape shape{{cluster.x * (1 + draw(2)), cluster.y * (1 + draw(2)), cluster.z * (1 + draw(2))},
                          {2 + draw(5), 2 + draw(5), 2 + draw(4)},
                          cluster};
        look(seen, values(name, special, shape), shape.block.count());
      }
      CAPTURE(name);
      CHECK(seen.in_warp == (special.follows == Follows::Lane));
      if (special.follows != Follows::Lane) CHECK(seen.in_block == (special.follows == Follows::Warp));
      if (special.follows < Follows::Warp) CHECK(seen.in_launch == (special.follows == Follows::Block));
      if (special.follows == Follows::Gpu) CHECK(seen.first.size() == 1);
      if (special.follows == Follows::Grid) CHECK(seen.first.size() > 1);
    }
  }
}

TEST_CASE("special registers: names") {
  const auto named = [](std::string_view name) {
    const ptx::SpecialRegister* found = ptx::special_register(name);
    return found == nullptr ? std::string_view("none") : found->name;
  };
  for (const ptx::SpecialRegister& special : ptx::special_registers()) {
    CHECK(ptx::special_register(special.name) == &special);
    const std::string member = std::string(special.name) + ".x";
    CHECK((ptx::special_register(member) == &special) == special.has_members);
  }
  CHECK(named("%tid.w") == "%tid.w");
  CHECK(named("%envreg31") == "%envreg0");
  CHECK(named("%envreg1") == "%envreg1");
  CHECK(named("%pm7") == "%pm0");
  for (const char* none : {"%tidy", "%tid.", "%tid.v", "%tid.xy", "%laneid2", "tid.x", "%", "", "%r1",
                           "%smid.x", "%pm8", "%pm07", "%envreg32", "%envreg", "%pm", "%pm_64"})
    CHECK_MESSAGE(named(none) == "none", none);
  CHECK(named("%pm3_64") == "%pm0_64");
}

}  // namespace lab::sim
