// Recording a run.
#include "common/explore/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "common/sim/observe/access_analysis.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::explore {
namespace {

constexpr std::uint32_t kRequestsKept = 64;  // of each instruction; a block of the course makes at most 32

// Remembers where the instructions of a launch come from: after the run the program may be gone.
class Sources final : public sim::Observer {
 public:
  struct Place {
    std::string file;
    int line = 0;
  };
  std::unique_ptr<sim::Observer> clone() const override { return std::make_unique<Sources>(); }
  void launch_begin(const sim::LaunchInfo& info) override {
    places.clear();
    for (std::uint32_t pc = 0; pc < info.program->instruction_count(); ++pc) {
      const sim::InstSource source = info.program->source(pc);
      places.push_back({info.program->file_name(source.file), source.line});
    }
    arrays.clear();
    for (const sim::SharedVariable& v : info.program->data().shared_variables)
      arrays.push_back({v.name, v.offset_bytes, v.size_bytes});
    const std::uint32_t fixed = info.program->static_shared_bytes();
    if (info.shared_bytes > fixed)
      arrays.push_back({"dynamic shared memory", fixed, info.shared_bytes - fixed});
  }
  std::vector<Place> places;  // by pc
  std::vector<SharedArray> arrays;
};

// Loads and stores alone: the others follow rules that no picture shows.
bool is_drawn(sim::Path path) {
  const sim::Rule rule = sim::info(path).rule;
  return rule == sim::Rule::Sectors || rule == sim::Rule::Wavefronts;
}

}  // namespace

Recording record(judge::Subject& subject, const std::string& kernel, const judge::Problem& problem,
                 judge::Target target) {
  sim::RecordFilter filter;
  filter.requests_per_instruction = kRequestsKept;
  sim::Recorder recorder(filter);
  Sources sources;
  target.observers = {&recorder, &sources};
  Recording recording{kernel, subject.run(problem, target), {}, std::move(sources.arrays)};
  std::map<std::tuple<std::string, int, sim::Path>, std::size_t> index;
  for (const sim::LineCounters& line : recording.run.lines) {
    if (!is_drawn(line.path)) continue;
    const sim::PathCounters c = sim::counters_of(line.counters, line.path);
    index[{line.file, line.line, line.path}] = recording.sites.size();
    recording.sites.push_back({line.file, line.line, line.path, c.requests, c.cost, c.ideal, {}});
  }
  for (const sim::RecordedAccess& access : recorder.recorded()) {
    const Sources::Place& place = sources.places.at(access.pc);
    const auto at = index.find({place.file, place.line, access.path});
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
