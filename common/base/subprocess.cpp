// fork, limits, exec; then one loop that reads until the last process has let go of the pipe. See
// subprocess.h.
#include "common/base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

namespace lab::base {
namespace {

using Clock = std::chrono::steady_clock;

// Raw pointers made before the fork: after it, a child of a program with threads may not allocate.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

void limit(int resource, std::uint64_t value, std::uint64_t grace = 0) {
  const rlimit both{value, value + grace};
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

// What this program, or the one that started it, ignores or holds back is no rule for the other one: it must die
// of SIGXCPU and SIGXFSZ.
void forget_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const Subprocess& program, char* const* arguments, char* const* environment,
                         int output, int report) {
  setsid();  // a group to be ended by, and no terminal to type into
  forget_signals();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);  // nothing that this program has open is the other one's business
  // Processor time bounds what would outlive this program. By itself two cores' worth of the wall time, since
  // a compiler may use threads.
  limit(RLIMIT_CPU,
        program.cpu_time.count() != 0 ? static_cast<std::uint64_t>(program.cpu_time.count())
                                      : static_cast<std::uint64_t>(program.wall_time.count()) / 500 + 2,
        1);  // SIGXCPU, and a second later SIGKILL
  if (program.memory_bytes != 0) limit(RLIMIT_AS, program.memory_bytes);
  if (program.output_bytes != 0) limit(RLIMIT_FSIZE, program.output_bytes);
  if (program.open_files != 0) limit(RLIMIT_NOFILE, program.open_files);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0 && chdir(program.folder.c_str()) == 0 && dup2(nothing, 0) >= 0 && dup2(output, 1) >= 0 &&
      dup2(output, 2) >= 0) {
    execve(arguments[0], arguments, environment);
  }
  const int reason = errno;
  if (write(report, &reason, sizeof reason) < 0) _exit(126);
  _exit(127);
}

// Reads what the group says until its last process ends. False: the limit named in `result.end` was passed.
bool read_all(int pipe, const Subprocess& program, Clock::time_point deadline, SubprocessResult& result) {
  std::array<char, 16384> buffer{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wanted{pipe, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&wanted, 1, static_cast<int>(std::min<long>(left + 1, 1'000'000)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (Clock::now() < deadline) continue;
      result.end = SubprocessResult::End::TimedOut;
      return false;
    }
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    const auto bytes = static_cast<std::uint64_t>(got);
    const std::uint64_t room =
        program.kept_bytes == 0
            ? bytes
            : program.kept_bytes - std::min<std::uint64_t>(program.kept_bytes, result.output.size());
    result.output.append(buffer.data(), static_cast<std::size_t>(std::min(room, bytes)));
    result.dropped_bytes += bytes - std::min(room, bytes);
    if (program.output_bytes != 0 && result.output.size() + result.dropped_bytes > program.output_bytes) {
      result.end = SubprocessResult::End::TooMuchOutput;
      return false;
    }
  }
}

// Waits for the program itself, which may have closed its output long before. It stays unreaped, so that its
// number still names its group.
bool wait_for(pid_t child, Clock::time_point deadline) {
  for (;;) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == child) {
      return true;
    }
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void finish(pid_t child, const Subprocess& program, int output, Clock::time_point start,
            SubprocessResult& result) {
  const Clock::time_point deadline = start + program.wall_time;
  const bool read_to_end = read_all(output, program, deadline, result);
  const bool ended = read_to_end && wait_for(child, deadline);
  kill(-child, SIGKILL);  // the program when it did not end, and whatever it left behind
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (ended) {
    result.end = WIFEXITED(status) ? SubprocessResult::End::Exited : SubprocessResult::End::Signalled;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  } else if (read_to_end) {
    result.end = SubprocessResult::End::TimedOut;
  }
}

}  // namespace

SubprocessResult run(const Subprocess& program) {
  SubprocessResult result;
  const Clock::time_point start = Clock::now();
  std::array<int, 2> output{}, report{};
  if (pipe2(output.data(), O_CLOEXEC) != 0) {
    result.code = errno;
    return result;
  }
  if (pipe2(report.data(), O_CLOEXEC) != 0) {
    result.code = errno;
    close(output[0]), close(output[1]);
    return result;
  }
  const std::vector<char*> arguments = pointers(program.arguments);
  const std::vector<char*> environment = pointers(program.environment);
  const pid_t child = fork();
  if (child == 0) become(program, arguments.data(), environment.data(), output[1], report[1]);
  const int fork_error = errno;
  close(output[1]), close(report[1]);
  if (child < 0) {
    result.code = fork_error;
  } else {
    int reason = 0;
    ssize_t got = 0;  // the pipe closes when the other program has begun
    while ((got = ::read(report[0], &reason, sizeof reason)) < 0 && errno == EINTR) {
    }
    if (got == static_cast<ssize_t>(sizeof reason)) {
      while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
      result.code = reason;
    } else {
      finish(child, program, output[0], start, result);
    }
  }
  close(output[0]), close(report[0]);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

std::string last_line(std::string_view output) {
  output = output.substr(0, output.find_last_not_of(" \t\r\n") + 1);
  return std::string(output.substr(output.find_last_of('\n') + 1));
}

}  // namespace lab::base
