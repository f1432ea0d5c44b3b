// A small pool of forked processes. See workers.h.
#include "common/class/grade/workers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <fstream>
#include <thread>
#include <vector>

#include "common/base/errors.h"

namespace lab::grade {

std::atomic<bool> stop_requested{false};

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPause = std::chrono::milliseconds(2);

struct Running {
  pid_t process = -1;
  int answer = -1;  // a file in memory
  std::size_t job = 0;
  Clock::time_point start;
  JobEnd::Kind ended_by_us = JobEnd::Kind::Answered;
};

void write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t wrote = write(file, text.data() + at, text.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) _exit(kFailedToAnswer);
    at += static_cast<std::size_t>(wrote);
  }
}

[[noreturn]] void become_worker(const Running& worker, const WorkerLimits& limits, pid_t parent,
                                const std::function<std::string(std::size_t)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kFailedToAnswer);  // it ended before the line above
  signal(SIGINT, SIG_IGN);                          // ^C goes to the whole group; the parent decides
  signal(SIGTERM, SIG_DFL);
  const auto microseconds = std::chrono::ceil<std::chrono::microseconds>(limits.processor_time).count();
  const itimerval once{{0, 0}, {microseconds / 1'000'000, microseconds % 1'000'000}};
  setitimer(ITIMER_PROF, &once, nullptr);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  try {
    write_all(worker.answer, work(worker.job));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lab: %s\n", error.what());
    _exit(kFailedToAnswer);
  }
  _exit(0);
}

Running start(std::size_t job, const WorkerLimits& limits,
              const std::function<std::string(std::size_t)>& work) {
  Running worker;
  worker.job = job;
  worker.start = Clock::now();
  worker.answer = memfd_create("lab-answer", MFD_CLOEXEC);
  if (worker.answer < 0) throw base::EnvironmentError("No file in memory can be made; is the memory full?");
  std::fflush(nullptr);
  const pid_t parent = getpid();
  worker.process = fork();
  if (worker.process == 0) become_worker(worker, limits, parent, work);
  if (worker.process < 0) {
    close(worker.answer);
    throw base::EnvironmentError("No process can be started. Close something, or give a smaller -j.");
  }
  return worker;
}

std::string read_answer(int file) {
  std::string text;
  std::array<char, 65536> buffer{};
  off_t at = 0;
  for (ssize_t got; (got = pread(file, buffer.data(), buffer.size(), at)) > 0; at += got)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

std::uint64_t resident_bytes(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/statm");
  std::uint64_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void enforce(Running& worker, const WorkerLimits& limits) {
  if (worker.ended_by_us != JobEnd::Kind::Answered) return;
  if (Clock::now() - worker.start > limits.wall_time) worker.ended_by_us = JobEnd::Kind::TooSlow;
  if (resident_bytes(worker.process) > limits.memory_bytes) worker.ended_by_us = JobEnd::Kind::TooLarge;
  if (worker.ended_by_us != JobEnd::Kind::Answered) kill(worker.process, SIGKILL);
}

double seconds_of(const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; }

JobEnd end_of(const Running& worker, int status, const rusage& usage) {
  JobEnd end;
  end.kind = worker.ended_by_us;
  end.wall_seconds = std::chrono::duration<double>(Clock::now() - worker.start).count();
  end.processor_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  end.memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (end.kind != JobEnd::Kind::Answered) return end;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    end.answer = read_answer(worker.answer);
    return end;
  }
  end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  end.kind = WIFSIGNALED(status) && end.code == SIGPROF ? JobEnd::Kind::TooSlow : JobEnd::Kind::Crashed;
  return end;
}

class Pool {
 public:
  explicit Pool(const WorkerLimits& limits) : limits_(limits) {}
  ~Pool() {  // stopped, or something was thrown: no process is left behind
    for (const Running& worker : running_) {
      kill(worker.process, SIGKILL);
      while (waitpid(worker.process, nullptr, 0) < 0 && errno == EINTR) {
      }
      close(worker.answer);
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void add(std::size_t job, const std::function<std::string(std::size_t)>& work) {
    running_.push_back(start(job, limits_, work));
  }
  [[nodiscard]] std::size_t size() const { return running_.size(); }
  [[nodiscard]] std::vector<RunningJob> running() const {
    std::vector<RunningJob> jobs;
    for (const Running& worker : running_)
      jobs.push_back({worker.job, std::chrono::duration<double>(Clock::now() - worker.start).count()});
    return jobs;
  }

  void collect(const std::function<void(std::size_t, JobEnd)>& done) {
    for (std::size_t i = 0; i < running_.size();) {
      int status = 0;
      rusage usage{};
      if (wait4(running_[i].process, &status, WNOHANG, &usage) != running_[i].process) {
        enforce(running_[i++], limits_);
        continue;
      }
      const Running worker = running_[i];
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      JobEnd end = end_of(worker, status, usage);
      close(worker.answer);
      done(worker.job, std::move(end));
    }
  }

 private:
  const WorkerLimits& limits_;
  std::vector<Running> running_;
};

}  // namespace

bool run_jobs(std::size_t count, unsigned jobs, const WorkerLimits& limits,
              const std::function<std::string(std::size_t)>& work,
              const std::function<void(std::size_t, JobEnd)>& done,
              const std::function<void(const std::vector<RunningJob>&)>& tick) {
  Pool pool(limits);
  for (std::size_t next = 0; next < count || pool.size() > 0;) {
    if (stop_requested) return false;
    while (next < count && pool.size() < jobs) pool.add(next++, work);
    pool.collect(done);
    if (tick) tick(pool.running());
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace lab::grade
