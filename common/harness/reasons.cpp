// From a Run to the words of a failed case.
#include "common/harness/reasons.h"

#include <fmt/format.h>

#include <cmath>

namespace lab::harness {
namespace {

// Requests, cost and ideal cost of one line, whatever the op.
struct Cost {
  std::uint64_t requests = 0, cost = 0, ideal = 0;
};

Cost cost_of(const sim::Counters& c, Metric metric) {
  const auto global = [](const sim::GlobalCounters& g) {
    return Cost{g.requests, g.sectors, g.ideal_sectors};
  };
  const auto shared = [](const sim::SharedCounters& s) {
    return Cost{s.requests, s.wavefronts, s.ideal_wavefronts};
  };
  const std::string_view op = info(metric).op;
  if (op == "global_load") return global(c.global_load);
  if (op == "global_store") return global(c.global_store);
  return op == "shared_load" ? shared(c.shared_load) : shared(c.shared_store);
}

bool counts_requests(Metric metric) { return info(metric).unit == "requests"; }

std::string per_request(std::uint64_t cost, std::uint64_t requests) {
  if (cost % requests == 0) return fmt::format("{}", cost / requests);
  return fmt::format("{:.1f}", double(cost) / double(requests));
}

}  // namespace

const sim::LineCounters* worst_line(const Run& run, Metric metric) {
  const sim::LineCounters* worst = nullptr;
  std::uint64_t most = 0;
  for (const sim::LineCounters& line : run.lines) {
    if (line.op != info(metric).op) continue;
    const Cost c = cost_of(line.counters, metric);
    const std::uint64_t waste = counts_requests(metric) ? c.requests : c.cost - std::min(c.cost, c.ideal);
    if (worst == nullptr || waste > most) worst = &line, most = waste;
  }
  return worst;
}

std::string cost_of_line(const sim::LineCounters& line, Metric metric) {
  const Cost c = cost_of(line.counters, metric);
  if (c.requests == 0) return {};
  if (counts_requests(metric)) {
    const sim::Counters& k = line.counters;
    const std::uint64_t lanes = k.global_load.active_lanes + k.global_store.active_lanes +
                                k.shared_load.active_lanes + k.shared_store.active_lanes;
    return fmt::format("{} active lanes per request", per_request(lanes, c.requests));
  }
  const char* unit = info(metric).unit == "sectors" ? "sector" : "wavefront";
  const std::string cost = per_request(c.cost, c.requests);
  const std::string each = fmt::format("{} {}{} per request", cost, unit, cost == "1" ? "" : "s");
  if (c.cost <= c.ideal) return each + ", as few as these bytes need";
  return fmt::format("{}, {} would do", each, per_request(c.ideal, c.requests));
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
    if (wrong > 1) reason.message += fmt::format("\n{} of {} elements are wrong.", wrong, all);
  }
  reason.message = fmt::format("shape {}: {}", describe(run.problem), reason.message);
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
    const bool shared = m.op.starts_with("shared");
    reason.message =
        fmt::format("The kernel never {} {} memory.", m.op.ends_with("load") ? "loads from" : "stores to",
                    shared ? "shared" : "global");
  } else if (const sim::LineCounters* line = worst_line(run, metric)) {
    reason.message = cost_of_line(*line, metric);
    reason.file = line->file;
    reason.line = line->line;
    reason.op = line->op;
  }
  if (!why.empty()) reason.message += (reason.message.empty() ? "" : "\n") + why;
  return reason;
}

}  // namespace lab::harness
