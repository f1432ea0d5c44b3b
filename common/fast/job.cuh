// The parameters of a kernel of the fast transpose, and which tile a block turns.
//
// Enters: a Job, made on the host by plan.cuh. Leaves: the corner of this block's tile in both matrices.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lab::fast {

constexpr int kPiece = 16;   // bytes of the widest access
constexpr int kSector = 32;  // rows of `out` are written in whole sectors: half a sector costs as much as two
constexpr int kBatchDims = 3;

template <int kBytes>
struct Bytes {
  static constexpr int kSize = kBytes;
};
unsigned char word(Bytes<1>);
unsigned short word(Bytes<2>);
uint32_t word(Bytes<4>);
uint2 word(Bytes<8>);
uint4 word(Bytes<16>);
template <int kBytes>
using Word = decltype(word(Bytes<kBytes>()));

// Calls go(Bytes<…>()) for an element's size.
template <typename Go>
auto by_size(int element, const Go& go) {
  return element == 1   ? go(Bytes<1>())
         : element == 2 ? go(Bytes<2>())
         : element == 4 ? go(Bytes<4>())
         : element == 8 ? go(Bytes<8>())
                        : go(Bytes<16>());
}

// n / d for n < 2^31, by a product: a division would cost more than the rest of a block's start.
struct Divider {
  uint32_t d = 1, shift = 31;
  uint64_t factor = uint64_t(1) << 31;
  __host__ __device__ uint32_t quotient(uint32_t n) const { return uint32_t(n * factor >> shift); }
};

// `in` is a batch of matrices of rows × cols, `out` of cols × rows; pitches and strides count bytes.
struct Job {
  char* out;
  const char* in;
  const char *in_begin, *in_end;  // nothing outside is read
  int64_t rows, cols, out_pitch, in_pitch;
  int64_t to_next_column;  // ragged: from below the last row to the next column's first, where rows of `out`
                           // join; or 0
  // Ragged: rows of `out` may go on through several dimensions of `in`. After each fold[i] rows `in` goes on
  // jump[i] bytes further than a row.
  int32_t folds;
  Divider fold[kBatchDims];
  int64_t jump[kBatchDims];
  int64_t out_stride[kBatchDims], in_stride[kBatchDims];
  Divider batch[kBatchDims - 1];  // counts of the inner dimensions of the batch
  // Tiles of a matrix, of a band; tiles across a band, across the last one.
  Divider tiles, band, width, last_width;
  int32_t bands;
  // The ragged kernel's tile in shared memory: bytes from row to row, and more after 16 bytes' worth of rows;
  // columns from lane to lane. Chosen so that no two lanes meet in a bank.
  int32_t pitch, skew, step;
  int32_t starts;  // where its table of rows begins, if there are folds
  bool fetches;    // the ends of rows of `out` (fetch_ends)
};

// kSize: bytes of an element; kDown, kAcross: bytes of the tile along a row of `out` and along a row of `in`.
// A block of the ragged kernel begins its share of a row of `out` with the first multiple of kShare bytes in
// the tile. kOut: bytes of an element of `out`, where it is computed (epilogue.cuh).
template <int kSize_, int kDown, int kAcross, int kThreads_, int kBlocks_, int kShare_ = kSector,
          int kOut_ = kSize_>
struct Tile {
  template <int kBytes>
  using Into = Tile<kSize_, kDown, kAcross, kThreads_, kBlocks_, kShare_, kBytes>;
  static constexpr int kShare = kShare_, kOut = kOut_;
  static constexpr int kSize = kSize_, kThreads = kThreads_, kBlocks = kBlocks_;
  static constexpr int kRows = kDown / kSize, kCols = kAcross / kSize;
  static constexpr int kElems = kPiece / kSize;     // of a piece
  static constexpr int kPieces = kAcross / kPiece;  // of a row of `in`
  static constexpr int kChunks = kDown / kPiece;    // pieces of a row of `out`
};

// Every kernel calls it first: its blocks may stand ready while the kernel before it on the stream ends
// (launch in plan.cuh), and touch memory when all that came before is done and seen.
__device__ inline void wait_for_the_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

struct Corner {
  const char* in;      // the tile's first element in `in` …
  char* out;           // … and in `out`
  int64_t row0;        // rows above it
  int64_t rows, cols;  // from it to the end of the matrix
};

// The tile at (row0, col0) of this matrix of the batch.
template <int kSize, int kOut = kSize>
__device__ inline Corner corner_at(const Job& job, uint32_t matrix, int64_t row0, int64_t col0) {
  Corner c{job.in + row0 * job.in_pitch + col0 * kSize, job.out + col0 * job.out_pitch + row0 * kOut, row0,
           job.rows - row0, job.cols - col0};
  if (matrix == 0) return c;
#pragma unroll
  for (int i = 0; i < kBatchDims; ++i) {
    uint32_t at = matrix;
    if (i < kBatchDims - 1) matrix = job.batch[i].quotient(matrix), at -= matrix * job.batch[i].d;
    c.in += at * job.in_stride[i], c.out += at * job.out_stride[i];
  }
  return c;
}

template <typename T>
__device__ inline Corner corner(const Job& job, uint32_t block) {
  const uint32_t matrix = job.tiles.quotient(block);
  uint32_t tile = block - matrix * job.tiles.d;
  const uint32_t band = job.band.quotient(tile);
  tile -= band * job.band.d;
  const Divider& width = int(band) == job.bands - 1 ? job.last_width : job.width;
  const uint32_t down = width.quotient(tile), across = band * job.width.d + (tile - down * width.d);
  return corner_at<T::kSize, T::kOut>(job, matrix, int64_t(down) * T::kRows, int64_t(across) * T::kCols);
}

// What is read leaves the L2 cache last, so that what is written leaves in the order in which it came: docs/fast.md
// has what that is worth.
__device__ inline uint64_t leaves_last() {
  uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}
__device__ inline uint4 load_whole(const char* from) {
#if __CUDA_ARCH__ >= 800
  uint4 piece;
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(piece.x), "=r"(piece.y), "=r"(piece.z), "=r"(piece.w)
               : "l"(from), "l"(leaves_last()));
  return piece;
#else
  return *reinterpret_cast<const uint4*>(from);
#endif
}

// A piece of a row that begins anywhere: the whole line of 128 bytes comes into the L2 cache, since the block
// beside this one asks for the rest of it.
__device__ inline uint4 load_ragged(const char* from) {
#if __CUDA_ARCH__ >= 800
  uint4 piece;
  asm volatile("ld.global.L2::cache_hint.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(piece.x), "=r"(piece.y), "=r"(piece.z), "=r"(piece.w)
               : "l"(from), "l"(leaves_last()));
  return piece;
#else
  return load_whole(from);
#endif
}

__device__ inline bool inside(const char* from, const Job& job) {
  return from >= job.in_begin && from + kPiece <= job.in_end;
}

// An aligned piece of `in`; where it sticks out of the allocation, the bytes inside of it.
__device__ inline uint4 load_piece(const char* from, const Job& job) {
  if (inside(from, job)) return load_whole(from);
  uint64_t half[2] = {};
#pragma unroll 1
  for (int i = 0; i < kPiece; ++i)
    if (from + i >= job.in_begin && from + i < job.in_end) {
      const uint64_t byte = uint64_t(static_cast<unsigned char>(from[i])) << i % 8 * 8;
      half[0] |= i < 8 ? byte : 0, half[1] |= i < 8 ? 0 : byte;
    }
  return {uint32_t(half[0]), uint32_t(half[0] >> 32), uint32_t(half[1]), uint32_t(half[1] >> 32)};
}

// Brings a sector of `out` into L2 before it is read or written in part.
__device__ inline void fetch_sector(const char* at) {
#if __CUDA_ARCH__ >= 700
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#endif
}
// Rows of `out` that begin or end within sectors, with gaps between them: such sectors are never written
// whole, and DRAM takes a part of one much slower than it reads one. Short rows gain up to 27 % on an H200;
// rows of more than this many bytes lose by the requests.
constexpr int64_t kMostFetched = 2560, kMostFetchedBetween = 1024;  // where other rows lie between
__device__ inline void fetch_ends(const char* begin, const char* end, bool first, bool last) {
  if (first && size_t(begin) % kSector) fetch_sector(begin);
  if (last && size_t(end) % kSector) fetch_sector(end - 1);
}

// Stores a piece of a row of `out`, of which `left` elements exist.
template <int kSize>
__device__ inline void store_piece(char* to, const uint4& piece, int64_t left) {
  if (left >= kPiece / kSize) {
    *reinterpret_cast<uint4*>(to) = piece;
    return;
  }
  const int bytes = left > 0 ? int(left) * kSize : 0;  // by as few stores as there can be
  uint2 rest{piece.x, piece.y};
  if (bytes & 8) *reinterpret_cast<uint2*>(to) = rest, to += 8, rest = {piece.z, piece.w};
  if (kSize <= 4 && bytes & 4) *reinterpret_cast<uint32_t*>(to) = rest.x, to += 4, rest.x = rest.y;
  if (kSize <= 2 && bytes & 2)
    *reinterpret_cast<unsigned short*>(to) = static_cast<unsigned short>(rest.x), to += 2, rest.x >>= 16;
  if (kSize == 1 && bytes & 1) *to = char(rest.x);
}

// What a block does of a kernel's parameter: go(job, block), and what stores elements, if not as they are.
template <typename Go>
__device__ inline void share_of_block(const Job& job, uint32_t block, const Go& go) {
  go(job, block);
}

// Stores elements as they are: a piece of `left` elements or more, or one.
template <int kSize>
struct AsTheyAre {
  static constexpr bool kBlends = false;  // it does not look at what the output holds
  __device__ void piece(char* to, const uint4& piece, int64_t left) const {
    store_piece<kSize>(to, piece, left);
  }
  __device__ void one(char* to, const char* from) const {
    *reinterpret_cast<Word<kSize>*>(to) = *reinterpret_cast<const Word<kSize>*>(from);
  }
};

}  // namespace lab::fast
