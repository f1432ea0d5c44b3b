// The transpose of a matrix whose rows lie on several GPUs, and so do those of its transpose.
//
// Enters: each GPU's rows of `in`, and where each GPU's rows of `out` begin. Leaves: on each GPU one launch
// that turns its rows and stores every tile where it belongs, over the link too. Blocks that start together
// go to different GPUs by turns, and each GPU begins with another one, so that all links are busy both ways
// all the time (docs/gpu.md has what other orders cost). GPUs need peer access: lab::enable_peer_access.
//
//   lab::Split split{2, rows, cols};                   // GPU g has rows[g] to rows[g + 1] - 1 of `in`
//   lab::transpose(out, in, split, devices, streams);  // from one thread, on all GPUs
//   lab::transpose(out, in[g], split, g, streams[g]);  // what GPU g does of it, current there
#pragma once

#include "common/fast/transpose.cuh"

namespace lab {

constexpr int kMostGpusOfSplit = 8;

// Both hold gpus + 1 numbers, the first 0, none smaller than the one before.
struct Split {
  int gpus;
  const int64_t* rows;  // GPU g has rows rows[g] to rows[g + 1] - 1 of `in`
  const int64_t* cols;  // and rows cols[g] to cols[g + 1] - 1 of `out`
};

namespace fast {

struct SplitJob {
  Job to[kMostGpusOfSplit];          // by GPU that has this part of `out`
  uint32_t tiles[kMostGpusOfSplit];  // of that part
  Divider gpus;
  uint32_t self;
};

// Whose tile this block turns, and which one.
struct Turn {
  uint32_t to, tile;
};
__device__ inline Turn turn_of(const SplitJob& split, uint32_t block) {
  const uint32_t tile = split.gpus.quotient(block), to = split.self + (block - tile * split.gpus.d);
  return {to < split.gpus.d ? to : to - split.gpus.d, tile};
}

template <typename Go>
__device__ inline void share_of_block(const SplitJob& split, uint32_t block, const Go& go) {
  const Turn turn = turn_of(split, block);
  if (turn.tile < split.tiles[turn.to]) go(split.to[turn.to], turn.tile);
}

// A packet of the link holds no more than what is stored at once into one line of 128 bytes, so here shares
// begin with a line.
constexpr int kLine = 128;
template <typename T>
using OfLines = Tile<T::kSize, T::kRows * T::kSize, T::kCols * T::kSize, T::kThreads, T::kBlocks, kLine>;

// Measured on two GPUs (docs/gpu.md).
template <int kSize>
struct SplitTiles {
  using Aligned = BySize<kSize, Tile<1, 128, 256, 256, 4>, Tile<2, 128, 256, 256, 5>,
                         Tile<4, 256, 256, 256, 4>, Tile<8, 256, 256, 256, 4>, Tile<16, 512, 256, 256, 4>>;
  using Ragged = OfLines<BySize<kSize, Tile<1, 256, 128, 512, 2>, Tile<2, 256, 256, 256, 4>, Tiles<4>::Ragged,
                                Tiles<8>::Ragged, Tiles<16>::Ragged>>;
};

constexpr int kSplitBand = 8;  // tiles across, whose rows of `in` are read together

// One matrix for each part of `out`; all have the same rows and pitches.
template <typename T>
int64_t fill_split(SplitJob& split, const Matrices* parts, int gpus, int self) {
  int64_t most = 0;
  for (int g = 0; g < gpus; ++g) {
    const int64_t tiles = tiles_of<T>(parts[g]);
    if (tiles != 0) split.to[g] = job_for<T>(parts[g], kSplitBand);
    split.tiles[g] = uint32_t(tiles);
    most = tiles > most ? tiles : most;
  }
  split.gpus = divide_by(uint32_t(gpus)), split.self = uint32_t(self);
  return most * gpus;
}

template <int kSize>
cudaError_t turn_split(const Matrices* parts, int gpus, int self, cudaStream_t stream) {
  using Aligned = typename SplitTiles<kSize>::Aligned;
  using Ragged = typename SplitTiles<kSize>::Ragged;
  bool aligned = true;
  for (int g = 0; g < gpus; ++g) aligned = aligned && are_aligned(parts[g]);
  SplitJob split{};
  const int64_t blocks =
      aligned ? fill_split<Aligned>(split, parts, gpus, self) : fill_split<Ragged>(split, parts, gpus, self);
  if (blocks == 0) return cudaSuccess;
  if (blocks > kMostBlocks) return cudaErrorInvalidValue;
  if (aligned)
    return launch(turn_aligned<Aligned, SplitJob>, unsigned(blocks), Aligned::kThreads,
                  Aligned::kRows * Aligned::kCols * Aligned::kSize, split, stream);
  bool rotated = false;
  int shared_bytes = 0;
  for (int g = 0; g < gpus; ++g)
    if (split.tiles[g] != 0) {
      rotated = lay_out<Ragged>(split.to[g]), shared_bytes = ragged_bytes<Ragged>(split.to[g]);
      split.to[g].in_begin = parts[0].in;  // the whole rows of this GPU
      split.to[g].in_end =
          parts[gpus - 1].in + (parts[0].rows - 1) * parts[0].in_pitch + parts[gpus - 1].cols * kSize;
    }
  return launch(
      rotated ? turn_ragged<Ragged, true, false, SplitJob> : turn_ragged<Ragged, false, false, SplitJob>,
      unsigned(blocks), Ragged::kThreads, shared_bytes, split, stream);
}

inline bool is_share(const int64_t* begin, int gpus) {
  for (int g = 0; g < gpus; ++g)
    if (begin[g + 1] < begin[g]) return false;
  return begin[0] == 0;
}

}  // namespace fast

// What GPU `self`, the current one, does of it: `in` are its own rows, `out` has where each GPU's rows begin.
// Complete when every GPU has done its own.
inline cudaError_t transpose(void* const* out, const void* in, const Split& split, int self,
                             int element_bytes, cudaStream_t stream, Pitches pitches = {}) {
  const int gpus = split.gpus;
  if (gpus < 1 || gpus > kMostGpusOfSplit || self < 0 || self >= gpus || !fast::known(element_bytes) ||
      !fast::is_share(split.rows, gpus) || !fast::is_share(split.cols, gpus))
    return cudaErrorInvalidValue;
  if (pitches.out == 0) pitches.out = split.rows[gpus];
  if (pitches.in == 0) pitches.in = split.cols[gpus];
  if (pitches.out < split.rows[gpus] || pitches.in < split.cols[gpus]) return cudaErrorInvalidPitchValue;
  fast::Matrices parts[kMostGpusOfSplit] = {};
  for (int g = 0; g < gpus; ++g)
    parts[g] = {static_cast<char*>(out[g]) + split.rows[self] * element_bytes,
                static_cast<const char*>(in) + split.cols[g] * element_bytes,
                split.rows[self + 1] - split.rows[self],
                split.cols[g + 1] - split.cols[g],
                pitches.out * element_bytes,
                pitches.in * element_bytes};
  return fast::by_size(element_bytes, [&](auto size) {
    return fast::turn_split<decltype(size)::kSize>(parts, gpus, self, stream);
  });
}

template <typename T>
cudaError_t transpose(T* const* out, const T* in, const Split& split, int self, cudaStream_t stream,
                      Pitches pitches = {}) {
  void* parts[kMostGpusOfSplit] = {};
  if (split.gpus < 1 || split.gpus > kMostGpusOfSplit) return cudaErrorInvalidValue;
  for (int g = 0; g < split.gpus; ++g) parts[g] = out[g];
  return transpose(parts, in, split, self, int(sizeof(T)), stream, pitches);
}

// Lets each of the GPUs use the memory of the others. What is let already is no error.
inline cudaError_t enable_peer_access(const int* devices, int count) {
  int before = 0;
  cudaError_t error = cudaGetDevice(&before);
  for (int g = 0; g < count && error == cudaSuccess; ++g) {
    error = cudaSetDevice(devices[g]);
    for (int peer = 0; peer < count && error == cudaSuccess; ++peer) {
      if (peer != g) error = cudaDeviceEnablePeerAccess(devices[peer], 0);
      if (error == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError(), error = cudaSuccess;
    }
  }
  const cudaError_t back = cudaSetDevice(before);
  return error == cudaSuccess ? back : error;
}

namespace fast {

// Every stream waits for what the others have been given so far.
inline cudaError_t wait_for_each_other(const int* devices, const cudaStream_t* streams, int gpus) {
  cudaEvent_t reached[kMostGpusOfSplit] = {};
  cudaError_t error = cudaSuccess;
  for (int g = 0; g < gpus && error == cudaSuccess; ++g) {
    error = cudaSetDevice(devices[g]);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&reached[g], cudaEventDisableTiming);
    if (error == cudaSuccess) error = cudaEventRecord(reached[g], streams[g]);
  }
  for (int g = 0; g < gpus && error == cudaSuccess; ++g) {
    error = cudaSetDevice(devices[g]);
    for (int other = 0; other < gpus && error == cudaSuccess; ++other)
      if (other != g) error = cudaStreamWaitEvent(streams[g], reached[other], 0);
  }
  for (int g = 0; g < gpus; ++g)
    if (reached[g] != nullptr) cudaEventDestroy(reached[g]);
  return error;
}

}  // namespace fast

// On all GPUs, from one thread: `in[g]` are the rows of devices[g], and streams[g] is its own. A GPU's rows
// of `out` are written when the streams of all have come so far, and complete for what its stream does next.
template <typename T>
cudaError_t transpose(T* const* out, const T* const* in, const Split& split, const int* devices,
                      const cudaStream_t* streams, Pitches pitches = {}) {
  if (split.gpus < 1 || split.gpus > kMostGpusOfSplit) return cudaErrorInvalidValue;
  int before = 0;
  cudaError_t error = cudaGetDevice(&before);
  if (error == cudaSuccess) error = fast::wait_for_each_other(devices, streams, split.gpus);
  for (int g = 0; g < split.gpus && error == cudaSuccess; ++g) {
    error = cudaSetDevice(devices[g]);
    if (error == cudaSuccess) error = transpose(out, in[g], split, g, streams[g], pitches);
  }
  if (error == cudaSuccess) error = fast::wait_for_each_other(devices, streams, split.gpus);
  const cudaError_t back = cudaSetDevice(before);
  return error == cudaSuccess ? back : error;
}

}  // namespace lab
