// One request of `lab judge`, answered.
//
// Enters: a JSON object that names an operation and holds a kernel (docs/json.md). Leaves: the answer as a
// JSON object, without what the process that ran it cost. This runs in a process of its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/temporary_folder.h"
#include "common/compile/compile.h"
#include "common/course/commands/commands.h"
#include "common/ui/counters_json.h"

namespace lab::cli {

struct JudgeSettings {
  std::optional<compile::CompilerKind> compiler;
  bool sandbox = true;
  std::string key;  // of a check's inputs
};

inline constexpr const char* kBadRequest = "bad-request";

// What is wrong with a request: the code of its answer's `error`, and a sentence.
struct RequestError : std::runtime_error {
  RequestError(std::string code_, const std::string& message)
      : std::runtime_error(message), code(std::move(code_)) {}
  std::string code;
};

// Never throws: what went wrong is an answer too.
[[nodiscard]] report::Json answer_request(const report::Json& request, const JudgeSettings& settings);
[[nodiscard]] report::Json error_answer(std::string_view code, std::string_view message);

// A request whose keys are read one by one, each of its type. Throws RequestError.
class Request {
 public:
  // Every key of the request stands in `keys`.
  Request(const report::Json& object, std::span<const std::string_view> keys);
  [[nodiscard]] bool has(std::string_view key) const { return object_->contains(key); }
  [[nodiscard]] const report::Json& at(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key, const std::string& otherwise = "") const;
  [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t otherwise = 0) const;
  [[nodiscard]] bool flag(std::string_view key) const;

 private:
  const report::Json* object_;
};

// The kernel of a request, compiled: `source` in a folder of its own, which is then the working folder, or
// `file`.
struct RequestKernel {
  RequestKernel(const Request& request, const JudgeSettings& settings);
  // Throws RequestError when it does not compile.
  [[nodiscard]] compile::CompileResult compiled() const;
  // The text without the place of that folder.
  [[nodiscard]] std::string without_folder(std::string text) const;
  std::string file;  // as messages and counters name it

 private:
  const JudgeSettings& settings_;
  std::optional<base::TemporaryFolder> folder_;  // that of `source`
};

// Any kernel on any arguments (judge_launch.cpp).
inline constexpr std::array<std::string_view, 11> kLaunchKeys{
    "id", "op", "source", "file", "name", "entry", "grid", "block", "cluster", "shared_bytes", "arguments"};
[[nodiscard]] report::Json answer_launch(const Request& request, const JudgeSettings& settings);

}  // namespace lab::cli
