// Recording a run.
#include "common/course/explore/recording.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "common/course/explore/worst_block.h"
#include "common/sim/observe/access_analysis.h"
#include "common/sim/observe/link_cost.h"

namespace lab::explore {
namespace {

// Loads and stores alone: the others follow rules that no picture shows. Matrix instructions are among them.
bool is_drawn(sim::Path path) {
  const sim::Rule rule = sim::info(path).rule;
  return rule == sim::Rule::Sectors || rule == sim::Rule::Wavefronts;
}

bool is_traffic(sim::Path path) {
  const sim::PathInfo& info = sim::info(path);
  return info.rule == sim::Rule::ClusterLines || info.rule == sim::Rule::Link ||
         (info.rule == sim::Rule::BothSides && !sim::is_part(path));
}

// The path over the link that this access is counted on too.
std::optional<sim::Path> link_path(const sim::RecordedAccess& a) {
  if (!a.over_link) return std::nullopt;
  return sim::link_path(sim::info(a.path).direction);
}

}  // namespace

sim::Path drawn_path(sim::Path path) {
  const sim::PathInfo& info = sim::info(path);
  return info.rule == sim::Rule::RowsOfMatrix ? info.part_of : path;
}

std::uint64_t waste_of(const Site& site, const sim::RecordedAccess& a) {
  if (site.shared()) {
    const auto cost = sim::shared_cost(a.address.data(), a.width_bytes, a.mask, site.load());
    return cost.wavefronts - cost.ideal_wavefronts;
  }
  const auto cost = sim::global_cost(a.address.data(), a.width_bytes, a.mask);
  return cost.sectors - cost.ideal_sectors;
}

Recording record(judge::Subject& subject, const std::string& kernel, const judge::Problem& problem,
                 const judge::Target& target, int line, std::optional<sim::Path> path) {
  Recording first = recording_of(kernel, subject.run(problem, target), subject.watched(problem, target));
  const Site* blamed = nullptr;
  for (const Site& site : first.sites) {
    const bool here = (line == 0 || site.line == line) && (!path || site.path == *path);
    if (here && (blamed == nullptr || site.excess() > blamed->excess())) blamed = &site;
  }
  if (!first.run.faults.empty() || blamed == nullptr || blamed->excess() == 0) return first;
  const auto shows = [&](const sim::RecordedAccess& a) { return waste_of(*blamed, a) != 0; };
  if (std::any_of(blamed->recorded.begin(), blamed->recorded.end(), shows)) return first;
  WorstBlock worst(blamed->line, blamed->path);
  (void)subject.observed(problem, target, worst);
  judge::Watched watched = subject.watched(problem, target);
  watched.accesses = worst.recorded();
  return recording_of(kernel, std::move(first.run), watched, worst.index());
}

Recording recording_of(std::string kernel, judge::Run run, const judge::Watched& watched,
                       std::uint64_t block) {
  Recording recording{std::move(kernel), std::move(run), block, {}, {}, watched.arrays};
  struct Found {
    std::vector<Site>* sites;
    std::map<std::tuple<std::string, int, sim::Path>, std::size_t> index;
  };
  Found drawn{&recording.sites, {}}, traffic{&recording.traffic, {}};
  for (const sim::LineCounters& line : recording.run.lines) {
    if (!is_drawn(line.path) && !is_traffic(line.path)) continue;
    const sim::PathCounters c = line.counters[line.path];
    auto& [sites, index] = is_drawn(line.path) ? drawn : traffic;
    index[{line.file, line.line, line.path}] = sites->size();
    sites->push_back({line.file, line.line, line.path, c.requests, c.cost, c.ideal, {}});
  }
  for (const sim::RecordedAccess& access : watched.accesses) {
    const judge::Watched::Place& place = watched.places.at(access.pc);
    if (const auto at = drawn.index.find({place.file, place.line, drawn_path(access.path)});
        at != drawn.index.end() && access.place.block_index == block)
      recording.sites[at->second].recorded.push_back(access);
    const auto at = traffic.index.find({place.file, place.line, link_path(access).value_or(access.path)});
    if (at == traffic.index.end()) continue;
    auto& kept = recording.traffic[at->second].recorded;
    if (kept.empty() || access.place.block_index == kept.front().place.block_index) kept.push_back(access);
  }
  for (auto* sites : {&recording.sites, &recording.traffic}) {
    for (Site& site : *sites) {
      // Unrolled loops: copies of one line follow each other within a warp.
      std::stable_sort(site.recorded.begin(), site.recorded.end(), [](const auto& a, const auto& b) {
        return std::tie(a.place.warp, a.order, a.pc) < std::tie(b.place.warp, b.order, b.pc);
      });
    }
  }
  return recording;
}

const Site* find_site(const Recording& recording, int line, sim::Path path) {
  for (const Site& site : recording.sites) {
    if (site.line == line && site.path == path && !site.recorded.empty()) return &site;
  }
  return nullptr;
}

const Site* worst_site(const Recording& recording, int line) {
  const auto rank = [](const Site& s) { return std::make_tuple(s.excess(), s.shared(), s.load()); };
  const Site* worst = nullptr;
  for (const Site& site : recording.sites) {
    if ((line != 0 && site.line != line) || site.recorded.empty()) continue;
    if (worst == nullptr || rank(site) > rank(*worst)) worst = &site;
  }
  return worst;
}

std::size_t costliest_request(const Site& site) {
  std::size_t best = 0;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < site.recorded.size(); ++i) {
    const sim::RecordedAccess& a = site.recorded[i];
    const std::uint64_t cost =
        site.shared() ? sim::shared_cost(a.address.data(), a.width_bytes, a.mask, site.load()).wavefronts
                      : sim::global_cost(a.address.data(), a.width_bytes, a.mask).sectors;
    if (cost > most) {
      most = cost;
      best = i;
    }
  }
  return best;
}

std::string per_request(std::uint64_t cost, std::uint64_t requests) {
  if (requests == 0) return "-";
  if (cost % requests == 0) return fmt::format("{}", cost / requests);
  return fmt::format("{:.2f}", static_cast<double>(cost) / static_cast<double>(requests));
}

}  // namespace lab::explore
