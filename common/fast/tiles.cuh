// The tiles of the kernels for matrices, chosen by measuring (docs/fast_times.md): one row an element's size.
//
// plan.cuh takes one of them by the shape of a matrix and how its rows are aligned.
#pragma once

#include <tuple>

#include "common/fast/job.cuh"

namespace lab::fast {

// One of five types, by bytes of an element: 1, 2, 4, 8, 16.
template <int kSize, typename... OfSizes>
using BySize =
    std::tuple_element_t<(kSize > 1) + (kSize > 2) + (kSize > 4) + (kSize > 8), std::tuple<OfSizes...>>;

// Tile<bytes, along a row of `out`, along a row of `in`, threads, blocks on a multiprocessor>.
template <int kSize>
struct Tiles {
  using Aligned = BySize<kSize, Tile<1, 64, 256, 256, 4>, Tile<2, 64, 256, 128, 9>, Tile<4, 256, 256, 128, 7>,
                         Tile<8, 256, 256, 256, 5>, Tile<16, 256, 256, 128, 10>>;
  using Tall = BySize<kSize, Tile<1, 64, 64, 64, 18>, Tile<2, 512, 64, 256, 6>, Tile<4, 1024, 128, 512, 2>,
                      Aligned, Aligned>;
  using Ragged = BySize<kSize, Tile<1, 128, 160, 256, 4>, Tile<2, 256, 192, 256, 4>,
                        Tile<4, 256, 256, 256, 5>, Tile<8, 512, 256, 256, 5>, Tile<16, 512, 512, 256, 5>>;
};
using FewRagged = Tile<1, 128, 128, 256, 4>;
using WideRagged = Tile<1, 128, 224, 256, 4>;
using TallRagged = Tile<1, 256, 64, 256, 4>;

}  // namespace lab::fast
