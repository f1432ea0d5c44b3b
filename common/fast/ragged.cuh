// The kernel for matrices whose rows start anywhere. The tile holds pieces of rows of `in` as they are, each
// at an address congruent to its own modulo 16, so nothing is shifted; element (y, x) lies at an address
// linear in y and x. A thread gathers 16 bytes of a row of `out` from it, aligned in `out`. The block writes
// whole sectors: its share of a row of `out` begins with the first sector that begins in the tile and ends
// where the next block's share begins, so it reads up to a sector's worth of rows more. Where rows of `out`
// lie behind each other (job.to_next_column), the rows below the last one are the first ones of the next
// column: `in` from the top again, an element further.
#pragma once

#include "common/fast/job.cuh"

namespace lab::fast {

// The word of rows i, i + 1 … of a column.
template <int kSize>
__device__ inline Word<(kSize > 4 ? kSize : 4)> gather(const char* column, const int* row) {
  if constexpr (kSize == 1) {
    const auto byte = [=](int i) {
      return uint32_t(*reinterpret_cast<const unsigned char*>(column + row[i]));
    };
    return __byte_perm(__byte_perm(byte(0), byte(1), 0x0040), __byte_perm(byte(2), byte(3), 0x0040), 0x5410);
  } else if constexpr (kSize == 2) {
    const auto half = [=](int i) {
      return uint32_t(*reinterpret_cast<const unsigned short*>(column + row[i]));
    };
    return __byte_perm(half(0), half(1), 0x5410);
  } else {
    return *reinterpret_cast<const Word<kSize>*>(column + row[0]);
  }
}

// Lane j has gathered word (i + j) of its piece as words[i]: puts them in order.
template <typename W, int kWords>
__device__ inline void rotate(W (&words)[kWords], int j) {
#pragma unroll
  for (int bit = 1; bit < kWords; bit *= 2) {
    W moved[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) moved[(i + bit) % kWords] = words[i];
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = j & bit ? moved[i] : words[i];
  }
}

// Where a run begins: bytes from a tile's first element in global memory, and in shared memory. 8 bytes, so
// that a thread loads it at once.
struct alignas(8) RunStart {
  static constexpr uint32_t kNone = 0xffff;  // the run lies outside
  uint32_t low, high_and_at;
  __device__ static RunStart of(int64_t offset, uint32_t at) {
    return {uint32_t(offset), uint32_t(offset >> 32) << 16 | at};
  }
  __device__ static RunStart none() { return {0, kNone}; }
  __device__ int64_t offset() const { return int64_t(int32_t(high_and_at) >> 16) * (int64_t(1) << 32) | low; }
  __device__ uint32_t at() const { return high_and_at & 0xffff; }
};

template <typename T>
constexpr int kHaloRows = T::kShare / T::kOut;
template <typename T>
constexpr int kPiecesLoaded = T::kPieces + 1;  // of a row that starts anywhere

// Where row y begins in the tile, when the tile's first element lies at `phase`.
template <typename T>
__device__ inline int row_at(const Job& job, int y) {
  return y * job.pitch + int(uint32_t(y) / T::kElems) * job.skew;
}

// Rows of the tile that are in the matrix; those below are of the next column, if columns join.
template <typename T>
__device__ inline int rows_inside(const Corner& c) {
  constexpr int kRead = T::kRows + kHaloRows<T>;
  return c.rows < kRead ? int(c.rows) : kRead;
}
// How much further rows of the next column lie in the tile: so their addresses are congruent to those in
// `in`.
__device__ inline int moved_on(const Job& job) { return int(job.to_next_column & (kPiece - 1)); }

// Where rows of the tile begin, once more: lanes that gather pieces beside each other look for rows a piece
// apart, so behind each 16 rows two places are left and these lanes meet no bank twice.
using RowPlace = unsigned short;
__host__ __device__ constexpr int slot_of(int y) { return y + y / 16 * 2; }
template <typename T>
__device__ inline RowPlace* places_of(RunStart* starts) {
  return reinterpret_cast<RowPlace*>(starts + T::kRows + kHaloRows<T>);
}

// How much further row y of the tile lies in `in` than rows of one dimension would, for the folds before it.
__device__ inline int64_t folded(const Job& job, int64_t row0, int y) {
  int64_t more = 0;
#pragma unroll
  for (int i = 0; i < kBatchDims; ++i) {
    if (i >= job.folds) break;
    const uint32_t passed = job.fold[i].quotient(uint32_t(row0) + y) - job.fold[i].quotient(uint32_t(row0));
    more += passed * job.jump[i];
  }
  return more;
}
// The tables of rows where there are folds. Leaves whether every piece lies inside of `in`.
template <typename T>
__device__ inline bool find_rows(RunStart* starts, const Corner& c, const Job& job) {
  RowPlace* const places = places_of<T>(starts);
  const int rows = rows_inside<T>(c), all = rows + (job.to_next_column != 0 ? kHaloRows<T> : 0);
  const int64_t width = (c.cols < T::kCols ? c.cols : T::kCols) * T::kSize;
  bool safe = true;
  for (int y = threadIdx.x; y < T::kRows + kHaloRows<T>; y += T::kThreads) {
    const int64_t offset = y * job.in_pitch + folded(job, c.row0, y) + (y >= rows ? job.to_next_column : 0);
    const char* const row = c.in + offset;
    const int skip = int(size_t(row) % kPiece);
    starts[y] = RunStart::of(offset, uint32_t(row_at<T>(job, y) + skip));
    places[slot_of(y)] = RowPlace(starts[y].at());
    if (y < all) safe = safe && row - skip >= job.in_begin && row + width + kPiece <= job.in_end;
  }
  return __syncthreads_and(safe);
}

// Whether every piece with something of the tile lies inside of `in`; the rows of the next column begin at
// the top.
template <typename T>
__device__ inline bool lies_inside(const Corner& c, const Job& job) {
  const int rows = rows_inside<T>(c);
  const bool below = job.to_next_column != 0 && rows < T::kRows + kHaloRows<T>;
  const char *first = below ? c.in - c.row0 * job.in_pitch : c.in,
             *end = c.in + (rows - 1) * job.in_pitch + (c.cols < T::kCols ? c.cols : T::kCols) * T::kSize +
                    kPiece;
  return first - size_t(first) % kPiece >= job.in_begin && end <= job.in_end;
}

// A thread has a piece of every kStep-th row, and these begin alike modulo a piece. kWhole: all rows exist; what does not
// reads as zero, as far as a piece of `out` goes. kSafe: no piece sticks out of `in`.
struct PieceOfRow {
  const char* from;
  int to;  // in the tile
  bool exists;
};
template <typename T, bool kWhole, bool kSafe, bool kFolded>
__device__ inline void read_rows(char* tile, const Corner& c, const Job& job, const RunStart* starts) {
  constexpr int kRead = T::kRows + kHaloRows<T>,
                kStep = T::kThreads / kPiecesLoaded<T> / T::kElems * T::kElems,
                kItems = (kRead + kStep - 1) / kStep;
  const int y0 = int(threadIdx.x) / kPiecesLoaded<T>, x = int(threadIdx.x) % kPiecesLoaded<T> * kPiece;
  if (y0 >= kStep) return;
  const int width = int(c.cols < T::kCols ? c.cols : T::kCols) * T::kSize, rows = rows_inside<T>(c),
            all = rows + (job.to_next_column != 0 ? kHaloRows<T> : 0),
            cleared = all + T::kElems < kRead ? all + T::kElems : kRead;
  const auto piece_at = [=](const char* row, int at) {
    const int skip = at % kPiece;
    return PieceOfRow{row - skip + x, at - skip + x, x < skip + width};
  };
  const int64_t step = kStep * job.in_pitch;
  const int at = int(size_t(c.in) % kPiece) + row_at<T>(job, y0), step_at = row_at<T>(job, kStep);
  const char* const row = c.in + y0 * job.in_pitch;
  const PieceOfRow own = piece_at(row, at), below = piece_at(row + job.to_next_column, at + moved_on(job));
  constexpr bool kAlike = kWhole && !kFolded;
  if (kAlike && !own.exists) return;
  const auto piece = [&](int n) {
    const int y = y0 + n * kStep;
    if (kFolded) return piece_at(c.in + starts[y].offset(), int(starts[y].at()));
    const PieceOfRow& from = kWhole || y < rows ? own : below;
    return PieceOfRow{from.from + n * step, from.to + n * step_at, from.exists};
  };
  uint4 pieces[kItems];
#pragma unroll
  for (int n = 0; n < kItems; ++n) {
    const int y = y0 + n * kStep;
    if (!kWhole) pieces[n] = {};
    if ((n + 1) * kStep > kRead && y >= kRead) break;
    const PieceOfRow p = piece(n);
    if (kAlike || (p.exists && y < all && (kSafe || inside(p.from, job)))) pieces[n] = load_ragged(p.from);
  }
#pragma unroll
  for (int n = 0; n < kItems; ++n) {
    const int y = y0 + n * kStep;
    if ((n + 1) * kStep > kRead && y >= kRead) break;
    const PieceOfRow p = piece(n);
    if (kAlike || (p.exists && y < cleared)) *reinterpret_cast<uint4*>(tile + p.to) = pieces[n];
  }
#pragma unroll 1
  for (int n = 0, y = y0; !kSafe && y < all && y < kRead; ++n, y += kStep)
    if (const PieceOfRow p = piece(n); p.exists && !inside(p.from, job))
      *reinterpret_cast<uint4*>(tile + p.to) = load_piece(p.from, job);
}

// Rows of the tile above the first of the share that the block has of this row of `out`.
template <typename T>
__device__ inline int rows_above(const char* line) {
  return int(-size_t(line) % T::kShare) / T::kOut;
}

// 8 lanes along a row of `out`, 4 rows beside each other.
template <typename T, bool kRotated, bool kFolded, typename Store>
__device__ inline void write_pieces(const char* tile, const Corner& c, const Job& job, const RowPlace* places,
                                    const Store& store) {
  constexpr int kWord = T::kSize > 4 ? T::kSize : 4, kWords = kPiece / kWord, kIn = T::kElems / kWords;
  constexpr int kPass = T::kThreads / 128 * 16;  // columns of all warps
  static_assert(T::kCols % kPass == 0 && T::kChunks % 8 == 0 && kPass * T::kSize % kPiece == 0);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, q = lane % 8, j = lane / 8, slot = warp % 4;
  const int col = slot % job.step + job.step * j + slot / job.step * 4 * job.step + warp / 4 * 16;
  char* line = c.out + col * job.out_pitch;
  // Shares begin at the same row in all passes, or have to be found anew in each.
  constexpr bool kAlike = kPass * T::kOut % T::kShare == 0;
  const int above = rows_above<T>(line);
  const int column = int(size_t(c.in) % kPiece) + col * T::kSize;
  // Rows go on to the end of the next one's first sector, but for the last one.
  const int own = rows_inside<T>(c), last = c.cols <= T::kCols ? int(c.cols) - 1 : T::kCols;
  const bool joined = job.to_next_column != 0 && own < T::kRows + kHaloRows<T>;
#pragma unroll
  for (int chunk = 0; chunk < T::kChunks; chunk += 8) {
    int y = above + (q + chunk) * T::kElems;
    int rows[T::kElems];
    const auto find_rows = [&] {
#pragma unroll
      for (int k = 0; k < T::kElems; ++k)
        rows[k] = column + row_at<T>(job, y + (kRotated ? (k + j % kWords * kIn) % T::kElems : k));
      if (kFolded)
#pragma unroll
        for (int k = 0; k < T::kElems; ++k)
          rows[k] = col * T::kSize + places[slot_of(y + (kRotated ? (k + j % kWords * kIn) % T::kElems : k))];
      else if (joined)
#pragma unroll
        for (int k = 0; k < T::kElems; ++k)
          if (y + (kRotated ? (k + j % kWords * kIn) % T::kElems : k) >= own) rows[k] += moved_on(job);
    };
    find_rows();
    char* to = line + y * T::kOut;
#pragma unroll
    for (int pass = 0; pass < T::kCols; pass += kPass, to += kPass * job.out_pitch) {
      if constexpr (!kAlike) {
        char* const share = line + pass * job.out_pitch;
        y = rows_above<T>(share) + (q + chunk) * T::kElems, to = share + y * T::kOut;
        find_rows();
      }
      int left = own - y;
      if (joined && col + pass < last) left += rows_above<T>(line + pass * job.out_pitch + own * T::kOut);
      if (col + pass > last || left <= 0) continue;
      Word<kWord> words[kWords];
#pragma unroll
      for (int k = 0; k < kWords; ++k) words[k] = gather<T::kSize>(tile + pass * T::kSize, &rows[k * kIn]);
      if constexpr (kRotated) rotate(words, j);
      store.piece(to, *reinterpret_cast<uint4*>(words), left);
    }
  }
}

// The matrix's first rows, where no sector begins: the blocks at the top write them, of the first column
// alone where columns join.
template <typename T, typename Store>
__device__ inline void write_first_rows(const char* tile, const Corner& c, const Job& job,
                                        const RowPlace* places, const Store& store) {
  const int columns = job.to_next_column == 0 ? T::kCols : c.cols == job.cols ? 1 : 0;
  for (int i = threadIdx.x; i < columns * kHaloRows<T>; i += T::kThreads) {
    const int x = i / kHaloRows<T>, y = i % kHaloRows<T>;
    char* line = c.out + x * job.out_pitch;
    if (x >= c.cols || y >= c.rows || y >= rows_above<T>(line)) continue;
    const int at = places ? int(places[slot_of(y)]) : int(size_t(c.in) % kPiece) + row_at<T>(job, y);
    store.one(line + y * T::kOut, tile + at + x * T::kSize);
  }
}

// kFolded: rows of `out` go on through several dimensions. Others lose 3 % to the mere question.
template <typename T, bool kRotated, bool kFolded, typename Store = AsTheyAre<T::kSize>>
__device__ inline void turn_ragged_tile(const Job& job, uint32_t block, const Store& store = {}) {
  extern __shared__ __align__(128) char tile[];
  Corner c = corner<T>(job, block);
  RunStart* starts = nullptr;
  constexpr int kRead = T::kRows + kHaloRows<T>;
  bool safe;
  if constexpr (kFolded)
    c.in += folded(job, 0, int(c.row0)), starts = reinterpret_cast<RunStart*>(tile + job.starts),
                                         safe = find_rows<T>(starts, c, job);
  else
    safe = lies_inside<T>(c, job);
  if constexpr (Store::kBlends) {  // what the output holds is on its way while the tile is read
    constexpr int kSectors = T::kRows * T::kOut / kSector;
    for (int i = threadIdx.x; i < T::kCols * kSectors; i += T::kThreads)
      if (i / kSectors < c.cols && i % kSectors * kSector < c.rows * T::kOut)
        fetch_sector(c.out + i / kSectors * job.out_pitch + i % kSectors * kSector);
  }
  if (job.fetches)
    for (int x = threadIdx.x; x < T::kCols && x < c.cols; x += T::kThreads) {
      const char* const line = c.out + x * job.out_pitch;
      fetch_ends(line, line + c.rows * T::kOut, c.row0 == 0, c.rows <= kRead);
    }
  if (!safe)
    read_rows<T, false, false, kFolded>(tile, c, job, starts);
  else if (c.rows >= kRead)
    read_rows<T, true, true, kFolded>(tile, c, job, starts);
  else
    read_rows<T, false, true, kFolded>(tile, c, job, starts);
  __syncthreads();
  const RowPlace* const places = kFolded ? places_of<T>(starts) : nullptr;
  write_pieces<T, kRotated, kFolded>(tile, c, job, places, store);
  if (c.row0 == 0) write_first_rows<T>(tile, c, job, places, store);
}

template <typename T, bool kRotated, bool kFolded, typename Given>
__global__ void __launch_bounds__(T::kThreads, T::kBlocks) turn_ragged(const __grid_constant__ Given given) {
  wait_for_the_kernel_before();
  share_of_block(given, blockIdx.x, [](const Job& job, uint32_t block, const auto&... store) {
    turn_ragged_tile<T, kRotated, kFolded>(job, block, store...);
  });
}

}  // namespace lab::fast
