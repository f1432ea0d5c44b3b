// The kernels for layouts that keep the same dimension innermost, or have none: words of up to 16 bytes, in
// the order of `out`; runs; and one run of bytes. move.cuh launches them.
#pragma once

#include "common/fast/box.cuh"
#include "common/fast/planes.cuh"

namespace lab::fast {

constexpr int kMostDims = 5, kMoveThreads = 256, kMoveWords = 4;  // words of a thread

struct Move {
  char* out;
  const char* in;
  uint32_t words;                                       // of this launch
  Divider size[kMostDims - 1];                          // the innermost first
  int64_t out_stride[kMostDims], in_stride[kMostDims];  // bytes
};

template <int kWord>
__global__ void __launch_bounds__(kMoveThreads) move_words(const __grid_constant__ Move move) {
  wait_for_the_kernel_before();
  Word<kWord> words[kMoveWords];
  char* to[kMoveWords];
#pragma unroll
  for (int k = 0; k < kMoveWords; ++k) {
    uint32_t rest = (blockIdx.x * kMoveWords + k) * kMoveThreads + threadIdx.x;
    to[k] = nullptr;
    if (rest >= move.words) continue;
    const char* from = move.in;
    to[k] = move.out;
#pragma unroll
    for (int d = 0; d < kMostDims; ++d) {
      uint32_t at = rest;
      if (d < kMostDims - 1) rest = move.size[d].quotient(rest), at -= rest * move.size[d].d;
      from += at * move.in_stride[d], to[k] += at * move.out_stride[d];
    }
    words[k] = *reinterpret_cast<const Word<kWord>*>(from);
  }
#pragma unroll
  for (int k = 0; k < kMoveWords; ++k)
    if (to[k]) *reinterpret_cast<Word<kWord>*>(to[k]) = words[k];
}

// Runs that lie together on both sides, from any address to any other.
struct Runs {
  char* out;
  const char *in, *in_begin, *in_end;
  int64_t bytes;          // of a run
  uint32_t all;           // parts of runs: what `lanes` write, `items` pieces each
  int32_t groups, items;  // of lanes in a warp; pieces of a lane
  SmallDivider lanes;
  Divider parts, count[kMostDims - 2];                          // parts of a run; runs
  int64_t out_stride[kMostDims - 1], in_stride[kMostDims - 1];  // from run to run
};

// Lanes beside each other write pieces of `out` that follow each other, aligned there. What a lane needs of
// the next aligned piece of `in` the next lane has; the last one loads it.
template <int kItems>
__global__ void __launch_bounds__(kMoveThreads) move_runs(const __grid_constant__ Runs runs) {
  wait_for_the_kernel_before();
  Job guard;
  guard.in_begin = runs.in_begin, guard.in_end = runs.in_end;
  const int32_t lanes = int32_t(runs.lanes.d), group = int32_t(runs.lanes.quotient(threadIdx.x % 32)),
                lane = int32_t(threadIdx.x % 32) - group * lanes, next = lanes * kPiece;
  const uint32_t i = (blockIdx.x * (kMoveThreads / 32) + threadIdx.x / 32) * runs.groups + group;
  uint32_t rest = runs.parts.quotient(i);
  int64_t x = (int64_t(i - rest * runs.parts.d) * runs.items * lanes + lane) * kPiece;
  const char* from = runs.in;
  char* to = runs.out;
#pragma unroll
  for (int d = 0; d < kMostDims - 1; ++d) {
    uint32_t at = rest;
    if (d < kMostDims - 2) rest = runs.count[d].quotient(rest), at -= rest * runs.count[d].d;
    from += at * runs.in_stride[d], to += at * runs.out_stride[d];
  }
  x -= int64_t(size_t(to) % kPiece);  // of the run, where this piece of `out` begins
  from += x, to += x;
  const int skip = int(size_t(from) % kPiece);
  from -= skip;
  const int64_t bytes = group < runs.groups && i < runs.all ? runs.bytes : -kPiece;
  uint4 low[kItems], high[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const int64_t left = k < runs.items ? bytes - x - k * next + skip : 0;
    if (left > 0) low[k] = load_piece(from + k * next, guard);
    if (left > kPiece && lane == lanes - 1) high[k] = load_piece(from + k * next + kPiece, guard);
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    if (k >= runs.items) break;
    const uint4 follows = from_next_lane(low[k]);
    const uint4 piece = shifted(low[k], lane == lanes - 1 ? high[k] : follows, skip);
    const int64_t first = x + k * next;
    const int begin = first < 0 ? int(-first) : 0, end = int(bytes - first < kPiece ? bytes - first : kPiece);
    char* const at = to + k * next;
    if (end - begin == kPiece) {
      *reinterpret_cast<uint4*>(at) = piece;
    } else if (begin < end) {
#pragma unroll
      for (int b = 0; b < kPiece; ++b)
        if (b >= begin && b < end) at[b] = reinterpret_cast<const char*>(&piece)[b];
    }
  }
}

}  // namespace lab::fast
