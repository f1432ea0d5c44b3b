// What is given to Slurm, as files: the plan and the job script. See slurm.h.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/printable.h"
#include "common/base/project.h"
#include "common/base/random.h"
#include "common/class/grade/report_files.h"
#include "common/class/grade/slurm/slurm.h"
#include "common/course/judge/checks.h"

namespace lab::grade {
namespace fs = std::filesystem;
using base::UsageError;
using report::Json;

namespace {

constexpr const char* kPlanFormat = "transpose-lab slurm 1";
constexpr std::size_t kKernelsOfAShard = 16;  // about a quarter of a minute of one processor
constexpr unsigned kMostShards = 100;         // unless more are asked for; clusters take 1000 in one job

void must_write(const fs::path& path, const std::string& bytes) {
  if (!base::write_file_atomically(path, bytes))
    throw base::EnvironmentError(
        msg("Cannot write {}. Give --out a folder of yours with room in it.", path.string()));
}

std::string unique_name() { return fmt::format("lab-grade-{:08x}", base::random_number()); }

std::vector<std::vector<OpenKernel>> dealt(const std::vector<OpenKernel>& kernels, unsigned wanted) {
  const std::size_t by_size =
      std::min<std::size_t>((kernels.size() + kKernelsOfAShard - 1) / kKernelsOfAShard, kMostShards);
  const std::size_t count =
      std::clamp<std::size_t>(wanted != 0 ? wanted : by_size, 1, std::max<std::size_t>(kernels.size(), 1));
  std::vector<std::vector<OpenKernel>> shards(count);
  for (std::size_t i = 0; i < kernels.size(); ++i) shards[i % count].push_back(kernels[i]);
  return shards;
}

// A value of an #SBATCH line: one word, so that it cannot become another option.
std::string option_line(const char* option, const std::string& value) {
  if (value.empty()) return "";
  if (value.find_first_of(" \t\r\n\"'\\#") != std::string::npos)
    throw UsageError(msg("{} \"{}\": blanks and quotes have no place there.", option, value));
  return fmt::format("#SBATCH {}={}\n", option, value);
}

// Options of --sbatch go into the script as they are. Those that this program relies on are its own.
std::string further_line(const std::string& more) {
  if (more.empty()) return "";
  if (more.find_first_of("\r\n") != std::string::npos)
    throw UsageError("--sbatch takes options in one line, as they would stand behind #SBATCH.");
  for (std::size_t at = 0; at < more.size();) {
    const std::size_t end = std::min(more.find(' ', at), more.size());
    const std::string word = more.substr(at, end - at), name = word.substr(0, word.find('='));
    for (const char* ours :
         {"--array", "-a", "--job-name", "-J", "--output", "-o", "--error", "-e", "--chdir", "-D", "--wrap",
          "--wait", "-W", "--test-only", "--cpus-per-task", "-c", "--propagate"}) {
      if (name == ours)
        throw UsageError(
            msg("--sbatch: {} is set by lab itself. --shards, -j and --wait of `lab grade` do it.", ours));
    }
    at = end + 1;
  }
  return fmt::format("#SBATCH {}\n", more);
}

std::string exported_variables() {
  std::string lines = fmt::format("export LAB_ROOT={}\n", base::shell_word(base::project_root().string()));
  for (const char* name : compile::kCompilerVariables) {
    if (const char* value = std::getenv(name); value != nullptr)
      lines += fmt::format("export {}={}\n", name, base::shell_word(value));
  }
  return lines;
}

Json kernel_json(const OpenKernel& kernel) {
  return {{"chapter", kernel.chapter->name}, {"submission", kernel.source}, {"student", kernel.student}};
}

compile::Tools tools_from(const Json& hashes) {
  compile::Tools tools;
  for (const auto& [key, field] : compile::kToolFields) tools.*field = hashes.at(key).get<std::string>();
  return tools;
}

// A plan may come from another version of the course, with chapters that this one does not have.
const judge::ChapterInfo* chapter_called(const std::string& name) {
  for (const judge::ChapterInfo* chapter : judge::all_chapters()) {
    if (chapter->name == name) return chapter;
  }
  throw std::invalid_argument(name);
}

std::vector<OpenKernel> shard_from(const Json& json, const SlurmPlan& plan) {
  std::vector<OpenKernel> kernels;
  for (const Json& entry : json) {
    OpenKernel kernel{chapter_called(entry.at("chapter")), entry.at("submission"), "", entry.at("student")};
    kernel.key = judgement_key(*kernel.chapter, kernel.source, plan.tools, plan.key);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace

Json plan_json(const SlurmPlan& plan) {
  Json hashes = Json::object(), shards = Json::array(), students = Json::object();
  for (const auto& [key, value] : plan.tools.listed()) hashes[key] = value;
  for (const auto& shard : plan.shards) {
    Json kernels = Json::array();
    for (const OpenKernel& kernel : shard) kernels.push_back(kernel_json(kernel));
    shards.push_back(kernels);
  }
  for (const auto& [who, source] : plan.handed_in) students[who.first][who.second] = source;
  return {
      {"format", kPlanFormat},   {"name", plan.name}, {"hashes", hashes},         {"compiler", plan.compiler},
      {"sandbox", plan.sandbox}, {"jobs", plan.jobs}, {"out", plan.out.string()}, {"shards", shards},
      {"handed_in", students},   {"key", plan.key}};
}

std::optional<SlurmPlan> plan_from(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != kPlanFormat) return std::nullopt;
    SlurmPlan plan;
    plan.name = json.at("name");
    plan.tools = tools_from(json.at("hashes"));
    plan.compiler = json.at("compiler");
    plan.key = json.value("key", std::string(judge::kPracticeKey));
    plan.sandbox = json.at("sandbox");
    plan.jobs = json.at("jobs");
    plan.out = json.at("out").get<std::string>();
    for (const Json& shard : json.at("shards")) plan.shards.push_back(shard_from(shard, plan));
    for (const auto& [student, chapters] : json.at("handed_in").items()) {
      for (const auto& [chapter, source] : chapters.items()) plan.handed_in[{student, chapter}] = source;
    }
    return plan;
  } catch (const Json::exception&) {
  } catch (const std::invalid_argument&) {
  }
  return std::nullopt;
}

std::map<std::pair<std::string, std::string>, std::string> handed_in(const ClassResult& result) {
  std::map<std::pair<std::string, std::string>, std::string> all;
  for (const Graded& g : result.graded) {
    if (!g.record.source.empty()) all[{g.record.student, g.record.chapter}] = g.record.source;
  }
  return all;
}

std::string job_script(const SlurmRun& run, const SlurmRequest& request) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::string script =
      "#!/bin/sh\n# Judges one shard of a class. Written by `lab grade --slurm`, which submits it and "
      "collects the results.\n";
  script += fmt::format("#SBATCH --job-name={}\n#SBATCH --array=1-{}\n#SBATCH --cpus-per-task={}\n",
                        run.plan.name, run.plan.shards.size(), run.plan.jobs);
  // Slurm expands % in names of files, and stumbles over blanks: the script opens its log itself.
  script += "#SBATCH --chdir=/ --output=/dev/null --propagate=NONE\n";
  script += option_line("--partition", request.partition) + option_line("--time", request.time) +
            option_line("--account", request.account) + further_line(request.more);
  script += fmt::format("run={}\nlab={}\n", base::shell_word(run.folder.string()),
                        base::shell_word(program.string())) +
            exported_variables();
  return script + kFileSlurmJobSh;
}

std::optional<SlurmRun> latest_run(const OutputFolder& out) {
  SlurmRun run;
  std::error_code error;
  while (fs::exists(out.slurm() / fmt::format("run-{}", run.number + 1) / "plan.json", error)) ++run.number;
  if (run.number == 0) return std::nullopt;
  run.folder = fs::absolute(out.slurm() / fmt::format("run-{}", run.number)).lexically_normal();
  const auto plan = plan_from(base::read_file(run.folder / "plan.json").value_or(""));
  if (!plan) {
    throw UsageError(
        msg("{} is damaged, or of another version of the lab. End its job (scancel), remove {}, and give the "
            "same command again: what was judged is kept.",
            (run.folder / "plan.json").string(), run.folder.string()));
  }
  run.plan = *plan;
  run.job = base::read_file(run.folder / "job").value_or("");
  run.job = run.job.substr(0, run.job.find('\n'));
  return run;
}

SlurmRun prepare_run(const ClassResult& result, const GradingOptions& options, const SlurmRequest& request,
                     const OutputFolder& out) {
  SlurmRun run;
  std::error_code error;
  do ++run.number;
  while (fs::exists(out.slurm() / fmt::format("run-{}", run.number), error));
  run.folder = fs::absolute(out.slurm() / fmt::format("run-{}", run.number)).lexically_normal();
  run.plan.name = unique_name();
  run.plan.tools = compile::find_tools(options.compiler, options.rubric_text);
  run.plan.compiler = options.compiler ? name(*options.compiler) : "";
  run.plan.key = options.key;
  run.plan.sandbox = options.sandbox;
  run.plan.jobs = request.jobs;
  run.plan.out = fs::absolute(out.root).lexically_normal();
  run.plan.shards = dealt(result.open, request.shards);
  run.plan.handed_in = handed_in(result);
  const std::string script = job_script(run, request);
  if (!options.write_files) return run;
  for (const OpenKernel& kernel : result.open)  // they are asked again: what limits said before is void
    fs::remove(out.unsettled() / kernel.key.substr(0, 2) / kernel.key, error);
  fs::create_directories(run.folder / "logs", error);
  fs::create_directories(run.folder / "reports", error);
  must_write(run.folder / "job.sh", script);
  must_write(run.folder / "plan.json", plan_json(run.plan).dump(1) + "\n");
  return run;
}

}  // namespace lab::grade
