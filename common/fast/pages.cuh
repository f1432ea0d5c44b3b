// The kernels for rectangular matrices in place, in two passes: tall matrices, and backwards wide ones.
//
// The result is cut into pages of `page` consecutive elements. The elements of a page lie in one column of the
// tall matrix, in adjacent rows. Pass 1 (gather_pages): neighbouring blocks load a panel of `page` rows into shared
// memory, wait for each other, and write its pages in the place of its rows. Column c's pages begin at row shift(c)
// of a panel, so no two panels share a page; missing elements come from the panel below, or, behind the last row,
// from the next column's first rows, which a workspace keeps. Pass 2 (move_pages): a warp carries a page to its
// place, takes the one there, and so on until a place that is taken already (bits). Backwards: pass 2, then 1.
#pragma once

#include "common/fast/aligned.cuh"
#include "common/fast/matrices.cuh"

namespace lab::fast {

constexpr int kPageThreads = 512, kPageBlocks = 3;
constexpr int kPageMove = 1024;  // bytes that a warp carries

struct PageJob {
  char* matrix;
  int64_t stride;          // bytes from matrix to matrix of a batch: where a panel is a whole matrix
  int64_t all;             // elements
  int64_t rows, cols;      // of the tall matrix
  int32_t page;            // elements
  int32_t rest;            // rows % page
  uint32_t panels;         // whole ones of a matrix; below them are `rest` rows
  uint32_t pages, placed;  // whole pages; those that whole panels have
  int32_t width;           // columns of a block
  Divider parts;           // blocks of a panel
  int32_t pitch;           // bytes from page to page in shared memory
  bool words;              // rows of bytes and halves are passed by words (pass_words)
  char* saved;             // the first `page` rows, if pages are shifted
  // Blocks begun; those that have read their part, by panel. nullptr: one block a panel.
  uint32_t *ticket, *done;
  uint32_t* taken;  // two bits for each part of a page: a warp has asked for it, and has it
  int32_t moves;    // parts of a page that are carried for themselves
};

// Where the pages of column c begin in a panel: c rows + shift is a multiple of a page.
__host__ __device__ inline int32_t shift_of(const PageJob& job, int64_t c) {
  const uint32_t past = uint32_t(c) * uint32_t(job.rest) % uint32_t(job.page);
  return past == 0 ? 0 : job.page - int32_t(past);
}

// Where pass 1 leaves the page of column c and this panel. The last page may be a part of one; it stays.
__device__ inline int64_t slot_of(const PageJob& job, uint32_t panel, int64_t c, int32_t shift) {
  if (panel < job.panels && c + 1 < job.cols) return panel * job.cols + c;
  const int64_t page = (c * job.rows + shift) / job.page + panel;
  if (page == job.pages) return page;
  return panel < job.panels ? panel * job.cols + c : job.placed + page - (c + 1) * job.panels;
}
// What page lies there, and back.
__device__ inline uint32_t page_in(const PageJob& job, uint32_t slot) {
  if (slot >= job.placed) {
    const uint32_t extra = slot - job.placed;
    return (extra * uint32_t(job.page) / uint32_t(job.rest) + 1) * job.panels + extra;
  }
  const uint32_t panel = slot / uint32_t(job.cols), c = slot - panel * uint32_t(job.cols);
  return panel + c * job.panels + (c * uint32_t(job.rest) + uint32_t(job.page) - 1) / uint32_t(job.page);
}
__device__ inline uint32_t slot_for(const PageJob& job, uint32_t page) {
  const int64_t first = int64_t(page) * job.page, c = first / job.rows;
  const auto row = uint32_t(first - c * job.rows), panel = row / uint32_t(job.page);
  return uint32_t(slot_of(job, panel, c, int32_t(row - panel * uint32_t(job.page))));
}

// Blocks begin in the order of their tickets, so those that one waits for have begun, or there is room.
__device__ inline uint32_t seen(const uint32_t* word) {
  uint32_t now = 0;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
#endif
  return now;
}

// A word past the registers where a GPU can, so that all of a tile are on their way together.
template <int kBytes>
__device__ inline void send_word(char* to, const char* from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kBytes >= 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(uint32_t(__cvta_generic_to_shared(to))),
                 "l"(from), "n"(kBytes));
    return;
  }
#endif
  *reinterpret_cast<Word<kBytes>*>(to) = *reinterpret_cast<const Word<kBytes>*>(from);
}

// Rows of bytes or halves to or from pages in shared memory, where words of 4 bytes are aligned in both and no
// page is shifted: a thread turns a word of 4 rows in registers.
template <int kSize, bool kBack>
__device__ inline void pass_words(char* tile, const PageJob& job, char* matrix, uint32_t panel, int64_t col0,
                                  int32_t width) {
  constexpr int kEach = 4 / kSize, kAtOnce = 2, kLanes = 8, kDown = kPageThreads / kLanes * 4;
  const int64_t row = job.cols * kSize;
  const int32_t y0 = int32_t(threadIdx.x) / kLanes * 4;
  for (int32_t x = int32_t(threadIdx.x) % kLanes * kEach; x < width; x += kLanes * kEach) {
    char* const at = matrix + int64_t(panel) * job.page * row + (col0 + x) * kSize;
    for (int32_t y = y0; y < job.page; y += kAtOnce * kDown) {
      uint32_t rows[kAtOnce][4];
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n)
#pragma unroll
        for (int k = 0; k < 4; ++k)
          if (!kBack && y + n * kDown < job.page)
            rows[n][k] = *reinterpret_cast<const uint32_t*>(at + (y + n * kDown + k) * row);
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) {
        if (y + n * kDown >= job.page) break;
        char* const page = tile + x * job.pitch + (y + n * kDown) * kSize;
        if constexpr (kSize == 1) {
          uint32_t columns[4];
          if (!kBack) turn_bytes(rows[n], columns);
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            auto* const word = reinterpret_cast<uint32_t*>(page + k * job.pitch);
            kBack ? columns[k] = *word : * word = columns[k];
          }
          if (kBack) turn_bytes(columns, rows[n]);
        } else {
          uint2 columns[2];
          if (!kBack) turn_halves(rows[n], columns);
#pragma unroll
          for (int k = 0; k < 2; ++k) {
            auto* const word = reinterpret_cast<uint2*>(page + k * job.pitch);
            kBack ? columns[k] = *word : * word = columns[k];
          }
          if (kBack)
            rows[n][0] = __byte_perm(columns[0].x, columns[1].x, 0x5410),
            rows[n][1] = __byte_perm(columns[0].x, columns[1].x, 0x7632),
            rows[n][2] = __byte_perm(columns[0].y, columns[1].y, 0x5410),
            rows[n][3] = __byte_perm(columns[0].y, columns[1].y, 0x7632);
        }
#pragma unroll
        for (int k = 0; k < 4; ++k)
          if (kBack) *reinterpret_cast<uint32_t*>(at + (y + n * kDown + k) * row) = rows[n][k];
      }
    }
  }
}

// Elements of the matrix to or from the pages in shared memory: of a block's columns, lanes along a row.
template <int kSize, bool kBack>
__device__ inline void pass_rows(char* tile, const PageJob& job, char* matrix, uint32_t panel, int64_t col0,
                                 int32_t width) {
  if constexpr (kSize < 4)
    if (job.words) return pass_words<kSize, kBack>(tile, job, matrix, panel, col0, width);
  using W = Word<kSize>;
  constexpr int kAtOnce = 8;
  const int32_t lanes = width < kPageThreads ? width : kPageThreads, down = kPageThreads / lanes,
                y0 = int32_t(threadIdx.x) / lanes;
  const int64_t row0 = int64_t(panel) * job.page, row = job.cols * kSize, step = down * row;
  // Rows behind the last one are those of the next column, in the workspace.
  const int64_t left = job.rows - row0, more = job.saved + kSize - (matrix + job.rows * row);
  if (y0 >= down) return;
  for (int32_t x = int32_t(threadIdx.x) % lanes; x < width; x += lanes) {
    const int64_t c = col0 + x;
    const int32_t shift = job.rest == 0 ? 0 : shift_of(job, c);
    if (panel == job.panels && shift >= job.rest) continue;
    const int32_t last = shift + job.page, end = c + 1 < job.cols || last < left ? last : int32_t(left);
    char* at = matrix + (row0 + y0) * row + c * kSize;
    char* const page = tile + x * job.pitch - shift * kSize;
    const auto wanted = [&](int32_t y) { return y >= shift && y < end; };
    const auto place = [&](int k, int32_t y) { return at + k * step + (y < left ? 0 : more); };
#pragma unroll 1
    for (int32_t y = y0; y < (job.rest == 0 ? job.page : 2 * job.page);
         y += kAtOnce * down, at += kAtOnce * step) {
      if constexpr (kBack || kSize >= 4) {
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const int32_t now = y + k * down;
          if (!wanted(now)) continue;
          if (kBack)
            *reinterpret_cast<W*>(place(k, now)) = *reinterpret_cast<const W*>(page + now * kSize);
          else
            send_word<kSize>(page + now * kSize, place(k, now));
        }
      } else {
        W elements[kAtOnce];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
          if (wanted(y + k * down)) elements[k] = *reinterpret_cast<const W*>(place(k, y + k * down));
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
          if (wanted(y + k * down)) *reinterpret_cast<W*>(page + (y + k * down) * kSize) = elements[k];
      }
    }
  }
}

// Pages in shared memory to or from their slots: words of kWord bytes, lanes along a page.
template <int kSize, int kWord, bool kBack>
__device__ inline void pass_pages(char* tile, const PageJob& job, char* matrix, uint32_t panel, int64_t col0,
                                  int32_t width) {
  using W = Word<kWord>;
  const int32_t bytes = job.page * kSize, lanes = bytes / kWord < kPageThreads ? bytes / kWord : kPageThreads,
                pages = kPageThreads / lanes;
  const int32_t own = int32_t(threadIdx.x) / lanes;
  if (own >= pages) return;
#pragma unroll 4
  for (int32_t x = own; x < width; x += pages) {
    const int32_t shift = job.rest == 0 ? 0 : shift_of(job, col0 + x);
    if (panel == job.panels && shift >= job.rest) continue;
    const int64_t first = slot_of(job, panel, col0 + x, shift) * job.page, left = (job.all - first) * kSize;
    char *const to = matrix + first * kSize, *const page = tile + x * job.pitch;
    for (int32_t b = int32_t(threadIdx.x) % lanes * kWord; b < bytes; b += lanes * kWord) {
      if (b + kWord <= left) {
        if (kBack)
          send_word<kWord>(page + b, to + b);
        else
          *reinterpret_cast<W*>(to + b) = *reinterpret_cast<const W*>(page + b);
      } else {
        for (int32_t e = b; e < b + kWord && e < left; e += kSize)
          *reinterpret_cast<Word<kSize>*>((kBack ? page : to) + e) =
              *reinterpret_cast<const Word<kSize>*>((kBack ? to : page) + e);
      }
    }
  }
}

template <int kSize, int kWord, bool kBack>
__global__ void __launch_bounds__(kPageThreads, kPageBlocks)
    gather_pages(const __grid_constant__ PageJob job) {
  extern __shared__ __align__(128) char tile[];
  __shared__ uint32_t ticket;
  wait_for_the_kernel_before();
  uint32_t block = blockIdx.x;
  if (job.ticket) {
    if (threadIdx.x == 0) ticket = atomicAdd(job.ticket, 1);
    __syncthreads();
    block = ticket;
  }
  const uint32_t order = job.parts.quotient(block), all = job.panels + (job.rest > 0);
  const uint32_t matrix_of = job.stride ? order : 0, panel = job.stride ? 0 : kBack ? all - 1 - order : order;
  const int64_t col0 = int64_t(block - order * job.parts.d) * job.width, left = job.cols - col0;
  const int32_t width = left < job.width ? int32_t(left) : job.width;
  char* const matrix = job.matrix + matrix_of * job.stride;
  if (kBack)
    pass_pages<kSize, kWord, true>(tile, job, matrix, panel, col0, width);
  else
    pass_rows<kSize, false>(tile, job, matrix, panel, col0, width);
  wait_for_pieces();
  __syncthreads();
  if (job.ticket) {
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(&job.done[order], 1);
      // What this panel writes, it and the two before have read; a part of a page at the end of all is the
      // whole panel's above and lies in the one below.
      const uint32_t last = order + (job.rest > 0 && order == (kBack ? 0 : job.panels - 1));
      for (uint32_t before = order < 2 ? 0 : order - 2; before <= last; ++before)
        while (seen(&job.done[before]) < job.parts.d) __nanosleep(32);
    }
    __syncthreads();
  }
  if (kBack)
    pass_rows<kSize, true>(tile, job, matrix, panel, col0, width);
  else
    pass_pages<kSize, kWord, false>(tile, job, matrix, panel, col0, width);
}

struct MoveJob {
  PageJob job;
  int32_t bytes;  // of a part of a page
};

// Words of kWord bytes. Where a warp begins, one that comes there may
// store its own only when the first has what lay there. To where it carries something no other warp stores.
template <int kWord, bool kBack>
__global__ void __launch_bounds__(kPageThreads) move_pages(const __grid_constant__ MoveJob move) {
  using W = Word<kWord>;
  constexpr int kItems = kPageMove / kWord / 32;
  const PageJob& job = move.job;
  const int32_t bytes = move.bytes;
  wait_for_the_kernel_before();
  const int32_t lane = int32_t(threadIdx.x) % 32, words = bytes / kWord;
  const uint32_t warps = gridDim.x * (kPageThreads / 32), moves = uint32_t(job.moves),
                 parts = job.pages * moves;
  const auto each_word = [&](uint32_t part, const auto& go) {
    W* const from = reinterpret_cast<W*>(job.matrix + int64_t(part) * bytes);
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      if (k * 32 + lane < words) go(from[k * 32 + lane], k);
  };
  const auto asked_before = [&](uint32_t part) {
    const uint32_t before = lane == 0 ? atomicOr(&job.taken[part / 16], 1u << part % 16) : 0;
    return (__shfl_sync(~0u, before, 0) >> part % 16 & 1) != 0;
  };
  for (uint32_t first = blockIdx.x * (kPageThreads / 32) + threadIdx.x / 32; first < parts; first += warps) {
    W carried[kItems], next[kItems];
    if (asked_before(first)) continue;
    each_word(first, [&](const W& word, int k) { carried[k] = word; });
    __threadfence();
    __syncwarp();
    if (lane == 0) atomicOr(&job.taken[first / 16], 0x10000u << first % 16);
    uint32_t at = first;
    for (bool goes_on = true; goes_on;) {
      const uint32_t page = at / moves;
      at = (kBack ? slot_for(job, page) : page_in(job, page)) * moves + at % moves;
      each_word(at, [&](const W& word, int k) { next[k] = word; });
      goes_on = !asked_before(at);
      if (!goes_on)
        while (!(seen(&job.taken[at / 16]) >> 16 >> at % 16 & 1)) __nanosleep(20);
      each_word(at, [&](W& word, int k) { word = carried[k], carried[k] = next[k]; });
    }
  }
}

// Backwards, the first rows of columns come last, from the workspace.
template <int kSize>
__global__ void __launch_bounds__(kPageThreads) restore_rows(const __grid_constant__ PageJob job) {
  wait_for_the_kernel_before();
  for (int64_t i = blockIdx.x * kPageThreads + int64_t(threadIdx.x); i < job.page * job.cols;
       i += int64_t(gridDim.x) * kPageThreads)
    if (i / job.cols < shift_of(job, i % job.cols))
      reinterpret_cast<Word<kSize>*>(job.matrix)[i] = reinterpret_cast<const Word<kSize>*>(job.saved)[i];
}

}  // namespace lab::fast
