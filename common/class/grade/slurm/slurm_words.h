// The words of `lab grade --slurm`: how far a job is, why shards failed, what changed since; and its JSON.
//
// Enters: a run, its state, what was collected. Leaves: text for the terminal, and the object of --json.
#pragma once

#include <string>
#include <vector>

#include "common/class/grade/slurm/slurm.h"
#include "common/ui/counters_json.h"

namespace lab::grade {

// What changed since the class was submitted, one English sentence each.
[[nodiscard]] std::vector<Message> changes_since(const SlurmRun& run, const ClassResult& result,
                                                 const compile::Tools& tools);

[[nodiscard]] std::string submitted_text(const SlurmRun& run, const ClassResult& result);
// How far it is; why shards wait and why they failed; what changed.
[[nodiscard]] std::string state_text(const SlurmRun& run, const SlurmState& state, const ClassResult& result,
                                     const std::vector<Message>& changes);

// `run` and `state` may be absent. `action`: submitted, waiting, failed, collected, dry-run.
[[nodiscard]] report::Json slurm_json(const char* action, const SlurmRun* run, const SlurmState* state,
                                      const ClassResult& result, const std::vector<Message>& changes);

}  // namespace lab::grade
