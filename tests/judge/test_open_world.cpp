// What CUDA leaves open, in launches that are counted too.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/course/judge/open_world.h"
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
  const auto of_doubles = [](const std::string& asks) {
    return Subject(with_asks("setp.eq.u32 %p1, %r3, 0;" + asks)).run({64, 64}).blocks.of_doubles;
  };
  CHECK(of_doubles("{ .reg .f64 %d<3>; mov.f64 %d1, 0d3FF0000000000000; div.rn.f64 %d2, %d1, %d1; }") ==
        29 * 64 * 64 / 32);
  CHECK(of_doubles("{ .reg .f64 %d<3>; mov.f64 %d1, 0d3FF0000000000000; add.rn.f64 %d2, %d1, %d1; }") == 0);
}

TEST_CASE("inputs hold the numbers that a kernel's own instructions name") {
  const InputKey key(
      "a key",
      ".visible .entry k() { .reg .pred %p<2>; .reg .b32 %r<4>; setp.eq.s32 %p1, %r1, -559038737;"
      "add.s32 %r2, %r1, 77; mov.f32 %r3, 0fBFC00000; }");
  CHECK(key.named() == std::vector<std::uint64_t>{0xbfc00000u, 0xffffffffdeadbeefu});
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

}  // namespace
}  // namespace lab::judge
