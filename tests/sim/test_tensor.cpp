// Tensor instructions that are wrong, and what is said of them; and one kernel that is right. Results and
// counters are compared with a GPU's in test_golden_tensor.cpp.
#include <doctest/doctest.h>

#include <string>

#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

PtxRun run_body(const std::string& body, Dim3 block = {32, 1, 1}, std::size_t out_words = 1024) {
  PtxKernel kernel;
  kernel.body = body;
  kernel.block = block;
  kernel.out_words = out_words;
  kernel.in.assign(1024, 0x3c003c00u);  // ones, two a word
  return run_ptx(kernel);
}

const std::string kProduct = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 ";
const std::string kZeros =
    "mov.b32 %r1, 0x3c003c00; mov.b32 %r2, %r1; mov.b32 %r3, %r1; mov.b32 %r4, %r1;\n"
    "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n";
const std::string kGood =
    kProduct + "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};\n";

}  // namespace

TEST_CASE("a product of ones is K") {
  const PtxRun r = run_body(kZeros + kGood + "st.global.f32 [%o], %f3;");
  CHECK(r.fault() == "none");
  for (int lane = 0; lane < 32; ++lane) CHECK(r.out[static_cast<std::size_t>(lane)] == 0x41800000u);
}

TEST_CASE("a part of a warp cannot multiply") {
  CHECK(run_body(kZeros + kGood, {48, 1, 1}).fault() == "warp-sync");
  CHECK(run_body(kZeros + "setp.lt.u32 %p1, %tid, 16;\n @%p1 " + kGood).fault() == "warp-sync");
  CHECK(run_body(kZeros + "setp.lt.u32 %p1, %tid, 64;\n @%p1 " + kGood).fault() == "none");
  CHECK(run_body(kZeros + "setp.gt.u32 %p1, %tid, 64;\n @%p1 " + kGood).fault() == "none");
  const PtxRun loads = run_body(
      "setp.lt.u32 %p1, %tid, 16;\n @%p1 wmma.load.c.sync.aligned.row.m16n16k16.f16 {%r1, %r2, %r3, %r4}, "
      "[%base_in];");
  CHECK(loads.fault() == "warp-sync");
}

TEST_CASE("forms that PTX has not are refused by name") {
  for (const std::string op : {"mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
                               "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32",
                               "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32",
                               "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
                               "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
                               "mma.sp.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32"}) {
    const PtxRun r =
        run_body(op + " {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};");
    CHECK_MESSAGE(r.fault() == "unsupported", op);
    CHECK_MESSAGE(r.message().find(op) != std::string::npos, r.message());
  }
  const std::string four = " {%r1, %r2, %r3, %r4}, [%base_in];";
  for (const std::string op :
       {"wmma.load.a.sync.aligned.row.m16n16k32.bf16", "wmma.load.d.sync.aligned.row.m16n16k16.f16",
        "wmma.load.c.sync.aligned.row.m16n16k16.local.f16", "wmma.load.c.sync.aligned.m16n16k16.f16"})
    CHECK_MESSAGE(run_body(op + four).fault() == "unsupported", op);
  CHECK(run_body("wmma.load.b.sync.aligned.row.m8n8k32.s4 {%r1}, [%base_in];").fault() == "unsupported");
}

TEST_CASE("registers are counted and measured") {
  CHECK(run_body(kProduct + "{%f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};")
            .fault() == "bad-ptx");
  CHECK(run_body(kProduct + "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3}, {%r1, %r2}, {%f1, %f2, %f3, %f4};")
            .fault() == "bad-ptx");
  CHECK(
      run_body(kProduct + "{%f1, %f2, %f3, %f4}, {%rd1, %rd2, %rd3, %rd4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};")
          .fault() == "bad-ptx");
  CHECK(run_body("wmma.load.c.sync.aligned.row.m16n16k16.f16 {%r1, %r2, %r3}, [%base_in];").fault() ==
        "bad-ptx");
}

TEST_CASE("a matrix that does not lie in memory is a fault of its load or store") {
  const std::string load = "wmma.load.c.sync.aligned.row.m16n16k16.f16 {%r1, %r2, %r3, %r4}, ";
  const std::string store = "wmma.store.d.sync.aligned.row.m16n16k16.f16 ";
  CHECK(run_body(load + "[%base_in], 16;").fault() == "none");
  CHECK(run_body(load + "[%base_in], 100000;").fault() == "out-of-bounds");
  CHECK(run_body(load + "[%base_in+2], 16;").fault() == "misaligned");
  CHECK(run_body(load + "[%base_in], 15;").fault() == "misaligned");
  CHECK(run_body(load + "[%base_in];\n" + store + "[%base_out], {%r1, %r2, %r3, %r4}, 16;").fault() ==
        "none");
  CHECK(run_body(load + "[%base_in];\n" + store + "[%base_out+4096], {%r1, %r2, %r3, %r4}, 16;").fault() ==
        "out-of-bounds");
}

TEST_CASE("two warps that store one matrix race") {
  const std::string body =
      "wmma.load.c.sync.aligned.row.m16n16k16.f16 {%r1, %r2, %r3, %r4}, [%base_in];\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [tile], {%r1, %r2, %r3, %r4};\n"
      "bar.warp.sync -1;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [tile];";
  PtxKernel kernel;
  kernel.declarations = ".shared .align 32 .b8 tile[512];";
  kernel.in.assign(1024, 0x3c003c00u);
  kernel.body = body;
  CHECK(run_ptx(kernel).fault() == "none");
  kernel.block = {64, 1, 1};
  kernel.out_words = 64;
  CHECK(run_ptx(kernel).fault() == "shared-race");
}
