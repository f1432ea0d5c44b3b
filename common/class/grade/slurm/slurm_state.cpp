// How far a run is, and how it comes to Slurm. See slurm.h.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/subprocess.h"
#include "common/base/text/message_json.h"
#include "common/class/grade/slurm/slurm.h"
#include "common/class/grade/slurm/slurm_queue.h"

namespace lab::grade {
namespace fs = std::filesystem;

namespace {

using Kind = ShardState::Kind;

// Exit codes of the job script, before there is a log.
constexpr int kFolderNotSeen = 41, kFolderNotWritable = 42;

bool is_waiting(const std::string& state) {
  for (const char* word : {"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD",
                           "SPECIAL_EXIT", "SUSPENDED", "STOPPED"}) {
    if (state == word) return true;
  }
  return false;
}

void fails(ShardState& shard, const char* code, const Message& message, bool needs_fix) {
  shard.kind = Kind::Failed;
  shard.code = code;
  shard.message = message;
  shard.needs_fix = needs_fix;
}

// What Slurm says of jobs that ended before their work did. Such a shard may end better next time.
bool fails_by_job_state(ShardState& shard, const std::string& state) {
  struct Word {
    const char *state, *code, *message;
  };
  static constexpr Word kWords[] = {
      {"CANCELLED", "cancelled", "It was cancelled."},
      {"TIMEOUT", "time-limit",
       "It reached the job's time limit. A longer --time, or more --shards, gives it room."},
      {"DEADLINE", "time-limit",
       "It reached the job's deadline. A longer --time, or more --shards, gives it room."},
      {"NODE_FAIL", "node-failed", "Its node failed."},
      {"BOOT_FAIL", "node-failed", "Its node did not start."},
      {"PREEMPTED", "preempted", "Another job took its place."},
      {"OUT_OF_MEMORY", "out-of-memory", "It ran out of memory. Ask for more: --sbatch --mem-per-cpu=1G"},
  };
  for (const Word& word : kWords) {
    if (state != word.state) continue;
    fails(shard, word.code, word.message, false);
    return true;
  }
  return false;
}

// The shard is not in the queue, and kernels of it have no judgement. Why?
class FailureFinder {
 public:
  FailureFinder(const SlurmRun& run, const std::map<unsigned, Task>& ended) : run_(run), ended_(ended) {}

  void find(ShardState& shard) const {
    const auto at = ended_.find(shard.shard);
    const Task task = at == ended_.end() ? Task{} : at->second;
    shard.node = task.node;
    if (const auto report = read_report(run_, shard.shard)) {
      by_report(shard, *report, task);
    } else if (!fails_by_job_state(shard, task.state)) {
      by_traces(shard, task);
    }
  }

 private:
  void by_report(ShardState& shard, const ShardReport& report, const Task& task) const {
    if (!report.host.empty()) shard.node = report.host;
    if (report.damaged) {
      fails(shard, "damaged-report", "Its report is damaged, and judgements are missing.", false);
    } else if (const std::string other = other_tool(report); report.state != "problem" && !other.empty()) {
      fails(shard, "other-tools",
            msg("It was judged with other tools than the class was submitted with (fingerprint `{}` "
                "differs): its verdicts do not count.",
                other),
            true);
    } else if (report.state == "problem") {
      fails(shard, report.code.empty() ? "environment" : report.code.c_str(), report.message, true);
    } else if (report.state == "interrupted") {
      if (!fails_by_job_state(shard, task.state))
        fails(shard, "interrupted",
              "It was ended from outside: scancel, the time limit, or a node that was taken down.", false);
    } else {
      fails(shard, "lost", "It was judged, and judgements of it are gone or damaged.", false);
    }
  }

  [[nodiscard]] std::string other_tool(const ShardReport& report) const {
    for (const auto& [what, value] : run_.plan.tools.listed()) {
      const auto there = report.hashes.find(what);
      if (what != "rubric" && there != report.hashes.end() && there->second != value) return what;
    }
    return "";
  }

  void by_traces(ShardState& shard, const Task& task) const {
    const auto log = base::read_file(run_.folder / "logs" / fmt::format("{}.log", shard.shard));
    const std::string words = base::last_line(log.value_or(""));
    if (task.exit_code == kFolderNotSeen) {
      fails(shard, "out-not-shared",
            msg("The node does not see {}. --out must lie on a file system that all nodes share.",
                run_.folder.string()),
            true);
    } else if (task.exit_code == kFolderNotWritable) {
      fails(shard, "out-not-writable", msg("The node cannot write to {}.", (run_.folder / "logs").string()),
            true);
    } else if (!words.empty()) {
      fails(shard, "failed", text::verbatim(words), true);
    } else if (log) {
      fails(shard, "ended", "It began and ended without a word: killed, or its node went down.", false);
    } else if (others_began()) {  // and Slurm does not remember tasks that were cancelled before they began
      fails(shard, "never-began",
            "It never began, though others of its job did: it was cancelled while it waited.", false);
    } else {
      fails(shard, "no-trace",
            msg("It left neither report nor log. Either it never began, or its node does not see {}: --out "
                "must lie on a file system that all nodes share. A network file system may also be a minute "
                "late.",
                run_.folder.string()),
            true);
    }
  }

  // Then nodes see the folder.
  [[nodiscard]] bool others_began() const {
    for (unsigned shard = 1; shard <= run_.plan.shards.size(); ++shard) {
      if (read_report(run_, shard) || base::read_file(run_.folder / "logs" / fmt::format("{}.log", shard)))
        return true;
    }
    return false;
  }

  const SlurmRun& run_;
  const std::map<unsigned, Task>& ended_;
};

void write_job(const SlurmRun& run) {
  if (!base::write_file_atomically(run.folder / "job", run.job + "\n"))
    throw base::EnvironmentError(
        msg("Slurm took the job as {}, and {} cannot be written. Make room; the same command finds the job "
            "again.",
            run.job, (run.folder / "job").string()));
}

}  // namespace

std::size_t SlurmState::count(ShardState::Kind kind) const {
  return static_cast<std::size_t>(
      std::count_if(shards.begin(), shards.end(), [&](const ShardState& s) { return s.kind == kind; }));
}

bool SlurmState::needs_fix() const {
  return std::any_of(shards.begin(), shards.end(),
                     [](const ShardState& s) { return s.kind == Kind::Failed && s.needs_fix; });
}

SlurmState state_of(const SlurmRun& run, const OutputFolder& out) {
  SlurmState state;
  bool all_done = true;
  for (std::size_t i = 0; i < run.plan.shards.size(); ++i) {
    ShardState shard;
    shard.shard = static_cast<unsigned>(i + 1);
    shard.kernels = run.plan.shards[i].size();
    for (const OpenKernel& kernel : run.plan.shards[i]) {
      shard.missing += !load_judgement(out.judgements(), kernel.key, kernel.chapter->name) &&
                       !load_judgement(out.unsettled(), kernel.key, kernel.chapter->name);
    }
    all_done = all_done && shard.missing == 0;
    state.shards.push_back(shard);
  }
  if (all_done) return state;  // Slurm has nothing to add
  const Queue queue = queued(run.plan.name);
  std::map<unsigned, Task> ended;
  bool asked = false;
  for (ShardState& shard : state.shards) {
    if (shard.missing == 0) continue;
    if (const auto task = queue.tasks.find(shard.shard); task != queue.tasks.end()) {
      shard.kind = is_waiting(task->second.state) ? Kind::Waiting : Kind::Running;
      shard.node = task->second.node;
      if (shard.kind == Kind::Waiting) shard.waits_for = task->second.reason;
      continue;
    }
    if (!asked && !run.job.empty()) ended = remembered(run.job);
    asked = true;
    FailureFinder(run, ended).find(shard);
  }
  return state;
}

bool find_lost_job(SlurmRun& run) {
  run.job = queued(run.plan.name).job;
  for (unsigned shard = 1; run.job.empty() && shard <= run.plan.shards.size(); ++shard) {
    if (const auto report = read_report(run, shard)) run.job = report->job;
  }
  if (run.job.empty()) return false;
  write_job(run);
  return true;
}

void submit(SlurmRun& run) {
  const Submitted answer = sbatch(run.folder / "job.sh");
  run.job = answer.job;
  if (!run.job.empty()) return write_job(run);
  if (answer.timed_out) {
    throw base::EnvironmentError(
        "sbatch gave no answer for 90 s. The same command looks later whether Slurm has taken the job.");
  }
  std::error_code error;
  fs::remove_all(run.folder, error);
  throw base::EnvironmentError(
      msg("Slurm did not take the job: {}", answer.words.empty() ? "(no word)" : answer.words));
}

SlurmLock::SlurmLock(const OutputFolder& out) {
  std::error_code error;
  fs::create_directories(out.slurm(), error);
  const fs::path path = out.slurm() / "lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw base::EnvironmentError(
        msg("Cannot write {}. Give --out a folder of yours with room in it.", path.string()));
  if (flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return;  // a file system without locks: care is the user's
  close(file_);
  throw base::EnvironmentError(
      msg("Another `lab grade --slurm` is at work in {}: nothing was submitted. Wait until it has ended.",
          out.root.string()));
}

SlurmLock::~SlurmLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace lab::grade
