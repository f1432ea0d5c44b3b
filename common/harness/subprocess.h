// Runs one program within limits, without a shell.
//
// Enters: the program, its arguments, its whole environment, a folder to stand in, limits. Leaves: how it
// ended, and what it said. All processes that it started are gone when this returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lab::harness {

struct Subprocess {
  std::vector<std::string> arguments;    // arguments[0] is the program's path
  std::vector<std::string> environment;  // "NAME=value"; nothing else is passed on
  std::filesystem::path folder;          // current folder of the program
  std::chrono::milliseconds wall_time{30'000};
  std::uint64_t memory_bytes = 0;  // address space of each process; 0: no limit
  std::uint64_t output_bytes = 0;  // of a file it writes, and of what it says; 0: no limit
};

struct SubprocessResult {
  enum class End { Exited, Signalled, TimedOut, TooMuchOutput, NotStarted };
  End end = End::NotStarted;
  int code = 0;        // exit code, signal number, or errno when it did not start
  std::string output;  // standard output and error, in the order written
  double seconds = 0;
};

[[nodiscard]] SubprocessResult run(const Subprocess& program);

}  // namespace lab::harness
