// A batch of matrices as the kernels for matrices take it: a Job, and grids of as many blocks as there may
// be.
//
// Enters: pointers, sizes and strides in bytes, and a tile of tiles.cuh. Leaves: the Job that a launch of
// plan.cuh needs, with what the ragged kernel's tile looks like in shared memory.
#pragma once

#include "common/fast/box_plan.cuh"
#include "common/fast/launch.cuh"

namespace lab::fast {

struct BatchDim {
  int64_t count = 1, out_stride = 0, in_stride = 0;  // bytes
};

struct Matrices {
  char* out;
  const char* in;
  int64_t rows, cols, out_pitch, in_pitch;  // elements, bytes
  BatchDim batch[kBatchDims];               // the innermost first
  // Dimensions that rows of `out` go on through, if any: `rows` counts them all, the first of them in_pitch
  // apart.
  int folds;
  int64_t first_rows;
  BatchDim fold[kBatchDims];
};

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

}  // namespace lab::fast
