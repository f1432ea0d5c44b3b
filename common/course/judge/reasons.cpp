// From counters that are too high to words. Faults and wrong elements: fault_reasons.cpp.
#include "common/course/judge/reasons.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "common/course/judge/named_lines.h"
#include "common/course/judge/source_lines.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/access_view.h"

namespace lab::judge {
namespace {

bool counts_cost(Metric metric) { return metric.unit == Unit::Cost; }

std::string per_request(std::uint64_t cost, std::uint64_t requests) {
  if (cost % requests == 0) return sim::grouped(cost / requests);
  return fmt::format("{:.1f}", double(cost) / double(requests));
}

Message each_request(const std::string& cost, bool sectors) {
  if (cost == "1") return sectors ? "1 sector per request" : "1 wavefront per request";
  return sectors ? msg("{} sectors per request", cost) : msg("{} wavefronts per request", cost);
}

}  // namespace

namespace {

// Requests that lanes which do nothing cost, above as few as the others need.
std::uint64_t requests_of_idle_lanes(const sim::PathCounters& c) {
  return c.requests - std::min(c.requests, (c.active_lanes + sim::kWarpLanes - 1) / sim::kWarpLanes);
}

// The line where most requests are lost to idle lanes, if that is a good part of all requests.
const sim::LineCounters* idlest_line(const Run& run, Metric metric) {
  constexpr std::uint64_t kGoodPart = 4;
  const sim::LineCounters* idlest = nullptr;
  std::uint64_t most = 0, all = 0;
  for (const sim::LineCounters& line : run.lines) {
    if (!metric.covers(line.path)) continue;
    const std::uint64_t lost = requests_of_idle_lanes(line.counters[line.path]);
    all += line.counters[line.path].requests;
    if (lost > most) idlest = &line, most = lost;
  }
  return kGoodPart * most >= all ? idlest : nullptr;
}

}  // namespace

const sim::LineCounters* worst_line(const Run& run, Metric metric) {
  if (const sim::LineCounters* idlest = metric.unit == Unit::Requests ? idlest_line(run, metric) : nullptr)
    return idlest;
  const sim::LineCounters* worst = nullptr;
  std::uint64_t most = 0;
  for (const sim::LineCounters& line : run.lines) {
    if (!metric.covers(line.path)) continue;
    const sim::PathCounters c = line.counters[line.path];
    const std::uint64_t waste = metric.unit == Unit::Requests ? c.requests
                                : metric.unit == Unit::Bytes  ? c.bytes
                                                              : c.cost - std::min(c.cost, c.ideal);
    if (worst == nullptr || waste > most) worst = &line, most = waste;
  }
  return worst;
}

bool costs_no_more_than_it_must(const sim::LineCounters& line, Metric metric) {
  const sim::PathCounters c = line.counters[line.path];
  return counts_cost(metric) && c.requests != 0 && c.cost <= c.ideal;
}

Message cost_of_line(const sim::LineCounters& line, Metric metric) {
  const sim::PathCounters c = line.counters[line.path];
  if (c.requests == 0) return {};
  if (!counts_cost(metric)) {
    if (sim::info(line.path).rule == sim::Rule::BothSides)
      return msg("one copy moves {} bytes", per_request(c.bytes, c.requests));
    if (c.active_lanes < sim::kWarpLanes * c.requests)
      return msg("{} of 32 lanes act in a request", per_request(c.active_lanes, c.requests));
    const std::uint64_t lanes = c.requests * sim::kWarpLanes;
    return c.bytes == lanes
               ? msg("{} requests, 1 byte for each of 32 lanes: more requests than needed", big(c.requests))
               : msg("{} requests, {} bytes for each of 32 lanes: more requests than needed", big(c.requests),
                     per_request(c.bytes, lanes));
  }
  const Message each = each_request(per_request(c.cost, c.requests), !metric.shared());
  if (c.cost <= c.ideal)
    return msg("{}, as few as these bytes need; but there are more requests than needed", each);
  return msg("{}, {} would do", each, per_request(c.ideal, c.requests));
}

namespace {

Message shared_pattern(const sim::RecordedAccess& a, bool load) {
  const sim::SharedView view = sim::view_shared(a.address.data(), a.width_bytes, a.mask, load);
  const int lanes = std::popcount(a.mask);
  int there = 0;
  for (const sim::LaneInBanks& lane : view.lanes) {
    there += lane.active && (view.worst_bank - lane.first_bank) % sim::kBanks < lane.banks;
  }
  if (there == lanes)
    return load ? msg("every lane reads bank {}", view.worst_bank)
                : msg("every lane writes bank {}", view.worst_bank);
  return load ? msg("{} of {} lanes read bank {}", there, lanes, view.worst_bank)
              : msg("{} of {} lanes write bank {}", there, lanes, view.worst_bank);
}

Message global_pattern(const sim::RecordedAccess& a) {
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
  return msg("neighbouring lanes are {} bytes apart", big(static_cast<std::uint64_t>(std::abs(most->first))));
}

}  // namespace

Message pattern_of(std::span<const sim::RecordedAccess> recorded, Metric metric) {
  const bool shared = metric.shared();
  const auto is_wanted = [&](sim::Path path) {
    const sim::Rule rule = sim::info(path).rule;  // atomics and copies have patterns of their own
    return metric.covers(path) && (rule == sim::Rule::Sectors || rule == sim::Rule::Wavefronts);
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

TileShape covered_by_block(const Run& run, const Watched& watched) {
  const Problem& p = run.problem;
  std::uint64_t base = ~std::uint64_t{0};
  std::vector<std::uint64_t> stored;  // elements of `out`, by their addresses
  for (const sim::RecordedAccess& a : watched.accesses) {
    if (a.path != sim::Path::GlobalStore || a.place.block_index != 0) continue;
    for (std::size_t lane = 0; lane < a.address.size(); ++lane) {
      if (((a.mask >> lane) & 1u) == 0) continue;
      for (unsigned byte = 0; byte < a.width_bytes; byte += static_cast<unsigned>(p.elem_bytes))
        stored.push_back(a.address[lane] + byte);
      base = std::min(base, a.address[lane]);
    }
  }
  TileShape covered;
  for (const std::uint64_t address : stored) {
    const auto elem = static_cast<std::int64_t>((address - base) / static_cast<std::uint64_t>(p.elem_bytes));
    covered.rows = std::max(covered.rows, static_cast<int>(elem % p.out_pitch()) + 1);
    covered.cols = std::max(covered.cols, static_cast<int>(elem / p.out_pitch()) + 1);
  }
  // Block 0 need not be the one in the corner, nor its share a rectangle.
  const auto all = static_cast<std::int64_t>(stored.size());
  return std::int64_t{covered.rows} * covered.cols == all ? covered : TileShape{};
}

namespace {

// Where no request wastes anything, the fault is that there are too many: what moves is more than the matrix.
Message moved_again(const Run& run, Metric metric) {
  const sim::LineCounters* line = worst_line(run, metric);
  if (line == nullptr) return {};
  if (!metric.path && metric.unit == Unit::Cost) return {};
  const sim::Path path = metric.path.value_or(line->path);
  if (sim::info(path).rule != sim::Rule::Sectors) return {};
  const sim::PathCounters all = run.counters[path];
  const Problem& p = run.problem;
  const double matrix = double(p.batch) * double(p.rows) * double(p.cols) * p.elem_bytes;
  constexpr double kAgain = 1.05;  // flags beside the matrix are no element that is moved again
  if (all.cost > all.ideal || double(all.bytes) <= kAgain * matrix) return {};
  return msg(
      "It moves {:.3g} times the bytes of the matrix: several threads take the same element. Is .block, or a "
      "loop's step, what the tile needs?",
      double(all.bytes) / matrix);
}

}  // namespace

Reason reason_of(const Run& run, Metric metric, std::uint64_t bound, std::string code, Message why,
                 const Message& pattern) {
  const std::uint64_t counted = value(run.counters, metric);
  Reason reason;
  reason.code = std::move(code);
  // Where a path is not used at all, its bound is no goal: less would be better.
  const bool not_used = counted == 0 && bound != 0;
  if (!not_used) reason.figures.push_back({Message(metric.name, {}), counted, bound});
  if (not_used) {
    reason.code = "not-used";
    const bool load = !metric.path || sim::reads(*metric.path);
    const bool copies = metric.path && sim::info(*metric.path).rule == sim::Rule::BothSides;
    const bool matrices = metric.path && sim::info(*metric.path).rule == sim::Rule::RowsOfMatrix;
    reason.message = copies            ? load ? "The kernel asks the TMA unit for no tile."
                                              : "The kernel sends no tile through the TMA unit."
                     : matrices        ? "The kernel has no matrix instruction that reaches shared memory."
                     : metric.shared() ? load ? "The kernel never loads from shared memory."
                                              : "The kernel never stores to shared memory."
                     : load            ? "The kernel never loads from global memory."
                                       : "The kernel never stores to global memory.";
    const bool has_array = metric.shared() && !load && !run.lines.empty() &&
                           kernel_text(run.lines.front().file).find("__shared__") != std::string::npos;
    if (has_array)
      reason.message = "Nothing is loaded from shared memory, so a compiler takes out what is stored there.";
  } else if (const sim::LineCounters* line = worst_line(run, metric)) {
    reason.message = cost_of_line(*line, metric);
    if (!pattern.empty()) reason.message = msg("{}: {}", reason.message, pattern);
    if (costs_no_more_than_it_must(*line, metric)) {  // too many of them
      if (reason.code == "bank-conflict") why = {};   // that is about another mistake
      reason.code = "repeated-access";
    }
    reason.file = line->file;
    reason.line = line->line;
    reason.path = line->path;
    reason.facts.emplace_back(sim::reads(line->path) ? "load" : "store");
  }
  if (Message again = moved_again(run, metric); !again.empty()) {
    why = std::move(again);
    reason.facts.emplace_back("again");
    if (metric.unit == Unit::Requests) reason.message = {};  // each of them is as it should be
  }
  const bool again_by_loop =
      reason.code == "repeated-access" || (!reason.facts.empty() && reason.facts.back() == "again");
  reason.message.line(std::move(why));
  if (again_by_loop) name_loops(reason, reason.file, {reason.line});
  if (reason.code == "bank-conflict") {
    name_helpers(reason, reason.file, {reason.line});
    name_rows(reason, reason.file, reason.line);
  }
  return reason;
}

}  // namespace lab::judge
