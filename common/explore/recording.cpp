// Recording a run.
#include "common/explore/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "common/sim/observe/access_analysis.h"

namespace lab::explore {
namespace {

std::string op_of(const sim::RecordedAccess& a) {
  const bool load = a.op == sim::AccessOp::Load;
  if (!load && a.op != sim::AccessOp::Store) return {};
  if (a.space == sim::Space::Shared) return load ? "shared_load" : "shared_store";
  if (a.space == sim::Space::Global) return load ? "global_load" : "global_store";
  return {};
}

// The counters of a line, where it is drawn at all.
bool fill(Site& site, const sim::LineCounters& line) {
  const auto take = [&](const auto& c, std::uint64_t cost, std::uint64_t ideal) {
    site.requests = c.requests;
    site.cost = cost;
    site.ideal = ideal;
    return true;
  };
  const sim::Counters& c = line.counters;
  if (line.op == "shared_load")
    return take(c.shared_load, c.shared_load.wavefronts, c.shared_load.ideal_wavefronts);
  if (line.op == "shared_store")
    return take(c.shared_store, c.shared_store.wavefronts, c.shared_store.ideal_wavefronts);
  if (line.op == "global_load")
    return take(c.global_load, c.global_load.sectors, c.global_load.ideal_sectors);
  if (line.op == "global_store")
    return take(c.global_store, c.global_store.sectors, c.global_store.ideal_sectors);
  return false;
}

}  // namespace

Recording record(judge::Subject& subject, const std::string& kernel, const judge::Problem& problem,
                 const judge::Target& target) {
  return recording_of(kernel, subject.run(problem, target), subject.watched(problem, target));
}

Recording recording_of(std::string kernel, judge::Run run, const judge::Watched& watched) {
  Recording recording{std::move(kernel), std::move(run), {}, watched.arrays};
  std::map<std::tuple<std::string, int, std::string>, std::size_t> index;
  for (const sim::LineCounters& line : recording.run.lines) {
    Site site{line.file, line.line, line.op, 0, 0, 0, {}};
    if (!fill(site, line)) continue;
    index[{line.file, line.line, line.op}] = recording.sites.size();
    recording.sites.push_back(std::move(site));
  }
  for (const sim::RecordedAccess& access : watched.accesses) {
    const std::string op = op_of(access);
    const judge::Watched::Place& place = watched.places.at(access.pc);
    const auto at = index.find({place.file, place.line, op});
    if (at == index.end() || access.place.block_index != 0) continue;
    recording.sites[at->second].recorded.push_back(access);
  }
  for (Site& site : recording.sites) {
    // Unrolled loops: copies of one line follow each other within a warp.
    std::stable_sort(site.recorded.begin(), site.recorded.end(), [](const auto& a, const auto& b) {
      return std::tie(a.place.warp, a.order, a.pc) < std::tie(b.place.warp, b.order, b.pc);
    });
  }
  return recording;
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
