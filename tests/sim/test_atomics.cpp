// Atomics: vectors, and pairs of operation and type that do not exist.
#include <doctest/doctest.h>

#include <bit>
#include <string>

#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

PtxRun run(const std::string& body) {
  PtxKernel kernel;
  kernel.body = body;
  kernel.in.assign(64, 0x3f800000u);  // 1.0f
  return run_ptx(kernel);
}

}  // namespace

TEST_CASE("a vector of atomic additions adds element by element and gives the old values") {
  const PtxRun r = run(R"(
    mov.f32 %f1, 0f40000000;
    mov.f32 %f2, 0f40400000;
    setp.lt.u32 %p1, %tid, 2;
    @%p1 atom.global.v2.f32.add {%f3, %f4}, [%base_out], {%f1, %f2};
    @%p1 red.global.add.v4.f32 [%base_out+16], {%f1, %f2, %f1, %f2};
    setp.eq.u32 %p2, %tid, 1;
    @%p2 st.global.v2.f32 [%base_out+8], {%f3, %f4};)");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  const float want[8] = {4, 6, 2, 3, 4, 6, 4, 6};
  for (std::size_t k = 0; k < 8; ++k) CHECK(std::bit_cast<float>(r.out[k]) == want[k]);
  CHECK(run("mov.f32 %f1, 0f3f800000; red.global.add.v4.f32 [%base_out+8], {%f1, %f1, %f1, %f1};").fault() ==
        "misaligned");
  CHECK(run("mov.f32 %f1, 0f3f800000; red.global.add.v4.f32 [%base_out+4], {%f1, %f1};").fault() ==
        "bad-ptx");
}

TEST_CASE("an operation that a type does not have is refused") {
  for (const std::string text :
       {"atom.global.and.f64 %rd1, [%base_out], %rd2;", "atom.global.inc.s32 %r1, [%base_out], %r2;",
        "atom.global.cas.b128 %rd1, [%base_out], %rd2, %rd3;", "atom.global.min.f16 %h1, [%base_out], %h2;",
        "red.global.add.v8.f32 [%base_out], {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};",
        "atom.global.add.strange.u32 %r1, [%base_out], %r2;", "red.global.add.min.u32 [%base_out], %r2;",
        "red.global.add.pred [%base_out], %p1;"}) {
    CHECK_MESSAGE(run(text).fault() == "unsupported", text);
  }
}

TEST_CASE("the runtime's barrier of a whole grid") {
  PtxKernel kernel;
  kernel.body = R"(
    mov.u32 %r1, %envreg1;
    mov.u32 %r2, %envreg2;
    mov.b64 %rd1, {%r2, %r1};
    setp.ne.s64 %p1, %rd1, 0;
    selp.u32 %r3, 1, 0, %p1;
    @%p1 atom.add.release.gpu.u32 %r4, [%rd1+4], 1;
    st.global.u32 [%o], %r3;)";
  const PtxRun alone = run_ptx(kernel);
  REQUIRE_MESSAGE(alone.fault() == "none", alone.message());
  CHECK(alone.out[0] == 0);
  kernel.cooperative = true;
  const PtxRun together = run_ptx(kernel);
  REQUIRE_MESSAGE(together.fault() == "none", together.message());
  CHECK(together.out[0] == 1);
}
