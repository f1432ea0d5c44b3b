// Copies between layouts that keep the same dimension innermost, or have none: launches of the kernels of
// words.cuh.
#pragma once

#include "common/fast/plan.cuh"
#include "common/fast/words.cuh"

namespace lab::fast {

// One word at each point of `dims`, which count bytes, the innermost first.
template <int kWord>
cudaError_t move(char* out, const char* in, const Dim* dims, int count, cudaStream_t stream) {
  constexpr int64_t kMost = kMostBlocks / 2;
  const Dim& outer = dims[count - 1];
  Move job{out, in, 1, {}, {}, {}};
  int64_t inner = 1;
  for (int d = 0; d < kMostDims; ++d) {
    if (d < count) job.out_stride[d] = dims[d].out_stride, job.in_stride[d] = dims[d].in_stride;
    if (d < kMostDims - 1)
      job.size[d] = divide_by(uint32_t(d < count - 1 && dims[d].size < kMost ? dims[d].size : kMostBlocks));
    if (d < count - 1) inner = inner * dims[d].size < kMost ? inner * dims[d].size : kMost;
  }
  if (count > kMostDims) inner = kMost;  // a launch for each of the outermost
  const int64_t at_once = kMost / inner;
  for (int64_t first = 0; first < outer.size; first += at_once) {
    const int64_t left = outer.size - first;
    job.out = out + first * outer.out_stride, job.in = in + first * outer.in_stride;
    job.words = uint32_t(inner * (left < at_once ? left : at_once));
    if (inner == kMost) {
      if (const cudaError_t error = move<kWord>(job.out, job.in, dims, count - 1, stream)) return error;
      continue;
    }
    const unsigned blocks = unsigned(up(job.words, kMoveThreads * kMoveWords));
    if (const cudaError_t error = launch(move_words<kWord>, blocks, kMoveThreads, 0, job, stream))
      return error;
  }
  return cudaSuccess;
}

inline cudaError_t move(char* out, const char* in, const Dim* dims, int count, int word,
                        cudaStream_t stream) {
  return by_size(word, [&](auto size) { return move<decltype(size)::kSize>(out, in, dims, count, stream); });
}

// dims[0] is the run. False: not for this layout.
inline bool are_runs(const Layout& l) {
  int64_t pieces = up(l.dims[0].size * l.element + kPiece - 1, kPiece);
  for (int d = 1; d < l.count; ++d) pieces = least(pieces, kMostBlocks) * least(l.dims[d].size, kMostBlocks);
  return l.count <= kMostDims && l.dims[0].in_stride == l.element && l.dims[0].out_stride == l.element &&
         l.dims[0].size * l.element >= 128 && pieces < kMostBlocks;
}

inline cudaError_t move_runs(const Layout& l, cudaStream_t stream) {
  Runs job{l.out, l.in, l.in, l.in + l.element, l.dims[0].size * l.element, 0, 0, 0, {}, {}, {}, {}, {}};
  const int64_t pieces = up(job.bytes + kPiece - 1, kPiece);
  double least_work = 1e30;  // instructions of a warp for each piece
  for (int32_t items = 1; items <= kMoveWords; ++items)
    for (int32_t lanes = 8; lanes <= 32; ++lanes) {
      const int64_t parts = up(pieces, lanes * items);
      const double work = (80.0 + 36 * items) * double(parts) / (double(pieces) * (32 / lanes));
      if (parts > kMostBlocks || work >= least_work) continue;
      least_work = work, job.items = items, job.groups = 32 / lanes;
      job.lanes = small_divider(lanes), job.parts = divide_by(uint32_t(parts));
    }
  int64_t all = job.parts.d;
  for (int d = 0; d < l.count; ++d) job.in_end += (l.dims[d].size - 1) * l.dims[d].in_stride;
  for (int d = 0; d + 1 < kMostDims; ++d) {
    const Dim dim = d + 1 < l.count ? l.dims[d + 1] : Dim{1, 0, 0};
    if (d + 2 < kMostDims) job.count[d] = divide_by(uint32_t(dim.size));
    job.out_stride[d] = dim.out_stride, job.in_stride[d] = dim.in_stride, all *= dim.size;
  }
  job.all = uint32_t(all);
  return launch(move_runs<kMoveWords>, unsigned(up(all, job.groups * (kMoveThreads / 32))), kMoveThreads, 0,
                job, stream);
}

}  // namespace lab::fast
