// The kernel for matrices with few columns whose rows lie close together: the rows of a block are one run of
// bytes of `in`, with what lies between them.
#pragma once

#include "common/fast/ragged.cuh"

namespace lab::fast {

constexpr int kNarrowThreads = 256, kNarrowBlocks = 4, kNarrowBytes = 16384, kNarrowItems = 5;
constexpr int kMostNarrow = 127;  // elements from row to row

struct NarrowJob {
  Job job;        // `tiles` counts the blocks of a matrix
  int32_t share;  // rows that a block covers: 128 bytes of a column or a multiple
};

// Lanes beside each other gather 16 bytes' worth of rows each.
template <int kSize>
__global__ void __launch_bounds__(kNarrowThreads, kNarrowBlocks)
    turn_few_columns(const __grid_constant__ NarrowJob narrow) {
  __shared__ __align__(128) char tile[kNarrowItems * kNarrowThreads * kPiece];
  constexpr int kElems = kPiece / kSize, kHalo = kSector / kSize, kWord = kSize > 4 ? kSize : 4,
                kWords = kPiece / kWord;
  const Job& job = narrow.job;
  wait_for_the_kernel_before();
  const uint32_t matrix = job.tiles.quotient(blockIdx.x);
  const Corner c =
      corner_at<kSize>(job, matrix, int64_t(blockIdx.x - matrix * job.tiles.d) * narrow.share, 0);
  const int cols = int(job.cols), pitch = int(job.in_pitch), phase = int(size_t(c.in) % kPiece);
  const int rows = int(c.rows < narrow.share + kHalo ? c.rows : narrow.share + kHalo);
  uint4 pieces[kNarrowItems];
#pragma unroll
  for (int n = 0; n < kNarrowItems; ++n) {
    const int at = (n * kNarrowThreads + int(threadIdx.x)) * kPiece;
    if (at < phase + rows * pitch) pieces[n] = load_piece(c.in - phase + at, job);
  }
#pragma unroll
  for (int n = 0; n < kNarrowItems; ++n)
    reinterpret_cast<uint4*>(tile)[n * kNarrowThreads + threadIdx.x] = pieces[n];
  __syncthreads();
  int row[kElems];
#pragma unroll
  for (int k = 0; k < kElems; ++k) row[k] = k * pitch;
  const int lane = threadIdx.x % 32, groups = narrow.share * kSize / 128, quads = (cols + 3) / 4;
  for (int unit = threadIdx.x / 32; unit < groups * quads; unit += kNarrowThreads / 32) {
    const int col = unit % quads * 4 + lane / 8;
    char* line = c.out + col * job.out_pitch;
    const int y = int(-size_t(line) % kSector) / kSize + (unit / quads * 8 + lane % 8) * kElems;
    if (col >= cols || y >= rows) continue;
    const char* const from =
        tile + phase + y * pitch + col * kSize;  // what is below the last row is not stored
    Word<kWord> words[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k) words[k] = gather<kSize>(from, &row[k * (kWord / kSize)]);
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
