// One launch of a transpose on one problem, judged.
//
// Enters: a kernel, a problem. Leaves: a Run: right or not, the first mismatch in words, faults, counters.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text/message.h"
#include "common/course/judge/block_watch.h"
#include "common/course/judge/link_watch.h"
#include "common/course/judge/problem.h"
#include "common/course/judge/row_runs.h"
#include "common/course/judge/share.h"
#include "common/gpu/device/device.h"
#include "common/kernel/launch_shape.h"

namespace lab::judge {

// The first element of `out` that is not what it should be. `code` is stable: wrong-element, never-written,
// padding-written, outside-written, input-changed, second-launch.
struct Mismatch {
  std::string code;
  Message message;  // "out(3,5) holds in(4,3), which belongs at out(3,4); in(5,3) belongs there"
  std::int64_t row = 0, col = 0, batch = 0;  // of `out`
  std::int64_t wrong_elems = 0, elems = 0;   // how many are wrong, of how many
  bool holds_zero = false, copied = false;   // the element: zero, that of the same row and column
  bool foreign = false;                      // it is no element of `in`
  std::int64_t rows_off = 0, cols_off = 0;   // in `in`, from the right one to the one that is there
  bool in_first_tile = false;                // in the first tile the same place is right
};

struct Run {
  Problem problem;
  std::string entry;        // the kernel that ran
  std::string_view task{};  // what it computes, where that is no transpose: "sum"; else ""
  LaunchShape shape;
  device::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;      // of a block, static and dynamic
  bool may_write_global = true;        // the kernel has a store to global memory, or what may be one
  Share share;                         // what of the matrix its blocks stand for
  bool sampled = false;                // some of the blocks ran (sample_trial.h)
  bool left_out = false;               // none did (Subject::drawn)
  bool each_thread_takes_all = false;  // its threads go over the whole matrix, each of them: a fault says so
  BlockFindings blocks;                // counted runs
  RowRunFindings rows;                 // counted runs
  LinkFindings links;                  // counted runs on several GPUs
  std::vector<sim::Fault> faults;
  std::vector<sim::Fault> notes;     // no mistakes, good to know
  std::vector<sim::Fault> findings;  // of a run that goes on behind them (Target::goes_on)
  std::optional<Mismatch> mismatch;  // none after a fault: then nothing was compared
  sim::Counters counters;
  std::vector<sim::LineCounters> lines;  // by file, line, key of the path
  std::uint64_t lane_instructions = 0;
  std::uint64_t warp_instructions = 0;  // issued, however many lanes were active
  std::uint64_t work = 0;  // of all passes: what they cost the host, in units (sim/program/work.h)
  double seconds = 0;
  std::string output;  // of device printf
  [[nodiscard]] bool correct() const { return faults.empty() && !mismatch; }
  [[nodiscard]] bool over_budget() const {
    return !faults.empty() && faults.front().kind == sim::FaultKind::BudgetExceeded;
  }
  // To global memory, by threads and by the TMA unit.
  [[nodiscard]] std::uint64_t stored_bytes() const {
    return counters[sim::Path::GlobalStore].bytes + counters[sim::Path::GlobalBulkStore].bytes;
  }
};

// What goals speak of: a path and what is counted on it, by the name that cards and JSON print. Without a
// path: the sum over all that weigh in the space.
enum class Unit : std::uint8_t { Requests, Cost, Bytes };  // Cost: sectors or wavefronts
struct Metric {
  std::string_view name;
  sim::Space space;  // Global or Shared
  std::optional<sim::Path> path;
  Unit unit;
  constexpr Metric(std::string_view n, sim::Space all_of, Unit u) : name(n), space(all_of), unit(u) {}
  constexpr Metric(std::string_view n, sim::Path one, Unit u)
      : name(n), space(sim::info(one).space), path(one), unit(u) {}
  bool operator==(const Metric&) const = default;
  [[nodiscard]] bool covers(sim::Path one) const {
    return path ? *path == one : sim::info(one).weighs == space;
  }
  [[nodiscard]] bool shared() const { return space == sim::Space::Shared; }
  static const Metric GlobalLoadRequests, GlobalLoadSectors, GlobalStoreRequests, GlobalStoreSectors,
      SharedLoadRequests, SharedLoadWavefronts, SharedStoreRequests, SharedStoreWavefronts, GlobalRequests,
      GlobalSectors, GlobalBytes, SharedRequests, SharedWavefronts, SharedBytes, BulkLoadRequests,
      BulkLoadSectors, BulkStoreRequests, BulkStoreSectors, MatrixLoadRequests, MatrixStoreRequests,
      LinkLoadSectors, LinkStoreSectors, LinkAtomicSectors;
};
inline constexpr Metric Metric::GlobalLoadRequests{"global load requests", sim::Path::GlobalLoad,
                                                   Unit::Requests};
inline constexpr Metric Metric::GlobalLoadSectors{"global load sectors", sim::Path::GlobalLoad, Unit::Cost};
inline constexpr Metric Metric::GlobalStoreRequests{"global store requests", sim::Path::GlobalStore,
                                                    Unit::Requests};
inline constexpr Metric Metric::GlobalStoreSectors{"global store sectors", sim::Path::GlobalStore,
                                                   Unit::Cost};
inline constexpr Metric Metric::SharedLoadRequests{"shared load requests", sim::Path::SharedLoad,
                                                   Unit::Requests};
inline constexpr Metric Metric::SharedLoadWavefronts{"shared load wavefronts", sim::Path::SharedLoad,
                                                     Unit::Cost};
inline constexpr Metric Metric::SharedStoreRequests{"shared store requests", sim::Path::SharedStore,
                                                    Unit::Requests};
inline constexpr Metric Metric::SharedStoreWavefronts{"shared store wavefronts", sim::Path::SharedStore,
                                                      Unit::Cost};
inline constexpr Metric Metric::GlobalRequests{"global requests, all paths", sim::Space::Global,
                                               Unit::Requests};
inline constexpr Metric Metric::GlobalSectors{"global sectors, all paths", sim::Space::Global, Unit::Cost};
inline constexpr Metric Metric::GlobalBytes{"global bytes, all paths", sim::Space::Global, Unit::Bytes};
inline constexpr Metric Metric::SharedRequests{"shared requests, all paths", sim::Space::Shared,
                                               Unit::Requests};
inline constexpr Metric Metric::SharedWavefronts{"shared wavefronts, all paths", sim::Space::Shared,
                                                 Unit::Cost};
inline constexpr Metric Metric::SharedBytes{"shared bytes, all paths", sim::Space::Shared, Unit::Bytes};
inline constexpr Metric Metric::BulkLoadRequests{"global bulk load requests", sim::Path::GlobalBulkLoad,
                                                 Unit::Requests};
inline constexpr Metric Metric::BulkLoadSectors{"global bulk load sectors", sim::Path::GlobalBulkLoad,
                                                Unit::Cost};
inline constexpr Metric Metric::BulkStoreRequests{"global bulk store requests", sim::Path::GlobalBulkStore,
                                                  Unit::Requests};
inline constexpr Metric Metric::BulkStoreSectors{"global bulk store sectors", sim::Path::GlobalBulkStore,
                                                 Unit::Cost};
inline constexpr Metric Metric::MatrixLoadRequests{"shared matrix load requests", sim::Path::SharedMatrixLoad,
                                                   Unit::Requests};
inline constexpr Metric Metric::MatrixStoreRequests{"shared matrix store requests",
                                                    sim::Path::SharedMatrixStore, Unit::Requests};
inline constexpr Metric Metric::LinkLoadSectors{"link load sectors", sim::Path::LinkLoad, Unit::Cost};
inline constexpr Metric Metric::LinkStoreSectors{"link store sectors", sim::Path::LinkStore, Unit::Cost};
inline constexpr Metric Metric::LinkAtomicSectors{"link atomic sectors", sim::Path::LinkAtomic, Unit::Cost};
// What every chapter's kernel is measured by: loads and stores in both spaces.
inline constexpr std::array kMetrics = {Metric::GlobalLoadRequests,  Metric::GlobalLoadSectors,
                                        Metric::GlobalStoreRequests, Metric::GlobalStoreSectors,
                                        Metric::SharedLoadRequests,  Metric::SharedLoadWavefronts,
                                        Metric::SharedStoreRequests, Metric::SharedStoreWavefronts};
[[nodiscard]] std::uint64_t value(const sim::Counters& counters, const Metric& metric);
// Wavefronts above the ideal, loads and stores: what the course calls bank conflicts.
[[nodiscard]] std::uint64_t bank_conflicts(const sim::Counters& counters);

}  // namespace lab::judge
