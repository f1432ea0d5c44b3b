// Who judged: fingerprints of everything that a verdict depends on besides the kernel.
//
// Enters: the compiler on this machine, the sources that this program was built from, the rubric. Leaves:
// names and SHA-256s that stand in every record, so that a dispute can distinguish another compiler from a
// changed kernel.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/compile/compile.h"

namespace lab::compile {

struct Tools {
  std::string compiler_name;  // "nvcc 13.0.88"
  std::string compiler;       // of the compiler's programs
  std::string headers;        // of what kernels include: common/kernel
  std::string simulator;      // of its sources
  std::string checks;         // of the chapters' checks and of what scores them
  std::string rubric;         // of the rubric's text

  // The fingerprint of all that judges; the rubric only weighs it.
  [[nodiscard]] std::string judging() const;
  // In the order of a record: key and value.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> listed() const;
};
// By the keys of a record, in their order.
inline constexpr std::pair<const char*, std::string Tools::*> kToolFields[] = {
    {"compiler_name", &Tools::compiler_name}, {"compiler", &Tools::compiler}, {"headers", &Tools::headers},
    {"simulator", &Tools::simulator},         {"checks", &Tools::checks},     {"rubric", &Tools::rubric}};

// What decides on a machine which compiler is found, and how it compiles.
inline constexpr const char* kCompilerVariables[] = {
    "LAB_COMPILER", "LAB_NVRTC",           "LAB_NVCC",  "LAB_CLANG", "LAB_CUDA_SEARCH",
    "LAB_BWRAP",    "LAB_COMPILE_SECONDS", "CUDA_HOME", "CUDA_PATH", "NVCC_CCBIN"};

// The course's fingerprint: headers, simulator and checks. The same where the course is the same, whatever
// compiles there.
[[nodiscard]] std::string course_fingerprint();

[[nodiscard]] Tools find_tools(std::optional<CompilerKind> compiler, const std::string& rubric_text);

}  // namespace lab::compile
