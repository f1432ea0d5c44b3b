// One problem on one device: what Subject asks for again and again.
//
// Enters: a loaded kernel, its launch shape, a problem. Leaves: a Run (judge_on, declared in subject.h), and
// the fault of a launch that cannot be.
#pragma once

#include <functional>
#include <string>

#include "common/judge/subject.h"

namespace lab::judge {

// Why a check leaves the GPU alone: its kernel wants several at once.
inline constexpr const char* kNeedsSeveralGpus =
    "This kernel runs on several GPUs at once, and a check uses one. docs/gpu.md says how to run it on two.";

// What a launch may cost, in units of work.
[[nodiscard]] std::uint64_t budget_of(const Problem& problem, const device::Dim3& grid,
                                      const device::Dim3& block);
// Whether races in global memory are looked for: not in every shape of a sweep.
[[nodiscard]] bool watches_global_races(const Problem& problem);

// What `judge` finds of a problem and a shape that can be. Throws ShapeError where they cannot; parameters
// that do not fit are a fault.
[[nodiscard]] Run judged(const LaunchShape& shape, const Problem& problem, const std::function<Run()>& judge);

// A launch that cannot be.
[[nodiscard]] sim::Fault launch_fault(std::string message);

}  // namespace lab::judge
