// Counters and faults of a launch as JSON, for tools. The shapes are documented in docs/json.md; tests hold them.
//
// Enters: what the simulator counted and found. Leaves: one object each, keys in a fixed order.
#pragma once

#include <string>

#include "common/base/json.h"
#include "common/base/project.h"
#include "common/sim/base/fault.h"
#include "common/sim/observe/counters.h"

namespace lab::report {

using Json = base::Json;

[[nodiscard]] Json to_json(const sim::Counters& counters);      // by path
[[nodiscard]] Json totals_json(const sim::Counters& counters);  // by space, over all paths
// `as_ptxas`: the counters of the machine code's accesses, and what each counter of a profiler shows.
[[nodiscard]] Json as_ptxas_json(const sim::Counters& counters);
// How a file is named: as a student reads it, unless something else is said.
using FileName = std::string (*)(const std::string& file);
[[nodiscard]] inline std::string shown_file(const std::string& file) { return base::shown_path(file); }
[[nodiscard]] Json to_json(const sim::Fault& fault, FileName name = shown_file);
// What would fix it; null where nothing but the sentence says so.
[[nodiscard]] Json fix_json(const sim::Fix& fix, FileName name = shown_file);
[[nodiscard]] Json to_json(const sim::LineCounters& line, FileName name = shown_file);
[[nodiscard]] Json place_json(const sim::Dim3& d);
// Faults and counters of whatever ran.
template <class Ran>
void add_counted(Json& object, const Ran& ran, FileName name = shown_file) {
  object["faults"] = Json::array();
  for (const sim::Fault& fault : ran.faults) object["faults"].push_back(to_json(fault, name));
  object["counters"] = to_json(ran.counters);
  object["totals"] = totals_json(ran.counters);
  object["lines"] = Json::array();
  for (const sim::LineCounters& line : ran.lines) object["lines"].push_back(to_json(line, name));
  object["simulated"] = {{"lane_instructions", ran.lane_instructions}, {"seconds", ran.seconds}};
}
// One line of text; bytes that are no UTF-8 (of a student's file) are replaced, never thrown at.
[[nodiscard]] std::string dump(const Json& json);

}  // namespace lab::report
