// Which lanes of a block write which pieces of a box, and where its pieces lie in shared memory, so that
// lanes meet in few banks.
//
// Enters: a Box of box_plan.cuh. Leaves: the same with lanes, paddings and swizzle; and the work it makes,
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
  if (box.alone) {
    const double turns = ceil(double(box.out_runs) * box.alone / kBoxThreads),
                 steps = ceil(double(box.tile[box.out_dim]) * box.out_unit / 32);
    return {turns * (14 + 6 * steps), 4 * turns * (2 + steps * (1 + waits_of(conflict)))};
  }
  const double elems = kPiece / element, words = elems * (element > 4 ? element / 4 : 1),
               gather = elems * (element == 1   ? 1.75
                                 : element == 2 ? 1.5
                                                : 1);
  const double finds = box.turns * box.chunks;
  const double narrow = box.lanes.d < 4   ? 3
                        : box.lanes.d < 8 ? 1.5
                                          : 0,  // stores of less than a line
      waits = waits_of(conflict);
  return {rounds * (gather + 2.3) + finds * (24 + 1.39 * elems + (box.mask ? 2 * elems : 0)) +
              (box.crossed ? rounds * 4 * elems : 0),
          4 * (rounds * (words * waits + 6 * narrow) + finds * 4.3 * (1 + elems / 2))};
}

// How many times as long lanes of the first warp gather elements as without bank conflicts, in their second
// step where there is one; by `steps` elements of each piece. More than `most`, and it is not worth knowing by
// how much.
template <int kElement>
double conflicts(const Box& box, const BoxSize& size, int phase, int out_phase, int steps, double most) {
  constexpr int kWarp = 32, kElems = kPiece / kElement, kWords = kElement > 4 ? kElement / 4 : 1,
                kAtOnce = 32 / kWords;
  const int apart = kElems > steps ? kElems / steps : 1;
  const int64_t own = size.out_run / kElement, later = own > 2 * box.step ? box.step : 0;
  int64_t first_element[kWarp];
  int32_t begins[kWarp];
  for (uint32_t t = 0; t < kWarp; ++t) {
    const uint32_t group = box.lanes.quotient(t), lane = t - group * box.lanes.d,
                   share = box.at_once.quotient(group), lane_group = box.parts.quotient(share);
    uint32_t run = first_run(group - share * box.at_once.d, box.spread);
    int64_t to = out_phase;
    begins[t] = phase;
    for (const BoxLoop& loop : box.writes) {
      if (loop.dim < 0) break;
      const uint32_t more = loop.by.quotient(run), x = run - more * loop.by.d;
      begins[t] += int32_t(x) * loop.kept, to += int64_t(x) * loop.stride, run = more;
    }
    first_element[t] = int64_t(share - lane_group * box.parts.d) * box.apart + later -
                       (to & (box.align - 1)) / kElement + int64_t(lane_group * box.lanes.d + lane) * kElems;
    if (int32_t(group) >= box.groups) first_element[t] = own;
    if (box.alone) begins[t] = phase, first_element[t] = t;
  }
  const int all = box.alone ? 1 : kElems, ideal = up(all, apart) * (kWarp / kAtOnce);
  int taken = 0;
  for (int k = 0; k < all; k += apart)
    for (int first = 0; first < kWarp; first += kAtOnce) {
      uint32_t words[32][8];
      int count[32] = {}, longest = 1;
      for (int t = first; t < first + kAtOnce; ++t) {
        const int64_t e = first_element[t] + k;
        if (e < 0 || e >= own) continue;
        const uint32_t place =
            swizzled(uint32_t(begins[t] + place_in_run(box, uint32_t(e), kElems)), box.shift, box.mask);
        for (int w = 0; w < kWords; ++w) {
          const uint32_t word = place / 4 + w, bank = word % 32;
          bool known = false;
          for (int i = 0; i < count[bank]; ++i) known = known || words[bank][i] == word;
          if (!known && count[bank] < 8) words[bank][count[bank]++] = word;
          if (count[bank] > longest) longest = count[bank];
        }
      }
      taken += longest;
      if (taken > most * ideal) return double(taken) / ideal;
    }
  return double(taken) / ideal;
}
inline double conflicts(const Box& box, const BoxSize& size, int element, int phase, int out_phase, int steps,
                        double most) {
  return by_size(element, [&](auto bytes) {
    return conflicts<decltype(bytes)::kSize>(box, size, phase, out_phase, steps, most);
  });
}

// What was found so far of where pieces lie in shared memory and which lanes write what.
struct Arranged {
  Box box;
  double cost = 1e9, conflict = 1, rounds = 0;
  int64_t shared_bytes = 0;
};

// Tries the places of pieces for one choice of lanes that writes `taken` pieces a thread: skews of 0 to 7
// pieces, swizzles by 3 to 7.
struct Care {
  int counts;  // of bank conflicts, at most
  int steps;   // each by so many elements of a piece
};
inline void try_places(const Layout& l, const Box& box, const BoxSize& size, double taken, Care care,
                       Arranged& best) {
  constexpr int kPlaces = 13;
  const int phase = int(reinterpret_cast<size_t>(l.in) % kPiece),
            out_phase = int(reinterpret_cast<size_t>(l.out) % 128);
  Box tried = box;
  const int spread = l.element == 1   ? 2
                     : l.element == 2 ? 1
                                      : 0,
            spreads = spread > 0 && tried.at_once.d % (4u << spread) == 0 ? 2 : 1;
  for (int more = 0; more < (l.element == 1 ? 3 : 1); ++more)  // others gain nothing
    for (int either = 0; either < kPlaces * spreads; ++either) {
      const int place = either % kPlaces, skew = place < 8 ? place : 0;
      tried.spread = either < kPlaces ? 0 : spread;
      if ((skew && !size.skewable) || (more && place >= 8)) continue;
      tried.shift = place < 8 ? 0 : uint32_t(place - 5), tried.mask = place < 8 ? 0 : 0x70;
      const int64_t bytes = lay_out_box(kPiece / l.element, more, skew, size, tried);
      tried.crossed = tried.mask && tried.on % (128 << tried.shift) != 0;
      const double alone = write_work(l.element, tried, taken, 1).time();
      if (alone >= best.cost || bytes > kMostShared || tried.tables >= RunStart::kNone) continue;
      if (care.counts-- == 0) return;
      const double by_waits = (write_work(l.element, tried, taken, 2).time() - alone) / (waits_of(2) - 1),
                   waits = 1 + (best.cost * 0.99 - alone) / by_waits,  // more of them, and it is not the best
          c = conflicts(tried, size, l.element, phase, out_phase, care.steps,
                        (sqrt(0.49 + 1.2 * waits) - 0.7) / 0.6),
                   cost = write_work(l.element, tried, taken, c).time();
      if (cost < best.cost * 0.99) best = {tried, cost, c, taken, up(bytes, 128) * 128};
    }
}

// Chooses where pieces lie in shared memory and which lanes write what, by what the first warp meets: the
// least product of what is gathered and how long that takes. One lane would not reach all of a run of one
// element. Quickly, in microseconds: by a few numbers of
// lanes, the choices with the least work alone, and a few counts of conflicts each. Of bytes also 8 lanes in
// four parts of a run, which meet in few banks where lines are long.
inline bool arrange(const Layout& l, Box& box, BoxSize& size, bool quickly) {
  constexpr int kMostKept = 16;
  constexpr uint32_t kFewLanes = 8, kParts = 4;
  const bool bytes = l.element == 1;  // of bytes lanes meet in banks more often
  const int most_kept = quickly ? 3 : kMostKept;
  const Care care = quickly ? Care{bytes ? 20 : 6, 2} : Care{1 << 30, 4};
  const int64_t pieces = up(size.out_run, kPiece) + 1;
  struct Choice {
    Box box;
    double taken, work = 1e30;
  } kept[kMostKept], parted;
  int known = 0;
  Arranged best;
  const auto places_of = [&](const Choice& choice) {
    if (choice.work < best.cost) try_places(l, choice.box, size, choice.taken, care, best);
  };
  if (box.alone) places_of({box, 1, 0});
  const auto try_lanes = [&](int64_t lanes) {
    for (int way = 0; way < kWays; ++way) {
      Choice tried{box, 0};
      tried.taken = take_lanes(l.element, size, lanes, way, tried.box);
      if (tried.taken == 0) continue;
      tried.work = write_work(l.element, tried.box, tried.taken, 1).time();
      const bool is_parted = tried.box.lanes.d == kFewLanes && tried.box.parts.d == kParts;
      if (bytes && is_parted && tried.work < parted.work) parted = tried;
      if (!quickly && lanes <= kFewLanes && (lanes & (lanes - 1)) == 0) {  // which meet in few banks
        places_of(tried);
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
  const int64_t few[] = {least(pieces, kFewLanes), least(pieces, 4), least(pieces, 16),
                         least(pieces, 32),        by_lines(72),     by_lines(160)};
  // Fewer lanes store less than a line at once, where runs are short.
  const int64_t fewest = least(pieces, quickly || size.out_run >= 384 ? 2 : kFewLanes);
  for (int64_t lanes = fewest; lanes <= least(pieces + 1, kBoxThreads) && !box.alone; ++lanes)
    if (!quickly || std::find(std::begin(few), std::end(few), lanes) != std::end(few)) try_lanes(lanes);
  places_of(parted);
  for (int i = 0; i < known; ++i) places_of(kept[i]);
  if (best.cost >= 1e9) return false;
  box = best.box, size.conflict = best.conflict, size.rounds = best.rounds;
  size.shared_bytes = best.shared_bytes;
  return true;
}

}  // namespace lab::fast
