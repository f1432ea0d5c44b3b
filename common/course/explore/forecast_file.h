// The forecast of a kernel file, and how near a passed kernel comes to its chapter's reference.
//
// Enters: a file, which kernel of it, a matrix, a GPU of data/gpus. Leaves: the file compiled, its launch
// shape read or assumed, and the forecast of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text/message.h"
#include "common/compile/compile.h"
#include "common/course/explore/forecast.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/judge/verdict.h"

namespace lab::explore {

struct ForecastRequest {
  std::filesystem::path file;
  const judge::ChapterInfo* chapter = nullptr;  // whose kernel it is, if any
  std::string entry{};                          // "": the chapter's
  KernelOptions kernel_options{};
  judge::Problem asked{8192, 8192};  // elem_bytes come from the file
  bool passed = false;               // its chapter: checks need not run again
};

struct FileForecast {
  std::string kernel;  // path as a student reads it
  Forecast forecast;
  std::vector<Message> assumed;  // whole sentences
  [[nodiscard]] double bytes_per_second() const;
};

// Throws UsageError where the kernel or the matrix cannot be meant, LabError where it has no time: it cannot
// run, or goes wrong.
[[nodiscard]] FileForecast forecast_file(const ForecastRequest& request,
                                         const compile::CompileResult& compiled, const device::GpuData& gpu);

// What two kernels would reach on the same matrix.
struct Reach {
  judge::Problem problem;
  std::string gpu, gpu_name;  // "h200", "NVIDIA H200"
  double bytes_per_second = 0;
  std::optional<double> reference;  // none where it is the reference itself, or cannot be had
};

// `request` names a kernel that has passed its chapter. None where no forecast can be made.
[[nodiscard]] std::optional<Reach> reach_of(const ForecastRequest& request,
                                            std::optional<compile::CompilerKind> compiler);

}  // namespace lab::explore
