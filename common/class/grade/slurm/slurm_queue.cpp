// Runs Slurm's commands and reads what they print. See slurm_queue.h.
#include "common/class/grade/slurm/slurm_queue.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/subprocess.h"

namespace lab::grade {
namespace fs = std::filesystem;
using base::EnvironmentError;

namespace {

// Variables that would override what the job script says, or what is asked of squeue.
constexpr std::string_view kOverriding[] = {
    "SBATCH_ARRAY_INX=", "SBATCH_JOB_NAME=", "SBATCH_OUTPUT=", "SBATCH_ERROR=",
    "SBATCH_WAIT=",      "SQUEUE_",          "SACCT_"};

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (std::none_of(std::begin(kOverriding), std::end(kOverriding),
                     [&](std::string_view name) { return text.starts_with(name); }))
      variables.emplace_back(text);
  }
  return variables;
}

base::SubprocessResult call(std::vector<std::string> arguments) {
  base::Subprocess program;
  program.arguments = std::move(arguments);
  program.environment = environment();
  program.folder = "/";
  program.wall_time = std::chrono::seconds(90);
  program.kept_bytes = 16u << 20;
  return base::run(program);
}

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, mark);) parts.push_back(part);
  return parts;
}

// A whole number and nothing else; 0 when it is none.
unsigned number_in(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return 0;
  return static_cast<unsigned>(std::stoul(text));
}

// "7" or "[3-5,9%2]" → each index.
std::vector<unsigned> indices(std::string text) {
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  std::vector<unsigned> all;
  for (const std::string& range : split(text.substr(0, text.find('%')), ',')) {
    const std::size_t dash = range.find('-');
    const unsigned first = number_in(range.substr(0, dash));
    const unsigned last = dash == std::string::npos ? first : number_in(range.substr(dash + 1));
    if (first == 0 || last < first || last - first > 100'000) continue;
    for (unsigned index = first; index <= last; ++index) all.push_back(index);
  }
  return all;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// "1234_7|TIMEOUT|0:0|node3", one line a task. "CANCELLED by 1000" is CANCELLED.
std::map<unsigned, Task> from_accounting(const std::string& text) {
  std::map<unsigned, Task> tasks;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 3 || cells[0].find('_') == std::string::npos) continue;
    const Task task = {cells[1].substr(0, cells[1].find(' ')), "",
                       cells.size() > 3 && !cells[3].starts_with("None") ? cells[3] : "",
                       static_cast<int>(number_in(cells[2].substr(0, cells[2].find(':'))))};
    for (const unsigned index : indices(cells[0].substr(cells[0].find('_') + 1))) tasks[index] = task;
  }
  return tasks;
}

// "JobId=6 ArrayJobId=4 ArrayTaskId=2 … JobState=FAILED … ExitCode=41:0 … NodeList=lab2 …", one line a task.
std::map<unsigned, Task> from_controller(const std::string& text) {
  std::map<unsigned, Task> tasks;
  for (const std::string& line : split(text, '\n')) {
    std::map<std::string, std::string> values;
    for (const std::string& word : split(line, ' ')) {
      if (const std::size_t at = word.find('='); at != std::string::npos)
        values.emplace(word.substr(0, at), word.substr(at + 1));
    }
    const std::string& code = values["ExitCode"];
    const std::string node = values["NodeList"] == "(null)" ? "" : values["NodeList"];
    const Task task = {values["JobState"], values["Reason"], node,
                       static_cast<int>(number_in(code.substr(0, code.find(':'))))};
    for (const unsigned index : indices(values["ArrayTaskId"])) tasks[index] = task;
  }
  return tasks;
}

}  // namespace

void need_slurm() {
  for (const char* name : {"sbatch", "squeue"}) {
    if (!base::program_on_path(name).empty()) continue;
    throw EnvironmentError(
        msg("There is no {} on PATH. Run this on a login node of the cluster (perhaps after `module load "
            "slurm`). Elsewhere, --dry-run shows the job script, and without --slurm this machine grades.",
            name));
  }
}

Submitted sbatch(const fs::path& script) {
  const base::SubprocessResult result =
      call({base::program_on_path("sbatch"), "--parsable", script.string()});
  Submitted submitted{"", trimmed(result.output), result.end == base::SubprocessResult::End::TimedOut};
  if (!result.succeeded()) return submitted;
  for (const std::string& line : split(result.output, '\n')) {  // "1234" or "1234;cluster", among warnings
    const std::string number = line.substr(0, line.find(';'));
    if (number_in(number) != 0) submitted.job = number;
  }
  return submitted;
}

Queue queued(const std::string& name) {
  need_slurm();
  const base::SubprocessResult result = call({base::program_on_path("squeue"), "--noheader", "--array",
                                              "--name=" + name, "--format=%F|%K|%T|%r|%N"});
  if (!result.succeeded()) {
    throw EnvironmentError(msg("squeue does not answer: {}. When Slurm is back, the same command goes on.",
                               trimmed(result.output).empty() ? "(no word)" : trimmed(result.output)));
  }
  Queue queue;
  for (const std::string& line : split(result.output, '\n')) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 4 || number_in(cells[0]) == 0) continue;
    queue.job = cells[0];
    if (const unsigned index = number_in(cells[1]); index != 0)
      queue.tasks[index] = {cells[2], cells[3], cells.size() > 4 ? cells[4] : "", 0};
  }
  return queue;
}

std::map<unsigned, Task> remembered(const std::string& job) {
  if (const std::string sacct = base::program_on_path("sacct"); !sacct.empty()) {
    const base::SubprocessResult result = call({sacct, "--noheader", "--allocations", "--parsable2",
                                                "--jobs=" + job, "--format=JobID,State,ExitCode,NodeList"});
    if (result.succeeded()) {
      if (auto tasks = from_accounting(result.output); !tasks.empty()) return tasks;
    }
  }
  if (const std::string scontrol = base::program_on_path("scontrol"); !scontrol.empty()) {
    const base::SubprocessResult result = call({scontrol, "--oneliner", "show", "job", job});
    if (result.succeeded()) return from_controller(result.output);
  }
  return {};
}

}  // namespace lab::grade
