// A shard: what runs on a node of the cluster, and the report that it leaves. See slurm.h.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/text/message_json.h"
#include "common/class/grade/formats.h"
#include "common/class/grade/slurm/slurm.h"
#include "common/compile/sandbox.h"

namespace lab::grade {
namespace fs = std::filesystem;
using report::Json;

namespace {

constexpr const char* kReportFormat = "transpose-lab shard 1";

// Slurm's name of this node, else the machine's.
std::string node_name() {
  if (const char* name = std::getenv("SLURMD_NODENAME"); name != nullptr) return name;
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

struct Problem {
  std::string code;
  Message message;
};

// A verdict is worth as much as the tools that reached it: those of the node must be those of the plan.
std::optional<Problem> other_tools(const compile::Tools& plan, const compile::Tools& here) {
  const auto wanted = plan.listed(), found = here.listed();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string& what = wanted[i].first;
    if (what == "rubric" || wanted[i].second == found[i].second) continue;
    return Problem{
        "other-tools",
        msg("Fingerprint `{}` differs: {} on this node, {} where the class was submitted. Nothing was "
            "judged. Give all machines one clone and one compiler, or name nodes that have them.",
            what, found[i].second.substr(0, 20), wanted[i].second.substr(0, 20))};
  }
  return std::nullopt;
}

GradingOptions options_of(const SlurmPlan& plan) {
  GradingOptions options;
  options.compiler = compile::kind_named(plan.compiler);
  options.key = plan.key;
  options.sandbox = plan.sandbox;
  options.jobs = plan.jobs;
  options.out.root = plan.out;
  return options;
}

class Shard {
 public:
  Shard(const fs::path& folder, unsigned number, const SlurmPlan& plan)
      : folder_(folder), number_(number), plan_(plan), options_(options_of(plan)) {}

  // The exit code.
  int run() {
    std::optional<Problem> problem;
    try {
      problem = judge_all();
    } catch (const base::LabError& error) {
      problem = Problem{"environment", error.message()};
    }
    const char* state = problem ? "problem" : stop_requested ? "interrupted" : "done";
    fmt::print(stderr, "lab: shard {} on {}: {}. {} kernels judged, {} known.\n", number_, node_name(), state,
               costs_.size(), known_);
    if (problem) fmt::print(stderr, "lab: {}\n", problem->message.english());
    write_report(state, problem.value_or(Problem{}));
    return static_cast<int>(problem          ? base::ExitCode::Environment
                            : stop_requested ? base::ExitCode::NotYet
                                             : base::ExitCode::Passed);
  }

 private:
  std::optional<Problem> judge_all() {
    const compile::Tools here = compile::find_tools(options_.compiler, "");
    for (const auto& [what, value] : here.listed()) {
      if (what != "rubric") hashes_[what] = value;
    }
    if (auto problem = other_tools(plan_.tools, here)) return problem;
    if (options_.sandbox && !compile::sandbox_problem().empty())
      return Problem{"no-sandbox",
                     msg("{} Submissions that you trust can be graded without walls: --no-sandbox.",
                         compile::sandbox_problem())};
    std::vector<OpenKernel> open;
    for (const OpenKernel& kernel : plan_.shards[number_ - 1]) {
      const bool is_known =
          load_judgement(options_.out.judgements(), kernel.key, kernel.chapter->name).has_value();
      if (is_known)
        ++known_;
      else
        open.push_back(kernel);
    }
    std::size_t killed = 0;
    judge_kernels(open, options_, here, [&](std::size_t i, const UnitEnd& end) {
      if (end.killed) {
        ++killed;
        return;
      }
      costs_.push_back(end.cost);
      if (!end.kept) save_judgement(options_.out.unsettled(), open[i].key, end.judgement);
    });
    if (killed == 0 || stop_requested) return std::nullopt;
    return Problem{"killed", msg("{} kernels got no verdict: their processes were killed, or the node lacks "
                                 "something; the shard's log says more. When it is memory (a kernel takes up "
                                 "to 500 MiB): --sbatch --mem-per-cpu=1G",
                                 killed)};
  }

  void write_report(const char* state, const Problem& problem) const {
    const char* job = std::getenv("SLURM_ARRAY_JOB_ID");
    Json costs = Json::array();
    for (const UnitCost& cost : costs_) costs.push_back(cost_json(cost));
    const Json json = {{"format", kReportFormat},
                       {"shard", number_},
                       {"name", plan_.name},
                       {"job", job == nullptr ? "" : job},
                       {"host", node_name()},
                       {"state", state},
                       {"code", problem.code},
                       {"message", problem.message.english()},
                       {"said", text::json(problem.message)},
                       {"hashes", hashes_},
                       {"known", known_},
                       {"kernels", costs}};
    const fs::path file = folder_ / "reports" / fmt::format("{}.json", number_);
    if (!base::write_file_atomically(file, json.dump(1) + "\n"))
      fmt::print(stderr, "lab: cannot write {}\n", file.string());
  }

  const fs::path folder_;
  const unsigned number_;
  const SlurmPlan& plan_;
  const GradingOptions options_;
  std::map<std::string, std::string> hashes_;
  std::vector<UnitCost> costs_;
  std::size_t known_ = 0;
};

}  // namespace

int run_shard(const fs::path& folder, unsigned shard) {
  const auto plan = plan_from(base::read_file(folder / "plan.json").value_or(""));
  if (!plan || shard == 0 || shard > plan->shards.size()) {
    throw base::EnvironmentError(msg(
        "{} is no plan with a shard {} for this version of the lab. Is the clone on this node another one?",
        (folder / "plan.json").string(), shard));
  }
  return Shard(folder, shard, *plan).run();
}

std::optional<ShardReport> read_report(const SlurmRun& run, unsigned shard) {
  const auto text = base::read_file(run.folder / "reports" / fmt::format("{}.json", shard));
  if (!text) return std::nullopt;
  ShardReport report;
  try {
    const Json json = Json::parse(*text);
    if (json.at("format") != kReportFormat || json.at("name") != run.plan.name || json.at("shard") != shard) {
      report.damaged = true;
      return report;
    }
    report.job = json.at("job");
    report.host = json.at("host");
    report.state = json.at("state");
    report.code = json.at("code");
    report.message = text::message_from(json.value("said", nullptr), json.at("message"));
    for (const auto& [what, value] : json.at("hashes").items()) report.hashes[what] = value;
    for (const Json& cost : json.at("kernels")) report.costs.push_back(cost_from(cost));
  } catch (const Json::exception&) {
    report = {};
    report.damaged = true;
  }
  return report;
}

std::vector<UnitCost> costs_on_nodes(const OutputFolder& out) {
  std::vector<UnitCost> costs;
  SlurmRun run;
  for (run.number = 1;; ++run.number) {
    run.folder = out.slurm() / fmt::format("run-{}", run.number);
    const auto plan = plan_from(base::read_file(run.folder / "plan.json").value_or(""));
    if (!plan) return costs;
    run.plan = *plan;
    for (unsigned shard = 1; shard <= plan->shards.size(); ++shard) {
      if (const auto report = read_report(run, shard))
        costs.insert(costs.end(), report->costs.begin(), report->costs.end());
    }
  }
}

}  // namespace lab::grade
