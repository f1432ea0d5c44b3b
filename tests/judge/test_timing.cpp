// The rules of common/course/judge/timing.h, with numbers worked out by hand.
#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "common/course/judge/timing.h"

using namespace lab::judge;

TEST_CASE("median and spread of known samples") {
  const std::vector<double> eleven = {11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6};
  const Spread s = spread_of(eleven);
  CHECK(s.median == 6);
  CHECK(s.low == 2);  // the 10th percentile of 1…11
  CHECK(s.high == 10);
  CHECK(s.least == 1);
  CHECK(s.most == 11);
  CHECK(s.samples == 11);
  CHECK(s.relative() == doctest::Approx(8.0 / 6));
}

TEST_CASE("an even number of samples, two, and one") {
  CHECK(spread_of(std::vector<double>{4, 1, 3, 2}).median == 2.5);
  const Spread two = spread_of(std::vector<double>{1, 2});
  CHECK(two.low == doctest::Approx(1.1));
  CHECK(two.high == doctest::Approx(1.9));
  const Spread one = spread_of(std::vector<double>{3});
  CHECK(one.median == 3);
  CHECK(one.low == 3);
  CHECK(one.relative() == 0);
}

TEST_CASE("one slow sample moves neither median nor spread") {
  std::vector<double> samples(20, 1.0);
  samples[7] = 1000;
  const Spread s = spread_of(samples);
  CHECK(s.median == 1);
  CHECK(s.high == 1);
  CHECK(s.most == 1000);
}

TEST_CASE("what is no time is no sample") {
  CHECK_THROWS_AS((void)spread_of({}), std::invalid_argument);
  CHECK_THROWS_AS((void)spread_of(std::vector<double>{1, -1}), std::invalid_argument);
  CHECK_THROWS_AS((void)spread_of(std::vector<double>{std::numeric_limits<double>::quiet_NaN()}),
                  std::invalid_argument);
  CHECK_THROWS_AS((void)spread_of(std::vector<double>{std::numeric_limits<double>::infinity()}),
                  std::invalid_argument);
}

TEST_CASE("rates count bytes read and bytes written") {
  // 8192 × 8192 floats, both ways, in 0.13 ms.
  CHECK(gigabytes_per_second(2ull * 8192 * 8192 * 4, 0.13e-3) == doctest::Approx(4129.776).epsilon(1e-6));
  CHECK(gigabytes_per_second(100, 0) == 0);
}

TEST_CASE("small matrices take turns until they are four times the L2 cache") {
  constexpr std::uint64_t kMiB = 1 << 20;
  CHECK(buffer_pairs(8 * kMiB, 60 * kMiB, 1ull << 37) == 30);
  CHECK(buffer_pairs(512 * kMiB, 60 * kMiB, 1ull << 37) == 2);  // at least two
  CHECK(buffer_pairs(1024, 60 * kMiB, 1ull << 37) == 64);       // at most 64
  CHECK(buffer_pairs(512 * kMiB, 60 * kMiB, 700 * kMiB) == 1);  // what fits
  CHECK(buffer_pairs(512 * kMiB, 60 * kMiB, 0) == 1);           // the allocation will say that it does not
  CHECK(buffer_pairs(0, 0, 0) == 1);
}

TEST_CASE("samples last about as long as asked for") {
  CHECK(repeats_for(0.001, 0.002) == 2);
  CHECK(repeats_for(0.0015, 0.002) == 2);
  CHECK(repeats_for(0.5, 0.002) == 1);
  CHECK(repeats_for(1e-7, 0.002) == 200);
  CHECK(repeats_for(0, 0.002) == 200);
}
