// The GPU side of common/gpu/device, on a driver without a GPU (fake_cuda.cpp): launches, failures, their words.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>

#include "common/gpu/device/gpu.h"
#include "tests/device/fake_driver.h"

using namespace lab::device;
using lab::test::FakeDriver;

namespace {

// out[i] = in[i] + 1 for i < count; a count of -1 loops for ever, of -2 writes far outside.
constexpr const char* kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.const .align 4 .b8 lab_answer[4] = {42, 0, 0, 0};
.visible .entry add_one(.param .u64 out, .param .u64 in, .param .u32 count)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [count];
loop:
  setp.eq.s32 %p1, %r1, -1;
  @%p1 bra loop;
  setp.eq.s32 %p2, %r1, -2;
  @%p2 bra far;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.s32 %r5, %r3, %r4, %r2;
  setp.ge.s32 %p3, %r5, %r1;
  @%p3 bra done;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r6, [%rd5];
  add.s32 %r6, %r6, 1;
  st.global.u32 [%rd4], %r6;
done:
  ret;
far:
  mov.u64 %rd6, 64;
  st.global.u32 [%rd6], %r1;
  ret;
}
)";

LaunchOutcome add_one(Device& gpu, const Kernel& kernel, std::span<std::uint32_t> numbers, int count) {
  const Buffer in(gpu, numbers.size_bytes(), Content::Data, "in");
  const Buffer out(gpu, numbers.size_bytes(), Content::Poison, "out");
  gpu.write(in.address(), std::as_bytes(numbers));
  gpu.poison(out.address(), numbers.size_bytes(), std::byte{0xCD});
  Launch launch;
  launch.grid = {static_cast<std::uint32_t>(numbers.size() / 32 + 1), 1, 1};
  launch.block = {32, 1, 1};
  launch.parameters.resize(20);
  const Address addresses[] = {out.address(), in.address()};
  std::memcpy(launch.parameters.data(), addresses, 16);
  std::memcpy(launch.parameters.data() + 16, &count, 4);
  LaunchOutcome outcome = gpu.launch(kernel, launch);
  if (outcome.faults.empty()) gpu.read(out.address(), std::as_writable_bytes(numbers));
  return outcome;
}

std::string problem_of(const std::string& settings) {
  const FakeDriver driver(settings);
  const GpuSurvey survey = survey_gpus();
  CHECK(survey.usable() == survey.problem.empty());
  CHECK(survey.usable() == survey.advice.empty());
  return survey.problem.english();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
bool has(const lab::Message& message, const std::string& part) { return has(message.english(), part); }

}  // namespace

TEST_CASE("a survey names GPU, driver and memory") {
  const FakeDriver driver("count=2;cc=80;version=12040");
  const GpuSurvey survey = survey_gpus();
  REQUIRE(survey.usable());
  REQUIRE(survey.gpus.size() == 2);
  CHECK(survey.gpus[1].name == "Fake GPU 1");
  CHECK(survey.gpus[1].index == 1);
  CHECK(survey.gpus[0].architecture() == "80");
  CHECK(survey.gpus[0].memory_bytes == 2u << 20);
  CHECK(cuda_version_text(survey.cuda_version) == "12.4");
}

TEST_CASE("why there is no GPU, in words") {
  CHECK(problem_of("").empty());
  CHECK(has(problem_of("count=0"), "sees no GPU"));
  CHECK(has(problem_of("cuInit=100"), "sees no GPU"));
  CHECK(has(problem_of("cuInit=34"), "stub"));
  CHECK(has(problem_of("cuInit=304"), "operating system does not let"));
  CHECK(has(problem_of("cuInit=803"), "different versions"));
  CHECK(has(problem_of("cuInit=804"), "newer than the driver"));
  CHECK(has(problem_of("cuInit=999"), "does not say why"));
  CHECK(has(problem_of("cuInit=4711"), "refuses cuInit"));
  CHECK(has(problem_of("crash=cuInit"), "ended by signal 6"));
  CHECK(has(problem_of("cuDeviceGetName=800"), "does not let this user"));
  {
    const FakeDriver driver("", "/nonexistent/libcuda.so.1");
    CHECK(has(survey_gpus().problem, "is not on this machine"));
  }
  {
    const FakeDriver driver("", FakeDriver::no_driver());  // a library, but no driver
    CHECK(has(survey_gpus().problem, "too old"));
  }
}

TEST_CASE("a context that cannot be made is reported when the GPU is opened") {
  const FakeDriver driver("cuDevicePrimaryCtxRetain=46");
  try {
    (void)open_gpu();
    FAIL("it opened");
  } catch (const GpuUnavailable& error) {
    CHECK(has(std::string(error.what()), "busy"));
    CHECK(error.survey.gpus.size() == 1);
  }
  const FakeDriver two("count=2");
  CHECK_THROWS_WITH_AS((void)open_gpu({.index = 2}), doctest::Contains("There is no GPU 2"), GpuUnavailable);
  CHECK(open_gpu({.index = 1})->name() == "Fake GPU 1");
}

TEST_CASE("a kernel runs, and constants are read from the module") {
  const FakeDriver driver;
  const auto gpu = open_gpu();
  CHECK_FALSE(gpu->counts());
  CHECK_FALSE(gpu->catches_stray_writes());
  const auto module = gpu->load({kPtx});
  CHECK(module->entries() == std::vector<std::string>{"add_one"});
  const auto answer = module->constant("lab_answer");
  REQUIRE(answer);
  CHECK(std::to_integer<int>(answer->front()) == 42);
  CHECK_FALSE(module->constant("no_such_name"));
  const auto kernel = module->kernel("add_one");
  REQUIRE(kernel->parameters().size() == 3);
  CHECK(kernel->parameters()[2].offset_bytes == 16);
  std::vector<std::uint32_t> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 5u);
  const LaunchOutcome outcome = add_one(*gpu, *kernel, numbers, 1000);
  CHECK(outcome.faults.empty());
  CHECK_FALSE(outcome.counted);
  CHECK(outcome.seconds > 0);
  CHECK(numbers.front() == 6);
  CHECK(numbers.back() == 1005);
  CHECK_THROWS_AS((void)module->kernel("nobody"), LoadError);
}

TEST_CASE("matrices larger than the shared area travel in pieces") {
  const FakeDriver driver;
  const auto gpu = open_gpu();
  std::vector<std::uint32_t> numbers(40u << 20), back(numbers.size());  // 160 MiB
  std::iota(numbers.begin(), numbers.end(), 1u);
  const Buffer buffer(*gpu, numbers.size() * 4, Content::Data, "large");
  gpu->write(buffer.address(), std::as_bytes(std::span(numbers)));
  gpu->read(buffer.address(), std::as_writable_bytes(std::span(back)));
  CHECK(numbers == back);
}

TEST_CASE("an illegal address is a fault, and the next launch gets a fresh worker") {
  const FakeDriver driver;
  const auto gpu = open_gpu();
  const auto module = gpu->load({kPtx});
  const auto kernel = module->kernel("add_one");
  std::vector<std::uint32_t> numbers(64, 1);
  const LaunchOutcome bad = add_one(*gpu, *kernel, numbers, -2);
  REQUIRE(bad.faults.size() == 1);
  CHECK(bad.faults[0].kind == lab::sim::FaultKind::OutOfBounds);
  CHECK(has(bad.faults[0].sentence().english(), "CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(has(bad.faults[0].sentence().english(), "--device sim"));
  CHECK(add_one(*gpu, *kernel, numbers, 64).faults.empty());
  CHECK(numbers[0] == 2);
  CHECK(gpu->workers() == 2);
  CHECK(module->constant("lab_answer"));
}

TEST_CASE("a kernel that does not end is killed") {
  const FakeDriver driver("hang");
  GpuOptions options;
  options.launch_limit = std::chrono::milliseconds(300);
  const auto gpu = open_gpu(options);
  const auto module = gpu->load({kPtx});
  const auto kernel = module->kernel("add_one");
  std::vector<std::uint32_t> numbers(64, 1);
  const auto start = std::chrono::steady_clock::now();
  const LaunchOutcome endless = add_one(*gpu, *kernel, numbers, 64);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  REQUIRE(endless.faults.size() == 1);
  CHECK(endless.faults[0].kind == lab::sim::FaultKind::BudgetExceeded);
  CHECK(has(endless.faults[0].sentence().english(), "killed"));
}

TEST_CASE("each failing call of the driver is named, and nothing of it passes for a result") {
  std::vector<std::uint32_t> numbers(64, 1);
  for (const char* call : {"cuMemcpyHtoD_v2", "cuMemsetD8_v2", "cuMemAlloc_v2"}) {
    CAPTURE(call);
    const FakeDriver driver(std::string(call) + "=400");
    const auto gpu = open_gpu();
    const auto module = gpu->load({kPtx});
    const auto kernel = module->kernel("add_one");
    CHECK_THROWS_AS((void)add_one(*gpu, *kernel, numbers, 64), DeviceError);
  }
  for (const auto& expected : {std::pair{701, lab::sim::FaultKind::InvalidLaunch},
                               {716, lab::sim::FaultKind::Misaligned},
                               {719, lab::sim::FaultKind::Trap},
                               {1, lab::sim::FaultKind::InvalidLaunch}}) {
    const int code = expected.first;
    CAPTURE(code);
    const FakeDriver driver("cuLaunchKernel=" + std::to_string(code));
    const auto gpu = open_gpu();
    const auto module = gpu->load({kPtx});
    const auto kernel = module->kernel("add_one");
    const LaunchOutcome outcome = add_one(*gpu, *kernel, numbers, 64);
    REQUIRE(outcome.faults.size() == 1);
    CHECK(outcome.faults[0].kind == expected.second);
  }
}

TEST_CASE("no memory, a driver that breaks down, a machine at fault") {
  std::vector<std::uint32_t> numbers(64, 1);
  {
    const FakeDriver driver("cuMemAlloc_v2=2");
    const auto gpu = open_gpu();
    CHECK_THROWS_AS(Buffer(*gpu, 64, Content::Data, "in"), std::bad_alloc);
  }
  {
    const FakeDriver driver("crash=cuLaunchKernel");
    const auto gpu = open_gpu();
    const auto module = gpu->load({kPtx});
    const auto kernel = module->kernel("add_one");
    CHECK_THROWS_WITH_AS((void)add_one(*gpu, *kernel, numbers, 64), doctest::Contains("signal 6"),
                         DeviceError);
  }
  {
    const FakeDriver driver("cuCtxSynchronize=214");
    const auto gpu = open_gpu();
    const auto module = gpu->load({kPtx});
    const auto kernel = module->kernel("add_one");
    CHECK_THROWS_AS((void)add_one(*gpu, *kernel, numbers, 64), DeviceError);
  }
}

TEST_CASE("a module that the driver refuses") {
  for (const auto& [settings, words] :
       {std::pair{"cuModuleLoadDataEx=222;version=12020", "too old for this PTX: it knows CUDA up to 12.2"},
        {"cuModuleLoadDataEx=209", "another GPU"},
        {"cuModuleLoadDataEx=221", "libnvidia-ptxjitcompiler.so"}}) {
    const FakeDriver driver(settings);
    const auto gpu = open_gpu();
    CHECK_THROWS_WITH_AS((void)gpu->load({kPtx}), doctest::Contains(words), LoadError);
  }
  const FakeDriver driver;
  const auto gpu = open_gpu();
  CHECK_THROWS_AS((void)gpu->load({"this is no PTX"}), LoadError);
  // A cubin that this driver does not take: then the PTX.
  CHECK_NOTHROW((void)gpu->load({kPtx, "\177ELF and more"}));
}

TEST_CASE("a grid that no GPU takes is refused in words") {
  const FakeDriver driver;
  const auto gpu = open_gpu();
  const auto module = gpu->load({kPtx});
  const auto kernel = module->kernel("add_one");
  Launch launch;
  launch.grid = {1, 70'000, 1};
  launch.block = {32, 1, 1};
  const LaunchOutcome outcome = gpu->launch(*kernel, launch);
  REQUIRE(outcome.faults.size() == 1);
  CHECK(has(outcome.faults[0].sentence().english(), "65 535"));
}

TEST_CASE("times: copies and kernels take turns, cuBLAS is opened where it is") {
  const FakeDriver driver;
  const auto gpu = open_gpu();
  const Buffer a(*gpu, 4096, Content::Data, "a"), b(*gpu, 4096, Content::Data, "b");
  gpu->poison(a.address(), 4096, std::byte{7});
  TimedWork copy;
  copy.kind = TimedWork::Kind::Copy;
  copy.copy_bytes = 4096;
  copy.turns = {{{}, b.address(), a.address()}};
  const auto samples = gpu->time(copy, {.warm_ups = 1, .samples = 5, .repeats = 3});
  REQUIRE(samples.size() == 5);
  for (const double s : samples) CHECK(s == doctest::Approx(1e-6 + 4096 * 2e-12).epsilon(0.01));
  std::vector<std::byte> back(4096);
  gpu->read(b.address(), back);
  CHECK(back.front() == std::byte{7});
  {
    const FakeDriver none("", "", "/nonexistent/libcublas.so");
    const auto other = open_gpu();
    CHECK_THROWS_WITH_AS((void)other->cublas(), doctest::Contains("not installed"), DeviceError);
  }
  CHECK(gpu->cublas() == "13.1");
  TimedWork geam = copy;
  geam.kind = TimedWork::Kind::Cublas;
  geam.rows = 16, geam.cols = 64, geam.elem_bytes = 2;
  CHECK_THROWS_WITH_AS((void)gpu->time(geam, {}), doctest::Contains("none of 2"), DeviceError);
  geam.elem_bytes = 4;
  CHECK(gpu->time(geam, {}).size() == 20);
}

TEST_CASE("the simulator has no times") {
  const auto simulator = make_simulator();
  CHECK_FALSE(simulator->has_times());
  CHECK_THROWS_AS((void)simulator->time({}, {}), DeviceError);
}
