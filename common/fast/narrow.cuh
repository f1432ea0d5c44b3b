// The kernel for matrices with few columns whose rows lie close together: the rows of a block are one run of
// bytes of `in`, with what lies between them.
#pragma once

#include "common/fast/box.cuh"

namespace lab::fast {

constexpr int kNarrowThreads = 256, kNarrowItems = 8;  // pieces of a thread on their way
constexpr int kMostNarrow = 127;                       // elements from row to row

struct NarrowJob {
  Job job;        // `tiles` counts the blocks of a matrix
  int32_t share;  // rows that a block covers: 512 bytes of a column or a multiple
  // 2^along lanes of a warp gather pieces of one column, the others those of columns whole words further. Lanes
  // gather the rows of a piece in orders of their own, so that they meet in few banks: after the lowest `alike`
  // bits, a lane's number times 2^turn says how.
  int32_t along, alike, turn;
  SmallDivider across;  // columns that warps begin with
};

template <int kSize>
__global__ void __launch_bounds__(kNarrowThreads, 4)
    turn_few_columns(const __grid_constant__ NarrowJob narrow) {
  extern __shared__ __align__(128) char tile[];
  constexpr int kElems = kPiece / kSize, kHalo = kSector / kSize, kWord = kSize > 4 ? kSize : 4,
                kWords = kPiece / kWord, kIn = kWord / kSize;
  const Job& job = narrow.job;
  wait_for_the_kernel_before();
  const uint32_t matrix = job.tiles.quotient(blockIdx.x);
  const Corner c =
      corner_at<kSize>(job, matrix, int64_t(blockIdx.x - matrix * job.tiles.d) * narrow.share, 0);
  const int cols = int(job.cols), pitch = int(job.in_pitch), phase = int(size_t(c.in) % kPiece);
  const int rows = int(c.rows < narrow.share + kHalo ? c.rows : narrow.share + kHalo);
  const int bytes = phase + rows * pitch;
  for (int first = int(threadIdx.x) * kPiece; first < bytes;
       first += kNarrowItems * kNarrowThreads * kPiece) {
    uint4 pieces[kNarrowItems];
#pragma unroll
    for (int n = 0; n < kNarrowItems; ++n) {
      const int at = first + n * kNarrowThreads * kPiece;
      if (at < bytes) pieces[n] = load_piece(c.in - phase + at, job);
    }
#pragma unroll
    for (int n = 0; n < kNarrowItems; ++n) {
      const int at = first + n * kNarrowThreads * kPiece;
      if (at < bytes) *reinterpret_cast<uint4*>(tile + at) = pieces[n];
    }
  }
  __syncthreads();
  const int lane = int(threadIdx.x % 32), i = lane & ((1 << narrow.along) - 1), group = lane >> narrow.along,
            x = i >> narrow.alike << narrow.turn & (kElems - 1);
  const uint32_t order = 0x3210 ^ x % kIn * (kSize == 1 ? 0x1111 : 0x2222);
  int row[kElems];
#pragma unroll
  for (int k = 0; k < kElems; ++k)
    row[k] = ((k / kIn + x / kIn) % kWords * kIn + (k % kIn ^ x % kIn)) * pitch;
  const int chunks = narrow.share / kElems >> narrow.along, units = chunks * int(narrow.across.d);
  for (int unit = threadIdx.x / 32; unit < units; unit += kNarrowThreads / 32) {
    const int chunk = int(narrow.across.quotient(unit)), first = unit - chunk * int(narrow.across.d),
              col = first + (first / kIn * ((32 >> narrow.along) - 1) + group) * kIn;
    char* const line = c.out + col * job.out_pitch;
    const int y = int(-size_t(line) % kSector) / kSize + ((chunk << narrow.along) + i) * kElems;
    if (col >= cols || y >= rows) continue;
    const char* const from =
        tile + phase + y * pitch + col * kSize;  // what is below the last row is not stored
    Word<kWord> words[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      words[k] = gather<kSize>(from, &row[k * kIn]);
      if constexpr (kIn > 1) words[k] = __byte_perm(words[k], 0, order);
    }
    rotate(words, x / kIn);
    store_piece<kSize>(line + y * kSize, *reinterpret_cast<uint4*>(words), c.rows - y);
  }
  if (c.row0 > 0) return;  // the first block also writes the rows before the first sector
  for (int i = threadIdx.x; i < cols * kHalo; i += kNarrowThreads) {
    const int col = i / kHalo, y = i % kHalo;
    char* line = c.out + col * job.out_pitch;
    if (y < rows && y < int(-size_t(line) % kSector) / kSize)
      reinterpret_cast<Word<kSize>*>(line)[y] =
          *reinterpret_cast<const Word<kSize>*>(tile + phase + y * pitch + col * kSize);
  }
}

}  // namespace lab::fast
