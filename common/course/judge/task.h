// What a kernel computes, where that is no transpose: a reduction, a histogram, a stencil.
//
// Enters: a Target names its task. Leaves: what `out` must hold, and the first word that differs. `in` is
// filled as for a transpose, with 32-bit words from the key, and all arithmetic is modulo 2^32, so that the
// order of additions changes nothing and results are compared bit by bit. What a kernel adds to is not zero
// before the launch but numbers from the key: an addition that is left out, or one made twice, shows, and so
// does a kernel that stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/course/judge/pattern.h"
#include "common/course/judge/problem.h"
#include "common/course/judge/run.h"
#include "common/kernel/task_kind.h"

namespace lab::judge {

using InWords = std::span<const std::uint32_t>;
using OutWords = std::span<std::uint32_t>;

struct Task {
  std::string_view name;
  std::int64_t (*out_elems)(const Problem& problem);
  // On what `out` held before the launch.
  void (*compute)(const Problem& problem, InWords in, OutWords out);
  bool adds;  // to what `out` holds; else every element is written
};

// Null: the transpose, or no kind.
[[nodiscard]] const Task* task_of(TaskKind kind);

// What `out` holds before the launch: numbers from the key where the task adds, else poison.
void fill_before(const Task& task, const Problem& problem, const Words& words, std::span<std::byte> out);

// The first word of `out` that is not what it should be.
[[nodiscard]] std::optional<Mismatch> first_mismatch(const Task& task, const Problem& problem,
                                                     std::span<const std::byte> in,
                                                     std::span<const std::byte> before,
                                                     std::span<const std::byte> out);

}  // namespace lab::judge
