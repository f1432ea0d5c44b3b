// What it costs to move a layout by boxes of a shape, and the shape that costs least.
//
// Enters: a layout. Leaves: the Box that the model below takes to be the fastest. The model's constants were
// fitted to 27,000 measured boxes of 520 drawn layouts on an H200 (docs/fast.md): the boxes that it
// chooses take 4 % longer than the best ones in the mean, nine in ten of them at most 13 %.
#pragma once

#include <cmath>

#include "common/fast/box_plan.cuh"

namespace lab::fast {

constexpr int64_t kMostShared = 56 * 1024;  // of a block, so that four fit on a multiprocessor of 227 KB

// Loops over runs that the kernel is made for.
inline int loops_of(const Box& box) {
  const auto fewer_than = [&](int n) { return box.reads[n].dim < 0 && box.writes[n].dim < 0; };
  return fewer_than(2) ? 2 : fewer_than(3) ? 3 : kBoxDims;
}

// Microseconds for `bytes` read and written at the rate of a copy.
inline double copy_time(double bytes) { return bytes / 4.35e6; }

// Microseconds. Three things take time together: bytes of DRAM, where each run touches more than it has;
// instructions and shared memory; and blocks, which wait for their loads however small they are.
inline double box_cost(const Box& box, const BoxSize& size, int element, int threads) {
  const double multiprocessors = 132, clocks_per_us = 1.7e3, sector = kSector;
  const int elems = kPiece / element;
  const double reads = double(box.all_pieces) / box.pieces.d;
  const double short_run = size.out_run < 128 ? 1 : sqrt(128.0 / double(size.out_run));
  const double read = reads * (double(size.in_run) + 1.3 * sector);
  const double written = box.runs * (double(size.out_run) + 4.0 * sector * short_run +
                                     (box.edges == kEdgesAlways ? 1.8 * sector : 0));
  const double memory = double(size.blocks) * (read + written) / 4.0e6;

  const double pieces = ceil(double(size.out_run) / kPiece) + (box.edges == kEdgesAlways ? 1 : 0);
  const double rounds = ceil(double(box.runs) / box.groups), steps = rounds * ceil(pieces / box.lanes.d);
  double instructions = 636 + ceil(double(box.all_pieces) / threads) * (loops_of(box) == 2 ? 65 : 92) +
                        steps * 0.22 * elems + 15 * box.levels * (box.advance != 0 ? rounds : steps);
  if (box.edges == kEdgesAlways && elems > 1) instructions += 97 * ceil(box.runs * 2.0 * elems / threads);
  const double gathers = steps * 0.23 * elems * (element > 4 ? element / 4 : 1) * size.conflict;
  const double work =
      double(size.blocks) * threads / 32 * (instructions / 4 + gathers) / (multiprocessors * clocks_per_us);

  const double resident = element <= 2 ? 3 : 4,
               fitting = floor(227.0 * 1024 / double(size.shared_bytes + 1024));
  const double slots = multiprocessors * (fitting < resident ? fitting : resident);
  const double waves = ceil(double(size.blocks) / slots), p = 6;
  const double time = pow(pow(memory, p) + pow(work, p) + pow(2.6 * waves, p), 1 / p);
  const double small = element == 1   ? 1.2
                       : element == 2 ? 1.07
                                      : 1;  // what is gathered in small pieces waits
  return 1.8 + small * time * sqrt(waves * slots / double(size.blocks));
}

// A box and what it takes to launch it.
struct BoxChoice {
  Box box;
  BoxShape shape;
  BoxSize size;
  double cost = 1e30;
};

// Calls go(shape, box, size) for each shape that may be worth it: both sides' runs from one sector to 32 KiB.
template <typename Go>
void each_shape(const Layout& l, const Go& go) {
  constexpr int kMost = 128;
  int64_t seen[kMost][kBoxDims];
  int known = 0;
  const auto is_new = [&](const int64_t* tile) {
    for (int i = 0; i < known; ++i) {
      bool same = true;
      for (int d = 0; d < kBoxDims; ++d) same = same && seen[i][d] == tile[d];
      if (same) return false;
    }
    if (known == kMost) return false;
    for (int d = 0; d < kBoxDims; ++d) seen[known][d] = tile[d];
    ++known;
    return true;
  };
  for (int64_t out = kSector; out <= 32768; out *= 2)
    for (int64_t in = kSector; in <= 32768; in *= 2) {
      BoxShape shape{{1, 1, 1, 1, 1}, 0, 0, kBoxThreads};
      reach(l, &Dim::out_stride, out, shape.tile), reach(l, &Dim::in_stride, in, shape.tile);
      int64_t bytes = l.element, all = l.element;
      for (int d = 0; d < l.count; ++d) bytes *= shape.tile[d], all *= l.dims[d].size;
      if (bytes > kMostShared || (bytes < 4096 && bytes < all) || !is_new(shape.tile)) continue;
      for (const int halo : {0, 1})
        for (const int lanes : {0, 8}) {
          shape.halo = halo, shape.lanes = lanes;
          Box box;
          BoxSize size;
          if (make_box(l, shape, box, size, kMostShared)) go(shape, box, size);
        }
    }
}

// The box that costs least; cost 1e30 where none will do. Bank conflicts take long to count, so they are
// counted for the four best ones alone.
inline BoxChoice best_box(const Layout& l) {
  constexpr int kFinal = 4;
  BoxChoice final[kFinal], best;
  each_shape(l, [&](const BoxShape& shape, const Box& box, const BoxSize& size) {
    const double cost = box_cost(box, size, l.element, shape.threads);
    int at = kFinal;
    while (at > 0 && cost < final[at - 1].cost) --at;
    for (int i = kFinal - 1; i > at; --i) final[i] = final[i - 1];
    if (at < kFinal) final[at] = {box, shape, size, cost};
  });
  for (BoxChoice& choice : final) {
    if (choice.cost >= 1e30 || !arrange(l, choice.box, choice.size, kMostShared)) continue;
    choice.cost = box_cost(choice.box, choice.size, l.element, choice.shape.threads);
    if (choice.cost < best.cost) best = choice;
  }
  return best;
}

}  // namespace lab::fast
