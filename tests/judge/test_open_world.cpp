// What CUDA leaves open, in launches that are counted too.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/course/judge/block_watch.h"
#include "common/course/judge/loads_at_once.h"
#include "common/course/judge/open_world.h"
#include "common/course/judge/rare_choices.h"
#include "common/course/judge/shared_gaps.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/task.h"
#include "tests/judge/small_kernels.h"

namespace lab::judge {
namespace {

std::string with_asks(const std::string& asks) {
  return test::module_with(std::string(test::kRight) + asks + "\n@%p1 xor.b32 %r10, %r10, 1;\n");
}

// How many of the counted shapes are right where `asks` sets %p1 when the world is not the usual one.
int right_shapes(const std::string& asks) {
  Subject subject(with_asks(asks));
  int right = 0;
  for (const std::int64_t rows : {64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86})
    right += subject.run({rows, 64}).correct() ? 1 : 0;
  return right;
}

TEST_CASE(
    "counted launches draw the hardware's numbers, clocks, approximations, what x / 0 gives, addresses") {
  CHECK(right_shapes("setp.eq.u32 %p1, %r3, 0;") == 12);
  CHECK(right_shapes("mov.u32 %r11, %nsmid; setp.ne.u32 %p1, %r11, 132;") == 0);
  CHECK(right_shapes("mov.u64 %rd7, %clock64; setp.gt.u64 %p1, %rd7, 1000000;") == 0);
  CHECK(right_shapes("sub.s32 %r11, %r3, %r3; div.u32 %r12, %r3, %r11; setp.ne.u32 %p1, %r12, -1;") == 0);
  CHECK(right_shapes("{ .reg .f32 %f<3>; mov.f32 %f1, 0f42040000; rcp.approx.f32 %f2, %f1;"
                     "setp.ne.f32 %p1, %f2, 0f3CF83E10; }") < 12);
  CHECK(right_shapes("{ .reg .f32 %f<3>; mov.f32 %f1, 0f42000000; rcp.approx.f32 %f2, %f1;"
                     "setp.ne.f32 %p1, %f2, 0f3D000000; }") == 12);
  CHECK(right_shapes("setp.lt.u64 %p1, %rd1, %rd2;") < 12);
  CHECK(right_shapes("setp.gt.u64 %p1, %rd1, 0x7f0000000000;") < 12);
  CHECK(right_shapes("and.b64 %rd7, %rd2, 255; setp.ne.u64 %p1, %rd7, 0;") < 12);
  CHECK(right_shapes("and.b64 %rd7, %rd2, 31; setp.ne.u64 %p1, %rd7, 0;") == 12);
}

TEST_CASE("launches in which an observer judges are of such a world, those to be looked at are as always") {
  Subject subject(with_asks("mov.u64 %rd7, %clock64; setp.gt.u64 %p1, %rd7, 1000000;"));
  BlockWatch watch;
  CHECK(subject.observed({64, 64}, {}, watch).correct());
  CHECK_FALSE(subject.judged({64, 64}, {}, watch).correct());
  bool in_part = false;
  Subject large(with_asks("mov.u32 %r11, %nsmid; setp.ne.u32 %p1, %r11, 132;"));
  in_part = large.judged_in({.of = 4, .rest = 1}, {1024, 1024}, {}, watch);
  CHECK_FALSE(in_part);  // these blocks are wrong
}

TEST_CASE("tasks run in drawn worlds, too") {
  Target stencil;  // of one row: what it stores is what it loads
  stencil.task = task_of(TaskKind::kStencil);
  const std::vector<Problem> shapes = {{.rows = 1, .cols = 300}, {.rows = 1, .cols = 301}};
  const auto is_right = [&](const std::string& asks) {
    return !Subject(with_asks(asks)).first_wrong(shapes, stencil);
  };
  CHECK(is_right("setp.eq.u32 %p1, %r3, 0;"));
  CHECK_FALSE(is_right("mov.u32 %r11, %nsmid; setp.ne.u32 %p1, %r11, 132;"));
}

TEST_CASE("clocks run fast in launches that are not counted") {
  const std::string late =
      "{ .reg .b64 %t<3>; mov.u64 %t1, %clock64; bar.sync 0; mov.u64 %t2, %clock64; sub.u64 %t1, %t2, %t1;"
      "setp.gt.u64 %p1, %t1, 2000; }";
  CHECK(right_shapes(late) == 12);
  const std::vector<Problem> shapes = {{.rows = 64, .cols = 64}, {.rows = 66, .cols = 64}};
  CHECK(Subject(with_asks(late)).first_wrong(shapes));
}

TEST_CASE("counted launches draw the order for kernels that can tell it") {
  const auto drawn = [](const std::string& instruction) {
    const InputKey key(
        "a key",
        ".visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>; " + instruction + " }");
    int orders = 0;
    for (std::int64_t rows = 32; rows < 48; ++rows)
      orders += counted_world(key, {rows, 64}).schedule != 0 ? 1 : 0;
    return orders;
  };
  CHECK(drawn("atom.shared.add.u32 %r1, [%r2], 1;") > 0);
  CHECK(drawn("mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %rd1;") > 0);
  CHECK(drawn("red.shared.add.u32 [%r2], 1;") == 0);
  CHECK(drawn("add.u32 %r1, %r2, 1;") == 0);
}

TEST_CASE("special values lie in counted launches where values are not followed") {
  CHECK(counted_world({}, {.rows = 32, .cols = 64}).special != 0);
  CHECK(counted_world({}, {.rows = 64, .cols = 64}).special == 0);
}

TEST_CASE("a division of doubles counts as what a GPU makes of it") {
  const auto more_issues = [](const std::string& asks) {
    return Subject(with_asks("setp.eq.u32 %p1, %r3, 0;" + asks)).run({64, 64}).blocks.more_issues;
  };
  CHECK(more_issues("{ .reg .f64 %d<3>; mov.f64 %d1, 0d3FF0000000000000; div.rn.f64 %d2, %d1, %d1; }") ==
        36 * 64 * 64 / 32);
  CHECK(more_issues("{ .reg .b64 %e<3>; mov.b64 %e1, 7; rem.u64 %e2, %e1, %e1; }") == 63 * 64 * 64 / 32);
  CHECK(more_issues("prefetch.global.L2 [%rd1];") == 31 * 64 * 64 / 32);
  CHECK(more_issues("fence.proxy.alias;") == 31 * 64 * 64 / 32);
  CHECK(more_issues("{ .reg .f64 %d<3>; mov.f64 %d1, 0d3FF0000000000000; add.rn.f64 %d2, %d1, %d1; }") == 0);
}

TEST_CASE("inputs hold the numbers that a kernel's own instructions name") {
  const InputKey key(
      "a key",
      ".visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<4>; setp.eq.s32 %p1, %r1, -559038737;"
      "add.s32 %r2, %r1, 77; mov.f32 %r3, 0fBFC00000; }");
  const auto names = [&](std::uint64_t n) {
    return std::find(key.named().begin(), key.named().end(), n) != key.named().end();
  };
  CHECK((names(0xbfc00000u) && names(0xffffffffdeadbeefu)));
  CHECK(names(0xdeadbeefu - 77));  // what the sum makes it
  const Problem problem{.rows = 16, .cols = 16};
  std::vector<std::byte> in(problem.in_bytes());
  bool found = false;
  for (std::uint64_t drawn = 1; drawn < 64 && !found; drawn += 2) {
    put_special_values(problem, drawn, key, in);
    for (std::size_t at = 0; at < in.size(); at += 4)
      found = found || (in[at] == std::byte{0xef} && in[at + 3] == std::byte{0xde});
  }
  CHECK(found);
}

TEST_CASE("buffers of counted launches lie apart as the key says, in either range or in both") {
  std::set<std::uint64_t> gaps;
  int apart = 0;
  for (std::int64_t rows = 32; rows < 64; ++rows) {
    const OpenWorld world = counted_world({}, {.rows = rows, .cols = 64});
    gaps.insert(world.in_gap);
    apart += world.apart ? 1 : 0;
  }
  CHECK(gaps.size() > 8);
  CHECK_FALSE(
      std::all_of(gaps.begin(), gaps.end(), [](std::uint64_t gap) { return std::has_single_bit(gap); }));
  CHECK((apart > 0 && apart < 32));
}

TEST_CASE("parts of larger matrices begin inside of a sector where their rows do") {
  for (std::int64_t rows = 32; rows < 64; ++rows) {
    const Problem p{.rows = rows, .cols = 64, .in_pitch_elems = 68, .out_pitch_elems = 72};
    const OpenWorld part = counted_world({}, p, true), whole = counted_world({}, p);
    CHECK(part.in_begins % 32 == 16);
    CHECK(part.out_begins % 32 == 0);
    CHECK(whole.in_begins % 32 == 0);
  }
}

TEST_CASE("values are equal along a diagonal, and one more at each step of a row") {
  const Problem problem{.rows = 64, .cols = 64};
  std::vector<std::uint32_t> in(64 * 64);
  for (std::uint32_t k = 0; k < in.size(); ++k) in[k] = 0x9e3779b9u * (k + 1);
  put_special_values(problem, 0x123456789abcde37, {}, std::as_writable_bytes(std::span(in)));
  int diagonals = 0, steps = 0;
  for (std::size_t r = 0; r + 4 <= 64; ++r)
    for (std::size_t c = 0; c + 4 <= 64; ++c) {
      const auto at = [&](std::size_t y, std::size_t x) { return in[(r + y) * 64 + c + x]; };
      diagonals += at(0, 0) == at(1, 1) && at(1, 1) == at(2, 2) && at(0, 0) != at(0, 1) ? 1 : 0;
      steps += at(0, 1) == at(0, 0) + 1 && at(0, 2) == at(0, 0) + 2 ? 1 : 0;
    }
  CHECK((diagonals > 0 && steps > 0));
}

TEST_CASE("a decision by shape or block that no draw meets is solved") {
  const sim::ptx::Module module = sim::ptx::parse(
      ".version 8.0 .target sm_90 .address_size 64 "
      ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 r, .param .u32 c) {"
      ".reg .pred %p<4>; .reg .b32 %r<9>; ld.param.u32 %r1, [r]; ld.param.u32 %r2, [c];"
      "mul.lo.s32 %r3, %r1, 3; mul.lo.s32 %r4, %r2, 7; setp.eq.s32 %p1, %r3, %r4;"
      "mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ctaid.y; mad.lo.s32 %r7, %r5, 17, %r6;"
      "setp.ne.s32 %p2, %r7, 100003; shr.u32 %r8, %r6, 8; setp.eq.s32 %p3, %r8, 77; ret; }");
  LaunchShape shape;
  shape.block = {32, 8}, shape.tile = {32, 32};
  bool of_shape = false, of_block = false, of_quotient = false;
  for (const RareChoice& rare : rare_choices(module, "k", shape, Problem(), 1, {}, {})) {
    of_shape |= !rare.by_block && 3 * rare.problem.rows == 7 * rare.problem.cols;
    of_block |= rare.by_block && 17 * rare.x + rare.y == 100003;
    of_quotient |= rare.by_block && rare.y / 256 == 77;
  }
  CHECK(of_shape);
  CHECK(of_quotient);
  CHECK(of_block);
}

TEST_CASE("a shape is tried that is decided about as none of which everything is asked") {
  const sim::ptx::Module module = sim::ptx::parse(
      ".version 8.0 .target sm_90 .address_size 64 "
      ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 r, .param .u32 c) {"
      ".reg .pred %p<2>; .reg .b32 %r<3>; ld.param.u32 %r1, [r];"
      "and.b32 %r2, %r1, 12; setp.eq.s32 %p1, %r2, 4; ret; }");
  LaunchShape shape;
  shape.block = {32, 8}, shape.tile = {32, 32};
  const auto tried = [&](std::int64_t rows) {
    const std::vector<Problem> asked = {{.rows = rows, .cols = 64}, {.rows = 1024, .cols = 64}};
    return rare_choices(module, "k", shape, Problem(), 1, {}, asked).size();
  };
  CHECK(tried(1024) != 0);
  CHECK(tried(68) != 0);  // of 3 tiles one is cut off: bounds are wide there
  CHECK(tried(1028) == 0);
}

TEST_CASE("a shape is tried of which a table holds something else") {
  const sim::ptx::Module module = sim::ptx::parse(
      ".version 8.0 .target sm_90 .address_size 64 .const .align 1 .b8 t[16] = "
      "{1,1,1,1,1,0,1,1,1,1,1,1,1,1,1,1};"
      ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 r, .param .u32 c) {"
      ".reg .b64 %rd<3>; .reg .b32 %r<4>; ld.param.u32 %r1, [c]; shr.u32 %r2, %r1, 2; and.b32 %r2, %r2, 15;"
      "cvt.u64.u32 %rd1, %r2; mov.u64 %rd2, t; add.s64 %rd2, %rd2, %rd1; ld.const.u8 %r3, [%rd2]; ret; }");
  LaunchShape shape;
  shape.block = {32, 8}, shape.tile = {32, 32};
  const std::vector<RareChoice> found = rare_choices(module, "k", shape, Problem(), 1, {}, {});
  CHECK(std::any_of(found.begin(), found.end(),
                    [](const RareChoice& rare) { return rare.problem.cols / 4 % 16 == 5; }));
}

TEST_CASE("a shape is tried that a function, a shared variable and bit fields name") {
  const sim::ptx::Module module = sim::ptx::parse(
      ".version 8.0 .target sm_90 .address_size 64 "
      ".func (.param .b32 made) field(.param .b32 given) { .reg .b32 %r<3>; ld.param.b32 %r1, [given];"
      "bfe.u32 %r2, %r1, 2, 5; st.param.b32 [made], %r2; ret; }"
      ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 r, .param .u32 c) {"
      ".shared .u32 flag; .reg .pred %p<2>; .reg .b32 %r<5>; ld.param.u32 %r1, [c];"
      "{ .param .b32 p; st.param.b32 [p], %r1; .param .b32 q; call (q), field, (p); ld.param.b32 %r2, [q]; }"
      "st.shared.u32 [flag], %r2; bar.sync 0; ld.shared.u32 %r3, [flag]; setp.eq.u32 %p1, %r3, 21; ret; }");
  LaunchShape shape;
  shape.block = {32, 8}, shape.tile = {32, 32};
  const std::vector<RareChoice> found = rare_choices(module, "k", shape, Problem(), 1, {}, {});
  CHECK(std::any_of(found.begin(), found.end(),
                    [](const RareChoice& rare) { return rare.problem.cols / 4 % 32 == 21; }));
}

TEST_CASE("a block is tried that a loop, a vote, a float, a switch or memory of the thread's own chooses") {
  // 177 = 0xb1, and %r3 is to be what each makes of the block's number.
  constexpr std::string_view kMade[] = {
      "mov.u32 %r3, 0; mov.u32 %r4, 8; L: shl.b32 %r3, %r3, 1; and.b32 %r5, %r2, 1; or.b32 %r3, %r3, %r5;"
      "shr.u32 %r2, %r2, 1; sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L; brev.b32 %r3, %r3;"
      "shr.u32 %r3, %r3, 24;",
      "mov.u32 %r4, %laneid; shr.u32 %r4, %r2, %r4; and.b32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0;"
      "vote.sync.ballot.b32 %r3, %p1, -1;",
      "cvt.rn.f32.u32 %f1, %r2; add.f32 %f1, %f1, 0f3F000000; cvt.rzi.u32.f32 %r3, %f1;",
      "and.b32 %r4, %r2, 1; T: .branchtargets E, O; brx.idx %r4, T; E: mov.u32 %r3, 0; bra D;"
      "O: mov.u32 %r3, %r2; bra D; D:",
      "and.b32 %r4, %r2, 1; shl.b32 %r4, %r4, 2; mov.u32 %r5, own; add.u32 %r5, %r5, %r4;"
      "st.local.u32 [%r5], %r2; ld.local.u32 %r3, [%r5];"};
  for (const std::string_view made : kMade) {
    CAPTURE(made);
    const sim::ptx::Module module = sim::ptx::parse(
        fmt::format(".version 8.0 .target sm_90 .address_size 64 "
                    ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 r, .param .u32 c) {{"
                    ".local .align 4 .b8 own[8]; .reg .pred %p<3>; .reg .f32 %f<2>; .reg .b32 %r<9>;"
                    "mov.u32 %r2, %ctaid.x; {} setp.eq.u32 %p2, %r3, 177; ret; }}",
                    made));
    LaunchShape shape;
    shape.block = {32, 8}, shape.tile = {32, 32};
    const std::vector<RareChoice> found = rare_choices(module, "k", shape, Problem(), 1, {}, {});
    CHECK(std::any_of(found.begin(), found.end(),
                      [](const RareChoice& rare) { return rare.by_block && rare.x == 177; }));
  }
}

TEST_CASE("a shape is tried that a vote of the lanes chooses, or how much longer its rows are") {
  constexpr std::string_view kMade[] = {
      "mov.u32 %r5, %laneid; shr.u32 %r5, %r1, %r5; and.b32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0;"
      "vote.sync.ballot.b32 %r6, %p1, -1; setp.eq.u32 %p2, %r6, 177;",
      "sub.u32 %r5, %r4, %r2; setp.eq.u32 %p2, %r5, 37;"};
  for (const std::string_view made : kMade) {
    CAPTURE(made);
    const sim::ptx::Module module = sim::ptx::parse(fmt::format(
        ".version 8.0 .target sm_90 .address_size 64 .visible .entry k(.param .u64 o, .param .u64 i, .param "
        ".u32 r, .param .u32 c, .param .u32 op, .param .u32 ip) {{ .reg .pred %p<3>; .reg .b32 %r<7>;"
        "ld.param.u32 %r1, [r]; ld.param.u32 %r2, [c]; ld.param.u32 %r3, [op]; ld.param.u32 %r4, [ip]; {} "
        "ret; }}",
        made));
    LaunchShape shape;
    shape.block = {32, 8}, shape.tile = {32, 32};
    const std::vector<RareChoice> found = rare_choices(module, "k", shape, {.in_pitch_elems = 1}, 1, {}, {});
    CHECK(std::any_of(found.begin(), found.end(), [](const RareChoice& rare) {
      const Problem& p = rare.problem;
      return !rare.by_block && (p.rows == 177 || p.in_pitch() == p.cols + 37);
    }));
  }
}

TEST_CASE("of the shapes that a hash of both sides chooses one is tried that shows all costs") {
  for (int hash = 77; hash < 85; ++hash) {
    CAPTURE(hash);
    const sim::ptx::Module module = sim::ptx::parse(
        fmt::format(".version 8.0 .target sm_90 .address_size 64 "
                    ".visible .entry k(.param .u64 o, .param .u64 i, .param .u32 r, .param .u32 c) {{"
                    ".reg .pred %p<2>; .reg .b32 %r<5>; ld.param.u32 %r1, [r]; ld.param.u32 %r2, [c];"
                    "mul.lo.s32 %r3, %r1, -1640531535; mul.lo.s32 %r4, %r2, 40503; xor.b32 %r3, %r3, %r4;"
                    "shr.u32 %r3, %r3, 23; setp.eq.u32 %p1, %r3, {}; ret; }}",
                    hash));
    LaunchShape shape;
    shape.block = {32, 8}, shape.tile = {32, 32};
    const std::vector<RareChoice> found = rare_choices(module, "k", shape, Problem(), 1, {}, {});
    CHECK(std::any_of(found.begin(), found.end(), [](const RareChoice& rare) {
      const Problem& p = rare.problem;
      return p.rows % 4 == 0 && p.cols % 4 == 0 && std::min(p.rows, p.cols) >= 64 &&
             p.rows * p.cols <= 20'000'000;
    }));
  }
}

TEST_CASE("everything is asked of a shape that a select knows") {
  Subject subject(with_asks("xor.b32 %r11, %r3, %r4; setp.eq.u32 %p1, %r11, 777;"));
  Target target;
  target.entry = "transpose";
  (void)subject.run({64, 64}, target);
  const std::vector<Problem>& others = subject.other_ways({.rows = 64, .cols = 64}, 1, target);
  CHECK(std::any_of(others.begin(), others.end(), [](const Problem& p) { return (p.rows ^ p.cols) == 777; }));
}

// Each thread keeps its place in shared memory, from the first byte of the lower of two arrays on.
std::string with_arrays(int first_bytes) {
  return with_asks(fmt::format(R"(
.shared .align 4 .b8 low[{}];
.shared .align 4 .b8 high[1024];
mov.u32 %r11, low;
mov.u32 %r12, high;
min.u32 %r11, %r11, %r12;
mov.u32 %r12, %tid.x;
mov.u32 %r13, %tid.y;
mad.lo.s32 %r12, %r13, 32, %r12;
mad.lo.s32 %r11, %r12, 4, %r11;
st.shared.u32 [%r11], %r10;
ld.shared.u32 %r10, [%r11];
setp.ne.u32 %p1, %r3, %r3;)",
                               first_bytes));
}

TEST_CASE("who goes from one shared array into the next is wrong where they lie apart") {
  const auto run_of = [](int first_bytes) {
    Subject subject(with_arrays(first_bytes));
    return run_with_gaps(subject, {.rows = 64, .cols = 96}, {},
                         1024 + static_cast<std::uint32_t>(first_bytes));
  };
  REQUIRE(run_of(1024));
  CHECK(run_of(1024)->correct());
  REQUIRE_FALSE(run_of(512)->faults.empty());
  CHECK(run_of(512)->faults.front().kind == sim::FaultKind::OutOfBounds);
  CHECK_FALSE(run_of(48 * 1024));
}

// A thread loads its element and two more.
std::uint64_t bytes_at_once(const std::string& between) {
  Subject subject(with_asks("ld.global.u32 %r13, [%rd4];" + between +
                            "\nld.global.u32 %r14, [%rd2]; setp.ne.u32 %p1, %r3, %r3;"));
  LoadsAtOnce watch;
  (void)subject.observed({.rows = 64, .cols = 64}, {}, watch);
  return watch.findings().thread_bytes;
}

TEST_CASE("loads are on their way until a value is asked for, or the warp stands still") {
  CHECK(bytes_at_once("") == 12);
  CHECK(bytes_at_once("mov.u32 %r14, %r3;") == 12);
  CHECK(bytes_at_once("membar.cta;") == 8);
  CHECK(bytes_at_once("nanosleep.u32 1;") == 8);
  CHECK(bytes_at_once("setp.eq.u32 %p2, %r13, 5; @%p2 bra DONE;") == 8);
}

}  // namespace
}  // namespace lab::judge
