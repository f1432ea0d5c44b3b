// The table of instruction forms: each row runs, obeys its mask and is found by its opcode; chosen answers.
#include <doctest/doctest.h>

#include <random>
#include <set>

#include "tests/sim/form_bench.h"

using namespace lab::sim;

namespace {

// Random bits, often at the edges of the integer and floating point types.
std::uint64_t operand_bits(std::mt19937_64& random) {
  static const std::uint64_t edges[] = {0,
                                        1,
                                        2,
                                        0xff,
                                        0x7f,
                                        0x80,
                                        0x7fff,
                                        0x8000,
                                        0xffff,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        31,
                                        32,
                                        33,
                                        63,
                                        64,
                                        65,
                                        0x7fffffffffffffff,
                                        0x8000000000000000,
                                        0xffffffffffffffff,
                                        0x3f800000,
                                        0xbf800000,
                                        0x7f800000,
                                        0xff800000,
                                        0x7fc00000,
                                        0x7f800001,
                                        0x00000001,
                                        0x807fffff,
                                        0x00800000,
                                        0x3ff0000000000000,
                                        0x7ff0000000000000,
                                        0xfff0000000000000,
                                        0x7ff8000000000000,
                                        0x0000000000000001,
                                        0x000fffffffffffff,
                                        0x3c00,
                                        0x7c00,
                                        0xfc00,
                                        0x7e00};
  switch (random() % 3) {
    case 0:
      return edges[random() % std::size(edges)];
    case 1:
      return random() >> (random() % 64);
    default:
      return random();
  }
}

void fill(FormBench& bench, std::mt19937_64& random) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    for (int n = 0; n <= bench.sources(); ++n) bench.set(n, lane, operand_bits(random));
  }
  bench.set_second_predicate(static_cast<std::uint32_t>(random()));
  bench.set_carry(static_cast<Mask>(random()));
}

}  // namespace

TEST_CASE("every form runs, and under a mask writes what it writes without one, and nothing else") {
  std::mt19937_64 random(1);
  const auto forms = all_forms();
  REQUIRE(forms.size() > 2000);
  for (const Form* form : forms) {
    CAPTURE(form->text);
    for (int trial = 0; trial < 3; ++trial) {
      FormBench before(*form);
      fill(before, random);
      FormBench full = before, masked = before;
      const auto mask = static_cast<Mask>(random());
      full.run();
      masked.run(mask);
      for (int lane = 0; lane < kWarpLanes; ++lane) {
        const FormBench& expected = lane_in(mask, lane) ? full : before;
        REQUIRE(masked.get(0, lane) == expected.get(0, lane));
        REQUIRE(lane_in(masked.carry(), lane) == lane_in(expected.carry(), lane));
      }
    }
  }
}

TEST_CASE("forms are found by their opcode, each once; others are not found") {
  std::set<std::string> seen;
  for (const Form* form : all_forms()) {
    CAPTURE(form->text);
    CHECK(seen.insert(form->text).second);
    CHECK(find_form(form->text) == form);
    CHECK((form->full != nullptr && form->masked != nullptr));
    CHECK_FALSE(form->family.empty());
  }
  for (const char* text :
       {"", ".", "add", "add.", "add.s3", "add.s322", "cvt", "cvt.u32", "frobnicate.u32", "setp.eq"}) {
    CHECK(find_form(text) == nullptr);
  }
}
