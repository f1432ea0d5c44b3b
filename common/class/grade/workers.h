// Work in processes of their own, a few at a time: what one does, crashes or eats reaches no other.
//
// Enters: a count of jobs and a function that turns a job into text. Leaves: that text, or how the process
// ended without one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lab::grade {

struct WorkerLimits {
  std::chrono::duration<double> processor_time{20};  // of one job, without compilers that it starts; 0: any
  std::chrono::seconds wall_time{600};               // of one job, for one that sleeps
  std::uint64_t memory_bytes = 4ull << 30;           // resident
};

inline constexpr int kFailedToAnswer = 121;  // exit code of a job whose work threw

struct JobEnd {
  enum class Kind : std::uint8_t { Answered, Crashed, TooSlow, TooLarge };
  Kind kind = Kind::Answered;
  std::string answer;  // when answered
  int code = 0;        // signal or exit code when crashed
  double processor_seconds = 0, wall_seconds = 0;
  std::uint64_t memory_bytes = 0;  // largest resident set
};

// Set by a signal handler: no new job is started, running ones are ended, run_jobs returns.
extern std::atomic<bool> stop_requested;

struct RunningJob {
  std::size_t job = 0;
  double seconds = 0;  // since it was started
};

// Calls `work(i)` in a child process for each i, at most `jobs` at a time, and `done(i, end)` here. False
// when it was stopped before all were done. `tick` gets what runs, many times per second. Throws
// EnvironmentError when no process can be started.
bool run_jobs(std::size_t count, unsigned jobs, const WorkerLimits& limits,
              const std::function<std::string(std::size_t)>& work,
              const std::function<void(std::size_t, JobEnd)>& done,
              const std::function<void(const std::vector<RunningJob>&)>& tick = {});

}  // namespace lab::grade
