// The kernels for matrices with few columns, or few rows, that lie densely: pixels to planes and back. A
// block's share of the dense side is one run of bytes, which is read or written as such.
#pragma once

#include "common/fast/ragged.cuh"

namespace lab::fast {

constexpr int kNarrowThreads = 256, kNarrowBlocks = 4, kNarrowBytes = 16384, kNarrowItems = 5;
constexpr int kMostNarrow = 64;  // bytes of the short side

struct NarrowJob {
  Job job;              // `tiles` counts the blocks of a matrix
  int32_t share;        // elements of the long side that a block covers: 128 bytes or a multiple
  int32_t pitch;        // few rows: bytes from row to row in shared memory
  Divider few, pieces;  // the short side; few rows: pieces that a row needs at most
  uint32_t shift;       // few columns, a multiple of 8 of them: how pieces change places
};

// Loads piece i of a block's `count`, from where `from` says, to where `to` says; a thread's loads are on
// their way together.
template <typename From, typename To>
__device__ inline void bring_pieces(int count, const Job& job, const From& from, const To& to) {
  uint4 pieces[kNarrowItems];
#pragma unroll
  for (int n = 0; n < kNarrowItems; ++n) {
    const int i = n * kNarrowThreads + threadIdx.x;
    const char* at = i < count ? from(i) : nullptr;
    if (at) pieces[n] = load_piece(at, job);
  }
#pragma unroll
  for (int n = 0; n < kNarrowItems; ++n) {
    const int i = n * kNarrowThreads + threadIdx.x;
    if (i < count && from(i)) *reinterpret_cast<uint4*>(to(i)) = pieces[n];
  }
}

// 16 bytes gathered from the tile and stored, of which `left` elements exist.
template <int kSize>
__device__ inline void store_gathered(char* to, const char* tile, const int (&at)[kPiece / kSize],
                                      int64_t left) {
  constexpr int kWord = kSize > 4 ? kSize : 4, kWords = kPiece / kWord, kIn = kWord / kSize;
  Word<kWord> words[kWords];
#pragma unroll
  for (int k = 0; k < kWords; ++k) words[k] = gather<kSize>(tile, &at[k * kIn]);
  store_piece<kSize>(to, *reinterpret_cast<uint4*>(words), left);
}

// Few columns: the rows of a block are one run of `in`. Lanes beside each other gather 16 bytes' worth of
// rows each; where these are a multiple of 128 bytes apart (8 columns), pieces change places, or all lanes
// would meet in a bank.
template <int kSize, bool kSwizzled>
__global__ void __launch_bounds__(kNarrowThreads, kNarrowBlocks)
    turn_few_columns(const __grid_constant__ NarrowJob narrow) {
  __shared__ __align__(128) char tile[kNarrowItems * kNarrowThreads * kPiece];
  constexpr int kElems = kPiece / kSize, kHalo = kSector / kSize;
  const Job& job = narrow.job;
  wait_for_the_kernel_before();
  const uint32_t matrix = job.tiles.quotient(blockIdx.x);
  const Corner c =
      corner_at<kSize>(job, matrix, int64_t(blockIdx.x - matrix * job.tiles.d) * narrow.share, 0);
  const int cols = int(narrow.few.d), pitch = cols * kSize, phase = int(size_t(c.in) % kPiece);
  const int rows = int(c.rows < narrow.share + kHalo ? c.rows : narrow.share + kHalo);
  const char* run = c.in - phase;
  const auto place = [&](int at) { return kSwizzled ? int(swizzled(at, narrow.shift, 0x70)) : at; };
  bring_pieces((phase + rows * pitch + kPiece - 1) / kPiece, job, [=](int i) { return run + i * kPiece; },
               [&](int i) { return tile + place(i * kPiece); });
  __syncthreads();
  const int lane = threadIdx.x % 32, groups = narrow.share * kSize / 128, quads = (cols + 3) / 4;
  for (int unit = threadIdx.x / 32; unit < groups * quads; unit += kNarrowThreads / 32) {
    const int col = unit % quads * 4 + lane / 8;
    char* line = c.out + col * job.out_pitch;
    const int y = int(-size_t(line) % kSector) / kSize + (unit / quads * 8 + lane % 8) * kElems;
    if (col >= cols || y >= rows) continue;
    int at[kElems];
#pragma unroll
    for (int k = 0; k < kElems; ++k) at[k] = place(phase + (y + k < rows ? y + k : y) * pitch + col * kSize);
    store_gathered<kSize>(line + y * kSize, tile, at, c.rows - y);
  }
  if (c.row0 > 0) return;  // the first block also writes the rows before the first sector
  for (int i = threadIdx.x; i < cols * kHalo; i += kNarrowThreads) {
    const int col = i / kHalo, y = i % kHalo;
    char* line = c.out + col * job.out_pitch;
    if (y < rows && y < int(-size_t(line) % kSector) / kSize)
      reinterpret_cast<Word<kSize>*>(line)[y] =
          *reinterpret_cast<const Word<kSize>*>(tile + place(phase + y * pitch + col * kSize));
  }
}

// Few rows: the columns of a block are one run of `out`.
template <int kSize>
__global__ void __launch_bounds__(kNarrowThreads, kNarrowBlocks)
    turn_few_rows(const __grid_constant__ NarrowJob narrow) {
  __shared__ __align__(128) char tile[kNarrowItems * kNarrowThreads * kPiece];
  constexpr int kElems = kPiece / kSize, kHalo = kSector / kSize;
  const Job& job = narrow.job;
  wait_for_the_kernel_before();
  const uint32_t matrix = job.tiles.quotient(blockIdx.x);
  const int64_t col0 = int64_t(blockIdx.x - matrix * job.tiles.d) * narrow.share;
  const Corner c = corner_at<kSize>(job, matrix, 0, col0);
  const int rows = int(narrow.few.d),
            cols = int(c.cols < narrow.share + kHalo ? c.cols : narrow.share + kHalo);
  const int pieces = int(narrow.pieces.d), phase = int(size_t(c.in) % kPiece);
  const auto skip = [&](int row) {
    return int((uint32_t(size_t(c.in)) + row * uint32_t(job.in_pitch)) % kPiece);
  };
  bring_pieces(
      rows * pieces, job,
      [&](int i) {
        const int row = int(narrow.pieces.quotient(i)), x = (i - row * pieces) * kPiece;
        return x < skip(row) + cols * kSize ? c.in + row * job.in_pitch - skip(row) + x : nullptr;
      },
      [&](int i) {
        const int row = int(narrow.pieces.quotient(i));
        return tile + (phase + row * narrow.pitch) / kPiece * kPiece + (i - row * pieces) * kPiece;
      });
  __syncthreads();
  const int first = int(-size_t(c.out) % kSector) / kSize;
  const int next = int(-(size_t(c.out) + size_t(narrow.share) * rows * kSize) % kSector) / kSize;
  const int64_t all = c.cols * rows;
  const int loaded = cols * rows, end = narrow.share * rows + next;
  for (int e = first + int(threadIdx.x) * kElems; e < end && e < all; e += kNarrowThreads * kElems) {
    const int col = int(narrow.few.quotient(e));
    int at[kElems], row = e - col * rows, place = phase + row * narrow.pitch + col * kSize;
#pragma unroll
    for (int k = 0; k < kElems; ++k) {
      at[k] = place;
      if (e + k + 1 == loaded) row = -kElems;  // nothing follows: this element stands for the rest
      if (row < 0) continue;
      const bool last = ++row == rows;
      place += last ? kSize - (rows - 1) * narrow.pitch : narrow.pitch;
      row = last ? 0 : row;
    }
    store_gathered<kSize>(c.out + int64_t(e) * kSize, tile, at, all - e);
  }
  const int e = int(threadIdx.x);
  if (col0 > 0 || e >= first || e >= all)
    return;  // the first block also writes what lies before the first sector
  const int col = int(narrow.few.quotient(e));
  reinterpret_cast<Word<kSize>*>(c.out)[e] =
      *reinterpret_cast<const Word<kSize>*>(tile + phase + (e - col * rows) * narrow.pitch + col * kSize);
}

}  // namespace lab::fast
