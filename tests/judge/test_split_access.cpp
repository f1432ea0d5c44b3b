// Which access one compiler took apart and another did not.
#include <doctest/doctest.h>

#include "common/course/judge/split_access.h"

using namespace lab::judge;

namespace {

constexpr const char* kWhole =
    ".loc 1 18 5\nst.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};\n.loc 1 25 9\nst.global.f32 [%rd1], %f1;\n";
constexpr const char* kSplit =
    ".loc 1 18 5\nst.global.f32 [%rd1], %f1;\nst.global.f32 [%rd1+4], %f2;\nst.global.f32 [%rd1+8], "
    "%f3;\nst.global.f32 [%rd1+12], %f4;\n.loc 1 25 9\n@%p1 st.global.f32 [%rd1], %f1;\n";
constexpr const char* kMerged =
    ".loc 1 18 5\nst.global.f32 [%rd1+4], %f2;\nst.global.f32 [%rd1+8], %f3;\nst.global.f32 [%rd1+12], "
    "%f4;\n.loc 1 25 9\nst.global.f32 [%rd1], %f1;\n";

}  // namespace

TEST_CASE("a store that is narrower by one compiler is split; the line that took a part of it is named") {
  CHECK(!split_access(widths_of(kWhole), widths_of(kWhole)));
  CHECK(!split_access(widths_of(kWhole), widths_of(kSplit)));
  const auto split = split_access(widths_of(kSplit), widths_of(kWhole));
  REQUIRE(split);
  CHECK((split->stores && split->line == 18 && split->whole_bytes == 16 && split->split_bytes == 4));
  CHECK(split->merged_with == 0);
  const auto merged = split_access(widths_of(kMerged), widths_of(kWhole));
  REQUIRE(merged);
  CHECK(merged->merged_with == 25);
}

TEST_CASE("loads of parameters and of local memory are none that an idea is about") {
  CHECK(widths_of(".loc 1 3 1\nld.param.u64 %rd1, [p];\nst.local.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};\n")
            .empty());
}
