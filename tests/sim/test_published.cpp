// Sparse vector clocks: what is written shorter means the same.
#include <doctest/doctest.h>

#include "common/sim/observe/block_clock.h"
#include "tests/drawn/draws.h"

using namespace lab::sim;

namespace {

constexpr std::uint32_t kWarps = 2, kThreads = 32 * kWarps, kBlocks = 2;
constexpr Number kMost = 4;

// Of two blocks: most threads, some warps, rarely a block.
Published draw(lab::drawn::Draws& draws) {
  Published made;
  const Number least = draws.below(kMost);
  for (std::uint64_t block = 0; block < kBlocks; ++block) {
    for (std::uint32_t thread = 0; thread < kThreads; ++thread)
      if (!draws.one_in(100)) made.know(block, Published::thread_of(thread), least + draws.below(2));
    for (std::uint32_t warp = 0; warp < kWarps; ++warp)
      if (draws.one_in(3)) made.know(block, Published::warp_of(warp), draws.below(kMost));
    if (draws.one_in(5)) made.know(block, Published::kAllWarps, draws.below(kMost));
  }
  return made;
}

bool knows_all_of(const Published& one, const Published& other) {
  for (std::uint64_t block = 0; block < kBlocks; ++block)
    for (std::uint32_t thread = 0; thread < kThreads; ++thread)
      for (Number number = 0; number <= kMost; ++number)
        if (other.knows(block, thread, number) && !one.knows(block, thread, number)) return false;
  return true;
}

}  // namespace

TEST_CASE("a vector clock with entries of warps knows what its threads knew") {
  lab::drawn::Draws draws(lab::drawn::seed_of_run("vector clocks"));
  std::size_t shorter = 0, included = 0;
  for (std::size_t k = 0; k < lab::drawn::draws_of_run(500); ++k) {
    const Published before = draw(draws), other = draw(draws);
    Published after = before;
    after.gather(draws.below(kBlocks), static_cast<std::uint32_t>(draws.below(kWarps)));
    if (draws.one_in(2)) after.gather();
    CHECK(knows_all_of(after, before));
    CHECK(knows_all_of(before, after));
    CHECK(after.includes(before));
    if (after.includes(other)) CHECK(knows_all_of(after, other));
    shorter += after.entries().size() < before.entries().size();
    included += after.includes(other);
  }
  CHECK(shorter > 100);
  CHECK(included > 0);
}

// 448 blocks that all exchange one word took more than a minute: each thread's entry was copied for each of them.
TEST_CASE("a word that all threads of a large grid release by has some entries a block") {
  Offer offer;
  Ordering order;
  order.release = true;
  order.scope = Scope::System;
  BlockClock clock;
  constexpr std::uint64_t kGrid = 50;
  std::vector<Number> numbers;
  for (std::uint64_t block = 0; block < kGrid; ++block) {
    clock.begin(block);
    numbers.push_back(clock.new_number(0));
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      clock.release(thread / 32, thread % 32, order, true, offer);
      clock.acquire(thread / 32, thread % 32, order, offer);
    }
  }
  CHECK(offer.device->entries().size() <= kGrid * (1 + kWarps));
  for (std::uint64_t block = 0; block < kGrid; ++block)
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      CHECK(offer.device->knows(block, thread, numbers[block]));
      CHECK_FALSE(offer.device->knows(block, thread, numbers[block] + 1));
    }
}
