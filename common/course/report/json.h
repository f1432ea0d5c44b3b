// Verdicts and counters as JSON, for tools. The shapes are documented in docs/json.md; tests hold them.
//
// Enters: Runs and Examinations. Leaves: one object each, keys in a fixed order.
#pragma once

#include <string>

#include "common/course/judge/examine.h"
#include "common/course/judge/run.h"
#include "common/ui/counters_json.h"

namespace lab::report {

// What `profile --json` prints.
[[nodiscard]] Json profile_json(const std::string& kernel, const std::string& device, const judge::Run& run);
// The same of a launch that is no transpose.
[[nodiscard]] Json launch_json(const std::string& kernel, const device::Launch& launch,
                               std::uint32_t static_shared_bytes, const device::LaunchOutcome& outcome);
// What `check --json` prints: a profile of the measured run, and the verdict.
[[nodiscard]] Json check_json(const judge::Examination& examination, const std::string& device);
// Times of one contender that moves `bytes`.
[[nodiscard]] Json timed_json(const judge::Timed& timed, std::uint64_t bytes);
}  // namespace lab::report
