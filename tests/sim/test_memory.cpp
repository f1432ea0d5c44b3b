// Device memory: addresses, guard zones, what was written, and the sentences about bad addresses.
#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/sim/base/fault.h"
#include "common/sim/memory/memory.h"
#include "tests/drawn/draws.h"

using namespace lab::sim;

namespace {

template <std::size_t N>
std::array<std::byte, N> bytes(int value) {
  std::array<std::byte, N> all;
  all.fill(static_cast<std::byte>(value));
  return all;
}

}  // namespace

TEST_SUITE("memory") {
  TEST_CASE("allocations are aligned, apart and zero") {
    Memory memory;
    const DeviceAddress a = memory.allocate(1000, Fill::Written, "a");
    const DeviceAddress b = memory.allocate(4, Fill::Written, "b");
    CHECK(a % kAllocationAlign == 0);
    CHECK(b % kAllocationAlign == 0);
    CHECK(b >= a + 1000 + kGuardBytes);
    std::array<std::byte, 4> out = bytes<4>(7);
    memory.read(b, out);
    CHECK(out == bytes<4>(0));
  }

  TEST_CASE("find needs every byte inside") {
    Memory memory;
    const DeviceAddress a = memory.allocate(64, Fill::Written, "a");
    REQUIRE(memory.find(a, 64) != nullptr);
    CHECK(memory.find(a, 64)->name == "a");
    CHECK(memory.find(a + 60, 4) != nullptr);
    CHECK(memory.find(a + 61, 4) == nullptr);
    CHECK(memory.find(a - 1, 1) == nullptr);
    CHECK(memory.find(a + 64, 1) == nullptr);
    CHECK(memory.find(a, std::numeric_limits<std::uint64_t>::max()) == nullptr);
    CHECK(memory.find(std::numeric_limits<std::uint64_t>::max(), 1) == nullptr);
    CHECK(memory.find(0, 1) == nullptr);
  }

  TEST_CASE("an empty allocation is valid and holds nothing") {
    Memory memory;
    const DeviceAddress a = memory.allocate(0, Fill::Poison, "empty");
    const DeviceAddress b = memory.allocate(0, Fill::Poison);
    CHECK(a != b);
    CHECK(memory.find(a, 0) != nullptr);
    CHECK(memory.find(a, 1) == nullptr);
    memory.write(a, {});
    memory.poison(a);
    memory.release(a);
    CHECK(memory.find(a, 0) == nullptr);
  }

  TEST_CASE("only poisoned allocations remember what was written") {
    Memory memory;
    const DeviceAddress plain = memory.allocate(16, Fill::Written);
    CHECK(memory.find(plain, 1)->written == nullptr);
    CHECK_THROWS_AS(memory.poison(plain), std::invalid_argument);
    for (const std::uint64_t size : {16ull, 1ull << 20}) {  // heap and pages
      const DeviceAddress a = memory.allocate(size, Fill::Poison);
      const std::uint8_t* written = memory.find(a, 1)->written;
      REQUIRE(written != nullptr);
      CHECK(written[4] == 0);
      memory.write(a + 4, bytes<4>(1));
      CHECK(written[3] == 0);
      CHECK(written[4] == 1);
      CHECK(written[7] == 1);
      CHECK(written[8] == 0);
      memory.fill(a + 8, std::byte{9}, 1);
      CHECK(written[8] == 1);
      memory.poison(a);
      CHECK(written[4] == 0);
      CHECK(written[8] == 0);
    }
  }

  TEST_CASE("to fill a buffer again changes nothing, unless something changed since") {
    Memory memory;
    const DeviceAddress a = memory.allocate(16, Fill::Poison), b = memory.allocate(16, Fill::Poison);
    memory.fill(a, std::byte{7}, 16);
    const std::uint64_t before = memory.changes();
    memory.fill(a, std::byte{7}, 16);
    CHECK(memory.changes() == before);
    std::array<std::byte, 4> out;
    const auto changes_a = [&](const char* what, const auto& change) {
      CAPTURE(what);
      change();
      memory.fill(a, std::byte{7}, 16);
      memory.read(a, out);
      CHECK(out == bytes<4>(7));
    };
    changes_a("the host writes", [&] { memory.write(a, bytes<4>(1)); });
    changes_a("another value", [&] { memory.fill(a, std::byte{8}, 16); });
    changes_a("a part", [&] { memory.fill(a, std::byte{8}, 4); });
    changes_a("a copy", [&] { memory.write(b, bytes<4>(3)), memory.copy(a, b, 4); });
    changes_a("poison", [&] { memory.poison(a); });
    CHECK(memory.find(a, 1)->written[0] == 1);
    changes_a("a kernel", [&] { memory.find(a, 1)->host[0] = std::byte{1}, memory.changed_by_kernel(); });
  }

  TEST_CASE("a copy carries poison along") {
    Memory memory;
    const DeviceAddress from = memory.allocate(8, Fill::Poison), to = memory.allocate(8, Fill::Poison);
    memory.write(from, bytes<4>(5));
    memory.copy(to, from, 8);
    const std::uint8_t* written = memory.find(to, 1)->written;
    CHECK(written[3] == 1);
    CHECK(written[4] == 0);
    std::array<std::byte, 4> out;
    memory.read(to, out);
    CHECK(out == bytes<4>(5));
    memory.copy(to, memory.allocate(8, Fill::Written), 8);
    CHECK(written[4] == 1);
  }

  TEST_CASE("large allocations cost nothing until they are touched") {
    Memory memory;
    const std::uint64_t size = 50'000ull * 50'000 * 4;
    const DeviceAddress a = memory.allocate(size, Fill::Poison, "huge");
    memory.write(a + size - 4, bytes<4>(3));
    const Allocation* found = memory.find(a + size - 4, 4);
    REQUIRE(found != nullptr);
    CHECK(found->written[size - 1] == 1);
    CHECK(found->written[size / 2] == 0);
    CHECK_THROWS_AS((void)memory.allocate(~0ull, Fill::Written), std::bad_alloc);
    CHECK_THROWS_AS((void)memory.allocate(~0ull - 511, Fill::Poison), std::bad_alloc);
  }

  // Where the host has no pages that are zero when they are first touched: what Memory says is the same.
  TEST_CASE("large allocations that are hardly used are zeroed by the system or by Memory alike") {
    lab::drawn::Draws draws(lab::drawn::seed_of_run("first touch"));
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0x5a);  // fresh memory holds anything
#endif
    for (std::size_t left = lab::drawn::draws_of_run(200); left != 0; --left) {
      Memory system(FirstTouch::System), own(FirstTouch::Memory);
      const std::uint64_t size = 1 + draws.below(5000);
      const bool poison = draws.one_in(2);
      const auto both = [&](const auto& act) {
        for (Memory* memory : {&system, &own}) act(*memory);
      };
      DeviceAddress at = 0, other = 0;
      both([&](Memory& memory) {
        at = memory.allocate(size, poison ? Fill::Poison : Fill::Written, "hardly used", false, true);
        other = memory.allocate(size, Fill::Poison, "other", false, true);
      });
      for (std::size_t step = draws.below(8); step != 0; --step) {
        const std::uint64_t first = draws.below(size), bytes = draws.below(size - first + 1);
        const std::size_t what = draws.below(5);
        both([&](Memory& memory) {
          const std::vector<std::byte> data(bytes, std::byte(step));
          if (what == 0) memory.write(at + first, data);
          if (what == 1) memory.fill(at + first, std::byte{9}, bytes);
          if (what == 2) memory.copy(other + first, at + first, bytes);
          if (what == 3) memory.clear(at);
          if (what == 4 && poison) memory.poison(at);
        });
      }
      for (const DeviceAddress base : {at, other}) {
        std::vector<std::byte> one(size), two(size);
        system.read(base, one);
        own.read(base, two);
        CHECK(one == two);
        const Allocation &here = *system.find(base, size), &there = *own.find(base, size);
        if (here.written != nullptr) CHECK(std::equal(here.written, here.written + size + 1, there.written));
        for (std::uint64_t k = size; k % kAllocationAlign != 0; ++k) CHECK(there.host[k] == std::byte{0});
      }
    }
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0);
#endif
  }

  TEST_CASE("bad host copies throw a sentence") {
    Memory memory;
    const DeviceAddress a = memory.allocate(16, Fill::Written, "in");
    std::array<std::byte, 32> buffer{};
    CHECK_THROWS_WITH_AS(memory.read(a, buffer),
                         "read of 32 bytes: the range is 16 bytes too long for `in`, a 16-byte buffer",
                         std::out_of_range);
    CHECK_THROWS_AS(memory.write(a + 8, bytes<16>(0)), std::out_of_range);
    CHECK_THROWS_AS(memory.fill(a - 1, std::byte{0}, 1), std::out_of_range);
    CHECK_THROWS_AS(memory.release(a + 1), std::out_of_range);
    CHECK_THROWS_AS(memory.release(0), std::out_of_range);
    CHECK_THROWS_AS(memory.poison(a + 1), std::out_of_range);
    memory.release(a);
    CHECK_THROWS_AS(memory.release(a), std::out_of_range);
  }

  TEST_CASE("describe says what is near") {
    Memory memory;
    CHECK(memory.describe(kGlobalBase, 4).english() == "in no buffer; none is allocated");
    const DeviceAddress gone = memory.allocate(4096, Fill::Written, "old");
    const DeviceAddress a = memory.allocate(4096, Fill::Written, "out");
    const DeviceAddress b = memory.allocate(1, Fill::Written);
    memory.release(gone);
    const struct {
      DeviceAddress address;
      std::uint64_t size_bytes;
      std::string says;
    } cases[] = {
        {a + 8, 4, "byte 8 of `out`, a 4 096-byte buffer"},
        {a + 4096, 4, "right behind the end of `out`, a 4 096-byte buffer"},
        {a + 4100, 4, "4 bytes past the end of `out`, a 4 096-byte buffer"},
        {a + 4097, 4, "1 byte past the end of `out`, a 4 096-byte buffer"},
        {a + 4092, 16, "12 bytes too long for `out`, a 4 096-byte buffer"},
        {a - 4, 4, "4 bytes before the start of `out`, a 4 096-byte buffer"},
        {b + 2, 1, "1 byte past the end of a 1-byte buffer"},
        {gone + 12, 4, "in freed memory: byte 12 of `old`, a 4 096-byte buffer"},
        {0, 4, "a null pointer"},
        {64, 4, "64 bytes past a null pointer"},
        {kSharedWindow + 16, 4, "a shared-memory address, 16 bytes from its start"},
        {kLocalWindow, 4, "a local-memory address, 0 bytes from its start"},
        {0x7ffd'1234'5678ull, 4, "in no buffer; it looks like a host address"},
        {0x5555'5555'0000ull, 4, "in no buffer; it looks like a host address"},
        {b + 100'000, 4, "in no buffer; the nearest is a 1-byte buffer, and 99 999 bytes past its end"},
        {a - 100'000, 4,
         "in no buffer; the nearest is `out`, a 4 096-byte buffer, and 100 000 bytes before its start"},
    };
    for (const auto& c : cases) CHECK(memory.describe(c.address, c.size_bytes).english() == c.says);
    CHECK_FALSE(memory.describe(~0ull, ~0ull).empty());
  }

  TEST_CASE("every kind of fault has its own code") {
    CHECK(code(FaultKind::OutOfBounds) == "out-of-bounds");
    CHECK(code(FaultKind::BadPtx) == "bad-ptx");
    for (int i = 0; i <= static_cast<int>(FaultKind::BadPtx); ++i) {
      CHECK(code(static_cast<FaultKind>(i)) != "unknown");
      for (int j = 0; j < i; ++j) CHECK(code(static_cast<FaultKind>(i)) != code(static_cast<FaultKind>(j)));
    }
  }
}
