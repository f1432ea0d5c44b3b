// Permutations of more dimensions than the kernels have, in two moves by way of a workspace.
//
// Enters: the dimensions of a layout whose `out` is dense, none that could be joined. Leaves: the order in
// which they lie in the workspace, so that each move has as many dimensions as the kernels have, or fewer.
// Every permutation of 6 and 7 dimensions has such an order; of 8 all but 4 in 16,687, which take three.
#pragma once

#include <cstddef>
#include <cstdint>

#include <algorithm>
#include <iterator>

#include "common/fast/box_plan.cuh"

namespace lab::fast {

constexpr int kMostRank = 8;    // dimensions of a permutation, once those that stay neighbours are one
constexpr int kMostGiven = 64;  // before

// What lies behind each dimension, with nothing between, on one side; -1: nothing.
inline void followers(const Dim* dims, int count, int64_t Dim::*stride, int (&next)[kMostRank]) {
  for (int i = 0; i < count; ++i) {
    next[i] = -1;
    for (int k = 0; k < count; ++k)
      if (dims[k].*stride == dims[i].*stride * dims[i].size && k != i) next[i] = k;
  }
}

// The dimensions that a move between two orders has left, once those that follow each other in both are one.
inline int left_over(const int (&next)[kMostRank], const int* order, int count) {
  int left = 1;
  for (int k = 0; k + 1 < count; ++k) left += next[order[k]] != order[k + 1];
  return left;
}

// Bytes that stay side by side where `order` begins as the other side does.
inline int64_t kept_run(const Dim* dims, int element, const int* order, const int* other, int count) {
  int64_t run = element;
  for (int k = 0; k < count && order[k] == other[k]; ++k) run *= dims[order[k]].size;
  return run;
}

// The order of the dimensions in the workspace, the innermost first: `in` in kBoxDims parts, put together
// another way, so that the second move has few dimensions, then long runs in both. Leaves the dimensions of
// the second move; more than kBoxDims: take the way again. 0: `in` has gaps in too many places.
inline int order_between(const Dim* dims, int count, int element, int (&best)[kMostRank]) {
  int by_in[kMostRank], by_out[kMostRank], in_next[kMostRank], out_next[kMostRank];
  for (int i = 0; i < count; ++i) by_in[i] = by_out[i] = i;
  std::sort(by_in, by_in + count, [&](int a, int b) { return dims[a].in_stride < dims[b].in_stride; });
  std::sort(by_out, by_out + count, [&](int a, int b) { return dims[a].out_stride < dims[b].out_stride; });
  followers(dims, count, &Dim::in_stride, in_next), followers(dims, count, &Dim::out_stride, out_next);
  int least_left = 0;
  int64_t longest = 0;
  for (unsigned cuts = 0; cuts < 1u << (count - 1); ++cuts) {
    int begins[kBoxDims + 1] = {}, parts = 1;
    bool fits = true;
    for (int k = 0; k + 1 < count && fits; ++k) {
      const bool cut = cuts >> k & 1;
      fits = (cut || in_next[by_in[k]] == by_in[k + 1]) && !(cut && parts == kBoxDims);
      if (cut && fits) begins[parts++] = k + 1;
    }
    if (!fits || parts < kBoxDims) continue;
    begins[parts] = count;
    int places[kBoxDims] = {0, 1, 2, 3, 4};
    static_assert(std::size(places) == 5);
    do {
      int order[kMostRank], known = 0;
      for (const int part : places)
        for (int k = begins[part]; k < begins[part + 1]; ++k) order[known++] = by_in[k];
      const int left = left_over(out_next, order, count);
      const int64_t run = std::min(kept_run(dims, element, order, by_in, count), int64_t(256)) *
                          std::min(kept_run(dims, element, order, by_out, count), int64_t(256));
      const int counted = std::max(left, kBoxDims);  // fewer than the kernels take are no better
      if (least_left != 0 && (counted > least_left || (counted == least_left && run <= longest))) continue;
      least_left = counted, longest = run;
      std::copy(order, order + count, best);
    } while (std::next_permutation(places, places + kBoxDims));
  }
  return least_left;
}

}  // namespace lab::fast
