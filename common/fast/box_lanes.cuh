// Which lanes of a block write which pieces of a box, and where its pieces lie in shared memory, so that
// lanes meet in few banks.
//
// Enters: a Box of box_plan.cuh. Leaves: the same with lanes, skew and swizzle; and the work it makes,
// for cost.cuh.
#pragma once

#include <cmath>
#include <iterator>
#include <numeric>

#include "common/fast/box_plan.cuh"

namespace lab::fast {

// What a box keeps busy, in instructions of a thread: issuing them, and shared memory, which takes a request
// of a warp in as long as a multiprocessor issues four. Constants, here and in cost.cuh, are a fit.
struct Work {
  double issue = 0, shared = 0;
  [[nodiscard]] double time() const { return issue + 0.351 * shared; }
};

// What gathering waits for, where it takes `conflict` times as long as without bank conflicts.
inline double waits_of(double conflict) { return conflict * (0.7 + 0.3 * conflict); }

// Writing `rounds` pieces. A thread finds places once a chunk, or each piece's .
inline Work write_work(int element, const Box& box, double rounds, double conflict) {
  const double elems = kPiece / element, words = elems * (element > 4 ? element / 4 : 1),
               gather = elems * (element == 1   ? 1.75
                                 : element == 2 ? 1.5
                                                : 1);
  const double finds = box.turns * box.chunks;
  const double narrow = box.lanes.d < 4   ? 3
                        : box.lanes.d < 8 ? 1.5
                                          : 0,  // stores of less than a line
      waits = waits_of(conflict);
  return {rounds * (gather + 2.3 + (box.shift ? 4 * elems : 0)) + finds * (5 + 4.1 * elems),
          4 * (rounds * (words * waits + 6 * narrow) + finds * 4.3 * (1 + elems / 2))};
}

// Where what lanes of the first warp gather together lies in shared memory, before pieces change places; -1:
// nowhere. In their second step where there is one; two elements of each piece.
constexpr int kWarp = 32;
struct FirstWarp {
  int gathers;
  int32_t at[2][kWarp];
};
template <int kSize>
FirstWarp first_warp(const Layout& l, const Box& box, const BoxSize& size) {
  constexpr int kElems = kPiece / kSize, kApart = kElems > 2 ? kElems / 2 : 1;
  const int64_t own = size.out_run / kSize, later = own > 2 * box.step ? box.step : 0;
  const uint32_t lanes = box.lanes.d;
  FirstWarp warp{kElems == 1 ? 1 : 2, {}};
  for (uint32_t group = 0, t = 0; t < kWarp; ++group) {
    const uint32_t share = box.at_once.quotient(group), lane_group = box.parts.quotient(share);
    uint32_t run = group - share * box.at_once.d;
    int64_t to = int64_t(reinterpret_cast<size_t>(l.out) % 128);
    auto begins = int32_t(reinterpret_cast<size_t>(l.in) % kPiece);
    for (const BoxLoop& loop : box.writes) {
      if (loop.dim < 0) break;
      const uint32_t more = loop.by.quotient(run), x = run - more * loop.by.d;
      begins += int32_t(x) * loop.kept, to += int64_t(x) * loop.stride, run = more;
    }
    const int64_t first = int64_t(share - lane_group * box.parts.d) * box.apart + later -
                          (to & (box.align - 1)) / kSize + int64_t(lane_group * lanes) * kElems;
    for (uint32_t lane = 0; lane < lanes && t < kWarp; ++lane, ++t)
      for (int k = 0; k < warp.gathers; ++k) {
        const int64_t e = first + int64_t(lane) * kElems + k * kApart;
        const bool exists = e >= 0 && e < own && int32_t(group) < box.groups;
        warp.at[k][t] = exists ? begins + place_in_run(box, uint32_t(e), kElems) : -1;
      }
  }
  return warp;
}

// How many times as long they gather as without bank conflicts.
template <int kSize>
double conflicts(const FirstWarp& warp, int32_t shift) {
  constexpr int kWords = kSize > 4 ? kSize / 4 : 1, kAtOnce = kWarp / kWords;
  int taken = 0;
  for (int k = 0; k < warp.gathers; ++k)
    for (int first = 0; first < kWarp; first += kAtOnce) {
      uint32_t in_bank[32][8];
      unsigned char count[32] = {}, longest = 1;
      for (int t = first; t < first + kAtOnce; ++t) {
        if (warp.at[k][t] < 0) continue;
        const uint32_t place = uint32_t(swizzled(warp.at[k][t], shift)) / 4;
        for (uint32_t word = place; word < place + kWords; ++word) {
          uint32_t* const known = in_bank[word % 32];
          unsigned char& many = count[word % 32];
          if (many < 8 && std::find(known, known + many, word) == known + many) known[many++] = word;
          longest = std::max(longest, many);
        }
      }
      taken += longest;
    }
  return double(taken) / double(warp.gathers * kWords);
}

// What was found so far of where pieces lie in shared memory and which lanes write what.
struct Arranged {
  Box box;
  double cost = 1e9, conflict = 1, rounds = 0;
  int64_t shared_bytes = 0;
};

// Tries skews of 0 to 7 pieces and swizzles by 3 to 7 bits for one choice of lanes that writes `taken` pieces a thread.
template <int kSize>
void try_places(const Layout& l, const Box& box, const BoxSize& size, double taken, Arranged& best) {
  Box tried = box;
  FirstWarp warp, of_plain;
  const auto cost_of = [&](double conflict) { return write_work(kSize, tried, taken, conflict).time(); };
  const auto is_worth_it = [&](double cost) { return cost < best.cost * 0.99; };
  const auto weigh = [&](int64_t bytes) {
    if (bytes > kMostShared || tried.tables >= RunStart::kNone) return;
    const double conflict = conflicts<kSize>(warp, tried.shift), cost = cost_of(conflict);
    if (is_worth_it(cost)) best = {tried, cost, conflict, taken, up(bytes, 128) * 128};
  };
  for (int skew = 0; skew < (size.skewable ? 8 : 1); ++skew) {
    if (!is_worth_it(cost_of(1))) return;  // skews do not change it, swizzles make it more
    const int64_t bytes = lay_out_box(kPiece / kSize, skew, size, tried);
    warp = first_warp<kSize>(l, tried, size), weigh(bytes);
    if (skew == 0) of_plain = warp;
  }
  const int64_t plain_bytes = lay_out_box(kPiece / kSize, 0, size, tried);
  for (warp = of_plain, tried.shift = 3; tried.shift < 8 && is_worth_it(cost_of(1)); ++tried.shift)
    weigh(plain_bytes);
}

// Chooses where pieces lie in shared memory and which lanes write what, by what the first warp meets: the
// least product of what is gathered and how long that takes. One lane would not reach all of a run of one
// element. Quickly, in microseconds: by a few numbers of lanes, the choices with the least work alone.
inline bool arrange(const Layout& l, Box& box, BoxSize& size, bool quickly) {
  constexpr int kMostKept = 16;
  constexpr int64_t kFewLanes = 8;
  const bool bytes = l.element == 1;  // of bytes lanes meet in banks more often
  const int most_kept = quickly ? 3 : kMostKept;
  const int64_t pieces = up(size.out_run, kPiece) + 1;
  struct Choice {
    int64_t lanes;
    int way;
    double work;
  } kept[kMostKept];
  int known = 0;
  Arranged best;
  const auto places_of = [&](double taken) {
    by_size(l.element, [&](auto of) { try_places<decltype(of)::kSize>(l, box, size, taken, best); });
  };
  const auto try_lanes = [&](int64_t lanes) {
    for (int way = 0; way < kWays; ++way) {
      const double taken = take_lanes(l.element, size, lanes, way, box);
      if (taken == 0) continue;
      const Choice tried{lanes, way, write_work(l.element, box, taken, 1).time()};
      if (!quickly && lanes <= kFewLanes && (lanes & (lanes - 1)) == 0) {  // which meet in few banks
        places_of(taken);
        continue;
      }
      int at = known;
      while (at > 0 && tried.work < kept[at - 1].work) --at;
      if (at == most_kept) continue;
      if (known < most_kept) ++known;
      for (int i = known - 1; i > at; --i) kept[i] = kept[i - 1];
      kept[at] = tried;
    }
  };
  // Lanes that go on by whole lines: as many as a part of the block has.
  const int64_t elems = kPiece / l.element, whole = size.line / std::gcd(size.line, elems);
  const auto by_lines = [&](int64_t most) {
    return bytes && whole > 1 && whole <= most ? most / whole * whole : 0;
  };
  const int64_t few[] = {least(pieces, 8),  least(pieces, 2),  least(pieces, 4),  least(pieces, 6),
                         least(pieces, 12), least(pieces, 16), least(pieces, 24), least(pieces, 32),
                         by_lines(72),      by_lines(160)};
  // Fewer lanes store less than a line at once, where runs are short.
  const int64_t fewest = least(pieces, quickly || size.out_run >= 384 ? 2 : kFewLanes);
  for (int64_t lanes = fewest; lanes <= least(pieces + 1, kBoxThreads); ++lanes)
    if (!quickly || std::find(std::begin(few), std::end(few), lanes) != std::end(few)) try_lanes(lanes);
  for (int i = 0; i < known && kept[i].work < best.cost; ++i)
    places_of(take_lanes(l.element, size, kept[i].lanes, kept[i].way, box));
  if (best.cost >= 1e9) return false;
  box = best.box, size.conflict = best.conflict, size.rounds = best.rounds;
  size.shared_bytes = best.shared_bytes;
  return true;
}

}  // namespace lab::fast
