// Verdicts and counters as JSON, for tools. The shapes are documented in docs/json.md; tests hold them.
//
// Enters: Runs and Examinations. Leaves: one object each, keys in a fixed order.
#pragma once

#include <string>

#include "common/base/json.h"
#include "common/judge/examine.h"
#include "common/judge/run.h"

namespace lab::report {

using Json = base::Json;

[[nodiscard]] Json to_json(const sim::Counters& counters);      // by path
[[nodiscard]] Json totals_json(const sim::Counters& counters);  // by space, over all paths
// `as_ptxas`: the counters of the machine code's accesses, and what each counter of a profiler shows.
[[nodiscard]] Json as_ptxas_json(const sim::Counters& counters);
[[nodiscard]] Json to_json(const sim::Fault& fault);
[[nodiscard]] Json to_json(const sim::LineCounters& line);
// What `profile --json` prints.
[[nodiscard]] Json profile_json(const std::string& kernel, const std::string& device, const judge::Run& run);
// The same of a launch that is no transpose.
[[nodiscard]] Json launch_json(const std::string& kernel, const device::Launch& launch,
                               std::uint32_t static_shared_bytes, const device::LaunchOutcome& outcome);
// What `check --json` prints: a profile of the measured run, and the verdict.
[[nodiscard]] Json check_json(const judge::Examination& examination, const std::string& device);
// Times of one contender that moves `bytes`.
[[nodiscard]] Json timed_json(const judge::Timed& timed, std::uint64_t bytes);
// One line of text; bytes that are no UTF-8 (of a student's file) are replaced, never thrown at.
[[nodiscard]] std::string dump(const Json& json);

}  // namespace lab::report
