// One run of a kernel with the addresses of one block: what all pictures are drawn from.
//
// Enters: a Subject, a problem. Leaves: the Run, and for every source line that loads or stores the requests
// of a block with the addresses of all lanes. Atomics and cp.async follow other rules and are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/course/judge/subject.h"
#include "common/sim/observe/recorder.h"

namespace lab::explore {

// One kind of access on one source line.
struct Site {
  std::string file;
  int line = 0;
  sim::Path path = sim::Path::GlobalLoad;           // a load or store of shared or global memory
  std::uint64_t requests = 0, cost = 0, ideal = 0;  // of the whole run; cost in wavefronts or sectors
  std::vector<sim::RecordedAccess> recorded;        // of one block, warp by warp, as executed
  [[nodiscard]] bool shared() const { return sim::info(path).space == sim::Space::Shared; }
  [[nodiscard]] bool load() const { return sim::reads(path); }
  [[nodiscard]] std::uint64_t excess() const { return cost - ideal; }
  [[nodiscard]] const char* unit() const {
    return sim::info(path).weighs == sim::Space::Shared ? "wavefronts" : "sectors";
  }
  [[nodiscard]] std::string words() const { return std::string(sim::info(path).name); }
};

using judge::SharedArray;

struct Recording {
  std::string kernel;  // path as a student reads it
  judge::Run run;
  std::uint64_t block = 0;  // whose requests were recorded
  std::vector<Site> sites;  // by file, line, key of the path
  // What goes to other blocks of a cluster, to other GPUs and through the TMA unit: of the first block that
  // sends any.
  std::vector<Site> traffic;
  std::vector<SharedArray> arrays;
};

// The recording of a run that was made. Look at run.correct() before drawing.
[[nodiscard]] Recording recording_of(std::string kernel, judge::Run run, const judge::Watched& watched,
                                     std::uint64_t block = 0);
// Runs `target`, unless the subject has. Where the line wastes something (0: whichever wastes most), and
// block 0 does not show it, the block is recorded that wastes most there. `path`: of that line's accesses
// this one.
[[nodiscard]] Recording record(judge::Subject& subject, const std::string& kernel,
                               const judge::Problem& problem, const judge::Target& target, int line = 0,
                               std::optional<sim::Path> path = std::nullopt);

// The site of that line and path; null when none was recorded there, as of asynchronous copies.
[[nodiscard]] const Site* find_site(const Recording& recording, int line, sim::Path path);

// The load or store that a picture of it shows: a matrix instruction is one of 16 bytes per lane, a row each.
[[nodiscard]] sim::Path drawn_path(sim::Path path);

// What a recorded request of the site costs above its ideal.
[[nodiscard]] std::uint64_t waste_of(const Site& site, const sim::RecordedAccess& access);

// The site on that line (0: any) with the most wavefronts or sectors above the ideal; among equals shared
// memory, then loads, then the first. Null when there is none.
[[nodiscard]] const Site* worst_site(const Recording& recording, int line = 0);

// Index of the first request that costs most.
[[nodiscard]] std::size_t costliest_request(const Site& site);

// "3", "3.5": cost of one request on average.
[[nodiscard]] std::string per_request(std::uint64_t cost, std::uint64_t requests);

}  // namespace lab::explore
