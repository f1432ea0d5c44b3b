// Results and times on a driver without a GPU: two devices under one Subject, and the stopwatch.
#include <doctest/doctest.h>

#include <string>

#include "common/course/judge/stopwatch.h"
#include "tests/device/fake_driver.h"
#include "tests/judge/small_kernels.h"

using namespace lab::judge;
using lab::device::Gpu;
using lab::device::open_gpu;
using lab::test::FakeDriver;

namespace {

const std::string kTransposes = lab::test::module_with(lab::test::kRight);
const std::string kCopies = lab::test::module_with(lab::test::kCopies);
const std::string kWritesNothing = lab::test::module_with("mov.u32 %r10, 0; bra.uni DONE;");
// Element (0, 0) goes one element before `out`, too, by a store of its own.
const std::string kStrays = lab::test::module_with(lab::test::kRight +
                                                   "setp.ne.s32 %p1, %r7, 0; @%p1 bra ON;"
                                                   "st.global.u32 [%rd1+-4], %r8; ON:");
const lab::LaunchShape kShape = [] {
  lab::LaunchShape shape;
  shape.block = {32, 8};
  shape.tile = {8, 32};
  return shape;
}();

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
bool has(const lab::Message& message, const std::string& part) { return has(message.english(), part); }

Timed time_kernel(Gpu& gpu, const std::string& ptx, const Problem& problem = {96, 160}) {
  const auto module = gpu.load({ptx});
  Stopwatch watch(gpu, problem, {.samples = 5, .sample_seconds = 1e-5});
  return watch.kernel(*module->kernel("transpose"), kShape);
}

}  // namespace

TEST_CASE("a right kernel is timed, against a copy of the same bytes") {
  const FakeDriver driver;
  const auto gpu = open_gpu();
  const auto module = gpu->load({kTransposes});
  Stopwatch watch(*gpu, {96, 160}, {.samples = 5, .sample_seconds = 1e-5});
  CHECK(watch.bytes() == 2u * 96 * 160 * 4);
  CHECK(watch.pairs() >= 2);
  const Timed copy = watch.copy(true);
  CHECK(copy.problem.empty());
  // The fake driver's clock: 1 µs, and 2 ps a byte of `in`.
  CHECK(copy.seconds.median == doctest::Approx(1e-6 + 96 * 160 * 4 * 2e-12).epsilon(0.01));
  const Timed kernel = watch.kernel(*module->kernel("transpose"), kShape);
  CHECK(kernel.problem == "");
  CHECK(kernel.seconds.samples == 5);
  CHECK(kernel.seconds.median > 4e-5);
  CHECK(kernel.repeats >= 1);
}

TEST_CASE("a kernel that ends the driver's context leaves the next ones their buffers") {
  const FakeDriver driver("cuLaunchKernel=716@1");
  const auto gpu = open_gpu();
  const auto module = gpu->load({kTransposes});
  const auto kernel = module->kernel("transpose");
  Stopwatch watch(*gpu, {96, 160}, {.samples = 5, .sample_seconds = 1e-5});
  CHECK(watch.kernel(*kernel, kShape).problem != "");
  CHECK(watch.copy(true).problem == "");
}

TEST_CASE("what is wrong is never timed") {
  const FakeDriver driver;
  const auto gpu = open_gpu();
  CHECK(has(time_kernel(*gpu, kCopies).problem, "The result is wrong: "));
  CHECK(has(time_kernel(*gpu, kWritesNothing).problem, "never written"));
  const Timed stray = time_kernel(*gpu, kStrays);
  CHECK(has(stray.problem, "outside of `out`"));
  CHECK(stray.seconds.samples == 0);
  const FakeDriver failing("cuLaunchKernel=719");
  const auto other = open_gpu();
  CHECK(has(time_kernel(*other, kTransposes).problem, "CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_CASE("cuBLAS is verified and timed, or says why not") {
  const FakeDriver driver;
  const auto gpu = open_gpu();
  for (const int elem_bytes : {4, 8, 16}) {
    CAPTURE(elem_bytes);
    Stopwatch watch(*gpu, {.rows = 31, .cols = 65, .elem_bytes = elem_bytes},
                    {.samples = 3, .sample_seconds = 1e-6});
    const Timed timed = watch.cublas();
    CHECK(timed.problem == "");
    CHECK(timed.seconds.samples == 3);
  }
  Stopwatch halves(*gpu, {.rows = 31, .cols = 65, .elem_bytes = 2});
  CHECK(has(halves.cublas().problem, "none of 2"));
  Stopwatch batch(*gpu, {.rows = 31, .cols = 65, .batch = 2});
  CHECK(has(batch.cublas().problem, "plain matrices"));
  const FakeDriver none("", "", "/nonexistent/libcublas.so");
  const auto other = open_gpu();
  Stopwatch watch(*other, {.rows = 31, .cols = 65});
  CHECK(has(watch.cublas().problem, "not installed"));
}

TEST_CASE("both devices judge, and must agree") {
  const std::vector<Problem> shapes = {{5, 7}, {32, 33}, {64, 64}};
  Target target;
  target.shape = kShape;
  {
    const FakeDriver driver;
    Subject subject(kTransposes, 1, {open_gpu(), "", false});
    CHECK_FALSE(subject.first_wrong(shapes, target));
    CHECK(subject.gpu_shapes() == 3);
    CHECK(subject.run({16, 16}, target).correct());
    CHECK(subject.run({16, 16}, target).counters[lab::sim::Path::GlobalLoad].requests > 0);
    CHECK(subject.gpu_shapes() == 4);
  }
  {
    const FakeDriver driver;  // wrong on both: no disagreement
    Subject subject(kCopies, 1, {open_gpu(), "", false});
    const auto wrong = subject.first_wrong(shapes, target);
    REQUIRE(wrong);
    CHECK(wrong->mismatch->code == "wrong-element");
  }
  {
    const FakeDriver driver("wrong");
    Subject subject(kTransposes, 1, {open_gpu(), "", false});
    const auto wrong = subject.first_wrong(shapes, target);
    REQUIRE(wrong);
    CHECK(wrong->mismatch->code == "devices-disagree");
    CHECK(has(wrong->mismatch->message, "On the Fake GPU 0 the result is wrong"));
    CHECK_FALSE(subject.run({16, 16}, target).correct());
  }
  {
    const FakeDriver driver("cuLaunchKernel=700@2");
    Subject subject(kTransposes, 1, {open_gpu(), "", false});
    const auto wrong = subject.first_wrong(shapes, target);
    REQUIRE(wrong);
    CHECK(wrong->mismatch->code == "devices-disagree");
    CHECK(has(wrong->mismatch->message, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  }
}

TEST_CASE("a GPU that fails by itself leaves the verdict to the simulator") {
  const std::vector<Problem> shapes = {{5, 7}, {32, 33}};
  Target target;
  target.shape = kShape;
  const FakeDriver driver("cuMemAlloc_v2=2@4");
  Subject subject(kTransposes, 1, {open_gpu(), "", false});
  CHECK_FALSE(subject.first_wrong(shapes, target));
  CHECK(has(subject.gpu_problem(), "not enough free memory"));
  CHECK(subject.run({16, 16}, target).correct());
}

TEST_CASE("the GPU alone: its results, the simulator's counters") {
  const std::vector<Problem> shapes = {{5, 7}, {32, 33}};
  Target target;
  target.shape = kShape;
  const FakeDriver driver("cuLaunchKernel=716@2");
  Subject subject(kTransposes, 1, {open_gpu(), "", true});
  const auto wrong = subject.first_wrong(shapes, target);
  REQUIRE(wrong);
  CHECK(wrong->problem == shapes[1]);
  REQUIRE(wrong->faults.size() == 1);
  CHECK(wrong->faults[0].kind == lab::sim::FaultKind::Misaligned);
  CHECK(subject.run({16, 16}, target).counters[lab::sim::Path::GlobalLoad].requests > 0);
}
