// Names counters as a profiler does. See profiler_table.h.
#include "common/course/explore/profiler_table.h"

#include <string_view>

namespace lab::explore {
namespace {

// Atomics have two counters of the profiler. Those whose old value no thread reads become reductions, and a
// course's kernels have no others.
std::string cost_metric(const sim::PathInfo& path) {
  constexpr std::string_view kBoth = "{atom,red}";
  std::string name(path.metric);
  const std::size_t at = name.find(kBoth);
  return at == name.npos ? name : name.replace(at, kBoth.size(), "red");
}

// The profiler's counter of requests, from that of sectors or wavefronts.
std::string requests_metric(const sim::PathInfo& path) {
  constexpr std::string_view kSectors = "t_sectors",
                             kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared";
  std::string name = cost_metric(path);
  if (name.starts_with(kWavefronts))
    return "smsp__sass_inst_executed_op_shared" + name.substr(kWavefronts.size() + 3);
  const std::size_t at = name.find(kSectors);
  return at == name.npos ? "" : name.replace(at, kSectors.size(), "t_requests");
}

}  // namespace

std::vector<ProfilerRow> profiler_table(const judge::Run& run) {
  std::vector<ProfilerRow> rows;
  for (const sim::PathInfo& path : sim::kPathTable) {
    const sim::PathCounters c = run.counters[path.path];
    if (c.requests == 0 || path.weighs == sim::Space::Const || path.metric.empty()) continue;
    const double lanes = double(c.active_lanes) / double(c.requests);
    if (const std::string requests = requests_metric(path); !requests.empty())
      rows.push_back({requests + ".sum", c.requests, 0, lanes});
    rows.push_back({cost_metric(path) + ".sum", c.cost, c.ideal, lanes});
  }
  return rows;
}

}  // namespace lab::explore
