// Chooses the kernel for a batch of matrices: turn_plan, at the end, says which, and the share of a copy's
// rate that it is expected to reach. Above it stand the launches, one for each kernel.
//
// Enters: a batch of matrices (matrices.cuh). Leaves: a TurnPlan, which plan_for in transpose.cuh compares
// with a box (cost.cuh).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "common/fast/aligned.cuh"
#include "common/fast/cost.cuh"
#include "common/fast/matrices.cuh"
#include "common/fast/narrow.cuh"
#include "common/fast/planes.cuh"
#include "common/fast/tiles.cuh"

namespace lab::fast {

// A box that was planned for this layout, perhaps at other addresses.
inline cudaError_t launch_box(const Layout& l, const BoxChoice& choice, cudaStream_t stream) {
  Box box = choice.box;
  box.in_end = l.in + (box.in_end - box.in_begin), box.in = box.in_begin = l.in, box.out = l.out;
  return by_size(l.element, [&](auto size) {
    constexpr int kSize = decltype(size)::kSize;
    return launch(move_box<kSize>, unsigned(choice.size.blocks), kBoxThreads, int(choice.size.shared_bytes),
                  box, stream);
  });
}

// Tiles across a band. Rows of 128 KiB are read 16 KiB at a time where they are less than 2 GiB: 1 to 4 %
// faster than one tile after the other, and no other rows gain (docs/fast_times.md). Bytes were not measured.
template <typename T>
int band_of(const Matrices& m) {
  constexpr int64_t kRow = 128 << 10, kBand = 16 << 10, kMost = int64_t(2) << 30;
  const bool banded = T::kSize > 1 && m.in_pitch == kRow && m.rows * m.in_pitch < kMost;
  return banded ? int(kBand / (T::kCols * T::kSize)) : 1;
}

// `with` makes the kernel's parameter of a job.
template <typename T, typename With>
cudaError_t launch_aligned(const Matrices& all, cudaStream_t stream, const With& with) {
  return in_grids(all, tiles_of<T>(all), [&](const Matrices& m, unsigned blocks) {
    const auto given = with(job_for<T>(m, band_of<T>(all)));
    return launch(turn_aligned<T, std::decay_t<decltype(given)>>, blocks, T::kThreads,
                  T::kRows * T::kCols * T::kSize, given, stream);
  });
}
template <typename T, bool kFolded, typename With>
cudaError_t launch_ragged(const Matrices& all, cudaStream_t stream, const With& with) {
  return in_grids(all, tiles_of<T>(all), [&](const Matrices& m, unsigned blocks) {
    bool rotated;
    Job job = ragged_job<T>(m, all, rotated);
    const int bytes = ragged_bytes<T>(job);
    const auto given = with(job);
    using Given = std::decay_t<decltype(given)>;
    return launch(rotated ? turn_ragged<T, true, kFolded, Given> : turn_ragged<T, false, kFolded, Given>,
                  blocks, T::kThreads, bytes, given, stream);
  });
}
inline Job as_it_is(const Job& job) { return job; }
template <typename T>
cudaError_t launch_aligned(const Matrices& all, cudaStream_t stream) {
  return launch_aligned<T>(all, stream, as_it_is);
}
template <typename T>
cudaError_t launch_ragged(const Matrices& all, cudaStream_t stream) {
  return all.folds > 0 ? launch_ragged<T, true>(all, stream, as_it_is)
                       : launch_ragged<T, false>(all, stream, as_it_is);
}

// For kernels whose blocks stand along the long side, so many a matrix, and know no tiles.
template <int kSize>
Job job_along(const Matrices& m, int64_t blocks_each) {
  Job job = job_for<Tile<kSize, 128, 128, 128, 1>>(m, 1);
  job.tiles = divide_by(uint32_t(blocks_each));
  return job;
}

// Pieces of a column that a warp of few columns covers, by their logarithm: fewer where a GPU would not be full.
inline int narrow_along(const Matrices& m) {
  const int64_t bytes = m.rows * m.in_pitch * m.batch[0].count * m.batch[1].count * m.batch[2].count;
  return bytes < int64_t(1) << 20 ? 3 : bytes < int64_t(12) << 20 ? 4 : 5;
}
// Rows that a block covers: whole lines, as many as fill 8 to 32 KB, and as many for each block.
template <int kSize>
int32_t narrow_share(const Matrices& m) {
  const int64_t line = (kPiece << narrow_along(m)) / kSize, all = up(m.rows, line),
                most = std::max(line * kSize * 64 / (line * m.in_pitch), int64_t(1));
  return int32_t(up(all, up(all, most)) * line);
}
template <int kSize>
cudaError_t launch_few_columns(const Matrices& all, cudaStream_t stream) {
  constexpr int kWord = kSize > 4 ? kSize : 4, kIn = kWord / kSize, kElems = kPiece / kSize;
  const auto log = [](int64_t n) {
    int of = 0;
    while (n % 2 == 0) n /= 2, ++of;
    return of;
  };
  NarrowJob narrow{};
  narrow.share = narrow_share<kSize>(all);
  // A row begins an odd number of 2^words words behind the one before it; below 0: of parts of a word.
  const int words = log(all.in_pitch / kSize) - log(kIn), groups = std::clamp(words, 0, 2);
  narrow.along = std::min(5 - groups, narrow_along(all)), narrow.turn = std::max(-words, 0);
  narrow.alike = std::clamp(log(128 / kWord) - words - log(kElems), 0, narrow.along);
  narrow.across = small_divider(narrow.along == 5 ? all.cols : up(all.cols, kIn * 32 >> narrow.along) * kIn);
  const int64_t blocks_each = up(all.rows, narrow.share),
                bytes = (narrow.share + kSector / kSize + kElems) * all.in_pitch + kPiece;
  return in_grids(all, blocks_each, [&](const Matrices& m, unsigned blocks) {
    narrow.job = job_along<kSize>(m, blocks_each);
    return launch(turn_few_columns<kSize>, blocks, kNarrowThreads, int(bytes), narrow, stream);
  });
}

// A kernel for matrices, and the share of a copy's rate that it is expected to reach.
struct TurnPlan {
  cudaError_t (*go)(const Matrices&, cudaStream_t) = nullptr;
  double share = 0;
  bool folded = false;  // it takes matrices whose rows go on through several dimensions
  bool sure = false;    // no box is faster
};

// Whether between rows of `out` lies less than a row, so no other matrix's.
template <int kSize>
bool has_gaps(const Matrices& m) {
  return m.out_pitch < 2 * m.rows * kSize;
}

// `full`: the share where tiles are full. Tiles that are not cost almost as much.
inline double share_of(double full, double filled) {
  const double lost = pow(1.35 * filled, 0.85);
  return full * (lost < 1 ? lost : 1);
}
template <typename T>
double filled(const Matrices& m) {
  return double(m.rows) * double(m.cols) / (double(tiles_of<T>(m)) * T::kRows * T::kCols);
}

template <typename T>
TurnPlan aligned_plan(const Matrices& m) {
  return {launch_aligned<T>, share_of(T::kSize == 1 ? 0.97 : 1, filled<T>(m))};
}
// Bytes are gathered one by one, so tiles take as long as memory, and it is the slower of both that counts. A
// row of a tile is read with the rest of its sectors, and most of the rows below the tile too; a row of `out`
// that begins and ends within sectors costs 22 bytes, where another block has the rest of them 623. A tile
// costs much the same however many rows it has, and more where they are folded. Fitted on an H200 to 152 drawn
// layouts, 7 % mean error. Folded apart: 2 microseconds more, and constants by which 84 drawn layouts are
// moved in the least time: 0.8 % slower in the mean than by the best of tiles, folded or not, and boxes.
template <typename T>
TurnPlan bytes_plan(const Matrices& m) {
  const double rows = double(m.rows), cols = double(m.cols), across = double(up(m.cols, T::kCols)),
               down = double(up(m.rows, T::kRows)),
               matrices = double(m.batch[0].count * m.batch[1].count * m.batch[2].count),
               waves = down * across * matrices / (132.0 * T::kBlocks),
               ends = multiple_of(kSector, m.out, m.out_pitch, m.batch, &BatchDim::out_stride) ? 0
                      : m.out_pitch == m.rows                                                  ? 22
                      : has_gaps<1>(m)                                                         ? 300
                                                                                               : 623;
  const double memory = rows * (cols + 22 * across) + cols * (rows + ends) +
                        across * down * 0.889 * kSector * double(least(m.cols, T::kCols)),
               work = across * down * (0.586 * T::kRows * T::kCols + (m.folds > 0 ? 24e3 : 12e3)),
               rounds = waves < 1 ? 1 / waves : 1 + 0.11 * (ceil(waves) / waves - 1);
  const double time = matrices * rounds * std::max(memory / (m.folds > 0 ? 4.2e6 : 4.59e6), work / 3.59e6) +
                      (m.folds > 0 ? 2 : 0);
  const double few = m.rows < T::kRows / 2 ? 0.85 : 1;  // then boxes are mostly faster
  return {launch_ragged<T>, few * copy_time(2 * rows * cols * matrices) / time};
}
inline TurnPlan bytes_plan(const Matrices& m) {
  TurnPlan best = bytes_plan<Tiles<1>::Ragged>(m);
  for (const TurnPlan& plan :
       {bytes_plan<FewRagged>(m), bytes_plan<WideRagged>(m), bytes_plan<TallRagged>(m)})
    if (plan.share > best.share) best = plan;
  return best;
}

// Rows of `out` that begin and end within sectors, or pairs of them, cost part of their share, unless the
// next one goes on where this one ends; less where there is but a gap between them.
template <int kSize>
TurnPlan tiles_plan(const Matrices& m, bool aligned) {
  using T = Tiles<kSize>;
  using Ragged = typename T::Ragged;
  if (!aligned && kSize == 1) return bytes_plan(m);
  TurnPlan plan = !aligned
                      ? TurnPlan{launch_ragged<Ragged>, share_of(kSize == 2 ? 0.95 : 0.98, filled<Ragged>(m))}
                  : m.cols <= T::Tall::kCols ? aligned_plan<typename T::Tall>(m)
                                             : aligned_plan<typename T::Aligned>(m);
  const double column = double(m.rows * kSize);
  if (m.out_pitch != m.rows * kSize && (!aligned || m.rows * kSize % (2 * kSector) != 0))
    plan.share *= column / (column + (aligned || has_gaps<kSize>(m) ? 2 : 8) * kSector);
  return plan;
}

using PlanesKernel = void (*)(Job);

// Null: not 2, 3 or 4 rows that lie together in `out` in aligned pieces.
template <int kSize, bool kAligned>
PlanesKernel planes_kernel(int64_t rows) {
  return rows == 2   ? join_planes<kSize, 2, kAligned>
         : rows == 3 ? join_planes<kSize, 3, kAligned>
                     : join_planes<kSize, 4, kAligned>;
}
template <int kSize>
PlanesKernel planes_kernel(const Matrices& m) {
  if (m.rows < 2 || m.rows > 4 || m.out_pitch != m.rows * kSize ||
      !multiple_of(kPiece, m.out, 0, m.batch, &BatchDim::out_stride))
    return nullptr;
  return multiple_of(kPiece, m.in, m.in_pitch, m.batch, &BatchDim::in_stride)
             ? planes_kernel<kSize, true>(m.rows)
             : planes_kernel<kSize, false>(m.rows);
}

template <int kSize>
cudaError_t launch_planes(const Matrices& all, cudaStream_t stream) {
  const PlanesKernel kernel = planes_kernel<kSize>(all);
  const int64_t blocks_each = up(all.cols, kPlanesThreads * (kPiece / kSize));
  return in_grids(all, blocks_each, [&](const Matrices& m, unsigned blocks) {
    return launch(kernel, blocks, kPlanesThreads, 0, job_along<kSize>(m, blocks_each), stream);
  });
}

template <int kSize>
TurnPlan turn_plan(const Matrices& m) {
  const bool aligned = are_aligned(m);
  const int64_t row = m.cols * kSize, long_side = m.rows > m.cols ? m.rows : m.cols;
  // Blocks along the long side, which cover `each` of it.
  const auto along = [&](int64_t each) { return double(long_side) / double(up(long_side, each) * each); };
  if (planes_kernel<kSize>(m))
    return {launch_planes<kSize>, share_of(1.02, along(kPlanesThreads * (kPiece / kSize)))};
  const TurnPlan tiles = tiles_plan<kSize>(m, aligned);
  const int64_t apart = m.in_pitch / kSize;
  if (row > m.in_pitch || apart > kMostNarrow || row >= m.rows * kSize) return tiles;
  // All that lies between rows is read; wide rows leave few blocks room, and far too many lanes meet in a bank
  // where rows are a multiple of 32 elements apart.
  const double read = double(row + m.in_pitch) / double(2 * row),
               wide = double(std::max<int64_t>(apart - 64, 0)),
               share = (apart % 32 == 0 ? 0.88 : 0.98) - 0.002 * wide;
  const int64_t each = narrow_share<kSize>(m);
  const double block = double(least(m.rows, each) * m.in_pitch),
               filled = along(each) * block / (block + 4096);  // what a block costs anyway
  TurnPlan few{launch_few_columns<kSize>, share_of(share / read, filled)};
  few.sure = few.share > 0.65;
  if (aligned) return m.in_pitch <= 64 && row * 2 <= Tiles<kSize>::Tall::kPieces * kPiece ? few : tiles;
  return few.share > tiles.share ? few : tiles;
}

inline TurnPlan turn_plan(const Matrices& m, int element_bytes) {
  return by_size(element_bytes, [&](auto size) {
    constexpr int kSize = decltype(size)::kSize;
    if (m.folds == 0) return turn_plan<kSize>(m);
    TurnPlan plan = tiles_plan<kSize>(m, false);
    plan.folded = true;
    if (kSize == 1) return plan;  // bytes_plan knows of folds
    constexpr int kCols = Tiles<kSize>::Ragged::kCols;
    const double across = 1.1 * double(m.cols) / double(up(m.cols, kCols) * kCols);
    plan.share *= 0.98 * (across < 1 ? across : 1);
    return plan;
  });
}

}  // namespace lab::fast
