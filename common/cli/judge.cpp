// `lab judge --stdin`: answers requests about kernels, for programs: one JSON object a line in, one out.
//
// Enters: requests on standard input. Leaves: answers on standard output, in the same order. Each request is
// worked on in a process of its own with limits of time and memory, as `lab grade` does, so that a kernel
// which crashes it or eats the machine costs its own answer alone; this process only reads, starts and
// prints.
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <thread>

#include "common/base/errors.h"
#include "common/cli/grade_options.h"
#include "common/cli/judge_requests.h"
#include "common/grade/workers.h"
#include "common/judge/input_key.h"

namespace lab::cli {
namespace {

using report::Json;

struct JudgeOptions {
  bool from_stdin = false, no_sandbox = false;
  unsigned jobs = 1;
  double cpu_seconds = 20;
  std::int64_t memory_mib = 4096;
  std::string key{judge::kPracticeKey};
};

// Lines of standard input, as many as are there.
class Lines {
 public:
  // Waits for the first alone. None: the end. Throws UsageError for a line without an end.
  std::vector<std::string> next(std::size_t most) {
    std::vector<std::string> lines;
    while (lines.size() < most) {
      const std::size_t end = text_.find('\n', searched_);
      if (end != std::string::npos) {
        lines.push_back(text_.substr(0, end));
        text_.erase(0, end + 1);
        searched_ = 0;
        continue;
      }
      searched_ = text_.size();
      if (text_.size() > kLongest) throw base::UsageError("A request is longer than 1 GiB.");
      if (!lines.empty() && !has_more()) break;
      if (!read_on()) {
        if (!text_.empty()) lines.push_back(std::exchange(text_, {}));
        break;
      }
    }
    return lines;
  }

 private:
  static constexpr std::size_t kLongest = 1u << 30;

  [[nodiscard]] static bool has_more() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
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

  std::string text_;
  std::size_t searched_ = 0;
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
  const JudgeSettings settings{session.compiler_kind(), !options.no_sandbox, options.key};
  if (!options.no_sandbox) settle_sandbox(false);
  grade::WorkerLimits limits;
  limits.processor_time = std::chrono::duration<double>(options.cpu_seconds);
  limits.memory_bytes = static_cast<std::uint64_t>(options.memory_mib) << 20;
  stop_on_signals();
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  Lines lines;
  for (std::vector<std::string> batch; !(batch = lines.next(jobs)).empty();) {
    std::vector<std::optional<Json>> requests;
    for (const std::string& line : batch) requests.push_back(Json::try_parse(line));
    std::vector<std::string> answers(batch.size());
    const auto work = [&](std::size_t i) {
      if (!requests[i]) return report::dump(error_answer("bad-request", "This line is no JSON."));
      return report::dump(answer_request(*requests[i], settings));
    };
    const auto done = [&](std::size_t i, const grade::JobEnd& end) {
      answers[i] = report::dump(whole_answer(requests[i], end, options));
    };
    if (!grade::run_jobs(batch.size(), jobs, limits, work, done)) break;
    for (const std::string& answer : answers) fmt::print("{}\n", answer);
    std::fflush(stdout);
  }
  return static_cast<int>(base::ExitCode::Passed);
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
  command.run = [&session] { return judge_stdin(session, options); };
  return command;
}

}  // namespace lab::cli
