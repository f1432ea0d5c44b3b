// What came of a launch, as the structs of transpose_ptx.h and as JSON.
//
// Enters: what the simulator says. Leaves: memory that belongs to its reader alone.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "common/run/embed/module.h"

namespace lab::embed {

// The struct that the caller sees comes first: its address is this one's.
class Result : public lab_ptx_result {
 public:
  Result(const lab_ptx_request& request, Module::Launched launched);
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  [[nodiscard]] const char* json() const;

 private:
  void add_findings();
  void add_counters();
  [[nodiscard]] std::string as_json() const;

  std::string kernel_;
  sim::Dim3 grid_, block_;
  std::uint32_t shared_bytes_;
  const sim::LaunchResult ran_;
  std::vector<std::string> sentences_;
  std::vector<lab_ptx_finding> findings_;
  std::vector<lab_ptx_counter> counters_;
  std::vector<lab_ptx_line_counter> lines_;
  mutable std::once_flag once_;
  mutable std::string json_;
};

}  // namespace lab::embed
