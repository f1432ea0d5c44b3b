// Which lanes of a block write which pieces of a box, and where its pieces lie in shared memory, so that
// lanes meet in few banks.
//
// Enters: a Box of box_plan.cuh. Leaves: the same with lanes, paddings and swizzle; and the work it makes,
// for cost.cuh.
#pragma once

#include <cmath>

#include "common/fast/box_plan.cuh"

namespace lab::fast {

// What a box keeps busy, in instructions of a thread: issuing them, and shared memory, which takes a request
// of a warp in as long as a multiprocessor issues four. Constants, here and in cost.cuh, are a fit.
struct Work {
  double issue = 0, shared = 0;
  [[nodiscard]] double time() const { return pow(pow(issue, 9.6) + pow(0.64 * shared, 9.6), 1 / 9.6); }
};

// Writing `rounds` pieces. Where lanes go on by whole lines of `inner` elements, a thread meets the same
// pattern again and again.
inline Work write_work(int element, const Box& box, double rounds, double conflict) {
  const int64_t elems = kPiece / element;
  const bool steady = box.patterned == box.levels && box.lanes.d * elems % box.inner.d == 0;
  const double patterns = box.inner.d == 1 ? 1
                          : steady         ? double(up(box.out_runs, box.at_once.d))
                                           : rounds,
               gather = (element == 1   ? 2.75
                         : element == 2 ? 2.5
                                        : 2) +
                        (box.mask ? 4 : 0),
               words = double(elems) * (element > 4 ? element / 4 : 1),
               lines = box.patterned < box.levels ? 56 : 0;
  return {rounds * (double(elems) * gather + lines) + patterns * 0.64 * double(12 + elems),
          4 * (rounds * (words * conflict + 4) + patterns * 16)};
}

// How many times as long lanes of the first warp gather elements as without bank conflicts, in their second
// step where there is one.
inline double conflicts(const Box& box, const BoxSize& size, int element, int phase, int out_phase) {
  constexpr int kWarp = 32;
  const int elems = kPiece / element, width = element > 4 ? element : 4, at_once = 128 / width;
  const int64_t own = size.out_run / element, step = int64_t(box.lanes.d) * elems,
                later = own > 2 * step ? step : 0;
  int taken = 0, ideal = 0;
  for (int k = 0; k<elems; k += elems> 4 ? elems / 4 : 1)
    for (int first = 0; first < kWarp; first += at_once) {
      uint32_t words[32][8];
      int count[32] = {}, most = 1;
      for (int t = first; t < first + at_once && t < kWarp; ++t) {
        const uint32_t group = uint32_t(t) / box.lanes.d, part = group / box.at_once.d;
        uint32_t run = first_run(group % box.at_once.d, box.spread);
        if (int32_t(group) >= box.groups) continue;
        int32_t at = phase;
        int64_t to = out_phase;
        for (const BoxLoop& loop : box.writes) {
          if (loop.dim < 0) break;
          at += int32_t(run % loop.by.d) * loop.kept, to += int64_t(run % loop.by.d) * loop.stride;
          run /= loop.by.d;
        }
        const int64_t e =
            part * box.share + later + int64_t(t % box.lanes.d) * elems + k - to % box.align / element;
        if (e < 0 || e >= own) continue;
        const uint32_t place =
            swizzled(uint32_t(at + place_in_run(box, uint32_t(e), elems)), box.shift, box.mask);
        for (int w = 0; w < width / 4; ++w) {
          const uint32_t word = place / 4 + w, bank = word % 32;
          bool known = false;
          for (int i = 0; i < count[bank]; ++i) known = known || words[bank][i] == word;
          if (!known && count[bank] < 8) words[bank][count[bank]++] = word;
          if (count[bank] > most) most = count[bank];
        }
      }
      taken += most, ++ideal;
    }
  return double(taken) / ideal;
}

// Lanes to try: 8, which meet no bank twice along a line of odd distances, then those that take the fewest
// rounds. Those that repeat their pattern count as a quarter less.
constexpr int kLanesTried = 4;
inline int lanes_to_try(int element, const Box& box, const BoxSize& size, int64_t (&lanes)[kLanesTried]) {
  const int64_t pieces = up(size.out_run, kPiece) + 1, fewest = least(pieces, 8);
  double rounds[kLanesTried] = {};
  int known = 1;
  lanes[0] = fewest;
  for (int64_t w = fewest + 1; w <= least(pieces + 1, kBoxThreads); ++w) {
    const bool steady = box.inner.d > 1 && w * (kPiece / element) % box.inner.d == 0;
    if (w > 64 && !steady) continue;
    Box tried = box;
    const double taken = take_lanes(element, size, w, 0, tried) * (steady ? 0.75 : 1);
    int at = known;
    while (at > 1 && taken < rounds[at - 1]) --at;
    if (at == kLanesTried) continue;
    if (known < kLanesTried) ++known;
    for (int i = known - 1; i > at; --i) lanes[i] = lanes[i - 1], rounds[i] = rounds[i - 1];
    lanes[at] = w, rounds[at] = taken;
  }
  return known;
}

// Chooses where pieces lie in shared memory and which lanes write what, by what the first warp meets: the
// least product of what is gathered and how long that takes.
inline bool arrange(const Layout& l, Box& box, BoxSize& size, int64_t most_shared) {
  const int phase = int(reinterpret_cast<size_t>(l.in) % kPiece),
            out_phase = int(reinterpret_cast<size_t>(l.out) % 128);
  int64_t lanes[kLanesTried];
  const int known = lanes_to_try(l.element, box, size, lanes);
  constexpr int kWays = 13;  // skews of 0 to 7 pieces, swizzles by 3 to 7
  double best = 1e9;
  const Box given = box;
  for (int i = 0; i < known; ++i)
    for (int64_t longer = 0; longer < 4; ++longer) {
      Box tried = given;
      const double taken = take_lanes(l.element, size, lanes[i], longer, tried);
      if (longer > 0 && tried.groups == int32_t(tried.at_once.d)) break;  // no parts
      const int spread = l.element == 1   ? 2
                         : l.element == 2 ? 1
                                          : 0,
                spreads = spread > 0 && tried.at_once.d % (4u << spread) == 0 ? 2 : 1;
      for (int more = 0; more < 3; ++more)
        for (int either = 0; either < kWays * spreads; ++either) {
          const int way = either % kWays, skew = way < 8 ? way : 0;
          tried.spread = either < kWays ? 0 : spread;
          if ((skew && !size.skewable) || (more && way >= 8)) continue;
          tried.shift = way < 8 ? 0 : uint32_t(way - 5), tried.mask = way < 8 ? 0 : 0x70;
          const int64_t bytes = lay_out_box(kPiece / l.element, more, skew, tried);
          if (write_work(l.element, tried, taken, 1).time() >= best) continue;
          if (bytes > most_shared || tried.tables >= RunStart::kNone) continue;
          const double c = conflicts(tried, size, l.element, phase, out_phase),
                       cost = write_work(l.element, tried, taken, c).time();
          if (cost >= best * 0.99) continue;
          best = cost, box = tried, size.conflict = c, size.rounds = taken;
          size.shared_bytes = up(bytes, 128) * 128;
        }
    }
  return best < 1e9;
}

}  // namespace lab::fast
