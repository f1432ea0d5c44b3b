// Chooses the kernel for a batch of matrices and fills in its Job.
//
// Enters: pointers, sizes and strides in bytes. Leaves: a launch. The tiles were chosen by measuring
// (docs/gpu.md).
#pragma once

#include <cuda_runtime.h>

#include "common/fast/aligned.cuh"
#include "common/fast/cost.cuh"
#include "common/fast/narrow.cuh"
#include "common/fast/planes.cuh"

namespace lab::fast {

struct BatchDim {
  int64_t count = 1, out_stride = 0, in_stride = 0;  // bytes
};

struct Matrices {
  char* out;
  const char* in;
  int64_t rows, cols, out_pitch, in_pitch;  // elements, bytes
  BatchDim batch[kBatchDims];               // the innermost first
};

constexpr int64_t kMostBlocks = (int64_t(1) << 31) - 1;

// Whether every row begins at a multiple of `bytes`.
inline bool multiple_of(int64_t bytes, const void* pointer, int64_t pitch,
                        const BatchDim (&batch)[kBatchDims], int64_t BatchDim::*stride) {
  int64_t all = int64_t(reinterpret_cast<size_t>(pointer)) | pitch;
  for (const BatchDim& dim : batch)
    if (dim.count > 1) all |= dim.*stride;
  return all % bytes == 0;
}

template <typename T>
Job job_for(const Matrices& m, int64_t band_width) {
  Job job{};
  job.out = m.out, job.in = m.in, job.in_begin = m.in;
  job.in_end = m.in + (m.rows - 1) * m.in_pitch + m.cols * T::kSize;
  job.rows = m.rows, job.cols = m.cols, job.out_pitch = m.out_pitch, job.in_pitch = m.in_pitch;
  for (int i = 0; i < kBatchDims; ++i) {
    job.out_stride[i] = m.batch[i].out_stride, job.in_stride[i] = m.batch[i].in_stride;
    job.in_end += (m.batch[i].count - 1) * m.batch[i].in_stride;
    if (i < kBatchDims - 1) job.batch[i] = divide_by(uint32_t(m.batch[i].count));
  }
  const int64_t down = up(m.rows, T::kRows), across = up(m.cols, T::kCols),
                width = band_width < across ? band_width : across;
  job.bands = int32_t(up(across, width));
  job.tiles = divide_by(uint32_t(down * across)), job.band = divide_by(uint32_t(down * width));
  job.width = divide_by(uint32_t(width)),
  job.last_width = divide_by(uint32_t(across - (job.bands - 1) * width));
  return job;
}

// The ragged kernel's tile. Four lanes beside each other meet no bank twice when the bytes that they read,
// `from_lane` elements apart modulo a piece, lie in four different words: columns `step` apart see to that,
// or else lanes begin at different words.
template <typename T>
bool lay_out(Job& job) {
  constexpr int kWord = T::kSize > 4 ? T::kSize : 4, kIn = kWord / T::kSize;
  job.pitch = int32_t(T::kPieces * kPiece + kPiece + job.in_pitch % kPiece);
  job.skew = job.pitch / T::kSize % 2 ? 0 : kPiece;
  const int64_t out = job.out_pitch / T::kSize % T::kElems, in = job.in_pitch / T::kSize % T::kElems;
  const int64_t from_lane = (1 + T::kElems * T::kElems - out * in) % T::kElems;
  job.step = 1;
  for (int step = kIn; step > 1; step /= 2)
    if (from_lane * step % (2 * kIn) == kIn) job.step = step;
  return from_lane * job.step % (2 * kIn) != kIn;
}

// Calls `go` for as many blocks as a grid holds, over the outermost dimension of the batch.
template <typename Go>
cudaError_t in_grids(const Matrices& m, int64_t tiles, const Go& go) {
  const int64_t each = tiles * m.batch[0].count * m.batch[1].count;
  if (tiles > kMostBlocks || each > kMostBlocks) return cudaErrorInvalidValue;
  const int64_t at_once = kMostBlocks / each;
  for (int64_t first = 0; first < m.batch[2].count; first += at_once) {
    Matrices part = m;
    part.out += first * m.batch[2].out_stride, part.in += first * m.batch[2].in_stride;
    part.batch[2].count = m.batch[2].count - first < at_once ? m.batch[2].count - first : at_once;
    if (const cudaError_t error = go(part, unsigned(each * part.batch[2].count))) return error;
  }
  return cudaSuccess;
}

template <typename T>
int64_t tiles_of(const Matrices& m) {
  return up(m.rows, T::kRows) * up(m.cols, T::kCols);
}

// Whether the program's kernels wait for the kernel before themselves: made for nothing before compute
// capability 9.0.
constexpr bool kernels_wait() {
#ifdef __CUDA_ARCH_LIST__
  for (const int made_for : {__CUDA_ARCH_LIST__})
    if (made_for < 900) return false;
  return true;
#else
  return false;
#endif
}

template <typename Kernel, typename JobOfKernel>
cudaError_t launch(Kernel kernel, unsigned blocks, int threads, int shared_bytes, const JobOfKernel& job,
                   cudaStream_t stream) {
  if (shared_bytes > 48 * 1024)
    if (const cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes))
      return error;
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks), config.blockDim = dim3(unsigned(threads));
  config.dynamicSmemBytes = size_t(shared_bytes), config.stream = stream;
  config.attrs = &overlap, config.numAttrs = kernels_wait() ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, job);
}

template <int kSize>
cudaError_t launch_box(const Box& box, const BoxChoice& choice, cudaStream_t stream) {
  const int loops = loops_of(box);
  return launch(loops == 2   ? move_box<kSize, 2>
                : loops == 3 ? move_box<kSize, 3>
                             : move_box<kSize, kBoxDims>,
                unsigned(choice.size.blocks), choice.shape.threads, int(choice.size.shared_bytes), box,
                stream);
}

// A box that was planned for this layout, perhaps at other addresses.
inline cudaError_t launch_box(const Layout& l, const BoxChoice& choice, cudaStream_t stream) {
  Box box = choice.box;
  box.in_end = l.in + (box.in_end - box.in_begin), box.in = box.in_begin = l.in, box.out = l.out;
  switch (l.element) {
    case 1:
      return launch_box<1>(box, choice, stream);
    case 2:
      return launch_box<2>(box, choice, stream);
    case 4:
      return launch_box<4>(box, choice, stream);
    case 8:
      return launch_box<8>(box, choice, stream);
    default:
      return launch_box<16>(box, choice, stream);
  }
}

// Tiles across a band. Rows of 128 KiB are read 16 KiB at a time where they are less than 2 GiB: 1 to 4 %
// faster than one tile after the other, and no other rows gain (docs/gpu.md). Bytes were not measured.
template <typename T>
int band_of(const Matrices& m) {
  constexpr int64_t kRow = 128 << 10, kBand = 16 << 10, kMost = int64_t(2) << 30;
  const bool banded = T::kSize > 1 && m.in_pitch == kRow && m.rows * m.in_pitch < kMost;
  return banded ? int(kBand / (T::kCols * T::kSize)) : 1;
}

template <typename T>
cudaError_t launch_in_bands(const Matrices& all, cudaStream_t stream, int band_width) {
  return in_grids(all, tiles_of<T>(all), [&](const Matrices& m, unsigned blocks) {
    return launch(turn_aligned<T>, blocks, T::kThreads, T::kRows * T::kCols * T::kSize,
                  job_for<T>(m, band_width), stream);
  });
}
template <typename T>
cudaError_t launch_aligned(const Matrices& m, cudaStream_t stream) {
  return launch_in_bands<T>(m, stream, band_of<T>(m));
}

// Shared memory of the ragged kernel, when its tile is laid out.
template <typename T>
int ragged_bytes(const Job& job) {
  const int rows = T::kRows + kHaloRows<T>;
  return int(rows * job.pitch + up(rows, T::kElems) * job.skew + kPiece);
}

// Tiles across a band of the ragged kernel. Where a column of tiles is more than the L2 cache keeps, the
// sectors that a tile shares with the one beside it are fetched twice, unless these two follow each other.
template <typename T>
int ragged_band(const Matrices& m) {
  constexpr int64_t kKept = 9 << 20;
  if (m.rows * T::kCols * T::kSize > kKept) return 64;
  return T::kSize == 1 || (T::kSize == 2 && T::kCols > 96) ? 4 : 1;
}

template <typename T>
cudaError_t launch_ragged(const Matrices& all, cudaStream_t stream) {
  const int band_width = ragged_band<T>(all);
  return in_grids(all, tiles_of<T>(all), [&](const Matrices& m, unsigned blocks) {
    Job job = job_for<T>(m, band_width);
    const bool rotated = lay_out<T>(job);
    return launch(rotated ? turn_ragged<T, true> : turn_ragged<T, false>, blocks, T::kThreads,
                  ragged_bytes<T>(job), job, stream);
  });
}

// For kernels whose blocks stand along the long side, so many a matrix, and know no tiles.
template <int kSize>
Job job_along(const Matrices& m, int64_t blocks_each) {
  Job job = job_for<Tile<kSize, 128, 128, 128, 1>>(m, 1);
  job.tiles = divide_by(uint32_t(blocks_each));
  return job;
}

// Elements of the long side that a block covers: 128 bytes of each of the few are the least.
template <int kSize>
int32_t narrow_share(int64_t few) {
  return int32_t(kNarrowBytes / (few * 128) * (128 / kSize));
}

template <int kSize, typename Kernel>
cudaError_t launch_narrow(Kernel kernel, const Matrices& all, int64_t few, int64_t many,
                          cudaStream_t stream) {
  NarrowJob narrow{};
  narrow.share = narrow_share<kSize>(few);
  const int64_t blocks_each = up(many, narrow.share);
  narrow.pieces = divide_by(uint32_t((narrow.share + kSector / kSize) * kSize / kPiece + 1));
  narrow.pitch = int32_t(narrow.pieces.d * kPiece + all.in_pitch % kPiece),
  narrow.few = divide_by(uint32_t(few));
  return in_grids(all, blocks_each, [&](const Matrices& m, unsigned blocks) {
    narrow.job = job_along<kSize>(m, blocks_each);
    return launch(kernel, blocks, kNarrowThreads, 0, narrow, stream);
  });
}
template <int kSize>
cudaError_t launch_few_columns(const Matrices& m, cudaStream_t stream) {
  return launch_narrow<kSize>(turn_few_columns<kSize>, m, m.cols, m.rows, stream);
}
template <int kSize>
cudaError_t launch_few_rows(const Matrices& m, cudaStream_t stream) {
  return launch_narrow<kSize>(turn_few_rows<kSize>, m, m.rows, m.cols, stream);
}

// By bytes of an element: Tile<bytes, along a row of `out`, along a row of `in`, threads, blocks on a
// multiprocessor, the hints to the caches>.
template <int kSize>
struct Tiles;
template <>
struct Tiles<1> {
  using Large = Tile<1, 256, 256, 512, 2, Cache::Keep>;
  using Aligned = Tile<1, 64, 256, 256, 4, Cache::Keep>;
  using Small = Tile<1, 64, 64, 64, 18, Cache::Keep>;
  using Tall = Tile<1, 256, 32, 128, 9, Cache::Keep>;
  using Flat = Tile<1, 32, 512, 256, 4, Cache::Keep>;
  using Ragged = Tile<1, 128, 160, 256, 4>;
  using FewRagged = Tile<1, 256, 64, 256, 5, Cache::Keep>;
};
template <>
struct Tiles<2> {
  using Large = Tile<2, 256, 256, 256, 4, Cache::Keep>;
  using Aligned = Tile<2, 64, 256, 128, 9, Cache::Keep>;
  using Small = Tile<2, 128, 128, 128, 9, Cache::Keep>;
  using Tall = Tile<2, 512, 64, 256, 6, Cache::Keep>;
  using Flat = Tile<2, 64, 512, 256, 4, Cache::Keep>;
  using Ragged = Tile<2, 256, 192, 256, 4, Cache::Keep>;
  using FewRagged = Tile<2, 256, 256, 256, 4, Cache::Keep>;
};
template <>
struct Tiles<4> {
  using Large = Tile<4, 256, 256, 256, 4, Cache::Keep>;
  using Aligned = Tile<4, 256, 256, 128, 7, Cache::Keep>;
  using Small = Tile<4, 128, 128, 64, 16, Cache::Keep>;
  using Tall = Tile<4, 1024, 128, 512, 2, Cache::Keep>;
  using Flat = Tile<4, 128, 256, 128, 9, Cache::Keep>;
  using Ragged = Tile<4, 256, 256, 256, 5, Cache::Keep>;
  using FewRagged = Ragged;
};
template <>
struct Tiles<8> {
  using Large = Tile<8, 512, 256, 512, 2, Cache::Keep>;
  using Aligned = Tile<8, 256, 256, 256, 5>;
  using Small = Aligned;
  using Tall = Large;
  using Flat = Tile<8, 256, 256, 128, 8, Cache::Keep>;
  using Ragged = Tile<8, 512, 256, 256, 5, Cache::Keep>;
  using FewRagged = Ragged;
};
template <>
struct Tiles<16> {
  using Large = Tile<16, 256, 256, 128, 10, Cache::Keep>;
  using Aligned = Large;
  using Small = Large;
  using Tall = Large;
  using Flat = Large;
  using Ragged = Tile<16, 512, 512, 256, 5, Cache::Keep>;
  using FewRagged = Ragged;
};

constexpr int64_t kManyTiles = 3000;  // from here on large tiles fill a GPU evenly

// A kernel for matrices, and the share of a copy's rate that it is expected to reach.
struct TurnPlan {
  cudaError_t (*go)(const Matrices&, cudaStream_t) = nullptr;
  double share = 0;
};

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
template <typename T>
TurnPlan ragged_plan(const Matrices& m) {
  const double part = filled<T>(m);  // bytes are gathered one by one, and wait for each other
  return {launch_ragged<T>,
          T::kSize == 1 ? 0.86 * part * sqrt(part) : share_of(T::kSize == 2 ? 0.95 : 0.98, part)};
}

template <int kSize>
TurnPlan tiles_plan(const Matrices& m, bool aligned) {
  using T = Tiles<kSize>;
  const int64_t matrices = m.batch[0].count * m.batch[1].count * m.batch[2].count;
  if (!aligned)
    return tiles_of<typename T::Ragged>(m) * matrices >= kManyTiles ? ragged_plan<typename T::Ragged>(m)
                                                                    : ragged_plan<typename T::FewRagged>(m);
  if (m.rows <= T::Small::kRows && m.cols <= T::Small::kCols) return aligned_plan<typename T::Small>(m);
  if (m.cols <= T::Tall::kCols) return aligned_plan<typename T::Tall>(m);
  if (m.rows <= T::Flat::kRows) return aligned_plan<typename T::Flat>(m);
  if (tiles_of<typename T::Large>(m) * matrices >= kManyTiles) return aligned_plan<typename T::Large>(m);
  return aligned_plan<typename T::Aligned>(m);
}

using PlanesKernel = void (*)(Job);

// For kPlanes dense columns or rows whose pieces are aligned where they have to be; null: not this matrix.
template <int kSize, int kPlanes>
PlanesKernel planes_kernel(const Matrices& m) {
  const auto aligned = [&](const char* pointer, int64_t pitch, int64_t BatchDim::*stride) {
    return multiple_of(kPiece, pointer, pitch, m.batch, stride);
  };
  if (m.cols == kPlanes && m.in_pitch == kPlanes * kSize && aligned(m.in, 0, &BatchDim::in_stride) &&
      aligned(m.out, m.out_pitch, &BatchDim::out_stride))
    return split_planes<kSize, kPlanes>;
  if (m.rows == kPlanes && m.out_pitch == kPlanes * kSize && aligned(m.out, 0, &BatchDim::out_stride))
    return aligned(m.in, m.in_pitch, &BatchDim::in_stride) ? join_planes<kSize, kPlanes, true>
                                                           : join_planes<kSize, kPlanes, false>;
  return nullptr;
}

template <int kSize>
PlanesKernel planes_kernel(const Matrices& m) {
  for (const PlanesKernel kernel :
       {planes_kernel<kSize, 2>(m), planes_kernel<kSize, 3>(m), planes_kernel<kSize, 4>(m)})
    if (kernel) return kernel;
  return nullptr;
}

template <int kSize>
cudaError_t launch_planes(const Matrices& all, cudaStream_t stream) {
  const PlanesKernel kernel = planes_kernel<kSize>(all);
  const int64_t blocks_each =
      up(all.rows > all.cols ? all.rows : all.cols, kPlanesThreads * (kPiece / kSize));
  return in_grids(all, blocks_each, [&](const Matrices& m, unsigned blocks) {
    return launch(kernel, blocks, kPlanesThreads, 0, job_along<kSize>(m, blocks_each), stream);
  });
}

// Shares of a copy that full blocks reach, by log2 of the bytes of an element (docs/fast.md).
constexpr double kFewColumnsShare[] = {0.72, 0.88, 0.96, 1, 1};
constexpr double kFewRowsShare[] = {0.46, 0.64, 0.72, 0.85, 0.9};

template <int kSize>
TurnPlan turn_plan(const Matrices& m) {
  constexpr int kLog = kSize == 1 ? 0 : kSize == 2 ? 1 : kSize == 4 ? 2 : kSize == 8 ? 3 : 4;
  const bool aligned = multiple_of(kPiece, m.in, m.in_pitch, m.batch, &BatchDim::in_stride) &&
                       multiple_of(kSector, m.out, m.out_pitch, m.batch, &BatchDim::out_stride);
  const int64_t row = m.cols * kSize, column = m.rows * kSize;
  // Blocks along the long side, which cover `each` of it.
  const auto along = [](int64_t many, int64_t each) { return double(many) / double(up(many, each) * each); };
  if (planes_kernel<kSize>(m))
    return {launch_planes<kSize>,
            share_of(1.02, along(m.rows > m.cols ? m.rows : m.cols, kPlanesThreads * (kPiece / kSize)))};
  using T = Tiles<kSize>;
  const bool tall = aligned && row * 2 > T::Tall::kPieces * kPiece,
             flat = aligned && column * 2 > T::Flat::kChunks * kPiece;
  if (row == m.in_pitch && row <= kMostNarrow && row < column && !tall)
    return {launch_few_columns<kSize>, share_of(row >= 32 && kSize == 1 ? 0.35 : kFewColumnsShare[kLog],
                                                along(m.rows, narrow_share<kSize>(m.cols)))};
  if (column == m.out_pitch && column <= kMostNarrow && column < row && !flat)
    return {launch_few_rows<kSize>,
            share_of(kFewRowsShare[kLog], along(m.cols, narrow_share<kSize>(m.rows)))};
  return tiles_plan<kSize>(m, aligned);
}

inline TurnPlan turn_plan(const Matrices& m, int element_bytes) {
  switch (element_bytes) {
    case 1:
      return turn_plan<1>(m);
    case 2:
      return turn_plan<2>(m);
    case 4:
      return turn_plan<4>(m);
    case 8:
      return turn_plan<8>(m);
    default:
      return turn_plan<16>(m);
  }
}

}  // namespace lab::fast
