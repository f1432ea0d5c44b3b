// What came of a launch. See result.h.
#include "common/run/embed/result.h"

#include <utility>

#include "common/ui/counters_json.h"

namespace lab::embed {
namespace {

using report::Json;

lab_ptx_dim as_struct(const sim::Dim3& d) { return {d.x, d.y, d.z}; }

std::string as_named(const std::string& file) { return file; }

lab_ptx_counter as_struct(const sim::PathInfo& row, const sim::PathCounters& c) {
  return {row.key.data(), c.requests, c.cost, c.ideal, c.active_lanes, c.bytes};
}

Json finding_json(const lab_ptx_finding& finding, const sim::Fault& fault) {
  Json one = report::to_json(fault, as_named);
  one["code"] = finding.code;
  one["ptx_line"] = finding.ptx_line;
  one["count"] = finding.count;
  one["ended"] = finding.ended != 0;
  return one;
}

}  // namespace

Result::Result(const lab_ptx_request& request, Module::Launched launched)
    : lab_ptx_result{},
      kernel_(launched.kernel->program->name()),
      grid_{request.grid.x, request.grid.y, request.grid.z},
      block_{request.block.x, request.block.y, request.block.z},
      shared_bytes_(launched.kernel->described.shared_bytes + request.shared_bytes),
      ran_(std::move(launched.result)) {
  completed = ran_.ok() ? 1 : 0;
  warp_instructions = ran_.warp_instructions;
  lane_instructions = ran_.lane_instructions;
  seconds = ran_.seconds;
  output = ran_.output.c_str();
  output_bytes = ran_.output.size();
  add_findings();
  add_counters();
}

void Result::add_findings() {
  sentences_.reserve(ran_.faults.size() + ran_.findings.size());  // they stay where they are
  const auto add = [&](const sim::Fault& fault, bool ended) {
    sentences_.push_back(fault.sentence().english());
    findings_.push_back({sim::code(fault.kind).data(), sentences_.back().c_str(), fault.file.c_str(),
                         fault.line, fault.ptx_line, as_struct(fault.block), as_struct(fault.thread),
                         fault.address, fault.count, ended ? 1 : 0});
  };
  for (const sim::Fault& fault : ran_.faults) add(fault, true);
  for (const sim::Fault& fault : ran_.findings) add(fault, false);
  findings = findings_.data();
  finding_count = findings_.size();
}

void Result::add_counters() {
  for (const sim::PathInfo& row : sim::kPathTable)
    counters_.push_back(as_struct(row, ran_.counters[row.path]));
  counters = counters_.data();
  counter_count = counters_.size();
  for (const sim::LineCounters& line : ran_.lines)
    lines_.push_back(
        {line.file.c_str(), line.line, as_struct(sim::info(line.path), line.counters[line.path])});
  lines = lines_.data();
  line_count = lines_.size();
}

std::string Result::as_json() const {
  Json object = {{"kernel", kernel_},
                 {"device", "simulator"},
                 {"grid", report::place_json(grid_)},
                 {"block", report::place_json(block_)},
                 {"shared_bytes", shared_bytes_}};
  report::add_counted(object, ran_, as_named);
  object["output"] = ran_.output;
  object["completed"] = completed != 0;
  object["warp_instructions"] = ran_.warp_instructions;
  object["work"] = ran_.work;
  object["findings"] = Json::array();
  for (std::size_t i = 0; i < findings_.size(); ++i)
    object["findings"].push_back(finding_json(
        findings_[i], i < ran_.faults.size() ? ran_.faults[i] : ran_.findings[i - ran_.faults.size()]));
  return report::dump(object);
}

const char* Result::json() const {
  std::call_once(once_, [&] { json_ = as_json(); });
  return json_.c_str();
}

}  // namespace lab::embed
