// A class judged by a Slurm cluster: the kernels are split over an array job, the judgements meet in the same
// store that a single run fills, so that collecting is grading with nothing left to judge.
//
// Enters: kernels that are not judged yet. Leaves: one folder per submission to Slurm in OUT/slurm, and
// the answer to "how far is it?". Files are the truth; Slurm is asked only about what they do not say.
//
//   OUT/slurm/run-1/plan.json       what is judged by which shard, and with which tools
//                   job.sh          the array job, to read and to submit by hand
//                   job             its number, once Slurm has taken it
//                   reports/3.json  what became of shard 3; logs/3.log what it said
//             unsettled/            what limits answered: it counts, and may come out otherwise next time
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/class/grade/grading.h"
#include "common/ui/counters_json.h"

namespace lab::grade {

// What Slurm is asked for. Empty: the cluster's own default.
struct SlurmRequest {
  unsigned shards = 0;  // 0: follows from the number of kernels
  unsigned jobs = 1;    // kernels at a time in a shard, and processors of it
  std::string partition, time, account, more;
};

struct SlurmPlan {
  std::string name;      // of the job: unique, so that it is found again when its number got lost
  compile::Tools tools;  // of the machine that submitted
  std::string compiler;  // as --compiler said
  std::string key{judge::kPracticeKey};  // of the inputs
  bool sandbox = true;
  unsigned jobs = 1;
  std::filesystem::path out;                    // absolute, as the nodes see it too
  std::vector<std::vector<OpenKernel>> shards;  // shard 1 is the first
  // All that was handed in, to see later what has changed: student and chapter → SHA-256.
  std::map<std::pair<std::string, std::string>, std::string> handed_in;
};

// One submission to Slurm, as it lies in OUT.
struct SlurmRun {
  unsigned number = 0;
  std::filesystem::path folder;
  SlurmPlan plan;
  std::string job;  // "" when it was cut off before Slurm's answer was written down
};

// The latest one; none when nothing was ever submitted. Throws UsageError when its plan is damaged.
[[nodiscard]] std::optional<SlurmRun> latest_run(const OutputFolder& out);

// Deals the kernels out and writes the folder, not yet known to Slurm. Throws EnvironmentError, UsageError.
[[nodiscard]] SlurmRun prepare_run(const ClassResult& result, const GradingOptions& options,
                                   const SlurmRequest& request, const OutputFolder& out);
// The script alone, for a look.
[[nodiscard]] std::string job_script(const SlurmRun& run, const SlurmRequest& request);
[[nodiscard]] std::map<std::pair<std::string, std::string>, std::string> handed_in(const ClassResult& result);

[[nodiscard]] report::Json plan_json(const SlurmPlan& plan);
[[nodiscard]] std::optional<SlurmPlan> plan_from(const std::string& text);

// One shard, on a node. Leaves judgements and a report; the exit code is for Slurm.
int run_shard(const std::filesystem::path& folder, unsigned shard);

// What a shard's report says.
struct ShardReport {
  bool damaged = false;
  std::string job, host, state;  // done, interrupted, problem
  std::string code;              // of a problem
  Message message;               // and what it is
  std::map<std::string, std::string> hashes;
  std::vector<UnitCost> costs;
};
[[nodiscard]] std::optional<ShardReport> read_report(const SlurmRun& run, unsigned shard);
// What judging cost on the nodes, by all reports of a folder.
[[nodiscard]] std::vector<UnitCost> costs_on_nodes(const OutputFolder& out);

struct ShardState {
  enum class Kind : std::uint8_t { Done, Running, Waiting, Failed };
  unsigned shard = 0;
  Kind kind = Kind::Done;
  std::size_t kernels = 0, missing = 0;
  std::string node, code;  // of one that failed
  Message message;         // why it failed
  std::string waits_for;   // Slurm's word for why it waits
  bool needs_fix = false;  // it would fail again: a person has to fix something first
};
struct SlurmState {
  std::vector<ShardState> shards;
  [[nodiscard]] std::size_t count(ShardState::Kind kind) const;
  [[nodiscard]] bool alive() const {
    return count(ShardState::Kind::Running) + count(ShardState::Kind::Waiting) > 0;
  }
  [[nodiscard]] bool needs_fix() const;
};
// Throws EnvironmentError when Slurm does not answer and has to.
[[nodiscard]] SlurmState state_of(const SlurmRun& run, const OutputFolder& out);

// Asks Slurm for a run that has no number yet, and writes it down. False when Slurm never got it.
bool find_lost_job(SlurmRun& run);
// Gives the run to Slurm. Throws EnvironmentError with Slurm's own words; then the folder is gone again.
void submit(SlurmRun& run);

// One `lab grade --slurm` at a time works on a folder; gone with the process. Throws EnvironmentError.
class SlurmLock {
 public:
  explicit SlurmLock(const OutputFolder& out);
  ~SlurmLock();
  SlurmLock(const SlurmLock&) = delete;
  SlurmLock& operator=(const SlurmLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace lab::grade
