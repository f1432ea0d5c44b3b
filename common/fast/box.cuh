// The kernel for any layout: a block moves a box of elements through shared memory.
//
// Enters: a Box, made on the host by box_plan.cuh. A box has an extent along each dimension. What of it lies
// together in `in` is read in runs of 16-byte pieces, each kept as it is at an address congruent to its own
// modulo 16, so that nothing is shifted and an element's address in shared memory is linear in its
// coordinates. What lies together in `out` is written in runs too: a thread gathers 16 bytes, aligned in
// `out`, element by element. Several dimensions may lie together on either side, and the same one on both.
//
// What costs is instructions, so whatever several threads need is worked out once a block and kept in tables
// beside the elements: where runs begin on either side, and where the elements of a run of `out` lie.
#pragma once

#include "common/fast/ragged.cuh"

namespace lab::fast {

constexpr int kBoxDims = 5, kBoxThreads = 256, kBoxItems = 6;

// n / d where n and d are less than 2^16: one product.
struct SmallDivider {
  uint32_t d = 1, factor = 0, one = 1;
  __host__ __device__ uint32_t quotient(uint32_t n) const {
#ifdef __CUDA_ARCH__
    return __umulhi(n, factor) + n * one;
#else
    return uint32_t(uint64_t(n) * factor >> 32) + n * one;
#endif
  }
};

// A dimension that a box has runs along, but that lies in none of them.
struct BoxLoop {
  SmallDivider by;  // its extent
  int32_t dim, kept;
  int64_t stride;  // of `in` where runs are read, of `out` where they are written; bytes
};

struct Box {
  char* out;
  const char *in, *in_begin, *in_end;
  // The walk: dimension 0 fastest. Boxes begin `tile` apart and read `load`, more along `out_dim` than they
  // own where the rest of a sector is.
  Divider boxes[kBoxDims - 1];
  int32_t count, size[kBoxDims], tile[kBoxDims], load[kBoxDims];
  int64_t out_stride[kBoxDims], in_stride[kBoxDims];  // bytes
  // Runs of `in`: they end along in_dim, of which each step is `in_unit` bytes.
  BoxLoop reads[kBoxDims];
  SmallDivider pieces;  // of a run
  uint32_t in_runs;
  int32_t in_dim, in_unit;
  // Runs of `out`: they end along out_dim, of which each step is `out_unit` elements: the product of the
  // whole dimensions inside of it, the `levels`. Of these the innermost ones, `inner` elements, are in the
  // pattern.
  BoxLoop writes[kBoxDims];
  uint32_t out_runs;
  int32_t out_dim, out_unit, levels, patterned, halo, edges;
  SmallDivider inner, level[kBoxDims - 1];
  int32_t level_kept[kBoxDims - 1], level_dim[kBoxDims - 1], out_kept;
  // Lanes beside each other write a run's pieces, beginning at a multiple of `align` bytes. As many groups of
  // them as there are `at_once` go to different runs; where groups are left, they share a run: `share`
  // elements each.
  SmallDivider lanes, at_once;
  int32_t groups, share, align;
  uint32_t shift, mask;  // pieces of 16 bytes change places: see swizzled
  uint32_t tables;       // where the tables begin in shared memory: the pattern, then the runs
  int32_t pattern_bytes;
};

enum Edges { kEdgesNever, kEdgesAtEnds, kEdgesAlways };  // where runs of `out` have parts of 16-byte pieces

struct BoxCorner {
  const char* in;
  char* out;
  int32_t left[kBoxDims];    // from it to the end
  int32_t extent[kBoxDims];  // what is read of it
  bool first, last, at_end;  // along out_dim; at_end: no box behind the next one
};

// of[dim]; 1 for no dimension. In assembly, since the compiler makes an indexed array in local memory of the
// same in C++.
__device__ inline int32_t pick(const int32_t (&of)[kBoxDims], int dim) {
  int32_t found = 1;
#pragma unroll
  for (int d = 0; d < kBoxDims; ++d)
    asm("{ .reg .pred is;\n setp.eq.s32 is, %1, %2;\n selp.b32 %0, %3, %0, is; }"
        : "+r"(found)
        : "r"(dim), "r"(d), "r"(of[d]));
  return found;
}

__device__ inline BoxCorner corner_of(const Box& box, uint32_t block) {
  BoxCorner c{box.in, box.out, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, true, true, true};
#pragma unroll
  for (int d = 0; d < kBoxDims; ++d) {
    if (d >= box.count) break;
    uint32_t x = block;
    if (d < kBoxDims - 1) block = box.boxes[d].quotient(block), x -= block * box.boxes[d].d;
    const int32_t at = int32_t(x) * box.tile[d], left = box.size[d] - at;
    const bool along = d == box.out_dim;
    c.in += at * box.in_stride[d], c.out += at * box.out_stride[d];
    c.left[d] = left, c.extent[d] = left < box.load[d] ? left : box.load[d];
    c.first = along ? x == 0 : c.first, c.last = along ? left <= box.tile[d] : c.last,
    c.at_end = along ? left <= box.load[d] : c.at_end;
  }
  return c;
}

// Where a run begins: bytes from the box's first element in global memory, and in shared memory. 8 bytes, so
// that a thread loads it at once.
struct RunStart {
  static constexpr uint32_t kNone = 0xffff;  // the run lies outside
  uint32_t low, high_and_at;
  __device__ static RunStart of(int64_t offset, uint32_t at) {
    return {uint32_t(offset), uint32_t(offset >> 32) << 16 | at};
  }
  __device__ int64_t offset() const { return int64_t(uint64_t(high_and_at >> 16) << 32 | low); }
  __device__ uint32_t at() const { return high_and_at & 0xffff; }
};

__device__ inline RunStart find_run(const BoxLoop (&loops)[kBoxDims], uint32_t run, const BoxCorner& c,
                                    int32_t phase) {
  int64_t offset = 0;
  int32_t at = phase;
  bool exists = true;
#pragma unroll
  for (int k = 0; k < kBoxDims; ++k) {
    if (loops[k].dim < 0) break;
    const uint32_t more = loops[k].by.quotient(run), x = run - more * loops[k].by.d;
    run = more, offset += int64_t(x) * loops[k].stride, at += int32_t(x) * loops[k].kept;
    exists = exists && int32_t(x) < pick(c.extent, loops[k].dim);
  }
  return RunStart::of(offset, exists ? uint32_t(at) : RunStart::kNone);
}

// A run of `out`, and the elements of it that this block writes: [begin, end).
struct alignas(16) OutRun {
  RunStart start;
  int32_t begin, end;
};

__device__ inline OutRun find_out_run(const Box& box, uint32_t run, const BoxCorner& c, int32_t phase,
                                      int element) {
  const RunStart start = find_run(box.writes, run, c, phase);
  const size_t to = size_t(c.out + start.offset());
  const int32_t left = pick(c.left, box.out_dim) * box.out_unit,
                tile = pick(box.tile, box.out_dim) * box.out_unit, own = left < tile ? left : tile,
                begin = box.halo && !c.first ? int32_t(-to % kSector) / element : 0,
                end = own +
                      (box.halo && !c.last ? int32_t(-(to + size_t(own) * element) % kSector) / element : 0);
  if (start.at() == RunStart::kNone) return {start, 0, 0};
  return {start, begin, end < left ? end : left};  // the next box may have less than the rest of a sector
}

// Element e of a run, from where the run begins in shared memory.
__host__ __device__ inline int32_t place_in_run(const Box& box, uint32_t e) {
  int32_t at = 0;
#pragma unroll
  for (int l = 0; l < kBoxDims - 1; ++l) {
    if (l >= box.levels) break;
    const uint32_t rest = box.level[l].quotient(e);
    at += int32_t(e - rest * box.level[l].d) * box.level_kept[l];
    e = rest;
  }
  return at + int32_t(e) * box.out_kept;
}

// Adds where line `line` begins. False: the lines of the `elements` from there on are not as far apart as in
// the pattern, since they end a dimension.
__device__ inline bool place_of_line(const Box& box, int32_t line, int32_t elements, int32_t& at) {
  bool alike = true;
  int32_t more = 0;
#pragma unroll
  for (int l = 0; l < kBoxDims - 1; ++l) {
    if (l < box.patterned) continue;
    if (l >= box.levels) break;
    const int32_t rest = int32_t(box.level[l].quotient(uint32_t(line))),
                  x = line - rest * int32_t(box.level[l].d);
    if (l == box.patterned) alike = (int32_t(box.level[l].d) - x) * int32_t(box.inner.d) >= elements;
    more += x * box.level_kept[l], line = rest;
  }
  if (alike) at += more + line * box.out_kept;
  return alike;
}

// Where the elements of a piece lie, from where its line of `inner` elements does: two bytes for each, for
// elements from a piece before the line to a piece behind it; in as many copies as it takes for the entries
// of any piece to be loaded 16 bytes at a time.
template <int kSize>
struct Pattern {
  static constexpr int kElems = kPiece / kSize, kCopies = kElems < 8 ? kElems : 8;
  using Load = Word<kCopies * 2>;
  __host__ __device__ static int32_t entries(int32_t inner) { return (inner + 2 * kElems + 15) / 16 * 16; }

  __device__ static void make(const Box& box, char* pattern) {
    const int32_t all = entries(int32_t(box.inner.d));
    auto* entry = reinterpret_cast<unsigned short*>(pattern);
    for (int32_t i = threadIdx.x; i < all; i += kBoxThreads) {
      const int32_t place = i < kElems ? 0 : place_in_run(box, uint32_t(i - kElems));
#pragma unroll
      for (int copy = 0; copy < kCopies; ++copy)
        if (i >= copy)
          entry[copy * all + i - copy] = static_cast<unsigned short>(place < 0xffff ? place : 0xffff);
    }
  }
  // Of the piece that begins with element r of a line.
  __device__ static void load(const Box& box, const char* pattern, int32_t r, int32_t (&place)[kElems]) {
    const int32_t first = r + kElems;
    const auto* from = reinterpret_cast<const Load*>(
        pattern + (first % kCopies * (entries(int32_t(box.inner.d)) - 1) + first) * int32_t(sizeof(short)));
    Load loads[kElems / kCopies];
#pragma unroll
    for (int k = 0; k < kElems / kCopies; ++k) loads[k] = from[k];
    if constexpr (kElems == 1) {
      place[0] = loads[0];
    } else {
      const auto* pairs = reinterpret_cast<const uint32_t*>(loads);
#pragma unroll
      for (int k = 0; k < kElems; ++k) place[k] = int32_t(k % 2 ? pairs[k / 2] >> 16 : pairs[k / 2] & 0xffff);
    }
  }
};

template <bool kInside>
__device__ inline void read_box(char* tile, const BoxCorner& c, const Box& box, const RunStart* starts) {
  const int32_t run_bytes = pick(c.extent, box.in_dim) * box.in_unit;
  const uint32_t all = box.in_runs * box.pieces.d;
  Job guard;
  guard.in_begin = box.in_begin, guard.in_end = box.in_end;
  for (uint32_t first = threadIdx.x; first < all; first += kBoxItems * kBoxThreads) {
    uint4 pieces[kBoxItems];
    int32_t to[kBoxItems];
#pragma unroll
    for (int n = 0; n < kBoxItems; ++n) {
      const uint32_t i = first + n * kBoxThreads, run = box.pieces.quotient(i);
      to[n] = -1;
      if (i >= all) continue;
      const RunStart start = starts[run];
      const char* from = c.in + start.offset();
      const int32_t skip = int32_t(size_t(from) % kPiece),
                    x = int32_t(i - run * box.pieces.d) * kPiece - skip;
      if (start.at() == RunStart::kNone || x >= run_bytes) continue;
      to[n] = int32_t(swizzled(start.at() + x, box.shift, box.mask));
      if constexpr (kInside)
        pieces[n] = load_ragged<Cache::Keep>(from + x);
      else
        pieces[n] = load_piece<Cache::Keep>(from + x, guard);
    }
#pragma unroll
    for (int n = 0; n < kBoxItems; ++n)
      if (to[n] >= 0) *reinterpret_cast<uint4*>(tile + to[n]) = pieces[n];
  }
}

template <int kSize, bool kSwizzled>
__device__ inline void write_pieces(const char* tile, const BoxCorner& c, const Box& box, const OutRun* runs,
                                    const char* pattern) {
  constexpr int kElems = kPiece / kSize, kWord = kSize > 4 ? kSize : 4, kWords = kPiece / kWord,
                kIn = kWord / kSize;
  const int32_t lanes = int32_t(box.lanes.d), group = int32_t(box.lanes.quotient(threadIdx.x)),
                lane = int32_t(threadIdx.x) - group * lanes, part = int32_t(box.at_once.quotient(group)),
                step = lanes * kElems;
  if (group >= box.groups) return;
  int32_t place[kElems], loaded = -kElems;
  for (uint32_t run = group - part * box.at_once.d; run < box.out_runs; run += box.at_once.d) {
    const OutRun mine = runs[run];
    char* const to = c.out + mine.start.offset();
    int32_t e = part * box.share - int32_t(uint32_t(size_t(to)) & (box.align - 1)) / kSize;
    const int32_t end = (mine.end < e + box.share ? mine.end : e + box.share) - kElems;
    for (e += lane * kElems; e <= end; e += step) {
      if (e < mine.begin) continue;
      const int32_t line = int32_t(box.inner.quotient(e)), r = e - line * int32_t(box.inner.d);
      int32_t at = int32_t(mine.start.at());
      if (box.patterned == box.levels) {
        at += line * box.out_kept;
      }
      if (box.patterned == box.levels || place_of_line(box, line, r + kElems, at)) {
        if (r != loaded) Pattern<kSize>::load(box, pattern, r, place), loaded = r;
      } else {
#pragma unroll
        for (int k = 0; k < kElems; ++k) place[k] = place_in_run(box, uint32_t(e + k));
        loaded = -kElems;
      }
      int32_t where[kElems];
#pragma unroll
      for (int k = 0; k < kElems; ++k)
        where[k] = kSwizzled ? int32_t(swizzled(at + place[k], box.shift, 0x70)) : at + place[k];
      Word<kWord> words[kWords];
#pragma unroll
      for (int k = 0; k < kWords; ++k) words[k] = gather<kSize>(tile, &where[k * kIn]);
      *reinterpret_cast<uint4*>(to + int64_t(e) * kSize) = *reinterpret_cast<uint4*>(words);
    }
  }
}

// Elements of a run before its first whole piece and behind its last one, one a thread.
template <int kSize>
__device__ inline void write_edges(const char* tile, const BoxCorner& c, const Box& box, const OutRun* runs) {
  constexpr int kElems = kPiece / kSize;
  for (uint32_t i = threadIdx.x; i < box.out_runs * kElems; i += kBoxThreads) {
    const OutRun mine = runs[i / kElems];
    char* const to = c.out + mine.start.offset();
    const int32_t skip = int32_t(size_t(to) % kPiece) / kSize, all = mine.end - mine.begin;
    int32_t head = int32_t(-uint32_t(mine.begin + skip) % kElems);
    if (head > all) head = all;
    const int32_t edges = head + (all - head) % kElems;
    for (int32_t k = i % kElems; k < edges; k += kElems) {
      const int32_t e = k < head ? mine.begin + k : mine.end - edges + k,
                    at = int32_t(mine.start.at()) + place_in_run(box, uint32_t(e));
      reinterpret_cast<Word<kSize>*>(to)[e] =
          *reinterpret_cast<const Word<kSize>*>(tile + swizzled(at, box.shift, box.mask));
    }
  }
}

template <int kSize>
__global__ void __launch_bounds__(kBoxThreads, 4) move_box(const __grid_constant__ Box box) {
  extern __shared__ __align__(128) char tile[];
  const BoxCorner c = corner_of(box, blockIdx.x);
  const int32_t phase = int32_t(size_t(c.in) % kPiece);
  char* const pattern = tile + box.tables;
  auto* const writes = reinterpret_cast<OutRun*>(pattern + box.pattern_bytes);
  auto* const reads = reinterpret_cast<RunStart*>(writes + box.out_runs);
  for (uint32_t run = threadIdx.x; run < box.in_runs; run += kBoxThreads)
    reads[run] = find_run(box.reads, run, c, phase);
  for (uint32_t run = threadIdx.x; run < box.out_runs; run += kBoxThreads)
    writes[run] = find_out_run(box, run, c, phase, kSize);
  Pattern<kSize>::make(box, pattern);
  __syncthreads();
  wait_for_the_kernel_before();
  const char* end = c.in + kSize + kPiece;
#pragma unroll
  for (int d = 0; d < kBoxDims; ++d)
    if (d < box.count) end += (c.extent[d] - 1) * box.in_stride[d];
  if (c.in - kPiece >= box.in_begin && end <= box.in_end)
    read_box<true>(tile, c, box, reads);
  else
    read_box<false>(tile, c, box, reads);
  __syncthreads();
  if (box.mask)
    write_pieces<kSize, true>(tile, c, box, writes, pattern);
  else
    write_pieces<kSize, false>(tile, c, box, writes, pattern);
  if (kSize < kPiece && (box.edges == kEdgesAlways || (box.edges == kEdgesAtEnds && (c.first || c.at_end))))
    write_edges<kSize>(tile, c, box, writes);
}

}  // namespace lab::fast
