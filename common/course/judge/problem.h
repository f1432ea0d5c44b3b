// One transpose to do: which matrix, how it lies in memory.
//
// Enters: a chapter's wish. Leaves: sizes that everybody computes the same way. `in` is rows × cols, `out` is
// cols × rows, both row-major; rows before columns, always.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/text/message.h"

namespace lab::judge {

struct Problem {
  std::int64_t rows = 1, cols = 1;   // of `in`
  int elem_bytes = 4;                // 1, 2, 4, 8, 16
  std::int64_t in_pitch_elems = 0;   // elements from one row of `in` to the next; 0: cols
  std::int64_t out_pitch_elems = 0;  // elements from one row of `out` to the next; 0: rows
  std::int64_t batch = 1;            // matrices, one behind the other
  int gpus = 0;                      // that share the rows of both; 0: as many as the launch shape says
  bool uneven = false;               // GPU g has g + 1 parts of these rows, and not as many as each other
  auto operator<=>(const Problem&) const = default;

  // Rows of both matrices start and end with words of 16 bytes: lanes can move these.
  [[nodiscard]] bool has_whole_packs() const {
    constexpr std::int64_t kPackBytes = 16;
    return (rows | cols | in_pitch() | out_pitch()) * elem_bytes % kPackBytes == 0;
  }
  [[nodiscard]] std::int64_t in_pitch() const { return in_pitch_elems ? in_pitch_elems : cols; }
  [[nodiscard]] std::int64_t out_pitch() const { return out_pitch_elems ? out_pitch_elems : rows; }
  [[nodiscard]] std::int64_t in_stride() const { return rows * in_pitch(); }  // matrix to matrix
  [[nodiscard]] std::int64_t out_stride() const { return cols * out_pitch(); }
  [[nodiscard]] std::int64_t in_elems() const { return batch * in_stride(); }  // padding included
  [[nodiscard]] std::int64_t out_elems() const { return batch * out_stride(); }
  [[nodiscard]] std::uint64_t in_bytes() const { return static_cast<std::uint64_t>(in_elems() * elem_bytes); }
  [[nodiscard]] std::uint64_t out_bytes() const {
    return static_cast<std::uint64_t>(out_elems() * elem_bytes);
  }
};

// "61×67", "61×67 of 2-byte elements, rows of `in` 72 apart, 3 matrices".
[[nodiscard]] Message describe(const Problem& problem);
// "" when the problem can be run here, else a whole sentence: rows 0, negative, too large for memory, ….
[[nodiscard]] Message what_is_wrong_with(const Problem& problem);

// "" when rows of both matrices are multiples of so many bytes, as the chapter's kernels need them
// (ChapterInfo::row_bytes), else a whole sentence.
[[nodiscard]] Message needs_other_rows(const Problem& problem, int row_bytes);

// Every shape from 1×1 to 64×64.
[[nodiscard]] std::vector<Problem> small_shapes(int elem_bytes = 4);
// 1×N, N×1, primes, one off a tile, and larger than one tile each way: 61×67, 1000×777, 1023×1025, ….
[[nodiscard]] std::vector<Problem> awkward_shapes(int elem_bytes = 4);
// Both lists: what `right on every shape` means in this course. A check tries some of them (Check).
[[nodiscard]] std::vector<Problem> every_shape(int elem_bytes = 4);

// The same shapes with both sides rounded up, so that rows of both matrices are multiples of so many bytes;
// each once.
[[nodiscard]] std::vector<Problem> with_rows_of(const std::vector<Problem>& shapes, int row_bytes,
                                                int elem_bytes);

}  // namespace lab::judge
