// What the runtime library wrote down about each launch, read back.
//
// Enters: the file that common/run/cudart/records.cpp appended to, perhaps cut off in its last line. Leaves: one
// LaunchRow a launch, in launch order.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/gpu/model/prediction.h"
#include "common/sim/base/fault.h"
#include "common/sim/observe/counters.h"
#include "common/ui/counters_json.h"
#include "common/ui/style.h"

namespace lab::programs {

struct RecordedFault {
  std::string kind, message, file;
  int line = 0;
  report::Json block, thread;
  report::Json said;  // the form of the message and its values
};

// Kinds of faults with which a launch never begins.
inline const std::set<std::string> kRefusals{"invalid-launch", "too-much-shared", "unsupported", "bad-ptx"};

struct LaunchRow {
  std::string kernel;
  int device = 0;  // the GPU that it ran on
  sim::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  sim::Counters counters;
  std::optional<sim::Counters> as_ptxas;  // of the accesses that ptxas makes, when they were asked for
  std::optional<model::Work> work;        // and the time that this predicts, when that was asked for
  model::Prediction predicted;
  std::vector<RecordedFault> faults;
  std::vector<RecordedFault> notes;  // no mistakes, good to know
  bool stopped = false;              // one of them ended the launch, or kept it from starting
  std::vector<sim::LineCounters> lines;
  // The launch never began.
  [[nodiscard]] bool refused() const {
    return stopped && !faults.empty() && (kRefusals.contains(faults.front().kind));
  }
};

// Bytes that calls copied from one GPU to another: over the link, or staged through the host.
struct Crossed {
  bool linked = true;
  int from = 0, to = 0;
  auto operator<=>(const Crossed&) const = default;
};

struct RunRecords {
  std::vector<LaunchRow> launches;
  std::vector<RecordedFault> found;                    // outside of launches: by calls and by the host
  std::map<std::string, std::uint64_t> library_calls;  // computed on the host: how often each
  bool was_ended = false;                              // it wanted more launches than --launches allows
  std::string gpu = "h200";                            // that times are predicted for
  int gpus = 1;                                        // how many there were
  std::map<Crossed, std::uint64_t> crossed;            // copies between them
  bool used_times = false;                             // the program read times of events
  bool used_textures = false;                          // or made texture or surface objects
  std::uint64_t repeated = 0;                          // launches that were not executed again
  bool saw_fault = false;                              // the program asked about the error of a launch
};

[[nodiscard]] RunRecords read_records(const std::filesystem::path& file);
[[nodiscard]] RunRecords read_records(std::istream& in);

// `--json`: the list of docs/json_run.md.
[[nodiscard]] report::Json records_json(const RunRecords& records);

// The table, and with `lines` the source lines under each kernel.
[[nodiscard]] std::string records_table(const RunRecords& records, bool lines, const report::Style& style);

}  // namespace lab::programs
