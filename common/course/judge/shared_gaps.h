// A kernel whose shared arrays lie apart: where one begins, and which follows it, CUDA leaves open.
//
// Enters: a kernel, a problem. Leaves: its run with 16 bytes in front of all arrays and behind each of them, which belong to
// none. A kernel that touches these bytes, or expects what lies behind its own, is wrong there.
#pragma once

#include <optional>

#include "common/course/judge/subject.h"

namespace lab::judge {

// None where it uses no shared memory (`shared_bytes`: of a block, all in all), or the bytes find no room.
[[nodiscard]] std::optional<Run> run_with_gaps(Subject& subject, const Problem& problem, const Target& target,
                                               std::uint32_t shared_bytes);

}  // namespace lab::judge
