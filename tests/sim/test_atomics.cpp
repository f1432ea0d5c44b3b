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
        "atom.global.and.b128 %rd1, [%base_out], %rd2;", "atom.global.min.f16 %h1, [%base_out], %h2;",
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

namespace {

// Each thread adds 1 to byte 5 of a variable of so many bytes, by a swap of the aligned word around it.
PtxRun add_to_a_byte(int bytes, const std::string& load, const std::string& then) {
  PtxKernel kernel;
  kernel.declarations = ".global .align 4 .b8 part[" + std::to_string(bytes) + "];";
  kernel.body = "mov.u64 %rd1, part;\n" + load + R"(
    again:
    shr.u32 %r2, %r1, 8;
    add.u32 %r2, %r2, 1;
    shl.b32 %r2, %r2, 8;
    and.b32 %r2, %r2, 0xff00;
    and.b32 %r3, %r1, 0xffff00ff;
    or.b32 %r3, %r3, %r2;
    atom.global.cas.b32 %r4, [%rd1+4], %r1, %r3;
    setp.ne.u32 %p1, %r4, %r1;
    mov.u32 %r1, %r4;
    @%p1 bra again;
    )" + then;
  return run_ptx(kernel);
}

}  // namespace

TEST_CASE(
    "a byte at the end of a buffer is changed by the word around it, which is no longer a false positive") {
  const std::string load = "ld.relaxed.gpu.global.b32 %r1, [%rd1+4];";
  const PtxRun r =
      add_to_a_byte(6, load, "bar.sync 0; ld.acquire.gpu.global.u8 %r5, [%rd1+5]; st.global.u32 [%o], %r5;");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[7] == 32);
  CHECK(add_to_a_byte(6, load, "ld.acquire.gpu.global.b16 %h1, [%rd1+4];").fault() == "none");
  CHECK(add_to_a_byte(5, load, "ld.acquire.gpu.global.b16 %h1, [%rd1+4];").fault() == "none");
}

TEST_CASE("what is no atomic access to a part of its word leaves the buffer as before") {
  const std::string load = "ld.relaxed.gpu.global.b32 %r1, [%rd1+4];";
  CHECK(add_to_a_byte(4, load, "").fault() == "out-of-bounds");  // the word begins behind the buffer
  CHECK(add_to_a_byte(6, load, "ld.global.b32 %r5, [%rd1+4];").fault() == "out-of-bounds");
  CHECK(add_to_a_byte(6, load, "ld.volatile.global.b32 %r5, [%rd1+4];").fault() == "out-of-bounds");
  CHECK(add_to_a_byte(6, load, "atom.global.add.u32 %r5, [%rd1+4], 1;").fault() == "out-of-bounds");
  CHECK(add_to_a_byte(5, load, "ld.global.b16 %h1, [%rd1+4];").fault() == "out-of-bounds");
}
