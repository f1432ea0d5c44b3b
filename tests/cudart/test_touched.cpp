// Sets of addresses, against the same kept byte by byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "common/run/cudart/touched.h"

using lab::cudart::ByteSet;

namespace {

// Far apart, so that its bytes lie in two places of the table of pages.
constexpr std::uint64_t kBytes = 40'000, kFar = 1ull << 40;
std::uint64_t address(std::uint64_t at) { return at + (at < kBytes / 2 ? kFar : 3 * kFar); }

struct Pair {
  ByteSet set;
  std::vector<bool> bytes = std::vector<bool>(kBytes);

  void add(std::uint64_t at, std::uint64_t count) {
    set.add(address(at), count);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, true);
  }
};

}  // namespace

TEST_SUITE("cudart") {
  TEST_CASE("sets of addresses hold what was added, and no more") {
    for (unsigned seed = 0; seed < 300; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      const auto below = [&](std::uint64_t end) { return random() % end; };
      const std::uint64_t longest = std::vector<std::uint64_t>{8, 200, 3000}[seed % 3];
      Pair a, b;
      for (Pair* pair : {&a, &b})
        for (std::uint64_t k = below(seed % 2 == 0 ? 20 : 400); k > 0; --k) {
          const std::uint64_t at = below(kBytes), half = at < kBytes / 2 ? kBytes / 2 : kBytes;
          pair->add(at, std::min(1 + below(longest), half - at));
        }
      for (int asked = 0; asked < 100; ++asked) {
        const std::uint64_t low = below(kBytes), half = low < kBytes / 2 ? kBytes / 2 : kBytes;
        const std::uint64_t high = std::min(low + below(2 * longest), half);
        bool whole = true, meets = false;
        for (std::uint64_t at = low; at < high; ++at) {
          whole = whole && a.bytes[at];
          meets = meets || (a.bytes[at] && b.bytes[at]);
        }
        CHECK(a.set.whole(address(low), address(low) + (high - low)) == whole);
        CHECK(a.set.meets(b.set, address(low), address(low) + (high - low)) == meets);
      }
      b.set.add(a.set);
      for (std::uint64_t at = 0; at < kBytes; at += 1 + below(40))
        CHECK(b.set.whole(address(at), address(at) + 1) == (a.bytes[at] || b.bytes[at]));
    }
  }
}
