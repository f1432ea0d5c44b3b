// Runs one program within limits, without a shell.
//
// Enters: the program, its arguments, its whole environment, a folder to stand in, limits. Leaves: how it
// ended, and what it said. It has no terminal, inherits no open file and no ignored signal, and leaves no
// core file; when this returns, it and its process group are gone.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lab::base {

struct Subprocess {
  std::vector<std::string> arguments;    // arguments[0] is the program's path
  std::vector<std::string> environment;  // "NAME=value"; nothing else is passed on
  std::filesystem::path folder;          // current folder of the program
  std::chrono::milliseconds wall_time{30'000};
  std::chrono::seconds cpu_time{0};  // of each process; 0: follows from wall_time
  std::uint64_t memory_bytes = 0;    // address space of each process; 0: no limit
  std::uint64_t output_bytes = 0;    // of a file it writes, and of what it says; 0: no limit
  std::uint64_t kept_bytes = 0;      // of what it says: the rest is read and dropped; 0: all is kept
  std::uint64_t open_files = 0;      // of each process; 0: no limit
};

struct SubprocessResult {
  enum class End { Exited, Signalled, TimedOut, TooMuchOutput, NotStarted };
  End end = End::NotStarted;
  int code = 0;                     // exit code, signal number, or errno when it did not start
  std::string output;               // standard output and error, in the order written
  std::uint64_t dropped_bytes = 0;  // of these, beyond kept_bytes
  double seconds = 0;
  [[nodiscard]] bool succeeded() const { return end == End::Exited && code == 0; }
};

[[nodiscard]] SubprocessResult run(const Subprocess& program);
// The last words of what a program said, as a rule the reason why it ended. "" when it said nothing.
[[nodiscard]] std::string last_line(std::string_view output);

}  // namespace lab::base
