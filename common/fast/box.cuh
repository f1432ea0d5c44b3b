// The kernel for any layout: a block moves a box of elements through shared memory.
//
// Enters: a Box, made on the host by box_plan.cuh. A box has an extent along each dimension. What of it lies
// together in `in` is read in runs of 16-byte pieces, each kept as it is at an address congruent to its own
// modulo 16, so that nothing is shifted and an element's address in shared memory is linear in its
// coordinates. What lies together in `out` is written in runs too: a thread gathers 16 bytes, aligned in
// `out`, element by element. Several dimensions may lie together on either side, and the same one on both.
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
  int32_t size[kBoxDims], tile[kBoxDims], load[kBoxDims];
  int64_t out_stride[kBoxDims], in_stride[kBoxDims];  // bytes
  // Runs of `in`: they end along in_dim, of which each step is `in_unit` bytes.
  BoxLoop reads[kBoxDims];
  SmallDivider pieces;  // of a run
  uint32_t all_pieces;  // of a box
  int32_t in_dim, in_unit;
  // Runs of `out`: they end along out_dim, of which each step is `inner` elements: the product of the whole
  // dimensions inside of it.
  BoxLoop writes[kBoxDims];
  uint32_t runs;
  int32_t out_dim, inner, levels, halo, edges;
  SmallDivider level[kBoxDims - 1];
  int32_t level_dim[kBoxDims - 1], level_kept[kBoxDims - 1], out_kept;
  // `lanes` beside each other along a run, `groups` of them on runs of their own. Where pieces repeat their
  // pattern, the next one of a lane lies `advance` further; 0: they do not.
  SmallDivider lanes;
  int32_t groups, advance;
  uint32_t shift, mask;  // pieces of 16 bytes change places: see swizzled
};

enum Edges { kEdgesNever, kEdgesAtEnds, kEdgesAlways };  // where runs of `out` have parts of 16-byte pieces

struct BoxCorner {
  const char* in;
  char* out;
  int32_t left[kBoxDims];    // from it to the end
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
  BoxCorner c{box.in, box.out, {}, true, true, true};
#pragma unroll
  for (int d = 0; d < kBoxDims; ++d) {
    uint32_t x = block;
    if (d < kBoxDims - 1) block = box.boxes[d].quotient(block), x -= block * box.boxes[d].d;
    const int32_t at = int32_t(x) * box.tile[d], left = box.size[d] - at;
    const bool along = d == box.out_dim;
    c.in += at * box.in_stride[d], c.out += at * box.out_stride[d], c.left[d] = left;
    c.first = along ? x == 0 : c.first, c.last = along ? left <= box.tile[d] : c.last,
    c.at_end = along ? left <= box.load[d] : c.at_end;
  }
  return c;
}

// Where run `n` begins: moves `at` and `pointer`; false: it lies outside.
template <int kLoops, typename Pointer>
__device__ inline bool find_run(const BoxLoop (&loops)[kBoxDims], const int32_t (&limit)[kLoops], uint32_t n,
                                Pointer& pointer, int32_t& at) {
  bool exists = true;
#pragma unroll
  for (int k = 0; k < kLoops; ++k) {
    uint32_t x = n;
    if (k < kLoops - 1) n = loops[k].by.quotient(n), x -= n * loops[k].by.d;
    pointer += int64_t(x) * loops[k].stride, at += int32_t(x) * loops[k].kept;
    exists = exists && int32_t(x) < limit[k];
  }
  return exists;
}

template <bool kInside, int kLoops>
__device__ inline void read_box(char* tile, const BoxCorner& c, const Box& box,
                                const int32_t (&extent)[kBoxDims]) {
  int32_t limit[kLoops];
#pragma unroll
  for (int k = 0; k < kLoops; ++k) limit[k] = pick(extent, box.reads[k].dim);
  const int32_t run_bytes = pick(extent, box.in_dim) * box.in_unit, phase = int32_t(size_t(c.in) % kPiece);
  Job guard;
  guard.in_begin = box.in_begin, guard.in_end = box.in_end;
  for (uint32_t first = threadIdx.x; first < box.all_pieces; first += kBoxItems * blockDim.x) {
    uint4 pieces[kBoxItems];
    int32_t to[kBoxItems];
#pragma unroll
    for (int n = 0; n < kBoxItems; ++n) {
      const uint32_t i = first + n * blockDim.x, run = box.pieces.quotient(i);
      const int32_t x = int32_t(i - run * box.pieces.d) * kPiece;
      const char* from = c.in;
      int32_t at = phase;
      const bool exists = find_run<kLoops>(box.reads, limit, run, from, at) && i < box.all_pieces;
      const int32_t skip = int32_t(size_t(from) % kPiece);
      to[n] = exists && x < skip + run_bytes ? int32_t(swizzled(at - skip + x, box.shift, box.mask)) : -1;
      if (to[n] < 0) continue;
      if constexpr (kInside)
        pieces[n] = load_ragged<Cache::Keep>(from - skip + x);
      else
        pieces[n] = load_piece<Cache::Keep>(from - skip + x, guard);
    }
#pragma unroll
    for (int n = 0; n < kBoxItems; ++n)
      if (to[n] >= 0) *reinterpret_cast<uint4*>(tile + to[n]) = pieces[n];
  }
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

// The elements of a run that this block writes: [begin, end); the run begins at `to`.
template <int kSize>
struct Share {
  int32_t begin, end;
  __device__ Share(const BoxCorner& c, const Box& box, const char* to) {
    const int32_t left = pick(c.left, box.out_dim), tile = pick(box.tile, box.out_dim),
                  own = (left < tile ? left : tile) * box.inner;
    begin = box.halo && !c.first ? int32_t(-size_t(to) % kSector) / kSize : 0;
    end = own + (box.halo && !c.last ? int32_t(-(size_t(to) + size_t(own) * kSize) % kSector) / kSize : 0);
    if (end > left * box.inner) end = left * box.inner;  // the next box has less than the rest of a sector
  }
};

// The elements of a piece, from where its run begins: element k lies at place[k].
template <int kElems>
__device__ inline void find_places(const Box& box, uint32_t e, int32_t (&place)[kElems]) {
  if (int32_t(box.level[0].d) >= kElems) {  // no more than two lines of the innermost dimension
    const int32_t until = int32_t(box.level[0].d - (e - box.level[0].quotient(e) * box.level[0].d));
    const int32_t here = place_in_run(box, e),
                  behind = until < kElems ? place_in_run(box, e + until) - until * box.level_kept[0] : 0;
#pragma unroll
    for (int k = 0; k < kElems; ++k) place[k] = (k < until ? here : behind) + k * box.level_kept[0];
  } else {
#pragma unroll
    for (int k = 0; k < kElems; ++k) place[k] = place_in_run(box, e + k);
  }
}

template <int kSize, int kLoops>
__device__ inline void write_pieces(const char* tile, const BoxCorner& c, const Box& box,
                                    const int32_t (&limit)[kLoops]) {
  constexpr int kElems = kPiece / kSize, kWord = kSize > 4 ? kSize : 4, kWords = kPiece / kWord,
                kIn = kWord / kSize;
  const int32_t phase = int32_t(size_t(c.in) % kPiece), lanes = int32_t(box.lanes.d),
                group = int32_t(box.lanes.quotient(threadIdx.x)), lane = int32_t(threadIdx.x) - group * lanes;
  if (group >= box.groups) return;
  int32_t place[kElems];
#pragma unroll
  for (int k = 0; k < kElems; ++k) place[k] = k * box.out_kept;
  for (uint32_t run = group; run < box.runs; run += box.groups) {
    char* to = c.out;
    int32_t at = phase;
    if (!find_run<kLoops>(box.writes, limit, run, to, at)) continue;
    const Share<kSize> share(c, box, to);
    int32_t e = lane * kElems - int32_t(size_t(to) % kPiece) / kSize;
    if (box.levels == 0) {
      at += e * box.out_kept;
    } else if (box.advance != 0) {  // the pattern is the same a step later, where no element is negative
      at -= box.advance;
      find_places(box, uint32_t(e + lanes * kElems), place);
    }
    for (; e < share.end; e += lanes * kElems, at += box.advance) {
      if (e < share.begin || e + kElems > share.end) continue;
      if (box.advance == 0) find_places(box, uint32_t(e), place);
      int32_t where[kElems];
#pragma unroll
      for (int k = 0; k < kElems; ++k) where[k] = int32_t(swizzled(at + place[k], box.shift, box.mask));
      Word<kWord> words[kWords];
#pragma unroll
      for (int k = 0; k < kWords; ++k) words[k] = gather<kSize>(tile, &where[k * kIn]);
      *reinterpret_cast<uint4*>(to + int64_t(e) * kSize) = *reinterpret_cast<uint4*>(words);
    }
  }
}

// Elements of a run before its first whole piece and behind its last one, one a thread.
template <int kSize, int kLoops>
__device__ inline void write_edges(const char* tile, const BoxCorner& c, const Box& box,
                                   const int32_t (&limit)[kLoops]) {
  constexpr int kElems = kPiece / kSize;
  for (uint32_t i = threadIdx.x; i < box.runs * 2 * kElems; i += blockDim.x) {
    const int32_t k = int32_t(i % kElems);
    char* to = c.out;
    int32_t at = int32_t(size_t(c.in) % kPiece);
    if (!find_run<kLoops>(box.writes, limit, i / (2 * kElems), to, at)) continue;
    const Share<kSize> share(c, box, to);
    const int32_t skip = int32_t(size_t(to) % kPiece) / kSize,
                  first = (share.begin + skip + kElems - 1) / kElems * kElems - skip,
                  last = (share.end + skip) / kElems * kElems - skip;
    const bool head = i / kElems % 2 == 0;
    const int32_t e = k + (head ? share.begin : last > first ? last : first);
    if (e >= share.end || (head && e >= first)) continue;
    reinterpret_cast<Word<kSize>*>(to)[e] = *reinterpret_cast<const Word<kSize>*>(
        tile + swizzled(at + place_in_run(box, e), box.shift, box.mask));
  }
}

template <int kSize, int kLoops>
__global__ void __launch_bounds__(kBoxThreads, kSize <= 2 ? 3 : 4) move_box(const __grid_constant__ Box box) {
  extern __shared__ __align__(128) char tile[];
  wait_for_the_kernel_before();
  const BoxCorner c = corner_of(box, blockIdx.x);
  int32_t extent[kBoxDims], limit[kLoops];
  const char* end = c.in + kSize + kPiece;
#pragma unroll
  for (int d = 0; d < kBoxDims; ++d) {
    extent[d] = c.left[d] < box.load[d] ? c.left[d] : box.load[d];
    end += (extent[d] - 1) * box.in_stride[d];
  }
  if (c.in - kPiece >= box.in_begin && end <= box.in_end)
    read_box<true, kLoops>(tile, c, box, extent);
  else
    read_box<false, kLoops>(tile, c, box, extent);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kLoops; ++k) limit[k] = pick(extent, box.writes[k].dim);
  write_pieces<kSize, kLoops>(tile, c, box, limit);
  if (kSize < kPiece && (box.edges == kEdgesAlways || (box.edges == kEdgesAtEnds && (c.first || c.at_end))))
    write_edges<kSize, kLoops>(tile, c, box, limit);
}

}  // namespace lab::fast
