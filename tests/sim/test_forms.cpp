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
  std::set<std::pair<std::string, std::size_t>> seen;
  for (const Form* form : all_forms()) {
    CAPTURE(form->text);
    CHECK(seen.emplace(form->text, form->operand_count()).second);
    CHECK(find_form(form->text, form->operand_count()) == form);
    CHECK((form->full != nullptr && form->masked != nullptr));
    CHECK_FALSE(form->family.empty());
  }
  for (const char* text :
       {"", ".", "add", "add.", "add.s3", "add.s322", "cvt", "cvt.u32", "frobnicate.u32", "setp.eq"}) {
    CHECK(find_form(text) == nullptr);
  }
}

TEST_CASE("answers that surprise") {
  constexpr std::uint64_t int_min = 0x80000000u, minus_one = 0xffffffffu;
  // Division: no trap, and all ones for a division by zero.
  CHECK(evaluate("div.s32", {7, 0}) == 0xffffffffu);
  CHECK(evaluate("rem.u32", {7, 0}) == 0xffffffffu);
  CHECK(evaluate("div.s32", {int_min, minus_one}) == int_min);
  CHECK(evaluate("rem.s32", {int_min, minus_one}) == 0);
  // Shift counts stop at the width.
  CHECK(evaluate("shl.b32", {1, 32}) == 0);
  CHECK(evaluate("shr.s32", {int_min, 0xffffffffu}) == minus_one);
  // min and max: a number beats NaN, -0 is below +0; with .NaN the NaN wins.
  CHECK(evaluate("min.f32", {0x7fc00000u, 0x3f800000u}) == 0x3f800000u);
  CHECK(evaluate("min.f32", {0, 0x80000000u}) == 0x80000000u);
  CHECK(evaluate("max.f32", {0, 0x80000000u}) == 0);
  CHECK(evaluate("max.NaN.f32", {0x7fc00000u, 0x3f800000u}) == 0x7fffffffu);
  // f32 and f16 have one NaN; f64 keeps the payload.
  CHECK(evaluate("add.f32", {0xffc00001u, 0}) == 0x7fffffffu);
  CHECK(evaluate("add.f64", {0xfff8000000000005u, 0}) == 0xfff8000000000005u);
  // Conversions to integers clamp; NaN is 0, but 100…0 when a 64-bit type takes part.
  CHECK(evaluate("cvt.rzi.s32.f32", {0x7f800000u}) == 0x7fffffffu);
  CHECK(evaluate("cvt.rzi.u32.f32", {0xbf800000u}) == 0);
  CHECK(evaluate("cvt.rzi.s32.f32", {0x7fc00000u}) == 0);
  CHECK(evaluate("cvt.rzi.s64.f32", {0x7fc00000u}) == 0x8000000000000000u);
  // A tie goes to the even neighbour, and rounding directions differ in the last bit.
  CHECK(evaluate("cvt.rni.s32.f32", {0x40200000u}) == 2);  // 2.5
  CHECK(evaluate("add.rm.f32", {0x3f800000u, 0x00000001u}) == 0x3f800000u);
  CHECK(evaluate("add.rp.f32", {0x3f800000u, 0x00000001u}) == 0x3f800001u);
  // .ftz: denormals vanish, their sign stays.
  CHECK(evaluate("add.ftz.f32", {0x80000001u, 0x80000001u}) == 0x80000000u);
  CHECK(evaluate("add.f32", {0x80000001u, 0x80000001u}) == 0x80000002u);
}

TEST_CASE("a carry goes from one instruction to the next, and a difference leaves \"no borrow\"") {
  FormBench low(*find_form("add.cc.u32")), high(*find_form("addc.u32")), less(*find_form("sub.cc.u32"));
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    low.set(1, lane, 0xffffffffu);
    low.set(2, lane, static_cast<std::uint64_t>(lane % 2));  // odd lanes carry
    less.set(1, lane, 5);
    less.set(2, lane, static_cast<std::uint64_t>(lane));
  }
  low.run();
  CHECK(low.carry() == 0xaaaaaaaau);
  high.set_carry(low.carry());
  high.run();
  CHECK(high.get(0, 0) == 0);
  CHECK(high.get(0, 1) == 1);
  less.run();
  CHECK(less.carry() == 0x3fu);  // lanes 0 to 5
}
