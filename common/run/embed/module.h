// A PTX text that a program has loaded, and its launches on that program's own memory.
//
// Enters: a text, requests (transpose_ptx.h). Leaves: results, or Refused for a request that makes no sense.
// Each module has a Memory of its own: its variables lie there, and a launch lends it the caller's ranges.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/run/embed/transpose_ptx.h"
#include "common/sim/gpu.h"

namespace lab::embed {

// Why a call gives nothing, with the place in the PTX text where there is one.
class Refused : public text::Said<std::runtime_error> {
 public:
  Refused(std::string code_, const Message& message, int line_ = 0, int column_ = 0)
      : Said(message), code(std::move(code_)), line(line_), column(column_) {}
  std::string code;
  int line, column;
};
// A refusal that is about an argument of the call.
[[nodiscard]] Refused bad_request(const Message& message);
// A flag that is ignored would be a check that does not run.
void refuse_unknown(std::uint32_t flags, std::uint32_t known, const Message& whose);

struct Kernel {
  std::shared_ptr<const sim::Program> program;
  std::vector<lab_ptx_parameter> parameters;
  lab_ptx_kernel described{};  // for the caller
};

class Module {
 public:
  explicit Module(std::string_view text);

  [[nodiscard]] const std::vector<std::string>& entries() const { return entries_; }
  // Null: the only one. Throws Refused.
  [[nodiscard]] const Kernel& find(const char* entry);
  // Null host: none of that name.
  struct Variable {
    void* host = nullptr;
    std::uint64_t address = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] Variable variable(std::string_view name);
  // What the launch was, in the caller's words, and what came of it.
  struct Launched {
    const Kernel* kernel = nullptr;
    sim::LaunchResult result;
  };
  [[nodiscard]] Launched launch(const lab_ptx_request& request);

 private:
  [[nodiscard]] const Kernel& decoded(const char* entry);

  std::mutex turn_;  // launches, and what they read
  sim::Memory memory_;
  std::shared_ptr<sim::ModuleImage> image_;
  std::vector<std::string> entries_;
  std::map<std::string, Kernel, std::less<>> kernels_;
};

}  // namespace lab::embed
