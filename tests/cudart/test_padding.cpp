// What is the padding of structs in a copy to the host, and what the program forgot.
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/run/cudart/padding.h"

using lab::cudart::first_unwritten;

namespace {

// "ww.." four bytes, two of them written; repeated.
std::vector<std::uint8_t> marks(std::string_view one, std::size_t times = 1) {
  std::vector<std::uint8_t> list;
  for (std::size_t k = 0; k < times; ++k)
    for (const char c : one) list.push_back(c == 'w' ? 1 : 0);
  return list;
}

}  // namespace

TEST_SUITE("cudart") {
  TEST_CASE("padding is no mistake") {
    const auto clean = [](const std::vector<std::uint8_t>& row, std::size_t widest) {
      return first_unwritten(row, 0, widest) == row.size();
    };
    const std::string_view int_and_double = "wwww....wwwwwwww", byte_double_byte = "w.......wwwwwwwww.......";
    for (const std::size_t count : {1, 2, 3, 1000}) {
      CHECK(clean(marks(int_and_double, count), 8));
      CHECK(clean(marks(byte_double_byte, count), 8));
      CHECK(clean(marks("w...wwww", count), 4));
      CHECK(clean(marks("wwwwwwwwwwww....", count), 8));
      CHECK(clean(marks("w...............wwwwwwwwwwwwwwww", count), 16));
    }
    CHECK(clean(marks("wwwwwwwwwwww....", 100), 4));  // three floats, alignas(16), stored one by one
  }

  TEST_CASE("a hole in an array is reported") {
    const auto hole = [](std::size_t elements, std::size_t at, std::size_t widest) {
      std::vector<std::uint8_t> row(elements * 4, 1);
      for (std::size_t k = 0; k < 4; ++k) row[at * 4 + k] = 0;
      return first_unwritten(row, 0, widest) == at * 4;
    };
    for (const std::size_t at : {0, 1, 2, 5, 63}) {
      CHECK(hole(64, at, 4));
      CHECK(hole(4096, at, 16));  // too large for one struct
    }
    CHECK(hole(4096, 4095, 4));
    CHECK(first_unwritten(marks("wwww....", 64), 0, 4) == 4);  // every other one: no member asks for it
    CHECK(first_unwritten(marks("....", 64), 0, 0) == 0);
    std::vector<std::uint8_t> edges(4096, 1);  // the last thread of each block of 64
    for (std::size_t k = 252; k < 4096; k += 256) std::fill_n(edges.begin() + static_cast<long>(k), 4, 0);
    CHECK(first_unwritten(edges, 0, 4) == 252);
    std::vector<std::uint8_t> structs = marks("wwww....wwwwwwww", 100);
    std::fill_n(structs.begin() + 16 * 50, 4, 0);  // a member of one of them
    CHECK(first_unwritten(structs, 0, 8) != structs.size());
  }

  TEST_CASE("a hole far behind what is written is found") {
    std::vector<std::uint8_t> row(100000, 1);
    std::fill_n(row.begin() + 90000, 4, 0);
    CHECK(first_unwritten(row, 0, 16) == 90000);
  }
}
