// A transpose that computes with each element on its way, in registers: a scale, another type, a sum with what
// the output holds.
//
//   lab::transpose_with(out, in, rows, cols, lab::Affine{0.5f, 1}, stream);      // out[c][r] = 0.5 in[r][c] + 1
//   lab::transpose_with(halves, floats, rows, cols, lab::Affine{}, stream);      // as another type
//   lab::transpose_with(out, in, rows, cols, lab::Blend{1, 0.9f}, stream);       // out[c][r] = in[r][c] + 0.9 out[c][r]
//
// Any functor of the element, or of the element and the output's, that the device can call will do. Types of
// 1, 2, 4, 8 or 16 bytes. Built and queued as transpose.cuh says.
#pragma once

#include <type_traits>

#include "common/fast/plan.cuh"

namespace lab {

struct Affine {
  float scale = 1, bias = 0;
  __host__ __device__ float operator()(float x) const { return fmaf(x, scale, bias); }
};
struct Blend {  // alpha x + beta out
  float alpha = 1, beta = 0;
  __host__ __device__ float operator()(float x, float out) const { return fmaf(x, alpha, beta * out); }
};

namespace fast {

// Stores what `go` makes of elements, as AsTheyAre stores them: as many of the output at once as a piece of
// `in` has.
template <typename Out, typename In, typename F>
struct Computed {
  static constexpr bool kBlends = std::is_invocable_v<F, In, Out>;
  static constexpr int kElems = kPiece / int(sizeof(In)), kBytes = kElems * int(sizeof(Out));
  struct alignas(kBytes < kPiece ? kBytes : kPiece) Results {
    Out at[kElems];
  };
  F go;

  __device__ Out result(const In& element, const Out* held) const {
    if constexpr (kBlends)
      return Out(go(element, *held));
    else
      return Out(go(element));
  }
  __device__ void piece(char* to, const uint4& piece, int64_t left) const {
    const auto* const from = reinterpret_cast<const In*>(&piece);
    auto* const results = reinterpret_cast<Results*>(to);
    if (left >= kElems) {
      Results made;
      if constexpr (kBlends) made = *results;
#pragma unroll
      for (int k = 0; k < kElems; ++k) made.at[k] = result(from[k], &made.at[k]);
      *results = made;
      return;
    }
#pragma unroll
    for (int k = 0; k < kElems - 1; ++k)
      if (k < left) results->at[k] = result(from[k], &results->at[k]);
  }
  __device__ void one(char* to, const char* from) const {
    auto* const at = reinterpret_cast<Out*>(to);
    *at = result(*reinterpret_cast<const In*>(from), at);
  }
};

template <typename Store>
struct ComputedJob {
  Job job;
  Store store;
};

template <typename Store, typename Go>
__device__ inline void share_of_block(const ComputedJob<Store>& with, uint32_t block, const Go& go) {
  go(with.job, block, with.store);
}

}  // namespace fast

// out[c][r] = go(in[r][c]), or go(in[r][c], out[c][r]), as Out. `out` and `in` may not overlap.
template <typename Out, typename In, typename F>
cudaError_t transpose_with(Out* out, const In* in, int64_t rows, int64_t cols, const F& go,
                           cudaStream_t stream = nullptr, Pitches pitches = {}, Batch batch = {}) {
  static_assert(std::is_invocable_v<F, In> || std::is_invocable_v<F, In, Out>, "no functor of an element");
  if (const cudaError_t error = fast::complete(rows, cols, pitches, batch)) return error;
  if (rows == 0 || cols == 0 || batch.count == 0) return cudaSuccess;
  constexpr int kIn = sizeof(In), kOut = sizeof(Out);
  static_assert(sizeof(fast::Word<kIn>) == kIn && sizeof(fast::Word<kOut>) == kOut,
                "types of 1, 2, 4, 8 or 16 bytes");
  using Aligned = typename fast::Tiles<kIn>::Aligned::template Into<kOut>;
  using Ragged = typename fast::Tiles<kIn>::Ragged::template Into<kOut>;
  const fast::Matrices all{reinterpret_cast<char*>(out),
                           reinterpret_cast<const char*>(in),
                           rows,
                           cols,
                           pitches.out * kOut,
                           pitches.in * kIn,
                           {{}, {}, {batch.count, batch.out_stride * kOut, batch.in_stride * kIn}}};
  const auto with = [&](const fast::Job& job) {
    return fast::ComputedJob<fast::Computed<Out, In, F>>{job, {go}};
  };
  return fast::are_aligned(all) ? fast::launch_aligned<Aligned>(all, stream, with)
                                : fast::launch_ragged<Ragged, false>(all, stream, with);
}

}  // namespace lab
