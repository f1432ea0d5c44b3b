// The ways in which a command can end without a verdict, as types, each with its exit code.
//
// Enters: a message that says what happened, where, and what to do next. Leaves: one exception that
// common/cli turns into that message on standard error and the exit code of docs/design: 0 passed, 1 not yet,
// 2 usage, 3 environment, 4 limit.
#pragma once

#include <stdexcept>

#include "common/base/text/message.h"

namespace lab::base {

enum class ExitCode : int { Passed = 0, NotYet = 1, Usage = 2, Environment = 3, Limit = 4 };

class LabError : public text::Said<std::runtime_error> {
 public:
  LabError(ExitCode exit_code, const Message& message) : Said(message), exit_code_(exit_code) {}
  [[nodiscard]] ExitCode exit_code() const { return exit_code_; }
  // The diagnosis, where an error about one kernel file becomes the verdict on it.
  [[nodiscard]] const char* code() const {
    return exit_code_ == ExitCode::Limit   ? "compiler-limit"
           : exit_code_ == ExitCode::Usage ? "not-a-kernel"
                                           : "environment";
  }

 private:
  ExitCode exit_code_;
};

// The command or a file named in it is wrong: no such file, an empty one, a directory.
struct UsageError : LabError {
  explicit UsageError(const Message& message) : LabError(ExitCode::Usage, message) {}
};

// Something is missing on this machine: no kernel compiler, a folder that cannot be written.
struct EnvironmentError : LabError {
  explicit EnvironmentError(const Message& message) : LabError(ExitCode::Environment, message) {}
};

// A time, memory or size limit ended the work.
struct LimitError : LabError {
  explicit LimitError(const Message& message) : LabError(ExitCode::Limit, message) {}
};

}  // namespace lab::base
