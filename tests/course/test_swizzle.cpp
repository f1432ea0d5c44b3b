// The general swizzle of common/kernel/swizzle.cuh: its three properties for every size, and the swizzles of
// other people that are instances of it. docs/swizzle.md says what is proved here.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "common/kernel/swizzle.cuh"
#include "common/sim/observe/access_analysis.h"

using namespace lab;

namespace {

struct Sizes {
  int row_bytes, chunk_bytes, elem_bytes;
  [[nodiscard]] int cols() const { return row_bytes / elem_bytes; }
  [[nodiscard]] int place(int row, int col) const {
    return swizzle(row, col, row_bytes, chunk_bytes, elem_bytes);
  }
  [[nodiscard]] int address(int row, int col) const { return row * row_bytes + place(row, col) * elem_bytes; }
};

constexpr int kRows = 128;

// Powers of two, element <= chunk <= row, rows of up to 1 KiB, chunks of up to 128 bytes.
std::vector<Sizes> all_sizes() {
  std::vector<Sizes> all;
  for (const int elem : {1, 2, 4, 8, 16}) {
    for (int chunk = std::max(elem, 4); chunk <= 128; chunk *= 2) {
      for (int row = chunk; row <= 1024; row *= 2) all.push_back({row, chunk, elem});
    }
  }
  return all;
}

int log2_of(int n) { return std::countr_zero(static_cast<unsigned>(n)); }

// CuTe: B bits at M + S are XORed onto the B bits at M.
int cute(int b, int m, int s, int address) { return address ^ (address >> s & ((1 << b) - 1) << m); }

}  // namespace

TEST_CASE("one to one: every row is permuted, and its own inverse") {
  for (const Sizes& s : all_sizes()) {
    INFO("row ", s.row_bytes, ", chunk ", s.chunk_bytes, ", element ", s.elem_bytes);
    bool ok = true;
    for (int row = 0; row < kRows; ++row) {
      std::vector<bool> taken(static_cast<std::size_t>(s.cols()));
      for (int col = 0; col < s.cols(); ++col) {
        const int to = s.place(row, col);
        ok =
            ok && to >= 0 && to < s.cols() && !taken[static_cast<std::size_t>(to)] && s.place(row, to) == col;
        if (!ok) break;
        taken[static_cast<std::size_t>(to)] = true;
      }
    }
    CHECK(ok);
  }
}

TEST_CASE("inside a row that is a power of two: chunks stay whole, long rows stay in their 128 bytes") {
  for (const Sizes& s : all_sizes()) {
    INFO("row ", s.row_bytes, ", chunk ", s.chunk_bytes, ", element ", s.elem_bytes);
    const int chunk = s.chunk_bytes / s.elem_bytes;
    const int line = std::max(1, std::min(s.row_bytes, kBankLineBytes) / s.elem_bytes);
    bool ok = true;
    for (int row = 0; row < kRows; ++row) {
      for (int col = 0; col < s.cols(); ++col) {
        const int to = s.place(row, col);
        ok = ok && to % chunk == col % chunk && s.place(row, col - col % chunk) == to - to % chunk &&
             to / line == col / line;
      }
    }
    CHECK(ok);
  }
}

TEST_CASE("most distinct columns: as many rows as chunks fit into the banks lie in as many places") {
  for (const Sizes& s : all_sizes()) {
    INFO("row ", s.row_bytes, ", chunk ", s.chunk_bytes, ", element ", s.elem_bytes);
    const int places = kBankLineBytes / s.chunk_bytes;
    bool ok = true;
    for (int row0 = 0; row0 < kRows; row0 += places) {
      for (int col = 0; col < s.cols(); ++col) {
        std::set<int> seen;
        for (int row = row0; row < row0 + places; ++row)
          seen.insert(s.address(row, col) % kBankLineBytes / s.chunk_bytes);
        ok = ok && static_cast<int>(seen.size()) == places;
      }
    }
    CHECK(ok);
  }
}

TEST_CASE("so a warp that walks down a column takes the fewest wavefronts that its bytes allow") {
  for (const Sizes& s : all_sizes()) {
    if (s.chunk_bytes != std::max(s.elem_bytes, 4)) continue;
    INFO("row ", s.row_bytes, ", element ", s.elem_bytes);
    for (int col = 0; col < s.cols(); ++col) {
      std::uint64_t address[32];
      for (int lane = 0; lane < 32; ++lane) address[lane] = static_cast<std::uint64_t>(s.address(lane, col));
      const auto cost = sim::shared_cost(address, static_cast<unsigned>(s.elem_bytes), ~sim::Mask{0}, true);
      CHECK(cost.wavefronts == static_cast<unsigned>(std::max(1, s.elem_bytes / 4)));
    }
  }
}

TEST_CASE("chapter 06 is the formula for rows of 32 floats") {
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < 32; ++col) CHECK(swizzle(row, col, 128, 4, 4) == (col ^ row % 32));
  }
}

TEST_CASE("every instance is a Swizzle<B,M,S> of CuTe on byte addresses") {
  for (const Sizes& s : all_sizes()) {
    INFO("row ", s.row_bytes, ", chunk ", s.chunk_bytes, ", element ", s.elem_bytes);
    const int m = log2_of(s.chunk_bytes);
    const int b = log2_of(std::min(s.row_bytes, kBankLineBytes)) - m;
    const int shift = log2_of(std::max(s.row_bytes, kBankLineBytes)) - m;
    bool ok = true;
    for (int row = 0; row < kRows; ++row) {
      for (int col = 0; col < s.cols(); ++col) {
        ok = ok && s.address(row, col) == cute(b, m, shift, row * s.row_bytes + col * s.elem_bytes);
      }
    }
    CHECK(ok);
  }
}

TEST_CASE("TMA's modes, as the driver's documentation draws them: 16-byte chunks within a span") {
  struct Mode {
    int span_bytes, rows_alike, b, repeats_bytes;
  };
  for (const Mode mode : {Mode{32, 4, 1, 256}, Mode{64, 2, 2, 512}, Mode{128, 1, 3, 1024}}) {
    CAPTURE(mode.span_bytes);
    bool ok = true, repeats = true;
    for (int address = 0; address < 8192; address += 16) {
      const int row = address / mode.span_bytes, chunk = address % mode.span_bytes / 16;
      const int ours = row * mode.span_bytes + swizzle(row, chunk, mode.span_bytes, 16, 16) * 16;
      const int drawn = chunk ^ (row / mode.rows_alike % (mode.span_bytes / 16));
      ok = ok && ours == row * mode.span_bytes + drawn * 16 && ours == cute(mode.b, 4, 3, address);
      const int next = address + mode.repeats_bytes, next_row = next / mode.span_bytes;
      repeats = repeats && swizzle(next_row, chunk, mode.span_bytes, 16, 16) ==
                               swizzle(row, chunk, mode.span_bytes, 16, 16);
    }
    CHECK(ok);
    CHECK(repeats);
  }
}
