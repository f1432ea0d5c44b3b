// What each launch did, written down as it happens.
//
// Enters: launches. Leaves: one line of JSON each, appended to the file that LAB_RUN_RECORDS names, so that
// nothing is lost when the program crashes, aborts or is killed. `lab run` reads them
// (common/run/programs/run_records.h). Without that variable nothing is written.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/gpu/model/prediction.h"
#include "common/run/cudart/run_notes.h"
#include "common/sim/gpu.h"

namespace lab::cudart {

struct LaunchRecord {
  std::string kernel;  // as C++ names it
  int device = 0;      // the GPU that it ran on
  sim::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  const sim::LaunchResult* result = nullptr;  // null: it never started
  std::vector<sim::Fault> faults;             // and what the checks found
  bool stopped = false;                       // one of them ended the launch, or kept it from starting
  std::optional<sim::Counters> as_ptxas;      // of the accesses that ptxas makes, when they were asked for
  std::optional<model::Work> work;            // and the time that this predicts, when that was asked for
  model::Prediction predicted;
};

class Records {
 public:
  Records();
  void add(const LaunchRecord& record);
  // What was found outside of a launch. `place`: "main.cu:12", or "".
  void found(std::string_view kind, const Message& words, const std::string& place);
  // With the name or the numbers that belong to it.
  void note(RunNote what, std::string_view of = "", std::initializer_list<std::uint64_t> numbers = {});
  [[nodiscard]] bool wants_as_ptxas() const { return as_ptxas_; }
  [[nodiscard]] bool wants_time() const { return time_; }

 private:
  void write(const std::string& line) const;
  int file_ = -1;
  bool lines_ = false;
  bool as_ptxas_ = false;
  bool time_ = false;
};

}  // namespace lab::cudart
