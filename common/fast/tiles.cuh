// The tiles of the kernels for matrices, chosen by measuring (docs/fast_times.md): one row an element's size.
//
// plan.cuh takes one of them by the shape of a matrix and how its rows are aligned.
#pragma once

#include "common/fast/job.cuh"

namespace lab::fast {

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
  using Ragged = Tile<1, 128, 160, 256, 4, Cache::Keep>;
  using FewRagged = Tile<1, 128, 128, 256, 4, Cache::Keep>;
  using WideRagged = Tile<1, 128, 224, 256, 4, Cache::Keep>;
};
template <>
struct Tiles<2> {
  using Large = Tile<2, 256, 256, 256, 4, Cache::Keep>;
  using Aligned = Tile<2, 64, 256, 128, 9, Cache::Keep>;
  using Small = Tile<2, 128, 128, 128, 9, Cache::Keep>;
  using Tall = Tile<2, 512, 64, 256, 6, Cache::Keep>;
  using Ragged = Tile<2, 256, 192, 256, 4, Cache::Keep>;
};
template <>
struct Tiles<4> {
  using Large = Tile<4, 256, 256, 256, 4, Cache::Keep>;
  using Aligned = Tile<4, 256, 256, 128, 7, Cache::Keep>;
  using Small = Tile<4, 128, 128, 64, 16, Cache::Keep>;
  using Tall = Tile<4, 1024, 128, 512, 2, Cache::Keep>;
  using Ragged = Tile<4, 256, 256, 256, 5, Cache::Keep>;
};
template <>
struct Tiles<8> {
  using Large = Tile<8, 512, 256, 512, 2, Cache::Keep>;
  using Aligned = Tile<8, 256, 256, 256, 5>;
  using Small = Aligned;
  using Tall = Aligned;
  using Ragged = Tile<8, 512, 256, 256, 5, Cache::Keep>;
};
template <>
struct Tiles<16> {
  using Large = Tile<16, 256, 256, 128, 10, Cache::Keep>;
  using Aligned = Large;
  using Small = Large;
  using Tall = Large;
  using Ragged = Tile<16, 512, 512, 256, 5, Cache::Keep>;
};

}  // namespace lab::fast
