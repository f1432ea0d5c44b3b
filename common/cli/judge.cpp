// `lab judge --stdin`: answers requests about kernels, for programs: one JSON object a line in, one out.
//
// Enters: requests on standard input. Leaves: answers on standard output, in the same order. Each request is
// worked on in a process of its own with limits of time and memory, as `lab grade` does, so that a kernel
// which crashes it or eats the machine costs its own answer alone; this process only reads, starts and
// prints.
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "common/base/errors.h"
#include "common/base/temporary_folder.h"
#include "common/class/commands/grade_options.h"
#include "common/class/grade/workers.h"
#include "common/cli/judge_requests.h"
#include "common/course/judge/input_key.h"
#include "common/ui/python.h"

namespace lab::cli {
namespace {

using report::Json;
namespace fs = std::filesystem;

constexpr std::size_t kShareOfALine = 4;  // of a request's memory: the line, read, decoded and copied
// Every operation has few: a buffer is one text. This process, which has no limit of memory, reads them all.
constexpr std::size_t kMostValues = 1 << 16;

struct JudgeOptions {
  bool from_stdin = false, no_sandbox = false;
  unsigned jobs = 1;
  double cpu_seconds = 20;
  std::int64_t memory_mib = 4096;
  std::string key{judge::kPracticeKey};
  std::vector<std::string> problems;
};

struct Line {
  std::string text;
  bool too_long = false;  // its text is gone
};

// Lines of standard input, as many as are there.
class Lines {
 public:
  explicit Lines(std::size_t longest) : longest_(longest) {}

  // Waits for the first alone. None: the end.
  std::vector<Line> next(std::size_t most) {
    std::vector<Line> lines;
    while (lines.size() < most) {
      const std::size_t end = text_.find('\n', searched_);
      if (end != std::string::npos) {
        lines.push_back(take(end));
        continue;
      }
      searched_ = text_.size();
      if (text_.size() > longest_) forget();
      if (!lines.empty() && !has_more()) break;
      if (!read_on()) {
        if (!text_.empty() || too_long_) lines.push_back(take(text_.size()));
        break;
      }
    }
    return lines;
  }

 private:
  [[nodiscard]] static bool has_more() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
  }

  // The line that ends there.
  Line take(std::size_t end) {
    if (end > longest_) too_long_ = true;
    Line line{too_long_ ? "" : text_.substr(0, end), too_long_};
    text_.erase(0, end + 1);
    searched_ = 0;
    too_long_ = false;
    return line;
  }

  void forget() {
    too_long_ = true;
    text_.clear();
    searched_ = 0;
  }

  bool read_on() {
    std::array<char, 65536> buffer{};
    ssize_t got = 0;
    while ((got = read(STDIN_FILENO, buffer.data(), buffer.size())) < 0 && errno == EINTR) {
      if (grade::stop_requested) return false;
    }
    if (got <= 0) return false;
    text_.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }

  const std::size_t longest_;
  std::string text_;
  std::size_t searched_ = 0;
  bool too_long_ = false;
};

// A line as JSON, or what is wrong with it.
struct ReadLine {
  std::optional<Json> json;
  std::string problem;
};

ReadLine read_as_json(const Line& line, const JudgeOptions& options) {
  if (line.too_long)
    return {{},
            report::dump(error_answer(
                "judge-memory",
                fmt::format("This line is longer than a quarter of --memory, {} MiB.", options.memory_mib)))};
  try {
    return {Json::parse(line.text, kMostValues), {}};
  } catch (const Json::exception& error) {
    return {
        {},
        report::dump(error_answer("bad-request", fmt::format("This line is no JSON: {}.", error.what())))};
  }
}

// Where requests keep their files: each in a folder of its own, which is gone when the request has ended,
// however it ended.
class Folders {
 public:
  // In the process of the request.
  void enter(std::size_t request) const {
    std::error_code failed;
    fs::create_directory(folder(request), failed);
    if (!failed) ::setenv("TMPDIR", folder(request).c_str(), 1);
  }
  void leave(std::size_t request) const {
    std::error_code ignored;
    fs::remove_all(folder(request), ignored);
  }

 private:
  [[nodiscard]] fs::path folder(std::size_t request) const { return all_.path() / std::to_string(request); }
  base::TemporaryFolder all_;
};

// What a process that ended without an answer leaves.
Json ended(const grade::JobEnd& end, const JudgeOptions& options) {
  switch (end.kind) {
    case grade::JobEnd::Kind::TooSlow:
      return error_answer(
          "judge-timeout",
          fmt::format("It took more than {} s of processor time and was ended.", options.cpu_seconds));
    case grade::JobEnd::Kind::TooLarge:
      return error_answer("judge-memory", fmt::format("It took more than {} MiB of memory and was ended.",
                                                      options.memory_mib));
    default:
      return error_answer("judge-crashed", "The process that worked on it ended without an answer.");
  }
}

// `id` first, then what the operation says, then what it cost.
Json whole_answer(const std::optional<Json>& request, const grade::JobEnd& end, const JudgeOptions& options) {
  const Json* id = request ? request->find("id") : nullptr;
  Json answer = {{"id", id == nullptr ? Json(nullptr) : *id}};
  Json reply = end.kind == grade::JobEnd::Kind::Answered ? Json::parse(end.answer) : ended(end, options);
  Json cost = {{"work", reply.value("work", 0)},
               {"processor_seconds", end.processor_seconds},
               {"wall_seconds", end.wall_seconds},
               {"memory_bytes", end.memory_bytes}};
  if (reply.contains("work")) reply.erase("work");
  answer.update(reply);
  answer["cost"] = cost;
  return answer;
}

int judge_stdin(const Session& session, const JudgeOptions& options) {
  const JudgeSettings settings{compile::kind_named(session.compiler), !options.no_sandbox, options.key};
  if (!options.no_sandbox) settle_sandbox(false);
  grade::WorkerLimits limits;
  limits.processor_time = std::chrono::duration<double>(options.cpu_seconds);
  limits.memory_bytes = static_cast<std::uint64_t>(options.memory_mib) << 20;
  stop_on_signals();
  ::signal(SIGPIPE, SIG_IGN);  // no reader: no more work, and the folders are removed
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  const Folders folders;
  Lines lines(limits.memory_bytes / kShareOfALine);
  for (std::vector<Line> batch; !(batch = lines.next(jobs)).empty();) {
    std::vector<ReadLine> requests;
    for (const Line& line : batch) requests.push_back(read_as_json(line, options));
    std::vector<std::string> answers(batch.size());
    const auto work = [&](std::size_t i) {
      if (!requests[i].json) return requests[i].problem;
      folders.enter(i);
      return report::dump(answer_request(*requests[i].json, settings));
    };
    const auto done = [&](std::size_t i, const grade::JobEnd& end) {
      answers[i] = report::dump(whole_answer(requests[i].json, end, options));
      folders.leave(i);
    };
    if (!grade::run_jobs(batch.size(), jobs, limits, work, done)) break;
    std::string printed;
    for (const std::string& answer : answers) printed += answer + '\n';
    if (std::fwrite(printed.data(), 1, printed.size(), stdout) != printed.size() || std::fflush(stdout) != 0)
      break;
  }
  return static_cast<int>(base::ExitCode::Passed);
}

// Python reads the requests, and hands on to a process of this kind whatever is no `solve`.
int judge_problems(const Session& session, const JudgeOptions& options) {
  std::vector<std::string> words{"judge"};
  for (const std::string& problem : options.problems) words.insert(words.end(), {"--problem", problem});
  words.insert(words.end(), {"--jobs", fmt::format("{}", options.jobs), "--"});
  if (!session.compiler.empty()) words.insert(words.end(), {"--compiler", session.compiler});
  words.insert(words.end(), {"judge", "--stdin", "--cpu-seconds", fmt::format("{}", options.cpu_seconds),
                             "--memory", fmt::format("{}", options.memory_mib), "--key", options.key});
  if (options.no_sandbox) words.emplace_back("--no-sandbox");
  return become_python(words);
}

}  // namespace

Command judge_command(const Session& session) {
  static JudgeOptions options;
  Command command{"judge",
                  "Answers requests of programs about kernels: one JSON object a line in, one a line out.\n"
                  "Example: ./lab judge --stdin < requests.jsonl"};
  command.option("--stdin", options.from_stdin, "Read requests from standard input (docs/json.md)")
      .required();
  command.option("-j,--jobs", options.jobs, "Requests at a time (0: one a core)").with_default();
  command
      .option("--cpu-seconds", options.cpu_seconds,
              "Processor time for one request; behind it there is no answer (0: no limit)")
      .between(0, 100000)
      .with_default();
  command.option("--memory", options.memory_mib, "Memory for one request, in MiB")
      .between(64, 1 << 20)
      .with_default();
  command.option("--key", options.key, "Key that decides the inputs of a check (default: the public one)");
  command.option("--no-sandbox", options.no_sandbox,
                 "Compile without walls: only for kernels that you trust");
  command
      .option("--problem", options.problems,
              "The operation solve, too, for this problem file (docs/python.md)")
      .one_each();
  command.run = [&session] {
    return options.problems.empty() ? judge_stdin(session, options) : judge_problems(session, options);
  };
  return command;
}

}  // namespace lab::cli
