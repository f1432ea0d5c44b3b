// A batch of matrices as the kernels for matrices take it: a Job, and grids of as many blocks as there may
// be.
//
// Enters: pointers, sizes and strides in bytes, and a tile of tiles.cuh. Leaves: the Job that a launch of
// plan.cuh needs, with what the ragged kernel's tile looks like in shared memory.
#pragma once

#include "common/fast/box_plan.cuh"
#include "common/fast/launch.cuh"

namespace lab {

// Distances in elements; 0: as dense as it can be.
struct Pitches {
  int64_t out = 0, in = 0;
};
struct Batch {
  int64_t count = 1, out_stride = 0, in_stride = 0;
};
// Memory of the GPU that transpose_in_place may write to, as much as it asks for.
struct Workspace {
  void* memory = nullptr;
  int64_t bytes = 0;
};

namespace fast {

// Puts what is meant in the place of zeros; the error of what is no batch of matrices.
inline cudaError_t complete(int64_t rows, int64_t cols, Pitches& pitches, Batch& batch) {
  if (rows < 0 || cols < 0 || batch.count < 0) return cudaErrorInvalidValue;
  if (pitches.out == 0) pitches.out = rows;
  if (pitches.in == 0) pitches.in = cols;
  if (batch.out_stride == 0) batch.out_stride = cols * pitches.out;
  if (batch.in_stride == 0) batch.in_stride = rows * pitches.in;
  return pitches.out < rows || pitches.in < cols ? cudaErrorInvalidPitchValue : cudaSuccess;
}

inline bool known(int bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16; }

struct BatchDim {
  int64_t count = 1, out_stride = 0, in_stride = 0;  // bytes
};

struct Matrices {
  char* out;
  const char* in;
  int64_t rows, cols, out_pitch, in_pitch;  // elements, bytes
  BatchDim batch[kBatchDims] = {};          // the innermost first
  // Dimensions that rows of `out` go on through, if any: `rows` counts them all, the first of them in_pitch
  // apart.
  int folds = 0;
  int64_t first_rows = 0;
  BatchDim fold[kBatchDims] = {};
};

// Whether every row begins at a multiple of `bytes`.
inline bool multiple_of(int64_t bytes, const void* pointer, int64_t pitch,
                        const BatchDim (&batch)[kBatchDims], int64_t BatchDim::*stride) {
  int64_t all = int64_t(reinterpret_cast<size_t>(pointer)) | pitch;
  for (const BatchDim& dim : batch)
    if (dim.count > 1) all |= dim.*stride;
  return all % bytes == 0;
}

// What turn_aligned asks for.
inline bool are_aligned(const Matrices& m) {
  return multiple_of(kPiece, m.in, m.in_pitch, m.batch, &BatchDim::in_stride) &&
         multiple_of(kSector, m.out, m.out_pitch, m.batch, &BatchDim::out_stride);
}

template <typename T>
Job job_for(const Matrices& m, int64_t band_width) {
  Job job{};
  job.out = m.out, job.in = m.in, job.in_begin = m.in;
  int64_t rows = m.folds > 0 ? m.first_rows : m.rows, next = rows * m.in_pitch;
  job.in_end = m.in + (rows - 1) * m.in_pitch + m.cols * T::kSize;
  for (job.folds = 0; job.folds < m.folds; ++job.folds) {
    const BatchDim& dim = m.fold[job.folds];
    job.fold[job.folds] = divide_by(uint32_t(rows)), job.jump[job.folds] = dim.in_stride - next;
    job.in_end += (dim.count - 1) * dim.in_stride, rows *= dim.count, next = dim.count * dim.in_stride;
  }
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
  job.pitch = int32_t(T::kPieces * kPiece + kPiece + (job.folds > 0 ? 0 : job.in_pitch % kPiece));
  job.skew = job.pitch / T::kSize % 2 ? 0 : kPiece;
  const int64_t out = job.out_pitch / T::kOut % T::kElems, in = job.in_pitch / T::kSize % T::kElems;
  const int64_t from_lane = (1 + T::kElems * T::kElems - out * in) % T::kElems;
  job.step = 1;
  for (int step = kIn; step > 1; step /= 2)
    if (from_lane * step % (2 * kIn) == kIn) job.step = step;
  return from_lane * job.step % (2 * kIn) != kIn;
}

// Shared memory of the ragged kernel, when its tile is laid out.
template <typename T>
int ragged_bytes(Job& job) {
  const int rows = T::kRows + kHaloRows<T>;
  job.starts = int32_t(rows * job.pitch + up(rows, T::kElems) * job.skew + 2 * kPiece);
  return int(job.starts +
             (job.folds > 0 ? rows * sizeof(RunStart) + (slot_of(rows) + 1) * sizeof(RowPlace) : 0));
}

// Tiles across a band of the ragged kernel. Where a column of tiles is more than the L2 cache keeps, the
// sectors that a tile shares with the one beside it are fetched twice, unless these two follow each other.
template <typename T>
int ragged_band(const Matrices& m) {
  constexpr int64_t kKept = 9 << 20;
  if (m.rows * T::kCols * T::kSize > kKept) return 64;
  return T::kSize == 1 || (T::kSize == 2 && T::kCols > 96) ? 4 : 1;
}

// A job of the ragged kernel, and whether lanes begin at different words (lay_out).
template <typename T>
Job ragged_job(const Matrices& m, const Matrices& all, bool& rotated) {
  Job job = job_for<T>(m, ragged_band<T>(all));
  const int64_t row = m.rows * T::kOut;
  if (m.out_pitch == row && m.rows >= T::kShare) {  // columns join
    const BatchDim& last = m.folds > 0 ? m.fold[m.folds - 1] : BatchDim{m.rows, 0, m.in_pitch};
    job.to_next_column = T::kSize - last.count * last.in_stride;
  }
  job.fetches = m.out_pitch > row && row <= (m.out_pitch < 2 * row ? kMostFetched : kMostFetchedBetween);
  rotated = lay_out<T>(job);
  return job;
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

}  // namespace fast

}  // namespace lab
