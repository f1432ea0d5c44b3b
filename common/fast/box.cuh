// The kernel for any layout: a block moves a box of elements through shared memory.
//
// Enters: a Box, made on the host by box_plan.cuh; it has an extent along each dimension. What is contiguous in
// `in` is read as 16-byte pieces, kept at an address congruent to its own modulo 16, so nothing is shifted and an
// element's shared address is linear in its coordinates. What is contiguous in `out` is written as 16-byte pieces
// that a thread gathers element by element. Several dimensions may be contiguous on either side.
// Instructions are the cost, so what several threads need is computed once a block and kept in tables beside the
// elements: starts of runs on both sides, and where the elements of a run of `out` are.
#pragma once

#include "common/fast/ragged.cuh"

namespace lab::fast {

constexpr int kBoxDims = 8, kBoxThreads = 256;
template <int kSize>
constexpr int kBoxBlocks = kSize > 2 ? 6 : 4;  // on a multiprocessor

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
  int32_t dim = -1, kept = 0,
          unit = 0;    // unit: elements of a line of `out` that each step goes on by, 0 if across lines
  int64_t stride = 0;  // of `in` where runs are read, of `out` where they are written; bytes
};

struct Box {
  char* out;
  const char *in, *in_begin, *in_end;
  // The walk: dimension 0 fastest, `before` boxes in the dimensions before each. Boxes begin `tile` apart and
  // read `load`, more along `out_dim` than they own where the rest of a sector is. The last of each stands
  // for no dimension.
  Divider before[kBoxDims];
  int32_t count, size[kBoxDims + 1], tile[kBoxDims + 1], load[kBoxDims + 1], across[kBoxDims + 1];
  int64_t out_stride[kBoxDims + 1], in_stride[kBoxDims + 1];  // bytes
  // Runs of `in`: they end along in_dim, of which each step is `in_unit` bytes.
  BoxLoop reads[kBoxDims];
  SmallDivider pieces;           // of a run
  uint32_t in_runs, in_at_once;  // runs; that all threads read at once
  int32_t in_dim, in_unit;
  // Runs of `out`: they end along out_dim, of which each step is `out_unit` elements: the product of the
  // whole dimensions inside of it, the `levels`: a line of `inner` elements, whose places are in the pattern.
  BoxLoop writes[kBoxDims];
  uint32_t out_runs;
  int32_t out_dim, out_unit, levels, halo;
  bool fetches;  // the ends of runs (fetch_ends)
  SmallDivider inner, level[kBoxDims - 1];
  int32_t level_kept[kBoxDims - 1], level_dim[kBoxDims - 1], out_kept;
  // Lanes beside each other write a run's pieces, beginning at a multiple of `align` bytes. As many groups of
  // them as there are `at_once` go to different runs; where groups are left,
  // `parts` of them begin at other places of a run, `apart` elements from each other, and the rest further on
  // in the same part. A thread then goes on by `step` elements, as far as `reach` goes in its part.
  SmallDivider lanes, at_once, parts;
  int32_t groups, apart, step, reach, align;
  // All take as many turns (runs), in each as many chunks of a part, and in each as many steps. Steps are
  // whole lines, `on` bytes apart in shared memory. What is `ahead` lines from where lanes begin lies in the
  // run.
  int32_t turns, chunks, steps, ahead, on;
  // So that lanes meet in few banks: the next piece of a line of `out` begins `skew` bytes further than it would,
  // or pieces of 16 bytes change places (swizzled), by `shift` bits if not 0.
  int32_t skew, shift;
  uint32_t tables;  // where the tables begin in shared memory: the pattern, then the runs
  int32_t pattern_bytes;
};

// Pieces of a tile change places, so that lanes a power of 2 apart meet in fewer banks.
__host__ __device__ inline int32_t swizzled(int32_t at, int32_t shift) {
  return shift == 0 ? at : at ^ (at >> shift & 0x70);
}

// What a block knows of its box: warp 0 finds it, a lane for each dimension.
struct BoxCorner {
  int64_t in, out;               // bytes from where `in` and `out` begin
  int32_t extent[kBoxDims + 1];  // of what is read, by dimension
  int32_t run_bytes;             // of what is read of a run of `in`
  int32_t own, left;             // elements of a run of `out`: of this box, and to the end if that is near
  bool first, last;              // along out_dim
  bool inside;                   // no piece needs a guard
};

__device__ inline int64_t sum_of_dims(int64_t part) {
#pragma unroll
  for (int lane = 8; lane > 0; lane /= 2) part += __shfl_xor_sync(~0u, part, lane);
  return part;
}

// The box that is number x along out_dim.
__host__ __device__ inline void find_ends(const Box& box, int32_t x, BoxCorner& c) {
  const int32_t tile = box.tile[box.out_dim], left = box.size[box.out_dim] - x * tile;
  // More than a sector behind the tile is not asked for, and all of a row may be 2^31 elements or more.
  const int32_t near = tile + kSector;
  c.own = (left < tile ? left : tile) * box.out_unit;
  c.left = (left < near ? left : near) * box.out_unit;
  c.first = x == 0, c.last = left <= tile;
}

__device__ inline void find_corner(const Box& box, int element, BoxCorner& c) {
  const int d = int(threadIdx.x) < kBoxDims ? int(threadIdx.x) : kBoxDims;
  uint32_t x = 0;
  if (d < box.count) {
    x = box.before[d].quotient(blockIdx.x);
    if (d + 1 < box.count) x -= box.before[d + 1].quotient(blockIdx.x) * uint32_t(box.across[d]);
  }
  const int32_t at = int32_t(x) * box.tile[d], left = box.size[d] - at,
                extent = left < box.load[d] ? left : box.load[d];
  const int64_t in = sum_of_dims(at * box.in_stride[d]), out = sum_of_dims(at * box.out_stride[d]),
                span = sum_of_dims((extent - 1) * box.in_stride[d]);
  if (threadIdx.x > kBoxDims) return;
  c.extent[d] = extent;
  if (d == box.in_dim) c.run_bytes = extent * box.in_unit;
  if (d == box.out_dim) find_ends(box, int32_t(x), c);
  if (d > 0) return;
  c.in = in, c.out = out;
  const char* const from = box.in + in;
  c.inside = from - kPiece >= box.in_begin && from + span + element + kPiece <= box.in_end;
}

template <int kSize>
__device__ inline RunStart find_run(const Box& box, const BoxLoop (&loops)[kBoxDims], uint32_t run,
                                    const BoxCorner& c) {
  int64_t offset = 0;
  int32_t at = int32_t(size_t(box.in + c.in) % kPiece), element = 0;
  bool exists = true;
#pragma unroll
  for (int k = 0; k < kBoxDims; ++k) {
    if (loops[k].dim < 0) break;
    const uint32_t more = loops[k].by.quotient(run), x = run - more * loops[k].by.d;
    run = more, offset += int64_t(x) * loops[k].stride, at += int32_t(x) * loops[k].kept;
    element += int32_t(x) * loops[k].unit, exists = exists && int32_t(x) < c.extent[loops[k].dim];
  }
  at += element / (kPiece / kSize) * box.skew;
  return RunStart::of(offset, exists ? uint32_t(at) : RunStart::kNone);
}

// From the beginning of the piece that the run begins in.
__device__ inline RunStart from_its_piece(const RunStart& run) {
  return RunStart::of(run.offset() - run.at() % kPiece, run.at());
}

// A run of `out`, and the elements of it that this block writes: [begin, end).
struct alignas(16) OutRun {
  RunStart start;
  int32_t begin, end;
};

template <int kSize>
__device__ inline OutRun find_out_run(const Box& box, uint32_t run, const BoxCorner& c) {
  const RunStart start = find_run<kSize>(box, box.writes, run, c);
  const size_t to = size_t(box.out + c.out + start.offset());
  const int32_t begin = box.halo && !c.first ? int32_t(-to % kSector) / kSize : 0,
                end = c.own +
                      (box.halo && !c.last ? int32_t(-(to + size_t(c.own) * kSize) % kSector) / kSize : 0);
  if (start.at() == RunStart::kNone) return {start, 0, 0};
  return {start, begin, end < c.left ? end : c.left};  // the next box may have less than the rest of a sector
}

// Element e of a run, from where the run begins in shared memory; `elems` are in a piece.
__host__ __device__ inline int32_t place_in_run(const Box& box, uint32_t e, int elems) {
  int32_t at = int32_t((e - box.inner.quotient(e) * box.inner.d) / elems) * box.skew;
#pragma unroll
  for (int l = 0; l < kBoxDims - 1; ++l) {
    if (l >= box.levels) break;
    const uint32_t rest = box.level[l].quotient(e);
    at += int32_t(e - rest * box.level[l].d) * box.level_kept[l];
    e = rest;
  }
  return at + int32_t(e) * box.out_kept;
}

// Where the elements of a piece lie, from where its line of `inner` elements does: two bytes for each, for
// elements from a piece before the line to a piece behind it; in two copies, so that the entries of any piece
// are loaded by pairs.
constexpr int kPatternCopies = 2, kMostPlace = 0xffff;
template <int kSize>
struct Pattern {
  static constexpr int kElems = kPiece / kSize, kCopies = kElems < kPatternCopies ? kElems : kPatternCopies;
  using Load = Word<kCopies * 2>;
  __host__ __device__ static int32_t entries(int32_t inner) { return (inner + 2 * kElems + 15) / 16 * 16; }

  __device__ static void make(const Box& box, char* pattern) {
    const int32_t all = entries(int32_t(box.inner.d));
    auto* entry = reinterpret_cast<unsigned short*>(pattern);
    for (int32_t i = threadIdx.x; i < all; i += kBoxThreads) {
      const int32_t place = i < kElems ? 0 : place_in_run(box, uint32_t(i - kElems), kElems);
#pragma unroll
      for (int copy = 0; copy < kCopies; ++copy)
        if (i >= copy)
          entry[copy * all + i - copy] = static_cast<unsigned short>(place < kMostPlace ? place : kMostPlace);
    }
  }
  // The places of the piece that begins with element r of a line.
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

// Past the registers where a GPU can, so that all pieces of a box are on their way together.
__device__ inline void send_piece(char* tile, int32_t at, int32_t shift, const char* from) {
#if __CUDA_ARCH__ >= 800
  // In this order: of a sum with a register of the whole warp, ptxas 13.0 makes an illegal instruction.
  const uint32_t to = (uint32_t(__cvta_generic_to_shared(tile)) + at) ^ uint32_t(at ^ swizzled(at, shift));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "l"(leaves_last()));
#else
  *reinterpret_cast<uint4*>(tile + swizzled(at, shift)) = load_ragged(from);
#endif
}
__device__ inline void wait_for_pieces() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Threads beside each other read the pieces of a run, as many runs at once as there are threads for.
template <bool kInside>
__device__ inline void read_box(char* tile, const BoxCorner& c, const Box& box, const RunStart* starts) {
  Job guard;
  guard.in_begin = box.in_begin, guard.in_end = box.in_end;
  const uint32_t first = box.pieces.d < kBoxThreads ? box.pieces.quotient(threadIdx.x) : 0;
  const int32_t begin = int32_t(threadIdx.x - first * box.pieces.d) * kPiece, bytes = c.run_bytes;
  const char* const in = box.in + c.in + begin;
  if (first >= box.in_at_once) return;
  const auto take = [&](bool exists, const char* from, uint32_t at) {
    if (exists && (kInside || inside(from, guard)))
      send_piece(tile, int32_t(at), box.shift, from);
    else if (!kInside && exists)
      *reinterpret_cast<uint4*>(tile + swizzled(int32_t(at), box.shift)) = load_piece(from, guard);
  };
  if (box.pieces.d <= kBoxThreads) {
    constexpr int kAtOnce = 4;  // all are looked up before the first piece is asked for
#pragma unroll 1
    for (uint32_t run = first; run < box.in_runs; run += kAtOnce * box.in_at_once) {
      RunStart start[kAtOnce];
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; ++k)
        start[k] =
            run + k * box.in_at_once < box.in_runs ? starts[run + k * box.in_at_once] : RunStart::none();
#pragma unroll
      for (const RunStart& s : start)
        take(s.at() != RunStart::kNone && begin < bytes + int32_t(s.at() % kPiece), in + s.offset(),
             s.at() / kPiece * kPiece + uint32_t(begin));
    }
    return;
  }
  for (uint32_t run = 0; run < box.in_runs; ++run) {  // longer than all threads read at once
    const RunStart start = starts[run];
    const int32_t end = start.at() == RunStart::kNone ? 0 : bytes + int32_t(start.at() % kPiece);
    const char* const from = in + start.offset() - begin;
#pragma unroll 4
    for (int32_t x = begin; x < end; x += kBoxThreads * kPiece)
      take(true, from + x, start.at() / kPiece * kPiece + uint32_t(x));
  }
}

// A piece of `out`, or of it the elements from `first` on to `end`; `safe` is a place that can be read.
template <int kSize>
__device__ inline void write_piece(const char* tile, const int32_t (&where)[kPiece / kSize], char* to) {
  constexpr int kWord = kSize > 4 ? kSize : 4, kWords = kPiece / kWord, kIn = kWord / kSize;
  Word<kWord> words[kWords];
#pragma unroll
  for (int k = 0; k < kWords; ++k) words[k] = gather<kSize>(tile, &where[k * kIn]);
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<uint4*>(words);
}
template <int kSize>
__device__ inline void write_part(const char* tile, const int32_t (&where)[kPiece / kSize], char* to,
                                  int32_t first, int32_t end, int32_t safe) {
  constexpr int kWord = kSize > 4 ? kSize : 4, kWords = kPiece / kWord, kIn = kWord / kSize;
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    int32_t known[kIn];
#pragma unroll
    for (int k = 0; k < kIn; ++k)
      known[k] = w * kIn + k >= first && w * kIn + k < end ? where[w * kIn + k] : safe;
    const Word<kWord> word = gather<kSize>(tile, known);
    if (w * kIn >= first && (w + 1) * kIn <= end)
      reinterpret_cast<Word<kWord>*>(to)[w] = word;
    else if constexpr (kIn > 1)
#pragma unroll
      for (int k = 0; k < kIn; ++k)
        if (w * kIn + k >= first && w * kIn + k < end)
          reinterpret_cast<Word<kSize>*>(to)[w * kIn + k] = Word<kSize>(word >> k * 8 * kSize);
  }
}

// Where a thread's first piece lies it finds once a chunk, and all others lie as many bytes further on each.
// Every thread takes as many turns, so that what they have in common is computed once for a warp.
template <int kSize>
__device__ inline void write_pieces(const char* tile, const BoxCorner& c, const Box& box, const OutRun* runs,
                                    const char* pattern) {
  constexpr int kElems = kPiece / kSize;
  const int32_t lanes = int32_t(box.lanes.d), group = int32_t(box.lanes.quotient(threadIdx.x)),
                lane = (int32_t(threadIdx.x) - group * lanes) * kElems,
                share = int32_t(box.at_once.quotient(group)), chunk = int32_t(box.parts.quotient(share)),
                part = (share - chunk * int32_t(box.parts.d)) * box.apart;
  const int32_t next_chunk = box.groups / int32_t(box.at_once.d * box.parts.d) * lanes * kElems;
  uint32_t run = group < box.groups ? uint32_t(group - share * int32_t(box.at_once.d)) : box.out_runs;
  char* const out = box.out + c.out;
  const char* const shared = static_cast<const char*>(__cvta_shared_to_generic(0));
  const auto in_shared = int32_t(__cvta_generic_to_shared(tile));
  int32_t place[kElems], where[kElems], loaded = -kElems;
#pragma unroll 1
  for (int32_t turn = 0; turn < box.turns; ++turn, run += box.at_once.d) {
    OutRun mine{{0, 0}, 0, 0};
    if (run < box.out_runs) mine = runs[run];
    char* const to = out + mine.start.offset();
    const int32_t begin = part - int32_t(uint32_t(size_t(to)) & (box.align - 1)) / kSize,
                  end = mine.end < begin + box.reach ? mine.end : begin + box.reach;
    int32_t within = chunk * lanes * kElems + lane;
#pragma unroll 1
    for (int32_t n = 0; n < box.chunks; ++n, within += next_chunk) {
      const int32_t e = begin + within;
      const int32_t later = e + box.ahead * int32_t(box.inner.d), line = int32_t(box.inner.quotient(later)),
                    r = later - line * int32_t(box.inner.d);
      if (r != loaded) Pattern<kSize>::load(box, pattern, r, place), loaded = r;
      const int32_t at = int32_t(mine.start.at()) + (line - box.ahead) * box.out_kept;
#pragma unroll
      for (int k = 0; k < kElems; ++k) where[k] = at + in_shared + place[k];
      char* piece = to + int64_t(e) * kSize;
      // Pieces that have something of the run, by their last elements; those that lie in it.
      const int32_t all = within < box.apart && end > mine.begin ? end - mine.begin : 0;
      const uint32_t span = all > 0 ? uint32_t(all) + kElems - 1 : 0,
                     whole = all < kElems ? 0 : uint32_t(all) - (kElems - 1);
      uint32_t ahead = uint32_t(e - mine.begin) + kElems - 1;
      const auto write = [&](const char* from, int32_t safe) {
        const int32_t first = int32_t(ahead) - (kElems - 1);
        if (uint32_t(first) < whole)
          write_piece<kSize>(from, where, piece);
        else if (ahead < span)
          write_part<kSize>(from, where, piece, -first, all - first, safe);
        ahead += box.step, piece += int64_t(box.step) * kSize;
      };
      int32_t on = 0;  // counted by in place of steps, since it is then in a register of the whole warp
#pragma unroll 1
      do {
        if (box.shift != 0)
#pragma unroll
          for (int k = 0; k < kElems; ++k)
            where[k] = swizzled(at + on + place[k], box.shift) + in_shared - on;
        write(shared + on, int32_t(mine.start.at()) + in_shared - on);
        on += box.on;
      } while (on != box.steps * box.on);
    }
  }
}

template <int kSize>
__global__ void __launch_bounds__(kBoxThreads, kBoxBlocks<kSize>) move_box(const __grid_constant__ Box box) {
  extern __shared__ __align__(128) char tile[];
  __shared__ BoxCorner c;
  char* const pattern = tile + box.tables;
  auto* const writes = reinterpret_cast<OutRun*>(pattern + box.pattern_bytes);
  auto* const reads = reinterpret_cast<RunStart*>(writes + box.out_runs);
  if (threadIdx.x < 32) find_corner(box, kSize, c);
  __syncthreads();
  for (uint32_t run = threadIdx.x; run < box.in_runs; run += kBoxThreads)
    reads[run] = from_its_piece(find_run<kSize>(box, box.reads, run, c));
  __syncthreads();
  wait_for_the_kernel_before();
  if (c.inside)
    read_box<true>(tile, c, box, reads);
  else
    read_box<false>(tile, c, box, reads);
  for (uint32_t run = threadIdx.x; run < box.out_runs; run += kBoxThreads) {  // while pieces are on their way
    const OutRun mine = writes[run] = find_out_run<kSize>(box, run, c);
    const char* const to = box.out + c.out + mine.start.offset();
    if (box.fetches && mine.begin < mine.end)
      fetch_ends(to + mine.begin * kSize, to + mine.end * kSize, true, true);
  }
  Pattern<kSize>::make(box, pattern);
  wait_for_pieces();
  __syncthreads();
  write_pieces<kSize>(tile, c, box, writes, pattern);
}

}  // namespace lab::fast
