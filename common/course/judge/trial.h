// One problem on one device: what Subject asks for again and again.
//
// Enters: a loaded kernel, its launch shape, a problem. Leaves: a Run (judge_on, declared in subject.h), and
// the fault of a launch that cannot be.
#pragma once

#include <functional>
#include <span>

#include "common/course/judge/open_world.h"
#include "common/course/judge/target.h"

namespace lab::judge {

// Why the device is left alone: a kernel wants more GPUs than there are; "" when there are enough.
[[nodiscard]] Message too_few_gpus(const device::Device& device, int wanted);
// What was written outside of `out` and of `in`, where the device does not see it itself.
[[nodiscard]] bool all_poison(const device::Device& device, device::Address at, std::uint64_t bytes);
[[nodiscard]] bool holds(const device::Device& device, device::Address at,
                         std::span<const std::byte> expected);
inline constexpr const char* kOutsideWritten =
    "Something was written outside of `out`, less than 4 096 bytes away.";
inline constexpr const char* kInputChanged = "The kernel changed `in`; it may only read it.";
// Where the device does not catch stray writes, this much is laid around `out` and checked afterwards.
inline constexpr std::uint64_t kGuardZoneBytes = 4096;

// What a launch may cost, in units of work.
[[nodiscard]] std::uint64_t budget_of(const Problem& problem, const device::Dim3& grid,
                                      const device::Dim3& block);
// Whether races in global memory are watched: not in every small shape of a sweep.
[[nodiscard]] bool watches_global_races(const Problem& problem);

// What `judge` finds of a problem and a shape that can be. Throws ShapeError where they cannot; parameters
// that do not fit are a fault.
[[nodiscard]] Run judged(const LaunchShape& shape, const Problem& problem, const std::function<Run()>& judge);

// What a kernel does in a world, and where it is wrong there in the usual one: that run if it is wrong too, else one
// that says which part of the world decides.
using JudgeIn = std::function<Run(const OpenWorld&, const Target&)>;
[[nodiscard]] Run judged_in(const OpenWorld& world, const Target& target, const JudgeIn& judge_in);

// A launch that cannot be.
[[nodiscard]] sim::Fault launch_fault(Message message);

}  // namespace lab::judge
