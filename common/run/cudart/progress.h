// One line for a person who waits: which launch runs, since when, and how fast the simulator is.
//
// Enters: the begin and end of each launch. Leaves: a line on standard error, written over itself, from the
// third second on, and only while a launch runs: what the program prints itself stands on lines of its own.
// Nothing when standard error is no terminal, or when `lab run` did not ask (LAB_RUN_PROGRESS).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

namespace lab::cudart {

class Progress {
 public:
  // Never destroyed: programs launch while they end.
  static Progress& the();
  void begin(const std::string& kernel);
  void end(std::uint64_t lane_instructions);

 private:
  using Clock = std::chrono::steady_clock;
  Progress();
  [[noreturn]] void watch();
  void show();  // with the lock held
  bool wanted_ = false, running_ = false, shown_ = false;
  std::mutex lock_;
  std::condition_variable bell_;
  std::string kernel_;
  std::uint64_t launch_ = 0, lane_instructions_ = 0;
  Clock::time_point first_, begun_, next_;
  Clock::duration busy_{0};
};

}  // namespace lab::cudart
