// Wrong transposes of every kind must be seen and explained, whatever the size of an element.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "common/course/judge/pattern.h"
#include "common/course/judge/subject.h"
#include "tests/judge/fake_device.h"

using namespace lab;
using namespace lab::judge;
using test::FakeCall;

namespace {

LaunchShape shape() {
  LaunchShape s;
  s.block = {32, 8};
  s.tile = {32, 32};
  return s;
}

Run judged(const Problem& problem, const std::function<void(const FakeCall&)>& function,
           int* launches = nullptr) {
  test::FakeDevice device;
  const test::FakeKernel kernel(function);
  Run run = judge_on(device, kernel, shape(), problem, {}, false, 1);
  if (launches != nullptr) *launches = device.launches;
  return run;
}

// The right transpose, element by element, with a hook that may say "not this one".
auto transpose_of(const Problem& p, const std::function<bool(std::int64_t r, std::int64_t c)>& skip = {}) {
  return [p, skip](const FakeCall& call) {
    for (std::int64_t b = 0; b < p.batch; ++b) {
      for (std::int64_t r = 0; r < p.rows; ++r) {
        for (std::int64_t c = 0; c < p.cols; ++c) {
          if (skip && skip(r, c)) continue;
          std::memcpy(call.out + (b * p.out_stride() + c * p.out_pitch() + r) * p.elem_bytes,
                      call.in + (b * p.in_stride() + r * p.in_pitch() + c) * p.elem_bytes,
                      static_cast<std::size_t>(p.elem_bytes));
        }
      }
    }
  };
}

std::byte* element(const FakeCall& call, const Problem& p, std::int64_t row, std::int64_t col) {
  return call.out + (row * p.out_pitch() + col) * p.elem_bytes;
}

}  // namespace

TEST_CASE("a right transpose is right for every element size, pitch and batch") {
  for (const int bytes : {1, 2, 4, 8, 16}) {
    for (const Problem& p : {Problem{7, 5, bytes}, Problem{33, 65, bytes}, Problem{7, 5, bytes, 8, 12},
                             Problem{3, 9, bytes, 16, 4, 3}, Problem{1, 1, bytes}}) {
      CAPTURE(describe(p));
      CHECK(judged(p, transpose_of(p)).correct());
    }
  }
}

TEST_CASE("narrow elements take as many passes as it takes to distinguish them, wide ones take one") {
  int launches = 0;
  const std::pair<Problem, int> expectations[] = {
      {{5, 6, 1}, 1},     {{20, 20, 1}, 2},   {{200, 200, 1}, 3}, {{5, 6, 2}, 1},
      {{200, 200, 2}, 2}, {{200, 200, 4}, 1}, {{5, 6, 8}, 1},     {{5, 6, 16}, 1},
  };
  for (const auto& [p, expected] : expectations) {
    CHECK(judged(p, transpose_of(p), &launches).correct());
    CHECK(launches == expected);
  }
}

TEST_CASE("two elements that changed places are seen at every element size") {
  for (const Problem& p : {Problem{6, 7, 1}, Problem{20, 21, 1}, Problem{6, 7, 2}, Problem{6, 7, 4},
                           Problem{6, 7, 8}, Problem{6, 7, 16}}) {
    const int bytes = p.elem_bytes;
    // All pairs of neighbours in memory: where a byte is not enough, some of them look alike in some pass.
    for (std::int64_t i = 0; i + 1 < p.out_elems(); ++i) {
      const Run run = judged(p, [&](const FakeCall& call) {
        transpose_of(p)(call);
        std::swap_ranges(call.out + i * bytes, call.out + (i + 1) * bytes, call.out + (i + 1) * bytes);
      });
      REQUIRE(run.mismatch);
      CHECK(run.mismatch->code == "wrong-element");
      CHECK(run.mismatch->wrong_elems == 2);
      CHECK(run.mismatch->row * p.rows + run.mismatch->col == i);
    }
  }
}

TEST_CASE("a copy instead of a transpose: what stands there, and where it belongs") {
  const Problem p{4, 6};
  const Run run = judged(p, [&](const FakeCall& call) { std::memcpy(call.out, call.in, p.in_bytes()); });
  REQUIRE(run.mismatch);
  CHECK(run.mismatch->message.english() ==
        "out(0,1) holds in(0,1), which belongs at out(1,0); in(1,0) belongs there: row and column have not "
        "changed places.");
  CHECK(run.mismatch->row == 0);
  CHECK(run.mismatch->col == 1);
}

TEST_CASE("the words for one element that stands in the wrong place") {
  for (const Problem& p : {Problem{6, 5, 1}, Problem{180, 190, 1}, Problem{6, 5, 2}, Problem{180, 190, 2},
                           Problem{6, 5, 4}, Problem{6, 5, 8}, Problem{6, 5, 16}}) {
    const int bytes = p.elem_bytes;
    const Run run = judged(p, [&](const FakeCall& call) {
      transpose_of(p)(call);
      // in(4,3) belongs at out(3,4); put it at out(3,5).
      std::memcpy(element(call, p, 3, 5), element(call, p, 3, 4), static_cast<std::size_t>(bytes));
    });
    REQUIRE(run.mismatch);
    CHECK(run.mismatch->message.english() ==
          "out(3,5) holds in(4,3), which belongs at out(3,4); in(5,3) belongs there.");
    CHECK(run.mismatch->wrong_elems == 1);
  }
}

TEST_CASE("what was never written is called so") {
  const Problem p{61, 67};
  const Run run = judged(p, transpose_of(p, [](std::int64_t r, std::int64_t) { return r >= 32; }));
  REQUIRE(run.mismatch);
  CHECK(run.mismatch->code == "never-written");
  CHECK(run.mismatch->message.english() == "out(0,32) was never written; in(32,0) belongs there.");
  CHECK(run.mismatch->wrong_elems == 29 * 67);
}

TEST_CASE("an empty kernel fails on every shape and element size") {
  for (const int bytes : {1, 2, 4, 8, 16}) {
    for (const Problem& p : small_shapes(bytes)) {
      if (p.rows * p.cols > 40) continue;
      const Run run = judged(p, [](const FakeCall&) {});
      REQUIRE(run.mismatch);
      CHECK(run.mismatch->code == "never-written");
      CHECK(run.mismatch->wrong_elems == p.rows * p.cols);
    }
  }
}

TEST_CASE("zeros, and values from nowhere") {
  const Problem p{3, 3};
  Run run = judged(p, [&](const FakeCall& call) { std::memset(call.out, 0, p.out_bytes()); });
  REQUIRE(run.mismatch);
  CHECK(run.mismatch->message.english() == "out(0,0) holds zero; in(0,0) belongs there.");
  run = judged(p, [&](const FakeCall& call) { std::memset(call.out, 0x42, p.out_bytes()); });
  REQUIRE(run.mismatch);
  CHECK(run.mismatch->message.english() ==
        "out(0,0) holds 0x42424242, which is no element of `in`; in(0,0) belongs there.");
}

TEST_CASE("half of a wide element is not enough") {
  const Problem p{4, 4, 16};
  const Run run = judged(p, [&](const FakeCall& call) {
    transpose_of(p)(call);
    std::memcpy(element(call, p, 2, 1) + 12, element(call, p, 2, 2) + 12, 4);
  });
  REQUIRE(run.mismatch);
  CHECK(run.mismatch->code == "wrong-element");
  CHECK(run.mismatch->row == 2);
  CHECK(run.mismatch->col == 1);
  CHECK(run.mismatch->message.english().find("which is no element of `in`") != std::string::npos);
}

TEST_CASE("writes outside of `out`, before and behind, are seen where the device does not catch them") {
  const Problem p{5, 5};
  for (const std::int64_t at : {std::int64_t{-1}, p.out_elems(), p.out_elems() + 1000, std::int64_t{-1024}}) {
    const Run run = judged(p, [&](const FakeCall& call) {
      transpose_of(p)(call);
      std::memset(call.out + at * 4, 1, 4);
    });
    REQUIRE(run.mismatch);
    CHECK(run.mismatch->code == "outside-written");
  }
}

TEST_CASE("a changed input is seen") {
  const Problem p{5, 5};
  const Run run = judged(p, [&](const FakeCall& call) {
    transpose_of(p)(call);
    call.in[7] = std::byte{1};
    call.in[8] = std::byte{1};
  });
  REQUIRE(run.mismatch);
  CHECK(run.mismatch->code == "input-changed");
}

TEST_CASE("a write into the padding of `out` is seen") {
  const Problem p{6, 5, 4, 0, 8};
  const Run run = judged(p, [&](const FakeCall& call) {
    transpose_of(p)(call);
    std::memset(element(call, p, 3, 7), 0, 4);
  });
  REQUIRE(run.mismatch);
  CHECK(run.mismatch->code == "padding-written");
  CHECK(run.mismatch->row == 3);
  CHECK(run.mismatch->col == 7);
}

TEST_CASE("a result from an earlier run does not pass for this one") {
  // The kernel keeps the first result and writes it again for another shape of the same size.
  std::vector<std::byte> kept;
  const Problem first{6, 4}, second{4, 6};
  CHECK(judged(first, [&](const FakeCall& call) {
          transpose_of(first)(call);
          kept.assign(call.out, call.out + first.out_bytes());
        }).correct());
  CHECK_FALSE(judged(second, [&](const FakeCall& call) {
                std::memcpy(call.out, kept.data(), kept.size());
              }).correct());
}

TEST_CASE("words are Speck32/64: its authors' test vector") {
  const Words words(0x1918'1110'0908'0100u, 32);
  CHECK(words.word(0x6574694cu) == 0xa86842f2u);
  CHECK(words.number(0xa86842f2u) == 0x6574694cu);
}

TEST_CASE("words distinguish all elements of their matrix, and none is poison or zero") {
  const InputKey key("a key", "a kernel");
  for (const int bytes : {1, 2, 4, 16}) {
    for (const std::int64_t elems : {1, 128, 129, 32'768, 32'769, 100'000}) {
      const Words words = words_for({1, elems, bytes}, key);
      std::vector<std::uint32_t> run(static_cast<std::size_t>(elems));
      words.run(0, run);
      bool right = true;
      for (std::uint32_t i = 0; i < elems; ++i) {
        right &= words.number(run[i]) == i && words.word(i) == run[i] &&
                 run[i] != low_bits(kPoisonWord, words.bits()) && run[i] != 0;
      }
      CHECK(right);
      std::vector<std::uint32_t> numbers = run;
      words.numbers(numbers);
      for (std::uint32_t i = 0; i < elems; ++i) right &= numbers[i] == i;
      CHECK(right);
      CHECK(static_cast<std::int64_t>(std::set(run.begin(), run.end()).size()) == elems);
    }
  }
  CHECK(passes(1, 128) == 1);
  CHECK(passes(1, 129) == 2);
  CHECK(passes(1, 1 << 20) == 3);
  CHECK(passes(1, 1 << 24) == 4);
  CHECK(passes(2, 32'768) == 1);
  CHECK(passes(2, 32'769) == 2);
  CHECK(passes(4, 1 << 24) == 1);
}

TEST_CASE("a batch is named in the words") {
  const Problem p{3, 4, 4, 0, 0, 2};
  const Run run = judged(p, [&](const FakeCall& call) {
    Problem one = p;
    one.batch = 1;
    transpose_of(one)(call);
  });
  REQUIRE(run.mismatch);
  CHECK(run.mismatch->message.english() == "out[1](0,0) was never written; in[1](0,0) belongs there.");
}
