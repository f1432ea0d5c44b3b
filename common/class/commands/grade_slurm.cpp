// `lab grade --slurm`: submits a class to a cluster, says how far it is, collects.
//
// Enters: submissions, and what OUT/slurm holds of earlier calls. Each call first collects what is judged;
// when nothing is open the class is graded, else Slurm is asked how the job is doing, and what no job is
// working on is submitted. So one command, given again and again, does the next right thing.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/printable.h"
#include "common/class/commands/grade_options.h"
#include "common/class/grade/slurm/slurm_queue.h"
#include "common/class/grade/slurm/slurm_words.h"
#include "common/class/grade/summary.h"

namespace lab::cli {
namespace {

using base::ExitCode;
using base::UsageError;
using grade::ShardState;
using grade::SlurmRun;
using grade::SlurmState;
using report::Json;
using Kind = ShardState::Kind;

// The command line again, to be copied.
std::string this_command() {
  const std::string bytes = base::read_file("/proc/self/cmdline").value_or("");
  std::string command = "./lab";
  for (std::size_t at = bytes.find('\0'); at != std::string::npos && at + 1 < bytes.size();) {
    const std::size_t end = bytes.find('\0', at + 1);
    const std::string word = bytes.substr(at + 1, end - at - 1);
    if (word != "--resubmit") command += " " + base::shell_word(word);  // it is for once
    at = end;
  }
  return command;
}

class SlurmGrader {
 public:
  SlurmGrader(const Session& session, const GradeOptions& given, grade::GradingOptions options,
              const grade::Rubric& rubric)
      : session_(session),
        given_(given),
        options_(std::move(options)),
        rubric_(rubric),
        found_(submissions_of(given, rubric)) {
    options_.judge_here = false;
    options_.write_files = !given.dry_run;
  }

  int run() {
    if (given_.dry_run) return dry_run();
    for (;;) {
      const std::optional<int> code = step();
      if (code) return *code;
      if (!wait_for_job()) return say_interrupted();
    }
  }

 private:
  int dry_run() {
    collect({});
    const SlurmRun run = grade::prepare_run(result_, options_, given_.request, options_.out);
    const std::string script = grade::job_script(run, given_.request);
    if (given_.json) {
      Json json = grade::slurm_json("dry-run", &run, nullptr, result_, changes_);
      json["script_text"] = script;
      cli::print_json({{"slurm", json}, {"grade", nullptr}});
    } else {
      fmt::print("{}", script);
      fmt::print(
          stderr, "lab: {}\n",
          tr("Nothing was written or submitted. It would be {} shards for {} kernels, of {} different ones.",
             run.plan.shards.size(), result_.open.size(), result_.different));
    }
    return 0;
  }

  // Collects, and does what comes next. None: a job is at work, and it shall be waited for.
  std::optional<int> step() {
    const grade::SlurmLock lock(options_.out);
    std::optional<SlurmRun> run = grade::latest_run(options_.out);
    must_have_been_submitted(run);
    if (!run) grade::need_slurm();
    collect(given_.resubmit && !submitted_ ? std::filesystem::path() : options_.out.unsettled());
    if (result_.unread) return report_unread();
    if (result_.open.empty()) return report_graded(run);
    while (run && run->job.empty() && !grade::find_lost_job(*run)) {
      say(tr("An earlier submission ended before Slurm had the job; it is made anew."));
      std::error_code error;
      std::filesystem::remove_all(run->folder, error);
      run = grade::latest_run(options_.out);
    }
    must_have_been_submitted(run);
    return run ? go_on(*run) : submit();
  }

  void must_have_been_submitted(const std::optional<SlurmRun>& run) const {
    if (!run && given_.collect)
      throw UsageError(msg("Nothing was ever submitted from {}. --slurm submits it.", given_.out));
  }

  std::optional<int> go_on(const SlurmRun& run) {
    const SlurmState state = grade::state_of(run, options_.out);
    changes_ =
        grade::changes_since(run, result_, compile::find_tools(options_.compiler, options_.rubric_text));
    if (state.alive() && given_.wait) {
      waited_for_ = run;
      return std::nullopt;
    }
    if (late_files(state)) return std::nullopt;
    const bool may_submit =
        !state.alive() && !given_.collect && !submitted_ && (!state.needs_fix() || given_.resubmit);
    const char* action = state.alive() ? "waiting" : may_submit ? "submitted" : "failed";
    if (!may_submit || !given_.json) report_state(run, state, action);
    if (may_submit) return submit();
    return static_cast<int>(state.needs_fix() && !state.alive() ? ExitCode::Environment : ExitCode::NotYet);
  }

  // Just after a job has ended, a network file system may not show its files yet.
  bool late_files(const SlurmState& state) {
    constexpr int kMostLooks = 6;
    if (!waited_for_ || late_looks_ >= kMostLooks) return false;
    for (const ShardState& shard : state.shards) {
      const bool unseen = shard.code == "no-trace" || shard.code == "never-began";
      if (shard.kind == Kind::Failed && unseen) return ++late_looks_, true;
    }
    return false;
  }

  std::optional<int> submit() {
    grade::need_slurm();
    SlurmRun run = grade::prepare_run(result_, options_, given_.request, options_.out);
    grade::submit(run);
    submitted_ = true;
    report_submitted(run);
    if (!given_.wait) return 0;
    waited_for_ = run;
    return std::nullopt;
  }

  void collect(const std::filesystem::path& unsettled) {
    options_.unsettled = unsettled;
    reads_.emplace();
    result_ = grade::grade_class(found_.places, options_, rubric_, Reading::at);
    reads_.reset();
    result_.costs = grade::costs_on_nodes(options_.out);
    report_damaged(result_);
  }

  // False when Ctrl-C was pressed.
  bool wait_for_job() {
    using namespace std::chrono_literals;
    constexpr int kMostSilences = 40;
    int silences = 0;
    for (auto pause = 500ms;; pause = std::min<std::chrono::milliseconds>(pause * 3 / 2, 10s)) {
      for (auto slept = 0ms; slept < pause; slept += 50ms) {
        if (grade::stop_requested) return clear_line(), false;
        std::this_thread::sleep_for(50ms);
      }
      try {
        const grade::Queue queue = grade::queued(waited_for_->plan.name);
        if (queue.tasks.empty() && queue.job.empty()) return clear_line(), true;
        show_progress(queue);
        silences = 0;
      } catch (const base::EnvironmentError&) {  // a controller that starts anew is no reason to give up
        if (++silences > kMostSilences) throw;
      }
    }
  }

  void show_progress(const grade::Queue& queue) const {
    if (isatty(STDERR_FILENO) != 1) return;
    std::size_t running = 0;
    for (const auto& [index, task] : queue.tasks) running += task.state == "RUNNING";
    const std::size_t all = waited_for_->plan.shards.size(), left = queue.tasks.size();
    fmt::print(stderr, "\r\x1b[K{}",
               tr("job {}: {} of {} shards ended, {} running", waited_for_->job, all - std::min(all, left),
                  all, running));
    std::fflush(stderr);
  }
  static void clear_line() {
    if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
  }

  [[nodiscard]] int say_interrupted() const {
    say(tr(
        "Interrupted. Job {} goes on without this command; `scancel {}` ends it. The same command collects.",
        waited_for_->job, waited_for_->job));
    return static_cast<int>(ExitCode::NotYet);
  }

  static void say(const std::string& sentence) { fmt::print(stderr, "lab: {}\n", base::printable(sentence)); }

  void print_json(const char* action, const SlurmRun* run, const SlurmState* state,
                  const Json& graded) const {
    cli::print_json({{"slurm", grade::slurm_json(action, run, state, result_, changes_)}, {"grade", graded}});
  }

  // With --wait the one object of --json comes at the end.
  void report_submitted(const SlurmRun& run) const {
    if (given_.json) {
      if (!given_.wait) print_json("submitted", &run, nullptr, nullptr);
      return;
    }
    fmt::print("{}", grade::submitted_text(run, result_));
    if (!given_.wait) print_next();
    std::fflush(stdout);
  }

  static void print_next() {
    fmt::print("{}\n  {}\n", tr("The same command says how far it is, and collects when all is judged:"),
               base::printable(this_command()));
  }

  void report_state(const SlurmRun& run, const SlurmState& state, const char* action) const {
    if (given_.json) return print_json(action, &run, &state, nullptr);
    fmt::print("{}", grade::state_text(run, state, result_, changes_));
    if (std::string_view(action) == "submitted") return;
    if (state.alive()) {
      if (!changes_.empty())
        fmt::print("{}\n", tr("What is new is submitted once this job has ended; `scancel {}` ends it now.",
                              run.job));
      return print_next();
    }
    fmt::print("{}\n",
               state.needs_fix()
                   ? tr("They would fail again. Fix what is said above, then give the same command with "
                        "--resubmit.")
                   : tr("The same command with --slurm submits again what is missing, and only that."));
  }

  int report_graded(const std::optional<SlurmRun>& run) {
    const Json summary = grade::summary_json(result_, found_.notes);
    const std::string text = write_class(session_, given_, options_, result_, found_.notes);
    if (given_.json) {
      print_json("collected", run ? &*run : nullptr, nullptr, summary);
    } else {
      fmt::print("{}", text);
    }
    return static_cast<int>(summary.at("stopped") == 0 ? ExitCode::Passed : ExitCode::NotYet);
  }

  const Session& session_;
  const GradeOptions& given_;
  grade::GradingOptions options_;
  const grade::Rubric& rubric_;
  std::optional<Reading> reads_{std::in_place};  // of people, then of submissions
  const grade::Places found_;
  grade::ClassResult result_;
  std::vector<Message> changes_;
  std::optional<SlurmRun> waited_for_;
  bool submitted_ = false;  // in this call: once is enough
  int late_looks_ = 0;
};

}  // namespace

void add_slurm_options(Command& command, GradeOptions& options) {
  const auto option = [&command](const char* name, Place into, const char* help) -> Option& {
    return command.option(name, into, help).in_group("Slurm");
  };
  option("--slurm", options.slurm,
         "Judge on a Slurm cluster: submits, says how far it is, collects, submits again what is missing");
  option("--collect", options.collect, "The same, and submits nothing");
  option("--shards", options.request.shards,
         "Tasks of the array job (default: one for 16 kernels, 100 at most)")
      .between(1, 100000);
  option("--partition", options.request.partition, "As sbatch has it");
  option("--time", options.request.time, "Time limit of a shard, as sbatch has it");
  option("--account", options.request.account, "As sbatch has it");
  option("--sbatch", options.request.more,
         "Further options of sbatch, in one word: \"--qos=teach --mem-per-cpu=1G\"");
  option("--wait", options.wait, "Stay until the job has ended, then collect");
  option("--resubmit", options.resubmit, "Submit again also what failed for a reason that had to be fixed");
  option("--dry-run", options.dry_run, "Show the job script; write and submit nothing");
  option("--slurm-shard", options.slurm_shard, "On a node: judge this shard of the plan in --out")
      .kept_quiet();
}

int grade_by_slurm(const Session& session, const GradeOptions& given, grade::GradingOptions options,
                   const grade::Rubric& rubric) {
  if (given.fresh) throw UsageError("--fresh and --slurm do not go together: give a new folder to --out.");
  GradeOptions wanted = given;
  wanted.request.jobs = std::max(1u, given.jobs);
  return SlurmGrader(session, wanted, std::move(options), rubric).run();
}

}  // namespace lab::cli
