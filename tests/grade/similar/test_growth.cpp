// Comparing a class grows with the class, not with its square, and finds in a large class what it finds in a
// small one.
//
// Enters: drawn kernels as PTX. Leaves: verdicts of doctest.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "common/class/grade/similar/candidates.h"
#include "common/class/grade/similar/similarity.h"
#include "tests/drawn/draws.h"

using namespace lab;
using namespace lab::grade;

namespace {

// Work of one's own between phrases that everybody has.
std::string kernel(drawn::Draws& draw) {
  std::string body;
  for (int phrase = 0; phrase < 12; ++phrase) {
    if (draw.one_in(3)) {
      body +=
          "add.s32 %r1, %r1, 1;\nshl.b32 %r2, %r1, 5;\nmad.lo.s32 %r3, %r1, %r2, %r3;\nxor.b32 %r4, %r3, "
          "%r1;\n";
    } else {
      const std::string number = std::to_string(draw.below(100'000));
      body +=
          "add.s32 %r1, %r1, " + number + ";\nmul.lo.s32 %r2, %r1, " + number + ";\nsub.s32 %r3, %r2, 7;\n";
    }
  }
  return ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry transpose(.param .u64 out)\n{\n"
         ".reg .b32 %r<5>;\n" +
         body + "ret;\n}\n";
}

std::vector<KernelToCompare> a_class(std::size_t students, drawn::Draws draw) {
  std::vector<KernelToCompare> kernels;
  for (std::size_t i = 0; i < students; ++i) {
    const auto ptx = std::make_shared<const std::string>(kernel(draw));
    kernels.push_back({"student " + std::to_string(i), ptx, *ptx, "transpose.cu", nullptr});
  }
  return kernels;
}

double seconds_for(const std::vector<KernelToCompare>& kernels, Similarity& found) {
  const auto start = std::chrono::steady_clock::now();
  found = compare(kernels, {}, 0.6, 50);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("copies are found in a large class, in a time that grows with the class") {
  const drawn::Draws draw(drawn::seed_of_run("a large class"));
  std::vector<KernelToCompare> small = a_class(500, draw), large = a_class(2000, draw);
  for (auto* kernels : {&small, &large}) {
    KernelToCompare copy = kernels->at(3);
    copy.student = "copyist";
    copy.source += "// mine\n";
    kernels->push_back(copy);
  }
  Similarity in_small, in_large;
  const double once = seconds_for(small, in_small), four_times = seconds_for(large, in_large);
  MESSAGE(once << " s for 500 kernels, " << four_times << " s for 2,000");
  CHECK(four_times < 8 * once + 1);
  for (const Similarity* found : {&in_small, &in_large}) {
    REQUIRE_FALSE(found->pairs.empty());
    CHECK(found->pairs.front().a == 3);
    CHECK(found->pairs.front().same_ptx);
    CHECK(found->pairs.size() <= 50);
  }
}

TEST_CASE("a text that all hand in is one group, counted pair by pair and listed up to the limit") {
  drawn::Draws draw(drawn::seed_of_run("one text for all"));
  std::vector<KernelToCompare> kernels(4000, a_class(1, draw).front());
  for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i].student = std::to_string(i);
  const Similarity found = compare(kernels, {}, 0.6, 50);
  CHECK(found.pairs_found == 4000u * 3999u / 2);
  CHECK(found.pairs.size() == 50);
}

TEST_CASE("each pair that shares a fingerprint comes once; of very many who share it, each with some") {
  drawn::Draws draw(drawn::seed_of_run("candidates"));
  for (const std::size_t count : {std::size_t{50}, 3 * kNeighbours}) {
    std::vector<std::vector<std::uint64_t>> prints(count);
    for (auto& of : prints) {
      for (int i = 0; i < 3; ++i) of.push_back(count == 50 ? draw.below(60) : 1);
    }
    std::vector<std::vector<int>> seen(count, std::vector<int>(count));
    for_each_candidate(prints, [&](std::size_t a, std::size_t b) { ++seen.at(a).at(b); });
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        bool shared = false;
        for (const std::uint64_t print : prints[a])
          shared |= std::find(prints[b].begin(), prints[b].end(), print) != prints[b].end();
        const bool wanted = shared && (count == 50 || b - a <= kNeighbours);
        if (seen[a][b] != int{wanted}) FAIL_CHECK("pair " << a << " " << b);
      }
    }
  }
}
