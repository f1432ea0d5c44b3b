// The arithmetic of plans and of kernels' 32-bit numbers on layouts of more than 2^31 elements, without a GPU: what a block has of a run of
// `out`, and what is left behind it; divisions by products; the banks that few columns meet in; and places of the pattern.
//
// Enters: a seed (draws.h). Leaves: exit 0, or 1 with what is wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>

#include "common/fast/transpose.cuh"
#include "tests/drawn/draws.h"

namespace lab::fast {
alignas(128) char tile[1];  // what kernels call their shared memory
}

namespace {

using namespace lab::fast;

int cases = 0, wrong = 0;

void expect(bool right, const char* what, const Layout& l) {
  ++cases;
  if (right) return;
  ++wrong;
  std::printf("WRONG %s: %d bytes", what, l.element);
  for (int d = 0; d < l.count; ++d)
    std::printf(" %lld (%lld, %lld)", static_cast<long long>(l.dims[d].size),
                static_cast<long long>(l.dims[d].out_stride), static_cast<long long>(l.dims[d].in_stride));
  std::printf("\n");
}

// By 64 bits, at the first, the last and a drawn box along a run of `out`.
void ends_of(const Layout& l, const Box& box, std::mt19937& draw) {
  const int64_t tile = box.tile[box.out_dim], size = box.size[box.out_dim], across = box.across[box.out_dim];
  const int64_t drawn = int64_t(draw()) % across;
  for (const int64_t x : {int64_t(0), drawn, across - 1}) {
    BoxCorner c{};
    find_ends(box, int32_t(x), c);
    const int64_t left = (size - x * tile) * box.out_unit, own = std::min(tile * box.out_unit, left),
                  asked = std::min(left, own + kSector / l.element);
    expect(c.own == own, "what a block has of a run", l);
    expect(c.left >= asked && c.left <= left, "what is left of a run", l);
  }
  for (int d = 0; d < box.count; ++d)
    for (const uint32_t n : {0u, uint32_t(draw() >> 1), uint32_t(kMostBlocks)})
      expect(box.before[d].quotient(n) == n / box.before[d].d, "a division by a product", l);
}

void boxes_of(Layout l, std::mt19937& draw) {
  l.count = coalesce(l.dims, l.count);
  each_shape(l, true, [&](const BoxShape&, const Box& box, const BoxSize&) { ends_of(l, box, draw); });
}

// What pieces of a run take that begins anywhere lies where the pattern's two bytes reach, in all boxes.
void places_of(const Layout& l) {
  const int elems = kPiece / l.element;
  each_shape(l, false, [&](const BoxShape&, Box box, BoxSize size) {
    if (!arrange(l, box, size, false)) return;
    const int own = int(size.out_run) / l.element, inner = int(box.inner.d);
    int farthest = 0;
    for (int e = 1 - elems; e < own; ++e) {
      const int in_line = (e + elems * inner) % inner;
      for (int k = std::max(0, -e); k < elems && e + k < own; ++k)
        farthest = std::max(farthest, place_in_run(box, uint32_t(in_line + k), elems));
    }
    expect(farthest <= kMostPlace, "a place of the pattern", l);
  });
}

// Lanes of a warp of few columns meet in no bank, whatever the distance of rows but multiples of 16 elements (of words: 8).
template <int kSize>
void banks_of_few_columns() {
  constexpr int kElems = kPiece / kSize;
  for (int64_t apart = 1; apart <= kMostNarrow; ++apart) {
    if (apart % (kSize == 4 ? 8 : 16) == 0) continue;
    const int64_t rows = 1 << 24;
    std::vector<PlannedLaunch> launches;
    planned = &launches;
    launch_few_columns<kSize>({nullptr, nullptr, rows, apart, rows * kSize, apart * kSize}, nullptr);
    NarrowJob job;
    std::memcpy(&job, launches[0].parameters.data(), sizeof job);
    std::set<int64_t> banks;
    for (int lane = 0; lane < 32; ++lane) {
      const int i = lane & ((1 << job.along) - 1), x = i >> job.alike << job.turn & (kElems - 1);
      banks.insert(((i * kElems + x) * apart * kSize / 4 + (lane >> job.along)) % 32);
    }
    expect(banks.size() == 32, "banks of few columns",
           {nullptr, nullptr, kSize, 2, {{rows, kSize, apart * kSize}, {apart, rows * kSize, kSize}}});
  }
}

}  // namespace

int main() {
  banks_of_few_columns<1>(), banks_of_few_columns<2>(), banks_of_few_columns<4>();
  std::mt19937 draw(static_cast<unsigned>(lab::drawn::seed_of_run("layouts of more than 2^31 elements")));
  const auto from = [&](int64_t a, int64_t b) { return a + int64_t(draw() % uint32_t(b - a + 1)); };
  places_of({nullptr, nullptr, 1, 3, {{42, 1, 41 * 1751045}, {41, 42, 1751045}, {1751045, 41 * 42, 1}}});
  // Short rows of a dense `out`, so that boxes have many whole ones, and a run goes on for more than 2^31 elements.
  boxes_of({nullptr, nullptr, 1, 2, {{6, 1, 400'000'000}, {400'000'000, 6, 1}}}, draw);
  for (int n = 0; n < 60; ++n) {
    const int element = 1 << from(0, 2);
    const int64_t rows = from(2, 40), more = from(1, 3),
                  cols = (int64_t(1) << 31) / rows / more + from(1, 1 << 20);
    boxes_of({nullptr,
              nullptr,
              element,
              3,
              {{rows, element, cols * element},
               {cols, rows * element, element},
               {more, rows * cols * element, rows * cols * element}}},
             draw);
    boxes_of({nullptr,
              nullptr,
              element,
              3,
              {{rows, element, more * cols * element},
               {more, rows * element, cols * element},
               {cols, rows * more * element, element}}},
             draw);
  }
  std::printf("%d cases, %d wrong\n", cases, wrong);
  return wrong == 0 && cases > 1000 ? 0 : 1;
}
