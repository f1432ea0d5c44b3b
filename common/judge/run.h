// One launch of a transpose on one problem, judged.
//
// Enters: a kernel, a problem. Leaves: a Run: right or not, the first mismatch in words, faults, counters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/device/device.h"
#include "common/judge/block_watch.h"
#include "common/judge/link_watch.h"
#include "common/judge/problem.h"
#include "common/judge/row_runs.h"
#include "common/judge/share.h"
#include "common/kernel/launch_shape.h"

namespace lab::judge {

// The first element of `out` that is not what it should be. `code` is stable: wrong-element, never-written,
// padding-written, outside-written, input-changed.
struct Mismatch {
  std::string code;
  std::string message;  // "out(3,5) holds in(4,3), which belongs at out(3,4); in(5,3) belongs there"
  std::int64_t row = 0, col = 0, batch = 0;  // of `out`
  std::int64_t wrong_elems = 0;              // how many are wrong in all
};

struct Run {
  Problem problem;
  std::string entry;  // the kernel that ran
  LaunchShape shape;
  device::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;  // of a block, static and dynamic
  Share share;                     // what of the matrix its blocks stand for
  bool sampled = false;            // some of the blocks ran (sample_trial.h)
  BlockFindings blocks;            // counted runs
  RowRunFindings rows;             // counted runs
  LinkFindings links;              // counted runs on several GPUs
  std::vector<sim::Fault> faults;
  std::optional<Mismatch> mismatch;  // none after a fault: then nothing was compared
  sim::Counters counters;
  std::vector<sim::LineCounters> lines;  // by file, line, key of the path
  std::uint64_t lane_instructions = 0;
  std::uint64_t warp_instructions = 0;  // issued, however many lanes were active
  std::uint64_t work = 0;  // of all passes: what they cost the host, in units (sim/program/work.h)
  double seconds = 0;
  std::string output;  // of device printf
  [[nodiscard]] bool correct() const { return faults.empty() && !mismatch; }
};

// The counters that goals speak of, by the names that cards and JSON print.
enum class Metric : std::uint8_t {
  GlobalLoadRequests,
  GlobalLoadSectors,
  GlobalStoreRequests,
  GlobalStoreSectors,
  SharedLoadRequests,
  SharedLoadWavefronts,
  SharedStoreRequests,
  SharedStoreWavefronts,
  GlobalRequests,  // of a space, over all its paths
  GlobalSectors,
  GlobalBytes,
  SharedRequests,
  SharedWavefronts,
  SharedBytes,
  BulkLoadRequests,
  BulkLoadSectors,
  BulkStoreRequests,
  BulkStoreSectors,
  MatrixLoadRequests,
  MatrixStoreRequests,
  LinkLoadSectors,  // to and from other GPUs
  LinkStoreSectors,
  LinkAtomicSectors,
};
enum class Unit : std::uint8_t { Requests, Cost, Bytes };  // Cost: sectors or wavefronts
struct MetricInfo {
  std::string_view name;  // "shared load wavefronts"
  sim::Space space;       // Global or Shared
  std::optional<sim::Path>
      path;  // of the source lines that it sums up; none: every path that weighs in the space
  Unit unit;
  [[nodiscard]] bool covers(sim::Path one) const {
    return path ? *path == one : sim::info(one).weighs == space;
  }
  [[nodiscard]] bool shared() const { return space == sim::Space::Shared; }
};
[[nodiscard]] const MetricInfo& info(Metric metric);
[[nodiscard]] std::uint64_t value(const sim::Counters& counters, Metric metric);
// Wavefronts above the ideal, loads and stores: what the course calls bank conflicts.
[[nodiscard]] std::uint64_t bank_conflicts(const sim::Counters& counters);

}  // namespace lab::judge
