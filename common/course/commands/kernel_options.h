// Options by which commands name a kernel, a matrix and a device: the same words in each that has them.
//
// Enters: a command that wants them, later what stood on the command line. Leaves: a problem, a choice of devices.
#pragma once

#include <string>

#include "common/course/judge/examine.h"
#include "common/ui/command.h"

namespace lab::explore {
struct KernelOptions;
}

namespace lab::cli {

// --device sim|gpu|auto and --gpu-index, the same in every command that has them.
void add_device_options(Command& command, std::string& device, int& gpu_index);
[[nodiscard]] judge::DeviceChoice device_choice(const std::string& device);

// --block, --tile, --elem-bytes, the same in every command that takes any kernel.
void add_kernel_options(Command& command, explore::KernelOptions& options);

// --rows, --cols, --pitch, --batch, --entry: which matrix, and which kernel of the file; the same in every
// command that runs one launch.
struct LaunchOptions {
  std::int64_t rows = 1024, cols = 1024, batch = 1;
  std::string pitch, entry;
  bool rows_given = false, cols_given = false;
  [[nodiscard]] bool names_matrix() const { return rows_given || batch != 1 || !pitch.empty(); }
};
void add_launch_options(Command& command, LaunchOptions& options);
// `otherwise` for what the options leave unsaid. Throws UsageError.
[[nodiscard]] judge::Problem problem_of(const LaunchOptions& options, judge::Problem otherwise);
// The same as words of a command line, so that it can be repeated: " --rows 777 --cols 1000".
[[nodiscard]] std::string launch_words(const judge::Problem& problem);
[[nodiscard]] std::string launch_words(const judge::Reason& reason);  // and its kernel

}  // namespace lab::cli
