// Which box a block moves: from a layout to the Box that the kernel of box.cuh works by.
//
// Enters: a layout and a BoxShape, how far a box reaches along each dimension. Leaves: the Box, or false
// where there is none of this shape. box_lanes.cuh then chooses which lanes write what; what it all costs is
// cost.cuh.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

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

constexpr int64_t kMostShared = 74 * 1024;  // of a block, so that three fit on a multiprocessor of 227 KB

struct BoxShape {
  int64_t tile[kBoxDims];
  int halo;  // 1: boxes write whole sectors and read the rest of the last one
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
    if (dim.*stride != next || (i > 0 && tile[order[i]] == 1)) break;
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
    if (up(want, whole) * whole * 2 <= want * 3)
      want = up(want, whole) * whole;  // whole sectors, if not far
    else
      want = up(size, up(size, want));  // or boxes of like size
    if (want * 5 / 4 >= size) want = size;
    int64_t& at = tile[order[i]];
    if (want > at) at = want;
    if (at < size) return;
    run *= size;
  }
}

struct BoxSize {
  int64_t blocks, shared_bytes;
  int64_t in_run, out_run;  // bytes
  int64_t seams;            // what runs of `out` begin at is a multiple of the same powers of two
  bool skewable;            // no run of `in` has elements of two places in a line …
  bool lines;               // … or in two steps of out_dim, so that pieces are skewed over several lines
  int whole;                // levels
  int64_t line;             // elements of those that are in the pattern
  double rounds;            // pieces that a thread writes, if all warps have as many
  double conflict = 1.5;    // how many times as long lanes gather as without bank conflicts
};

constexpr int64_t kMostLine = 4096;  // elements whose places are kept
inline int64_t pattern_bytes(int64_t line, int64_t elems) {
  return up(line + 2 * elems, 16) * 16 * 2 * least(elems, kPatternCopies);
}

// Where elements lie in shared memory: a run as it is, then by the loops over runs. `skew`: pieces more where the next piece of a line of `out` begins: of several lines
// where these are whole pieces together. Behind them the tables. Leaves the bytes of all.
inline int64_t lay_out_box(int64_t elems, int64_t skew, const BoxSize& size, Box& box) {
  box.levels = size.whole;
  int64_t line = 1, lines = 1;
  for (int i = 0; i < box.levels; ++i) line *= box.level[i].d;
  while (line * lines % elems != 0) lines *= 2;
  const bool several = skew && size.lines && line * lines <= 512;
  if (several && lines > 1) {
    if (size.whole == kBoxDims - 1) return int64_t(1) << 40;
    box.level[box.levels] = small_divider(lines), box.level_dim[box.levels] = box.out_dim;
    ++box.levels;
  } else {
    lines = 1;
  }
  box.inner = small_divider(line * lines), box.pattern_bytes = int32_t(pattern_bytes(box.inner.d, elems));
  int32_t kept[kBoxDims + 1];
  for (int d = 0; d < kBoxDims; ++d) kept[d] = int32_t(box.in_stride[d]);  // of what lies in a run
  int64_t all = int64_t(box.load[box.in_dim]) * box.in_unit, elements = 0;
  box.skew = int32_t(skew * kPiece);
  bool innermost = true;
  for (BoxLoop& loop : box.reads) {
    if (loop.dim < 0) break;
    if (loop.dim == box.out_dim) loop.unit = several ? int32_t(line) : 0;
    const int64_t apart = loop.stride % kPiece;
    const bool goes_on = loop.unit == elements + 1;  // skews grow from run to run, so none overlap
    int64_t step = all + (elements > 0 && !goes_on ? (elements / elems + 1) * box.skew : 0);
    if (innermost && (all % kPiece != 0 || box.pieces.d != all / kPiece)) step += 2 * kPiece - 2;
    step += (apart - step % kPiece + kPiece) % kPiece;
    loop.kept = kept[loop.dim] = int32_t(step);
    all = step * loop.by.d, elements += int64_t(loop.unit) * (loop.by.d - 1), innermost = false;
  }
  all += (elements / elems + 1) * box.skew;
  kept[kBoxDims] = 0;
  for (int i = 0; i < box.levels; ++i) box.level_kept[i] = kept[box.level_dim[i]];
  for (BoxLoop& loop : box.writes)
    if (loop.dim >= 0) loop.kept = kept[loop.dim];
  box.out_kept = int32_t(lines * kept[box.out_dim]);
  if (several) box.out_kept += int32_t(line * lines / elems * box.skew);
  // The last place that a piece takes must fit into the pattern's two bytes; pieces go on into the next line
  // unless all begin at whole ones.
  const bool goes_on = size.seams % kPiece != 0 || box.inner.d % elems != 0;
  const auto last = box.inner.d - 1 + uint32_t(goes_on ? elems - 1 : 0);
  if (place_in_run(box, last, int(elems)) > kMostPlace) return int64_t(1) << 40;
  box.on = box.step / int32_t(box.inner.d) * box.out_kept;
  box.ahead = int32_t(up(box.align * elems / kPiece, box.inner.d));
  box.tables = uint32_t(up(all + 4 * kPiece, 128) * 128);
  return box.tables + box.pattern_bytes +
         int64_t(sizeof(RunStart) * box.in_runs + sizeof(OutRun) * box.out_runs);
}

// Puts `lanes` beside each other along a run of `out`, and as many groups of them on runs, or parts of runs,
// as there are threads for. Way 0: groups have a part of a run each, and go on by all their lanes. From way 1
// on, groups go on by whole lines, and parts lie between the steps of others: what lanes of any number can
// do. Leaves how many pieces a thread writes, if all warps have as many; 0: no such way.
constexpr int kWays = 10;
inline double take_lanes(int element, const BoxSize& size, int64_t lanes, int way, Box& box) {
  const int64_t known = size.seams == 0 ? 128 : size.seams & -size.seams, elems = kPiece / element;
  box.align = size.out_run >= 2048 ? 128 : kSector;
  const int64_t skipped = box.align - least(known, box.align), likely = size.out_run + skipped / 2,
                most = size.out_run + (box.halo ? kSector : 0) + skipped, groups = kBoxThreads / lanes,
                at_once = least(box.out_runs, groups), shares = groups / at_once;
  int64_t parts = shares, chunks = 1, steps;
  double each;
  if (way == 0) {
    if (lanes * elems % size.line != 0) return 0;
    steps = up(up(most, lanes * kPiece), parts);
    box.step = int32_t(lanes * elems), box.apart = box.reach = int32_t(steps * lanes * elems);
    each = parts > 1 ? double(steps) : double(up(likely, lanes * kPiece));
  } else {
    int64_t period = size.line * element;
    while (period % kSector != 0) period *= 2;
    period <<= (way - 1) / 3;
    parts = way % 3 == 0 ? shares : way % 3 == 1 ? 1 : least(shares, 4);
    if ((way % 3 != 1 && parts == 1) || (way % 3 == 2 && shares <= 4)) return 0;
    if (period * parts > most && (parts > 1 || way > 1)) return 0;
    const int64_t lane_groups = shares / parts;
    chunks = up(up(least(period, most), lanes * kPiece), lane_groups), steps = up(most, period * parts);
    box.step = int32_t(period / element * parts), box.apart = int32_t(period / element), box.reach = 1 << 24;
    each = double(chunks) * (likely < period * parts ? 1 : double(likely) / double(period * parts));
    if (period > likely) each = double(up(up(likely, lanes * kPiece), lane_groups));
  }
  box.lanes = small_divider(lanes), box.at_once = small_divider(at_once), box.parts = small_divider(parts);
  box.groups = int32_t(at_once * (shares / parts) * parts);
  box.turns = int32_t(up(box.out_runs, at_once)), box.chunks = int32_t(chunks), box.steps = int32_t(steps);
  return double(box.turns) * each * double(up(box.groups * lanes, 32)) / (kBoxThreads / 32);
}

// The dimension that goes on where a group's runs end, in the next run; -1: none.
inline int next_of(const Layout& l, int64_t Dim::*stride, const Group& group) {
  if (group.count == 0) return -1;
  const Dim& last = l.dims[group.last()];
  for (int d = 0; d < l.count; ++d)
    if (l.dims[d].*stride == last.*stride * last.size) return d;
  return -1;
}

// The dimensions in the order in which boxes follow each other: first those along which boxes share sectors,
// on either side, the ones of fewest boxes first. So boxes that share sectors are moved soon after each
// other.
inline void walk_order(Layout& l, BoxShape& shape) {
  const Group in = group_of(l, &Dim::in_stride, shape.tile), out = group_of(l, &Dim::out_stride, shape.tile);
  const auto boxes = [&](int d) { return up(l.dims[d].size, shape.tile[d]); };
  int order[kBoxDims], known = 0;
  const auto has = [&](int d) { return std::find(order, order + known, d) != order + known; };
  for (const int d :
       {out.last(), in.last(), next_of(l, &Dim::out_stride, out), next_of(l, &Dim::in_stride, in)}) {
    if (d < 0 || has(d)) continue;
    int at = known++;
    for (; at > 0 && boxes(d) < boxes(order[at - 1]); --at) order[at] = order[at - 1];
    order[at] = d;
  }
  for (int d = 0; d < l.count; ++d)
    if (!has(d)) order[known++] = d;
  const Layout given = l;
  const BoxShape tiles = shape;
  for (int d = 0; d < l.count; ++d) l.dims[d] = given.dims[order[d]], shape.tile[d] = tiles.tile[order[d]];
}

inline bool make_box(const Layout& given, const BoxShape& wanted, Box& box, BoxSize& size) {
  box = {};
  Layout l = given;
  BoxShape shape = wanted;
  walk_order(l, shape);
  box.out = l.out, box.in = box.in_begin = box.in_end = l.in;
  box.in_end += l.element, box.count = l.count;
  int64_t blocks = 1, elements = 1;
  for (int d = 0; d <= kBoxDims; ++d) {
    const Dim dim = d < l.count ? l.dims[d] : Dim{1, 0, 0};
    const int64_t tile = d < l.count ? least(shape.tile[d], dim.size) : 1;
    if (dim.size >= int64_t(1) << 31) return false;
    box.size[d] = int32_t(dim.size), box.tile[d] = box.load[d] = int32_t(tile);
    box.out_stride[d] = dim.out_stride, box.in_stride[d] = dim.in_stride;
    box.in_end += (dim.size - 1) * dim.in_stride;
    const int64_t across = up(dim.size, tile);
    if (across > (int64_t(1) << 31) / blocks) return false;
    if (d < kBoxDims) box.before[d] = divide_by(uint32_t(blocks));
    box.across[d] = int32_t(across), blocks *= across;
  }
  int64_t tile[kBoxDims];
  for (int d = 0; d < kBoxDims; ++d) tile[d] = box.tile[d];
  const Group in = group_of(l, &Dim::in_stride, tile), out = group_of(l, &Dim::out_stride, tile);
  const auto last_of = [](const Group& group) { return group.count > 0 ? group.last() : kBoxDims; };
  box.in_dim = last_of(in), box.in_unit = int32_t(in.inner * l.element);
  box.out_dim = last_of(out), box.out_unit = int32_t(out.inner),
  box.levels = out.count > 0 ? out.count - 1 : 0;
  const int64_t elems = kPiece / l.element;
  int32_t of_line[kBoxDims] = {};
  int64_t inner = 1;  // of a line
  for (int i = 0; i < box.levels; ++i) of_line[out.dim[i]] = int32_t(inner), inner *= l.dims[out.dim[i]].size;
  if (inner > kMostLine) return false;
  size.whole = box.levels, size.line = inner;
  size.lines = out.count > 0 && !in.has(box.out_dim), size.skewable = box.levels > 0 || size.lines;
  for (int d = 0; d < l.count; ++d) size.skewable = size.skewable && (of_line[d] == 0 || !in.has(d));
  for (int i = 0; i + 1 < out.count; ++i)
    box.level[i] = small_divider(l.dims[out.dim[i]].size), box.level_dim[i] = out.dim[i];
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
  const int64_t row = out.last() < 0 ? 0 : unit * l.dims[out.last()].size;
  box.fetches = row > 0 && row <= kMostFetched && next_of(l, &Dim::out_stride, out) < 0;
  for (int d = 0; d < l.count; ++d) elements *= box.load[d];
  if (elements * l.element > kMostShared) return false;

  const int64_t run = in.last() < 0 ? l.element : int64_t(box.load[in.last()]) * box.in_unit;
  int64_t begins = int64_t(reinterpret_cast<size_t>(l.in));
  for (int d = 0; d < l.count; ++d) {
    if (!in.has(d)) begins |= l.dims[d].in_stride;
    if (d == in.last() && tile[d] < l.dims[d].size) begins |= tile[d] * l.dims[d].in_stride;
  }
  const int64_t worst =
      kPiece - (begins % kPiece == 0 ? kPiece : begins & -begins);  // of a run, past a piece
  box.pieces = small_divider(up(run + worst, kPiece));
  box.in_at_once = uint32_t(box.pieces.d < kBoxThreads ? kBoxThreads / box.pieces.d : 1);
  int loops = 0, runs_of = 0;
  box.in_runs = box.out_runs = 1;
  const auto read = [&](int d) {
    if (d == kBoxDims || in.has(d) || box.load[d] == 1) return;
    box.reads[loops++] = {small_divider(box.load[d]), d, 0, of_line[d], l.dims[d].in_stride};
    box.in_runs *= uint32_t(box.load[d]);
  };
  for (int i = 0; i < box.levels; ++i) read(out.dim[i]);  // in the order of a line, so that skews grow
  if (size.lines) read(box.out_dim);
  int by_in[kBoxDims] = {};
  in_order(l, &Dim::in_stride, by_in);
  for (int i = 0; i < l.count; ++i)
    if (of_line[by_in[i]] == 0 && !(size.lines && by_in[i] == box.out_dim)) read(by_in[i]);
  for (int i = 0; i < l.count; ++i) {  // neighbours in `in` beside each other, so that they meet in a word
    const int d = by_in[i];
    if (out.has(d) || box.tile[d] == 1) continue;
    box.writes[runs_of++] = {small_divider(box.tile[d]), d, 0, 0, l.dims[d].out_stride};
    box.out_runs *= uint32_t(box.tile[d]);
  }
  size.blocks = blocks, size.in_run = run, size.seams = seams;
  size.out_run = unit * (out.last() < 0 ? 1 : tile[out.last()]);
  size.rounds = take_lanes(l.element, size, least(8, up(size.out_run, kPiece) + 1), 1, box);
  size.shared_bytes = lay_out_box(elems, 0, size, box);
  return box.tables < RunStart::kNone && size.shared_bytes + 1024 < kMostShared;
}

}  // namespace lab::fast
