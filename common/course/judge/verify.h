// Fills inputs, and compares outputs bit by bit.
//
// Enters: a problem, the bytes of `out` after the kernel (all passes for narrow elements). Leaves: nothing,
// or the first mismatch in words a student can act on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/course/judge/pattern.h"
#include "common/course/judge/problem.h"
#include "common/course/judge/run.h"

namespace lab::judge {

// How many runs show every element whole: more than one for elements of 1 or 2 bytes in larger matrices.
[[nodiscard]] int passes(const Problem& problem);

// The bytes of `in`; padding holds poison. `threads` of the host share the work.
void fill_input(const Problem& problem, const Words& words, int pass, std::span<std::byte> in,
                unsigned threads = 1);

// True when `out` is the transpose of `in`, as fill_input filled it, and all its padding is untouched. The
// fast path: no words.
[[nodiscard]] bool output_is_right(const Problem& problem, std::span<const std::byte> in,
                                   std::span<const std::byte> out, unsigned threads = 1);

// The first difference, in the order of memory, explained. `out[p]` is the output of pass p.
[[nodiscard]] std::optional<Mismatch> first_mismatch(const Problem& problem, const Words& words,
                                                     std::span<const std::vector<std::byte>> out);

// The first element of `in` that is not at its place in `out`, one matrix; for values that are no words of the key.
[[nodiscard]] std::optional<Mismatch> first_wrong_value(const Problem& problem, std::span<const std::byte> in,
                                                        std::span<const std::byte> out);

// Whether element (row, col) of `out`, of the first matrix, is what it should be.
[[nodiscard]] bool is_right_at(const Problem& problem, const Words& words,
                               std::span<const std::vector<std::byte>> out, std::int64_t row,
                               std::int64_t col);

}  // namespace lab::judge
