// Which box a block moves: from a layout to the Box that the kernel of box.cuh works by.
//
// Enters: a layout and a BoxShape, how far a box reaches along each dimension. Leaves: the Box, or false
// where there is none of this shape. What a box of a shape costs is cost.cuh.
#pragma once

#include <cuda_runtime.h>

#include "common/fast/box.cuh"

namespace lab::fast {

struct Dim {
  int64_t size, out_stride, in_stride;  // bytes
};

// Any layout: dims in the order of `out`, the innermost first; none of size 1, none that could be joined.
struct Layout {
  char* out;
  const char* in;
  int element, count;
  Dim dims[kBoxDims];
};

struct BoxShape {
  int64_t tile[kBoxDims];
  int halo;   // 1: boxes write whole sectors and read the rest of the last one
  int lanes;  // beside each other along a run of `out`; 0: as many as a run has pieces
  int threads;
};

inline Divider divide_by(uint32_t d) {
  Divider by{d, 31, 0};
  while ((uint64_t(1) << (by.shift - 31)) < d) ++by.shift;
  by.factor = ((uint64_t(1) << by.shift) + d - 1) / d;
  return by;
}
inline SmallDivider small_divider(int64_t d) {
  return {uint32_t(d), d == 1 ? 0u : uint32_t(((uint64_t(1) << 32) + uint64_t(d) - 1) / uint64_t(d)), d == 1};
}
inline int64_t up(int64_t n, int64_t by) { return (n + by - 1) / by; }
inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// The dimensions that lie together on one side, the innermost first: all but the last one whole in the box.
struct Group {
  int count = 0, dim[kBoxDims] = {};
  int64_t inner = 1;  // elements of the whole ones
  [[nodiscard]] int last() const { return count == 0 ? -1 : dim[count - 1]; }
  [[nodiscard]] bool has(int d) const {
    for (int i = 0; i < count; ++i)
      if (dim[i] == d) return true;
    return false;
  }
};

// Dimensions by their stride on one side.
inline void in_order(const Layout& l, int64_t Dim::*stride, int (&order)[kBoxDims]) {
  for (int i = 0; i < l.count; ++i) {
    int k = i;
    for (; k > 0 && l.dims[order[k - 1]].*stride > l.dims[i].*stride; --k) order[k] = order[k - 1];
    order[k] = i;
  }
}

inline Group group_of(const Layout& l, int64_t Dim::*stride, const int64_t* tile) {
  int order[kBoxDims] = {};
  in_order(l, stride, order);
  Group group;
  int64_t next = l.element;
  for (int i = 0; i < l.count; ++i) {
    const Dim& dim = l.dims[order[i]];
    if (dim.*stride != next) break;
    if (i > 0) group.inner *= l.dims[order[i - 1]].size;
    group.dim[group.count++] = order[i];
    if (tile[order[i]] < dim.size) break;
    next *= dim.size;
  }
  return group;
}

// How far a box reaches so that its runs on one side have `bytes`; only ever further than `tile` does.
inline void reach(const Layout& l, int64_t Dim::*stride, int64_t bytes, int64_t* tile) {
  int order[kBoxDims] = {};
  in_order(l, stride, order);
  int64_t run = l.element;
  for (int i = 0; i < l.count && run < bytes && l.dims[order[i]].*stride == run; ++i) {
    const int64_t size = l.dims[order[i]].size;
    int64_t want = up(bytes, run), whole = kSector;
    while (whole > 1 && run * whole / 2 % kSector == 0) whole /= 2;
    want = up(want, whole) * whole;
    if (want * 5 / 4 >= size) want = size;
    int64_t& at = tile[order[i]];
    if (want > at) at = want;
    if (at < size) return;
    run *= size;
  }
}

// Elements that follow each other along `out`, as lanes of the first warp gather them: how many times as long
// as without bank conflicts.
template <int kWarp = 32>
double conflicts(const Box& box, int element, int phase, int out_phase) {
  const int elems = kPiece / element, width = element > 4 ? element : 4, at_once = 128 / width;
  int taken = 0, ideal = 0;
  for (int k = 0; k<elems; k += elems> 4 ? elems / 4 : 1)
    for (int first = 0; first < kWarp; first += at_once) {
      uint32_t words[32][8];
      int count[32] = {}, most = 1;
      for (int t = first; t < first + at_once && t < kWarp; ++t) {
        uint32_t run = t / box.lanes.d;
        if (run >= box.runs) continue;
        int32_t at = phase;
        int64_t to = out_phase;
        for (int d = 0; d < kBoxDims; ++d) {
          const uint32_t x = d < kBoxDims - 1 ? run % box.writes[d].by.d : run;
          if (d < kBoxDims - 1) run /= box.writes[d].by.d;
          at += int32_t(x) * box.writes[d].kept, to += int64_t(x) * box.writes[d].stride;
        }
        const int32_t e = int32_t(t % box.lanes.d + 1) * elems - int32_t(to % kPiece) / element + k;
        const uint32_t place = swizzled(uint32_t(at + place_in_run(box, uint32_t(e))), box.shift, box.mask);
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

struct BoxSize {
  int64_t blocks, shared_bytes;
  int64_t in_run, out_run;  // bytes
  double conflict = 1.5;    // how many times as long lanes gather as without bank conflicts
};

// Where elements lie in shared memory: a run as it is, then by the loops over runs. `more`: pieces between
// one run and the next. Leaves the bytes of a box.
inline int64_t lay_out_box(int element, int64_t more, Box& box) {
  int32_t kept[kBoxDims];
  for (int d = 0; d < kBoxDims; ++d) kept[d] = int32_t(box.in_stride[d]);  // of what lies in a run
  int64_t all = int64_t(box.in_dim < 0 ? 1 : box.load[box.in_dim]) * box.in_unit;
  bool innermost = true;
  for (BoxLoop& loop : box.reads) {
    if (loop.dim < 0) break;
    const int64_t apart = loop.stride % kPiece;
    int64_t step = all;
    if (innermost && (all % kPiece != 0 || box.pieces.d != all / kPiece)) step += 2 * kPiece - 2;
    step += (apart - step % kPiece + kPiece) % kPiece + (innermost ? more * kPiece : 0);
    loop.kept = kept[loop.dim] = int32_t(step);
    all = step * loop.by.d, innermost = false;
  }
  for (int i = 0; i < box.levels; ++i) box.level_kept[i] = kept[box.level_dim[i]];
  box.out_kept = box.out_dim < 0 ? 0 : kept[box.out_dim];
  for (BoxLoop& loop : box.writes)
    if (loop.dim >= 0) loop.kept = kept[loop.dim];
  const int64_t step = int64_t(box.lanes.d) * (kPiece / element);
  box.advance = step % box.inner == 0 ? int32_t(step / box.inner * box.out_kept) : 0;
  return all + 4 * kPiece;
}

// The dimensions in the order in which boxes follow each other: first the one of both runs' last ones that
// has fewer boxes, so that boxes that share sectors are moved soon after each other on both sides.
inline void walk_order(Layout& l, BoxShape& shape) {
  const int in = group_of(l, &Dim::in_stride, shape.tile).last(),
            out = group_of(l, &Dim::out_stride, shape.tile).last();
  const auto boxes = [&](int d) { return d < 0 ? 0 : up(l.dims[d].size, shape.tile[d]); };
  int first[2] = {out, in};
  if (in >= 0 && boxes(in) < boxes(out)) first[0] = in, first[1] = out;
  Layout walked = l;
  BoxShape tiles = shape;
  int next = 0;
  const auto take = [&](int d) { walked.dims[next] = l.dims[d], tiles.tile[next++] = shape.tile[d]; };
  for (const int d : first)
    if (d >= 0 && (next == 0 || in != out)) take(d);
  for (int d = 0; d < l.count; ++d)
    if (d != in && d != out) take(d);
  l = walked, shape = tiles;
}

inline bool make_box(const Layout& given, const BoxShape& wanted, Box& box, BoxSize& size,
                     int64_t most_shared) {
  box = {};
  Layout l = given;
  BoxShape shape = wanted;
  walk_order(l, shape);
  box.out = l.out, box.in = box.in_begin = box.in_end = l.in;
  box.in_end += l.element;
  int64_t blocks = 1, elements = 1;
  for (int d = 0; d < kBoxDims; ++d) {
    const Dim dim = d < l.count ? l.dims[d] : Dim{1, 0, 0};
    const int64_t tile = d < l.count ? least(shape.tile[d], dim.size) : 1;
    if (dim.size >= int64_t(1) << 31) return false;
    box.size[d] = int32_t(dim.size), box.tile[d] = box.load[d] = int32_t(tile);
    box.out_stride[d] = dim.out_stride, box.in_stride[d] = dim.in_stride;
    box.in_end += (dim.size - 1) * dim.in_stride;
    const int64_t across = up(dim.size, tile);
    if (across > (int64_t(1) << 31) / blocks) return false;
    blocks *= across;
    if (d < kBoxDims - 1) box.boxes[d] = divide_by(uint32_t(across));
  }
  int64_t tile[kBoxDims];
  for (int d = 0; d < kBoxDims; ++d) tile[d] = box.tile[d];
  const Group in = group_of(l, &Dim::in_stride, tile), out = group_of(l, &Dim::out_stride, tile);
  box.in_dim = in.last(), box.in_unit = int32_t(in.inner * l.element);
  box.out_dim = out.last(), box.inner = int32_t(out.inner), box.levels = out.count > 0 ? out.count - 1 : 0;
  // Boxes that need the rest of a sector: where they follow each other along a run.
  const int64_t unit = out.inner * l.element;
  int64_t seams = int64_t(reinterpret_cast<size_t>(l.out));  // what all runs begin at
  for (int d = 0; d < l.count; ++d)
    if (!out.has(d)) seams |= l.dims[d].out_stride;
  const bool many = out.last() >= 0 && tile[out.last()] < l.dims[out.last()].size;
  if (many) seams |= unit * tile[out.last()];
  if (shape.halo) {
    if (!many || seams % kSector == 0 || unit * tile[out.last()] < 2 * kSector) return false;
    box.halo = 1, box.load[out.last()] += int32_t(up(kSector, unit));
  }
  box.edges = box.halo || seams % kPiece == 0 ? kEdgesAtEnds : kEdgesAlways;
  if (!many && out.last() >= 0 && seams % kPiece == 0 && unit * l.dims[out.last()].size % kPiece == 0)
    box.edges = kEdgesNever;
  for (int d = 0; d < kBoxDims; ++d) elements *= box.load[d];
  if (elements * l.element > most_shared) return false;

  const int64_t run = in.last() < 0 ? l.element : int64_t(box.load[in.last()]) * box.in_unit;
  int64_t begins = int64_t(reinterpret_cast<size_t>(l.in));
  for (int d = 0; d < l.count; ++d) {
    if (!in.has(d)) begins |= l.dims[d].in_stride;
    if (d == in.last() && tile[d] < l.dims[d].size) begins |= tile[d] * l.dims[d].in_stride;
  }
  const int64_t worst =
      kPiece - (begins % kPiece == 0 ? kPiece : begins & -begins);  // of a run, past a piece
  box.pieces = small_divider(up(run + worst, kPiece));
  int loops = 0, runs_of = 0;
  box.all_pieces = box.pieces.d, box.runs = 1;
  for (BoxLoop& loop : box.reads) loop = {small_divider(1), -1, 0, 0};
  for (BoxLoop& loop : box.writes) loop = {small_divider(1), -1, 0, 0};
  int by_in[kBoxDims] = {};
  in_order(l, &Dim::in_stride, by_in);
  for (int i = 0; i < l.count; ++i) {
    const int d = by_in[i];
    if (in.has(d) || box.load[d] == 1) continue;
    box.reads[loops++] = {small_divider(box.load[d]), d, 0, l.dims[d].in_stride};
    box.all_pieces *= uint32_t(box.load[d]);
  }
  for (int i = 0; i < l.count; ++i) {  // neighbours in `in` beside each other, so that they meet in a word
    const int d = by_in[i];
    if (out.has(d) || box.tile[d] == 1) continue;
    box.writes[runs_of++] = {small_divider(box.tile[d]), d, 0, l.dims[d].out_stride};
    box.runs *= uint32_t(box.tile[d]);
  }
  for (int i = 0; i + 1 < out.count; ++i)
    box.level[i] = small_divider(box.size[out.dim[i]]), box.level_dim[i] = out.dim[i];
  const int64_t elems = kPiece / l.element,
                run_pieces = up((out.last() < 0 ? 1 : tile[out.last()]) * out.inner, elems) +
                             (seams % kPiece != 0 ? 1 : 0);
  // Lanes along a run: where patterns repeat, a multiple of the pieces that they repeat after.
  int64_t period = out.inner;
  for (int64_t e = elems; e > 1 && period % 2 == 0; e /= 2) period /= 2;
  int64_t lanes = shape.lanes ? least(shape.lanes, run_pieces) : least(run_pieces, shape.threads),
          rounds = 1 << 30;
  if (out.count > 1 && run_pieces > period && period <= shape.threads) {
    for (int64_t w = period; w <= shape.threads; w += period) {
      const int64_t taken = up(box.runs, shape.threads / w) * (up(run_pieces, w) + 1);
      if (taken < rounds || (!shape.lanes && taken == rounds)) rounds = taken, lanes = w;
    }
  } else if (shape.lanes == 0 && run_pieces > shape.threads) {
    lanes = shape.threads;
  }
  box.lanes = small_divider(lanes), box.groups = int32_t(shape.threads / lanes);
  size.blocks = blocks, size.in_run = run, size.out_run = unit * (out.last() < 0 ? 1 : tile[out.last()]);
  size.shared_bytes = lay_out_box(l.element, 0, box);
  return size.shared_bytes + 1024 < most_shared;
}

// Chooses where pieces lie in shared memory, by what lanes of the first warp meet.
inline bool arrange(const Layout& l, Box& box, BoxSize& size, int64_t most_shared) {
  double best = 1e9;
  Box tried = box;
  const int phase = int(reinterpret_cast<size_t>(l.in) % kPiece),
            out_phase = int(reinterpret_cast<size_t>(l.out) % kPiece);
  for (int more = 0; more < 3 && best > 1.25; ++more)
    for (const uint32_t shift : {0u, 3u, 4u, 5u, 6u, 7u}) {
      tried.shift = shift, tried.mask = shift ? 0x70 : 0;
      const int64_t bytes = lay_out_box(l.element, more, tried);
      if (bytes > most_shared) continue;
      const double c = conflicts(tried, l.element, phase, out_phase);
      if (c < best * 0.95) best = c, box = tried, size.shared_bytes = up(bytes, 128) * 128;
      if (best <= 1.25) break;
    }
  size.conflict = best;
  return best < 1e9;
}

}  // namespace lab::fast
