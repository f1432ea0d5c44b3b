// The library for programs that embed the simulator, through its C functions: what each bad argument gives,
// and that no input ends the process.
#include <doctest/doctest.h>

#include <array>
#include <cfenv>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "common/run/embed/transpose_ptx.h"
#include "tests/drawn/draws.h"

namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";
// y[i] = x[i] + 1 for i < n.
const std::string kAdd = kHead + R"(
.visible .entry add(.param .u64 y, .param .u64 x, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r1, %r4;
  @%p ret;
  ld.param.u64 %rd1, [y];
  ld.param.u64 %rd2, [x];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%rd1], %r2;
  ret;
})";
// All threads store their number to one place: a race.
const std::string kRace = kHead + R"(
.visible .entry race(.param .u64 y) {
  .reg .b32 %r; .reg .b64 %rd;
  mov.u32 %r, %tid.x;
  ld.param.u64 %rd, [y];
  st.global.u32 [%rd], %r;
  ret;
})";
// Adds 1 to a variable of the module and copies it.
const std::string kCount = kHead + R"(
.visible .global .align 4 .u32 total = 5;
.visible .entry count(.param .u64 y) {
  .reg .b32 %r; .reg .b64 %rd;
  ld.global.u32 %r, [total];
  add.u32 %r, %r, 1;
  st.global.u32 [total], %r;
  ld.param.u64 %rd, [y];
  st.global.u32 [%rd], %r;
  ret;
}
.visible .entry other() { ret; })";

struct Loaded {
  explicit Loaded(const std::string& text) : module(lab_ptx_load(text.data(), text.size(), &error)) {}
  ~Loaded() { lab_ptx_unload(module); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  lab_ptx_error error{};
  lab_ptx_module* module;
};

// A launch of `add` on two arrays, as it should be; tests spoil a part of it.
struct Add {
  alignas(128) std::array<std::uint32_t, 64> y{}, x{};
  void *to = y.data(), *from = x.data();
  std::uint32_t n = 64;
  std::array<lab_ptx_argument, 3> arguments{
      {LAB_PTX_ARGUMENT(to), LAB_PTX_ARGUMENT(from), LAB_PTX_ARGUMENT(n)}};
  std::array<lab_ptx_range, 2> ranges{
      {{y.data(), sizeof y, "y", LAB_PTX_UNWRITTEN}, {x.data(), sizeof x, "x", LAB_PTX_READ_ONLY}}};
  lab_ptx_request request{};
  Add() {
    for (std::uint32_t i = 0; i < 64; ++i) x[i] = 3 * i;
    request.struct_bytes = sizeof request;
    request.grid = {2, 1, 1};
    request.block = {32, 1, 1};
    request.arguments = arguments.data();
    request.argument_count = arguments.size();
    request.ranges = ranges.data();
    request.range_count = ranges.size();
  }
  Add(const Add&) = delete;
  Add& operator=(const Add&) = delete;
};

struct Ran {
  Ran(lab_ptx_module* module, const lab_ptx_request& request)
      : result(lab_ptx_launch(module, &request, &error)) {}
  ~Ran() { lab_ptx_free(result); }
  Ran(const Ran&) = delete;
  Ran& operator=(const Ran&) = delete;
  [[nodiscard]] std::string first() const {
    return result == nullptr || result->finding_count == 0 ? "" : result->findings[0].code;
  }
  lab_ptx_error error{};
  const lab_ptx_result* result;
};

std::uint64_t counted(const lab_ptx_result& result, const std::string& path) {
  for (std::size_t i = 0; i < result.counter_count; ++i)
    if (result.counters[i].path == path) return result.counters[i].cost;
  return ~0ull;
}

}  // namespace

TEST_CASE("a launch on memory of this process: results, counters, JSON") {
  const Loaded loaded(kAdd);
  REQUIRE(loaded.module != nullptr);
  Add add;
  const Ran ran(loaded.module, add.request);
  REQUIRE(ran.result != nullptr);
  CHECK(ran.result->completed == 1);
  CHECK(ran.result->finding_count == 0);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(add.y[i] == 3 * i + 1);
  CHECK(counted(*ran.result, "global_load") == 8);
  CHECK(counted(*ran.result, "global_store") == 8);
  CHECK(ran.result->warp_instructions == 34);
  const std::string json = lab_ptx_json(ran.result);
  CHECK(json.find(R"("kernel":"add")") != std::string::npos);
  CHECK(json == lab_ptx_json(ran.result));
}

TEST_CASE("what a kernel takes is reported") {
  const Loaded loaded(kCount);
  std::array<const char*, 3> names{};
  REQUIRE(lab_ptx_entries(loaded.module, names.data(), names.size()) == 2);
  CHECK(std::string(names[0]) == "count");
  CHECK(std::string(names[1]) == "other");
  const lab_ptx_kernel* const kernel = lab_ptx_find(loaded.module, "count", nullptr);
  REQUIRE(kernel != nullptr);
  REQUIRE(kernel->parameter_count == 1);
  CHECK(std::string(kernel->parameters[0].name) == "y");
  CHECK(kernel->parameters[0].bytes == 8);
  CHECK(kernel->parameters[0].kind == LAB_PTX_WHOLE);
  lab_ptx_error error;
  CHECK(lab_ptx_find(loaded.module, nullptr, &error) == nullptr);
  CHECK(std::string(error.code) == "bad-request");
}

TEST_CASE("variables stay from launch to launch, and are the caller's too") {
  const Loaded loaded(kCount);
  alignas(128) std::uint32_t y = 0;
  void* to = &y;
  const lab_ptx_argument argument = LAB_PTX_ARGUMENT(to);
  const lab_ptx_range range{&y, sizeof y, "y", 0};
  lab_ptx_request request{};
  request.struct_bytes = sizeof request;
  request.entry = "count";
  request.struct_bytes = sizeof request;
  request.grid = request.block = {1, 1, 1};
  request.arguments = &argument, request.argument_count = 1;
  request.ranges = &range, request.range_count = 1;
  for (std::uint32_t wanted = 6; wanted < 9; ++wanted) {
    const Ran ran(loaded.module, request);
    CHECK(ran.first().empty());
    CHECK(y == wanted);
  }
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  void* const total = lab_ptx_variable(loaded.module, "total", &address, &bytes);
  REQUIRE(total != nullptr);
  CHECK(bytes == 4);
  CHECK(address != 0);
  const std::uint32_t fresh = 40;
  std::memcpy(total, &fresh, sizeof fresh);
  const Ran ran(loaded.module, request);
  CHECK(y == 41);
  CHECK(lab_ptx_variable(loaded.module, "none", nullptr, nullptr) == nullptr);
}

TEST_CASE("bad requests are errors with their reason") {
  const Loaded loaded(kAdd);
  const auto refused = [&](const auto& spoil) {
    Add add;
    spoil(add);
    const Ran ran(loaded.module, add.request);
    CHECK(ran.result == nullptr);
    CHECK(std::string(ran.error.code) == "bad-request");
    CHECK(add.y[0] == 0);
    return std::string(ran.error.message);
  };
  CHECK(refused([](Add& a) { a.request.argument_count = 2; }).find("3 parameters, and 2 arguments") !=
        std::string::npos);
  CHECK(refused([](Add& a) { a.arguments[2].bytes = 8; }).find("Argument 3 has 8 bytes") !=
        std::string::npos);
  CHECK(refused([](Add& a) { a.arguments[1].value = nullptr; }).find("argument 2") != std::string::npos);
  refused([](Add& a) { a.request.arguments = nullptr; });
  refused([](Add& a) { a.request.ranges = nullptr; });
  refused([](Add& a) { a.request.struct_bytes = 8; });
  CHECK(refused([](Add& a) { a.request.entry = "sub"; }).find("`add`") != std::string::npos);
  CHECK(refused([](Add& a) { a.ranges[1].start = &a.y[8]; }).find("overlaps") != std::string::npos);
  refused([](Add& a) { a.ranges[0].start = nullptr; });
  refused([](Add& a) { a.ranges[0].bytes = ~std::size_t{0}; });
  refused([](Add& a) { a.ranges[0].start = reinterpret_cast<void*>(0x700000000); });
  refused([](Add& a) { a.ranges[0].start = reinterpret_cast<void*>(0x4f0000001000); });
  refused([](Add& a) {  // around the top of the addresses
    a.ranges[0].start = reinterpret_cast<void*>(~std::uintptr_t{255});
    a.ranges[0].bytes = 512;
  });
  refused([](Add& a) { a.request.flags = 8; });
  CHECK(refused([](Add& a) { a.ranges[1].flags = 4; }).find("range 2") != std::string::npos);
  refused([](Add& a) { a.request.cluster = {2, 0, 0}; });
  lab_ptx_error error;
  CHECK(lab_ptx_launch(loaded.module, nullptr, &error) == nullptr);
  const Add add;
  CHECK(lab_ptx_launch(nullptr, &add.request, &error) == nullptr);
  CHECK(lab_ptx_launch(nullptr, nullptr, nullptr) == nullptr);
  CHECK(lab_ptx_find(nullptr, "add", &error) == nullptr);
  CHECK(lab_ptx_entries(nullptr, nullptr, 0) == 0);
  CHECK(lab_ptx_variable(nullptr, "x", nullptr, nullptr) == nullptr);
  CHECK(lab_ptx_variable(loaded.module, nullptr, nullptr, nullptr) == nullptr);
  lab_ptx_unload(nullptr);
  lab_ptx_free(nullptr);
  CHECK(std::string(lab_ptx_json(nullptr)) == "null");
}

TEST_CASE("what a GPU would refuse, and what a kernel does wrong, is a finding") {
  const Loaded loaded(kAdd);
  const auto found = [&](const auto& spoil) {
    Add add;
    spoil(add);
    const Ran ran(loaded.module, add.request);
    REQUIRE(ran.result != nullptr);
    CHECK(ran.result->completed == 0);
    REQUIRE(ran.result->finding_count == 1);
    CHECK(ran.result->findings[0].ended == 1);
    return ran.first() + " " + std::to_string(ran.result->findings[0].ptx_line);
  };
  CHECK(found([](Add& a) { a.request.grid.x = 0; }) == "invalid-launch 0");
  CHECK(found([](Add& a) { a.request.block = {0, 0, 0}; }) == "invalid-launch 0");
  CHECK(found([](Add& a) { a.request.block.x = 1025; }) == "invalid-launch 0");
  CHECK(found([](Add& a) { a.request.cluster = {3, 1, 1}; }) == "invalid-launch 0");
  CHECK(found([](Add& a) { a.request.shared_bytes = 1 << 20; }) == "too-much-shared 0");
  CHECK(found([](Add& a) { a.request.range_count = 1; }) == "out-of-bounds 19");  // x is not given
  CHECK(found([](Add& a) { a.ranges[1].bytes = 60; }) == "out-of-bounds 19");
  CHECK(found([](Add& a) { a.from = nullptr; }) == "out-of-bounds 19");
  CHECK(found([](Add& a) { a.to = reinterpret_cast<void*>(0x123456789000); }) == "out-of-bounds 21");
  CHECK(found([](Add& a) { a.to = static_cast<char*>(a.to) + 1; }) == "misaligned 21");
  CHECK(found([](Add& a) { a.to = a.from; }) == "write-to-const 21");
  CHECK(found([](Add& a) {
          a.from = a.to;
          a.request.flags = LAB_PTX_STOP;
        }) == "poisoned-global 19");
  CHECK(found([](Add& a) { a.request.budget_instructions = 5; }) == "budget-exceeded 0");
  Add add;
  add.from = add.to;
  const Ran ran(loaded.module, add.request);  // goes on, as a GPU does
  CHECK(ran.result->completed == 1);
  CHECK(ran.first() == "poisoned-global");
}

TEST_CASE("the budget of a launch ends a loop within a block") {
  const Loaded loaded(kHead + R"(
.visible .entry turns() {
  .reg .pred %p; .reg .b32 %r<2>;
  mov.u32 %r1, 0;
AGAIN:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 1000000;
  @%p bra AGAIN;
  ret;
})");
  lab_ptx_request request{};
  request.struct_bytes = sizeof request;
  request.grid = request.block = {1, 1, 1};
  request.budget_instructions = 20000;
  const Ran ran(loaded.module, request);
  CHECK(ran.first() == "budget-exceeded");
  CHECK(ran.result->findings[0].ptx_line > 0);  // of the loop, which goes on a million times
}

TEST_CASE("a finding in a loop costs no more than the loop") {
  const Loaded loaded(kHead + R"(
.visible .entry turns(.param .u64 y) {
  .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd;
  ld.param.u64 %rd, [y];
  mov.u32 %r1, 0;
AGAIN:
  st.global.u32 [%rd], %r2;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 500000;
  @%p bra AGAIN;
  ret;
})");
  std::uint32_t y = 0;
  void* to = &y;
  const lab_ptx_argument argument = LAB_PTX_ARGUMENT(to);
  const lab_ptx_range range{&y, sizeof y, "y", 0};
  lab_ptx_request request{};
  request.struct_bytes = sizeof request;
  request.grid = request.block = {1, 1, 1};
  request.arguments = &argument, request.argument_count = 1;
  request.ranges = &range, request.range_count = 1;
  const std::clock_t begin = std::clock();
  const Ran ran(loaded.module, request);
  CHECK(ran.first() == "uninitialised-local");
  CHECK(ran.result->findings[0].count == 500000);
  CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC);  // 0.2 s; 10 s where each round makes a sentence
}

TEST_CASE("ranges are lent for one launch alone") {
  const Loaded loaded(kAdd);
  Add add;
  CHECK(Ran(loaded.module, add.request).first().empty());
  add.request.range_count = 0;
  CHECK(Ran(loaded.module, add.request).first() == "out-of-bounds");
  add.request.flags = LAB_PTX_RAW_MEMORY;
  add.y = {};
  CHECK(Ran(loaded.module, add.request).first().empty());
  CHECK(add.y[5] == 16);
  add.request.flags = 0;
  CHECK(Ran(loaded.module, add.request).first() == "out-of-bounds");
}

TEST_CASE("checks can be left out, and can end a launch") {
  const Loaded loaded(kRace);
  alignas(128) std::uint32_t y = 0;
  void* to = &y;
  const lab_ptx_argument argument = LAB_PTX_ARGUMENT(to);
  const lab_ptx_range range{&y, sizeof y, "y", 0};
  lab_ptx_request request{};
  request.struct_bytes = sizeof request;
  request.grid = {1, 1, 1}, request.block = {64, 1, 1};
  request.arguments = &argument, request.argument_count = 1;
  request.ranges = &range, request.range_count = 1;
  const auto ran = [&](std::uint32_t flags) {
    request.flags = flags;
    const Ran one(loaded.module, request);
    return one.first() + (one.result->completed != 0 ? " done" : " ended");
  };
  CHECK(ran(0) == "global-race done");
  CHECK(ran(LAB_PTX_NO_CHECKS) == " done");
  CHECK(ran(LAB_PTX_STOP) == "global-race ended");
  CHECK(ran(LAB_PTX_RAW_MEMORY) == "global-race done");
}

TEST_CASE("errors in a text have line and column") {
  const Loaded wrong(kHead + ".entry k() {\n  mov.u32 %r 5;\n}\n");
  CHECK(wrong.module == nullptr);
  CHECK(std::string(wrong.error.code) == "bad-ptx");
  CHECK(wrong.error.line == 5);
  CHECK(wrong.error.column == 11);  // no such register
  const Loaded unknown(kHead + ".visible .entry k() {\n  .reg .b32 %r;\n   add.u33 %r, %r, %r;\n}\n");
  REQUIRE(unknown.module != nullptr);
  Add add;
  add.request.argument_count = 0;
  const Ran ran(unknown.module, add.request);
  CHECK(ran.result == nullptr);
  CHECK(std::string(ran.error.code) == "unsupported");
  CHECK(ran.error.line == 6);
  CHECK(ran.error.column == 4);
  CHECK(lab_ptx_load(nullptr, 0, nullptr) == nullptr);
  CHECK(lab_ptx_load("", 0, nullptr) == nullptr);
  const std::string long_word(5000, 'x');
  CHECK(Loaded(long_word).error.message[999] == '\0');
}

TEST_CASE("a spoilt text is an error or a module, never the end") {
  lab::drawn::Draws draw(lab::drawn::seed_of_run("spoilt PTX"));
  for (std::size_t i = 0; i < lab::drawn::draws_of_run(300); ++i) {
    std::string text = draw.one_in(2) ? kAdd : kCount;
    const std::size_t at = draw.below(text.size());
    switch (draw.below(3)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = static_cast<char>(draw.next());
        break;
      default:
        text.erase(at, draw.below(20));
    }
    const Loaded loaded(text);
    if (loaded.module == nullptr) {
      CHECK(loaded.error.line >= 1);
      continue;
    }
    Add add;
    add.request.budget_instructions = 10000;
    const Ran ran(loaded.module, add.request);
    CHECK((ran.result != nullptr || ran.error.code[0] != '\0'));
  }
}

TEST_CASE("two threads at once, on one module and on two") {
  const Loaded one(kAdd), other(kAdd);
  const auto work = [](lab_ptx_module* module, int* wrong) {
    for (int i = 0; i < 20; ++i) {
      Add add;
      add.request.host_threads = 1;
      const Ran ran(module, add.request);
      if (!ran.first().empty() || add.y[63] != 190 || counted(*ran.result, "global_load") != 8) ++*wrong;
      if (lab_ptx_find(module, "add", nullptr) == nullptr) ++*wrong;
    }
  };
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    threads.emplace_back(work, i % 2 == 0 ? one.module : other.module, &wrong[i]);
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::array<int, 4>{});
}

// As -ffast-math sets a whole process, and as others set a thread.
TEST_CASE("the caller's modes of arithmetic are not the kernel's") {
  const Loaded loaded(kHead + R"(
.visible .entry scale(.param .u64 y) {
  .reg .f32 %f<3>; .reg .b64 %rd;
  ld.param.u64 %rd, [y];
  ld.global.f32 %f1, [%rd];
  mul.rn.f32 %f1, %f1, 0f3F8CCCCD;
  mul.rz.f32 %f2, %f1, 0f3F8CCCCD;
  st.global.f32 [%rd], %f1;
  st.global.f32 [%rd+4], 0.1;
  ret;
})");
  REQUIRE(loaded.module != nullptr);
  alignas(8) std::array<float, 2> y{};
  void* to = y.data();
  const lab_ptx_argument argument = LAB_PTX_ARGUMENT(to);
  const lab_ptx_range range{y.data(), sizeof y, "y", 0};
  lab_ptx_request request{};
  request.struct_bytes = sizeof request;
  request.grid = request.block = {1, 1, 1};
  request.arguments = &argument, request.argument_count = 1;
  request.ranges = &range, request.range_count = 1;
  const auto scaled = [&](float from, int mode) {
    y = {from, 0};
    std::fesetround(mode);
    const Ran ran(loaded.module, request);
    CHECK(std::fegetround() == mode);
    std::fesetround(FE_TONEAREST);
    CHECK(ran.first().empty());
    return y[0];
  };
  CHECK(scaled(1.3f, FE_UPWARD) == scaled(1.3f, FE_TONEAREST));
  CHECK(scaled(1.7f, FE_UPWARD) == scaled(1.7f, FE_TONEAREST));
#ifdef __SSE__
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040);  // subnormals are zeros
  scaled(0x1p-140f, FE_TONEAREST);
  CHECK(__builtin_ia32_stmxcsr() == (before | 0x8040));
  __builtin_ia32_ldmxcsr(before);
  CHECK(y[0] == 0x1.198p-140f);
  __builtin_ia32_ldmxcsr(before & ~0x1f80u);  // an operation without an exact result is a signal
  scaled(1.3f, FE_TONEAREST);
  __builtin_ia32_ldmxcsr(before);
#endif
}

TEST_CASE("a result outlives its module") {
  Add add;
  add.request.range_count = 0;
  const lab_ptx_result* result = nullptr;
  {
    const Loaded loaded(kAdd);
    result = lab_ptx_launch(loaded.module, &add.request, nullptr);
  }
  REQUIRE(result != nullptr);
  CHECK(std::string(result->findings[0].message).find("global memory") != std::string::npos);
  CHECK(std::string(lab_ptx_json(result)).find("out-of-bounds") != std::string::npos);
  lab_ptx_free(result);
}
