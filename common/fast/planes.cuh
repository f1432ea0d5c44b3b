// The kernel for 2, 3 or 4 rows, a dense `out`, where a lane turns 16 bytes of each in registers: planes to
// pixels. A warp works for itself, and its share of the pixels is one run of bytes.
#pragma once

#include "common/fast/job.cuh"

namespace lab::fast {

constexpr int kPlanesThreads = 256;

// Element i of `to` is element source(i) of `from`.
template <int kSize, int kWords, typename Source>
__device__ inline void reorder(const uint32_t (&from)[kWords], uint32_t (&to)[kWords], const Source& source) {
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    if constexpr (kSize >= 4) {
      constexpr int kEach = kSize / 4;
      to[w] = from[source(w / kEach) * kEach + w % kEach];
    } else if constexpr (kSize == 2) {
      const int a = source(2 * w), b = source(2 * w + 1);
      to[w] = __byte_perm(from[a / 2], from[b / 2], (a % 2 ? 0x32 : 0x10) + (b % 2 ? 0x7600 : 0x5400));
    } else {
      const auto pair = [&](int i) {
        const int a = source(i), b = source(i + 1);
        return __byte_perm(from[a / 4], from[b / 4], a % 4 + (4 + b % 4) * 0x10);
      };
      to[w] = __byte_perm(pair(4 * w), pair(4 * w + 2), 0x5410);
    }
  }
}

// Where piece i of a warp's run is kept: neither 8 lanes beside each other nor 8 lanes kPlanes pieces apart
// meet in a bank.
template <int kPlanes>
__device__ inline int kept_piece(int i) {
  return kPlanes % 2 ? i : i + i / 8;
}

template <int kPlanes>
using KeptRun = uint4[kPlanesThreads / 32][kPlanes % 2 ? 32 * kPlanes : 36 * kPlanes];

// The 16 bytes that begin `skip` bytes into two pieces.
__device__ inline uint4 shifted(const uint4& low, const uint4& high, int skip) {
  uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int by = 2; by > 0; by /= 2)
#pragma unroll
    for (int i = 0; i < 4 + by; ++i) words[i] = skip / 4 & by ? words[i + by] : words[i];
  uint32_t aligned[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) aligned[i] = __funnelshift_r(words[i], words[i + 1], skip % 4 * 8);
  return {aligned[0], aligned[1], aligned[2], aligned[3]};
}

__device__ inline uint4 from_next_lane(const uint4& piece) {
  return {__shfl_down_sync(~0u, piece.x, 1), __shfl_down_sync(~0u, piece.y, 1),
          __shfl_down_sync(~0u, piece.z, 1), __shfl_down_sync(~0u, piece.w, 1)};
}

// The 16 bytes from `from` on, which is 16 bytes further from lane to lane. All lanes of the warp call it.
template <bool kAligned>
__device__ inline uint4 load_run(const char* from, const Job& job) {
  const int skip = kAligned ? 0 : int(size_t(from) % kPiece);
  const uint4 low = load_piece(from - skip, job);
  if (skip == 0) return low;
  uint4 high = from_next_lane(low);
  if (threadIdx.x % 32 == 31) high = load_piece(from - skip + kPiece, job);
  return shifted(low, high, skip);
}

// The first element of the long side that this thread's warp has.
template <int kSize>
__device__ inline int64_t first_of_warp(const Job& job, uint32_t matrix) {
  return (int64_t(blockIdx.x - matrix * job.tiles.d) * kPlanesThreads + threadIdx.x / 32 * 32) *
         (kPiece / kSize);
}

// Few rows, a dense `out`: planes to pixels.
template <int kSize, int kPlanes, bool kAligned>
__global__ void __launch_bounds__(kPlanesThreads) join_planes(const __grid_constant__ Job job) {
  constexpr int kElems = kPiece / kSize;
  __shared__ KeptRun<kPlanes> kept;
  wait_for_the_kernel_before();
  const uint32_t matrix = job.tiles.quotient(blockIdx.x);
  const int64_t col0 = first_of_warp<kSize>(job, matrix);
  if (col0 >= job.cols) return;
  const Corner c = corner_at<kSize>(job, matrix, 0, col0);
  const int lane = threadIdx.x % 32;
  uint4* const run = kept[threadIdx.x / 32];
  uint32_t pixels[4 * kPlanes], planes[4 * kPlanes];
#pragma unroll
  for (int k = 0; k < kPlanes; ++k) {
    const uint4 piece = load_run<kAligned>(c.in + k * job.in_pitch + lane * kPiece, job);
    planes[4 * k] = piece.x, planes[4 * k + 1] = piece.y, planes[4 * k + 2] = piece.z,
               planes[4 * k + 3] = piece.w;
  }
  reorder<kSize>(planes, pixels, [](int i) { return i % kPlanes * kElems + i / kPlanes; });
#pragma unroll
  for (int k = 0; k < kPlanes; ++k)
    run[kept_piece<kPlanes>(lane * kPlanes + k)] = {pixels[4 * k], pixels[4 * k + 1], pixels[4 * k + 2],
                                                    pixels[4 * k + 3]};
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kPlanes; ++k) {
    const int i = k * 32 + lane;
    const int64_t left = c.cols * kPlanes - i * kElems;
    if (left > 0) store_piece<kSize>(c.out + i * kPiece, run[kept_piece<kPlanes>(i)], left);
  }
}

}  // namespace lab::fast
