// What it costs to move a layout by boxes of a shape, and the shape that costs least.
//
// Enters: a layout. Leaves: the Box that the model below takes to be the fastest. The model's constants were
// fitted to measured boxes of drawn layouts; docs/fast.md says how many, and what a choice loses.
#pragma once

#include <algorithm>

#include "common/fast/box_lanes.cuh"

namespace lab::fast {

// Microseconds for `bytes` read and written at the rate of a copy.
inline double copy_time(double bytes) { return bytes / 4.35e6; }

// What differs by the size of elements, fitted apart.
struct BoxRates {
  double bytes_per_us;           // of the whole GPU
  double sharper;                // the norm that joins what takes time together
  double most_blocks;            // that fit on a multiprocessor, by registers
  double latency, work, memory;  // what a block waits for: microseconds, shares of the two
  double last_wave;              // of what a last wave of fewer blocks than fit takes more
  double first;                  // of the loads at first, which nothing hides
};
constexpr BoxRates kOneOrTwoBytes{4.32e6, 5.35, 4, 0.298, 2.22, 0.892, 0.131, 0.648};
constexpr BoxRates kMoreBytes{4.78e6, 7.07, 6, 1.73, 3.21, 1.23, 0.342, 0.628};

// Microseconds. Three things take time together: bytes of DRAM, where each run touches more than it has;
// instructions and shared memory; and what a block waits for while its multiprocessor's other blocks go on.
// At first all blocks load, and none has anything to write, so the shorter of the two comes once on top.
inline double box_cost(const Box& box, const BoxSize& size, int element) {
  constexpr double kMultiprocessors = 132, kClocksPerUs = 1.7e3;
  const BoxRates& rates = element > 2 ? kMoreBytes : kOneOrTwoBytes;
  const double threads = kBoxThreads, elems = kPiece / element;
  const double short_run = size.out_run < 128 ? 1 : sqrt(128.0 / double(size.out_run));
  // Where runs are parts of longer ones, and no whole sectors: some begin and end within them.
  const bool cut = !box.halo && size.seams % kSector != 0 && box.tile[box.out_dim] < box.size[box.out_dim];
  const double seam = !box.halo && size.seams % kPiece != 0 ? 9 : cut ? 2.1 : 0;
  const double read = box.in_runs * (double(size.in_run) + 0.513 * kSector);
  const double written = box.out_runs * (double(size.out_run) + 0.663 * kSector * short_run + seam * kSector);
  const double memory = kMultiprocessors * (read + written) / rates.bytes_per_us;

  const double passes = ceil(double(box.pieces.d) / threads),
               loads = ceil(double(box.in_runs) / box.in_at_once) * (passes > 1 ? passes * 8.75 + 20 : 31.7);
  Work all = write_work(element, box, size.rounds, size.conflict);
  all.issue += 169 + loads + 45.7 * ceil(box.in_runs / threads) + 62.2 * ceil(box.out_runs / threads) +
               ceil((box.inner.d + 2 * elems) / threads) * (15.6 + 10.4 * box.levels);
  all.shared += ceil(double(box.in_runs) * box.pieces.d / threads) * 33.2;
  const double work = all.time() * threads / 32 / 4 / kClocksPerUs;

  const double each = double(size.blocks) / kMultiprocessors,
               fitting = floor(227.0 * 1024 / double(size.shared_bytes + 1024));
  const double room = std::min(fitting, rates.most_blocks), resident = std::max(1.0, std::min(each, room));
  const double waits = (rates.latency + rates.work * work + rates.memory * memory) / resident;
  const double block = pow(pow(memory, rates.sharper) + pow(work, rates.sharper) + pow(waits, rates.sharper),
                           1 / rates.sharper);
  const double waves = each / resident, first = work < memory ? work : memory;
  return (element > 1 ? 2.08 : 3.1) +
         resident * (block * (waves + rates.last_wave * (ceil(waves) - waves)) + rates.first * first);
}

// A box and what it takes to launch it.
struct BoxChoice {
  Box box;
  BoxShape shape;
  BoxSize size;
  double cost = 1e30;
};

// The way of 8 lanes that takes the least work, without conflicts to speak of.
inline void take_best_way(int element, Box& box, BoxSize& size) {
  const int64_t lanes = least(8, up(size.out_run, kPiece) + 1);
  double least_work = 1e30;
  int best = 0;
  for (int way = 0; way < kWays; ++way) {
    const double rounds = take_lanes(element, size, lanes, way, box),
                 work = rounds > 0 ? write_work(element, box, rounds, size.conflict).time() : 1e30;
    if (work < least_work) least_work = work, best = way;
  }
  size.rounds = take_lanes(element, size, lanes, best, box);
}

// Calls go(shape, box, size) for each shape that may be worth it: both sides' runs from one sector to 32 KiB;
// or, quickly, for pairs of lengths that reach what all of them do but for 0.3 % in the mean (of 8,145 drawn
// layouts, by the model).
template <typename Go>
void each_shape(const Layout& l, bool quickly, const Go& go) {
  constexpr int kMost = 256;
  constexpr int kRuns[][2] = {{24576, 192},  {256, 128},   {192, 6144}, {8192, 384}, {1536, 384}, {32, 32768},
                              {256, 32},     {384, 1024},  {512, 192},  {32768, 32}, {192, 96},   {256, 4096},
                              {1024, 48},    {4096, 2048}, {192, 256},  {192, 48},   {2048, 768}, {512, 8192},
                              {768, 256},    {2048, 128},  {384, 96},   {128, 32},   {256, 512},  {512, 1536},
                              {1024, 12288}, {1536, 3072}, {3072, 64},  {192, 32},   {3072, 192}, {768, 96},
                              {4096, 32},    {16384, 384}};
  int64_t seen[kMost][kBoxDims], all = l.element;
  for (int d = 0; d < l.count; ++d) all *= l.dims[d].size;
  int known = 0;
  const auto is_new = [&](const int64_t* tile) {
    for (int i = 0; i < known; ++i)
      if (std::equal(tile, tile + l.count, seen[i])) return false;
    if (known == kMost) return false;
    std::copy(tile, tile + l.count, seen[known++]);
    return true;
  };
  const auto try_runs = [&](int64_t out, int64_t in) {
    BoxShape shape{};
    std::fill_n(shape.tile, l.count, 1);
    reach(l, &Dim::out_stride, out, shape.tile), reach(l, &Dim::in_stride, in, shape.tile);
    int64_t bytes = l.element;
    for (int d = 0; d < l.count; ++d) bytes *= shape.tile[d];
    if (bytes > kMostShared || (bytes < 4096 && bytes < all) || !is_new(shape.tile)) return;
    for (shape.halo = 0; shape.halo < 2; ++shape.halo) {
      Box box;
      BoxSize size;
      if (!make_box(l, shape, box, size)) continue;
      size.conflict = 1.2;  // what is usual once it is arranged
      take_best_way(l.element, box, size);
      go(shape, box, size);
    }
  };
  // 32, 48, 64, 96 …
  const auto next = [](int64_t run) { return run & (run - 1) ? run / 3 * 4 : run / 2 * 3; };
  if (quickly)
    for (const auto& [out, in] : kRuns) try_runs(out, in);
  else
    for (int64_t out = kSector; out <= 32768; out = next(out))
      for (int64_t in = kSector; in <= 32768; in = next(in)) try_runs(out, in);
}

// The box that costs least; cost 1e30 where none will do. Bank conflicts take long to count, so they are
// counted for the best ones alone: eight, or quickly three.
inline BoxChoice best_box(const Layout& l, bool quickly) {
  constexpr int kMostFinal = 8;
  const int finals = quickly ? 3 : kMostFinal;
  BoxChoice final[kMostFinal], best;
  each_shape(l, quickly, [&](const BoxShape& shape, const Box& box, const BoxSize& size) {
    const double cost = box_cost(box, size, l.element);
    int at = finals;
    while (at > 0 && cost < final[at - 1].cost) --at;
    for (int i = finals - 1; i > at; --i) final[i] = final[i - 1];
    if (at < finals) final[at] = {box, shape, size, cost};
  });
  for (BoxChoice& choice : final) {
    if (choice.cost >= 1e30 || choice.cost * 0.9 >= best.cost) break;  // none that follows is better
    if (!arrange(l, choice.box, choice.size, quickly)) continue;
    choice.cost = box_cost(choice.box, choice.size, l.element);
    if (choice.cost < best.cost) best = choice;
  }
  return best;
}

}  // namespace lab::fast
