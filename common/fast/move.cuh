// Copies between layouts that keep the same dimension innermost, or have none: words of up to 16 bytes, in
// the order of `out`; and of one run of bytes.
#pragma once

#include "common/fast/plan.cuh"

namespace lab::fast {

constexpr int kMostDims = kBoxDims, kMoveThreads = 256, kMoveWords = 4;  // words of a thread

struct Move {
  char* out;
  const char* in;
  uint32_t words;                                       // of this launch
  Divider size[kMostDims - 1];                          // the innermost first
  int64_t out_stride[kMostDims], in_stride[kMostDims];  // bytes
};

template <int kWord>
__global__ void __launch_bounds__(kMoveThreads) move_words(const __grid_constant__ Move move) {
  wait_for_the_kernel_before();
  Word<kWord> words[kMoveWords];
  char* to[kMoveWords];
#pragma unroll
  for (int k = 0; k < kMoveWords; ++k) {
    uint32_t rest = (blockIdx.x * kMoveWords + k) * kMoveThreads + threadIdx.x;
    to[k] = nullptr;
    if (rest >= move.words) continue;
    const char* from = move.in;
    to[k] = move.out;
#pragma unroll
    for (int d = 0; d < kMostDims; ++d) {
      uint32_t at = rest;
      if (d < kMostDims - 1) rest = move.size[d].quotient(rest), at -= rest * move.size[d].d;
      from += at * move.in_stride[d], to[k] += at * move.out_stride[d];
    }
    words[k] = *reinterpret_cast<const Word<kWord>*>(from);
  }
#pragma unroll
  for (int k = 0; k < kMoveWords; ++k)
    if (to[k]) *reinterpret_cast<Word<kWord>*>(to[k]) = words[k];
}

struct Run {
  Job job;  // where it lies
  int64_t bytes;
  int32_t head;  // of them before the first 16-byte piece of `out`
};

template <bool kAligned>
__global__ void __launch_bounds__(kMoveThreads) move_run(const __grid_constant__ Run run) {
  wait_for_the_kernel_before();
  const Job& job = run.job;
  const int64_t first = run.head + (int64_t(blockIdx.x) * kMoveThreads + threadIdx.x) * kPiece;
  if (blockIdx.x == 0 && threadIdx.x < run.head) job.out[threadIdx.x] = job.in[threadIdx.x];
  const uint4 piece = load_run<kAligned>(job.in + first, job);
  if (first < run.bytes) store_piece<1>(job.out + first, piece, run.bytes - first);
}

// A kernel, since the driver's own copy is slower, and much slower in a graph (docs/gpu.md).
inline cudaError_t copy(char* out, const char* in, int64_t bytes, cudaStream_t stream) {
  constexpr int64_t kAtOnce = kMostBlocks * kMoveThreads * kPiece;
  for (; bytes > 0; out += kAtOnce, in += kAtOnce, bytes -= kAtOnce) {
    Run run{};
    run.bytes = bytes < kAtOnce ? bytes : kAtOnce, run.head = int32_t(-size_t(out) % kPiece);
    if (run.head > run.bytes) run.head = int32_t(run.bytes);
    run.job.out = out, run.job.in = run.job.in_begin = in, run.job.in_end = in + run.bytes;
    const bool aligned = (size_t(out) - size_t(in)) % kPiece == 0;
    const int64_t pieces = up(run.bytes - run.head, kPiece);
    const unsigned blocks = unsigned(pieces > kMoveThreads ? up(pieces, kMoveThreads) : 1);
    const cudaError_t error =
        launch(aligned ? move_run<true> : move_run<false>, blocks, kMoveThreads, 0, run, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

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
  switch (word) {
    case 1:
      return move<1>(out, in, dims, count, stream);
    case 2:
      return move<2>(out, in, dims, count, stream);
    case 4:
      return move<4>(out, in, dims, count, stream);
    case 8:
      return move<8>(out, in, dims, count, stream);
    default:
      return move<16>(out, in, dims, count, stream);
  }
}

}  // namespace lab::fast
