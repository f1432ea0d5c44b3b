// From a Run to the words of a failed case.
#include "common/judge/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>

#include "common/sim/observe/access_view.h"

namespace lab::judge {
namespace {

bool counts_cost(Metric metric) { return info(metric).unit == Unit::Cost; }

std::string per_request(std::uint64_t cost, std::uint64_t requests) {
  if (cost % requests == 0) return fmt::format("{}", cost / requests);
  return fmt::format("{:.1f}", double(cost) / double(requests));
}

std::string each_request(const std::string& cost, bool sectors) {
  if (cost == "1") return sectors ? "1 sector per request" : "1 wavefront per request";
  return sectors ? fmt::format("{} sectors per request", cost)
                 : fmt::format("{} wavefronts per request", cost);
}

}  // namespace

const sim::LineCounters* worst_line(const Run& run, Metric metric) {
  const sim::LineCounters* worst = nullptr;
  std::uint64_t most = 0;
  for (const sim::LineCounters& line : run.lines) {
    if (!info(metric).covers(line.path)) continue;
    const sim::PathCounters c = sim::counters_of(line.counters, line.path);
    const std::uint64_t waste = info(metric).unit == Unit::Requests ? c.requests
                                : info(metric).unit == Unit::Bytes  ? c.bytes
                                                                    : c.cost - std::min(c.cost, c.ideal);
    if (worst == nullptr || waste > most) worst = &line, most = waste;
  }
  return worst;
}

bool costs_no_more_than_it_must(const sim::LineCounters& line, Metric metric) {
  const sim::PathCounters c = sim::counters_of(line.counters, line.path);
  return counts_cost(metric) && c.requests != 0 && c.cost <= c.ideal;
}

std::string cost_of_line(const sim::LineCounters& line, Metric metric) {
  const sim::PathCounters c = sim::counters_of(line.counters, line.path);
  if (c.requests == 0) return {};
  if (!counts_cost(metric)) {
    if (c.active_lanes < sim::kWarpLanes * c.requests)
      return fmt::format("{} of 32 lanes act in a request", per_request(c.active_lanes, c.requests));
    return "all 32 lanes act in each request, so each moves too few bytes at once, or moves them again";
  }
  const std::string each = each_request(per_request(c.cost, c.requests), !info(metric).shared());
  if (c.cost <= c.ideal)
    return each + ", as few as these bytes need; but there are more requests than needed";
  return fmt::format("{}, {} would do", each, per_request(c.ideal, c.requests));
}

namespace {

std::string shared_pattern(const sim::RecordedAccess& a, bool load) {
  const sim::SharedView view = sim::view_shared(a.address.data(), a.width_bytes, a.mask, load);
  const int lanes = std::popcount(a.mask);
  int there = 0;
  for (const sim::LaneInBanks& lane : view.lanes) {
    there += lane.active && (view.worst_bank - lane.first_bank) % sim::kBanks < lane.banks;
  }
  if (there == lanes)
    return load ? fmt::format("every lane reads bank {}", view.worst_bank)
                : fmt::format("every lane writes bank {}", view.worst_bank);
  return load ? fmt::format("{} of {} lanes read bank {}", there, lanes, view.worst_bank)
              : fmt::format("{} of {} lanes write bank {}", there, lanes, view.worst_bank);
}

std::string global_pattern(const sim::RecordedAccess& a) {
  // The step between neighbouring lanes that is most common says it best.
  std::map<std::int64_t, int> steps;
  for (std::size_t lane = 1; lane < a.address.size(); ++lane) {
    if (((a.mask >> (lane - 1)) & 3u) != 3u) continue;
    ++steps[static_cast<std::int64_t>(a.address[lane] - a.address[lane - 1])];
  }
  const auto most =
      std::max_element(steps.begin(), steps.end(), [](auto& x, auto& y) { return x.second < y.second; });
  if (most == steps.end()) return "one lane alone";
  if (most->first == a.width_bytes) return "";
  return fmt::format("neighbouring lanes are {} bytes apart", std::abs(most->first));
}

}  // namespace

std::string pattern_of(std::span<const sim::RecordedAccess> recorded, Metric metric) {
  const bool shared = info(metric).shared();
  const auto is_wanted = [&](sim::Path path) {
    const sim::Rule rule = sim::info(path).rule;  // atomics and copies have patterns of their own
    return info(metric).covers(path) && (rule == sim::Rule::Sectors || rule == sim::Rule::Wavefronts);
  };
  const sim::RecordedAccess* worst = nullptr;
  std::uint64_t most = 0;
  for (const sim::RecordedAccess& a : recorded) {
    if (!is_wanted(a.path)) continue;
    std::uint64_t waste = 0;
    if (shared) {
      const sim::SharedCost cost =
          sim::shared_cost(a.address.data(), a.width_bytes, a.mask, sim::reads(a.path));
      waste = cost.wavefronts - cost.ideal_wavefronts;
    } else {
      const sim::GlobalCost cost = sim::global_cost(a.address.data(), a.width_bytes, a.mask);
      waste = cost.sectors - cost.ideal_sectors;
    }
    if (waste > most) worst = &a, most = waste;
  }
  if (worst == nullptr) return {};
  return shared ? shared_pattern(*worst, sim::reads(worst->path)) : global_pattern(*worst);
}

Reason reason_of(const Run& run) {
  Reason reason;
  if (!run.faults.empty()) {
    const sim::Fault& fault = run.faults.front();
    reason.code = sim::code(fault.kind);
    reason.message = fault.message;
    reason.file = fault.file;
    reason.line = fault.line;
  } else if (run.mismatch) {
    reason.code = run.mismatch->code;
    reason.message = run.mismatch->message;
    const std::int64_t wrong = run.mismatch->wrong_elems,
                       all = run.problem.batch * run.problem.rows * run.problem.cols;
    if (wrong > 1) reason.message += "\n" + fmt::format("{} of {} elements are wrong.", wrong, all);
  }
  reason.message = fmt::format(/* message */ "shape {}", describe(run.problem)) + ": " + reason.message;
  reason.problem = run.problem;
  return reason;
}

Reason reason_of(const Run& run, Metric metric, std::uint64_t bound, std::string code, std::string why) {
  const MetricInfo& m = info(metric);
  const std::uint64_t counted = value(run.counters, metric);
  Reason reason;
  reason.code = std::move(code);
  reason.figures.push_back({std::string(m.name), counted, bound});
  if (counted == 0 && bound != 0) {
    reason.code = "not-used";
    const bool load = !m.path || sim::reads(*m.path);
    reason.message = m.shared() ? load ? "The kernel never loads from shared memory."
                                       : "The kernel never stores to shared memory."
                     : load     ? "The kernel never loads from global memory."
                                : "The kernel never stores to global memory.";
  } else if (const sim::LineCounters* line = worst_line(run, metric)) {
    reason.message = cost_of_line(*line, metric);
    if (costs_no_more_than_it_must(*line, metric)) reason.code = "repeated-access";  // too many of them
    reason.file = line->file;
    reason.line = line->line;
    reason.path = line->path;
  }
  if (!why.empty()) reason.message += (reason.message.empty() ? "" : "\n") + why;
  return reason;
}

}  // namespace lab::judge
