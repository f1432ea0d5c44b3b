// Options by which commands name a kernel, a matrix and a device.
#include "common/course/commands/kernel_options.h"

#include <fmt/core.h>

#include <charconv>

#include "common/base/errors.h"
#include "common/course/explore/plain_kernel.h"

namespace lab::cli {

void add_device_options(Command& command, std::string& device, int& gpu_index) {
  command
      .option("--device", device,
              "sim: the simulated GPU; gpu: a real one; auto: both where there is a GPU, and they must agree")
      .one_of({"sim", "gpu", "auto"})
      .with_default();
  command.option("--gpu-index", gpu_index, "Which GPU, from 0; CUDA_VISIBLE_DEVICES is honoured")
      .between(0, 1023)
      .with_default();
}

void add_kernel_options(Command& command, explore::KernelOptions& options) {
  command.option("--block", options.block,
                 "Threads of a block, XxY: 32x8 is 8 rows of 32 threads (default: LAUNCH_SHAPE, else 32x8)");
  command.option(
      "--tile", options.tile,
      "Elements that a block covers, XxY: 32x64 is 64 rows of 32; LAUNCH_SHAPE.tile says 64, 32: rows first "
      "(default: LAUNCH_SHAPE, else the block)");
  command.option("--elem-bytes", options.elem_bytes,
                 "Bytes of an element: 1, 2, 4, 8, 16 (default: those of the type that `out` points to)");
}

void add_launch_options(Command& command, LaunchOptions& options) {
  command.option("--rows", options.rows, "Rows of `in` (default, with --cols: 1024)")
      .notes(options.rows_given);
  command.option("--cols", options.cols, "Columns of `in` (default, with --rows: 1024)")
      .notes(options.cols_given);
  command.option("--pitch", options.pitch,
                 "Elements from one row to the next: IN or IN,OUT (default: rows without gaps)");
  command.option("--batch", options.batch, "Matrices, one behind the other").with_default();
  command.option("--entry", options.entry, "Which kernel of the file (default: transpose)");
}

judge::Problem problem_of(const LaunchOptions& options, judge::Problem problem) {
  if (options.rows_given != options.cols_given)
    throw base::UsageError("--rows and --cols go together: give both, or none for 1024 × 1024.");
  if (options.rows_given) problem.rows = options.rows, problem.cols = options.cols;
  problem.batch = options.batch;
  if (!options.pitch.empty()) {
    const std::size_t comma = options.pitch.find(',');
    const auto number = [&](std::string_view text) {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size() || value < 1)
        throw base::UsageError(msg("--pitch {}: write IN or IN,OUT, two whole numbers.", options.pitch));
      return value;
    };
    problem.in_pitch_elems = number(std::string_view(options.pitch).substr(0, comma));
    if (comma != options.pitch.npos)
      problem.out_pitch_elems = number(std::string_view(options.pitch).substr(comma + 1));
  }
  if (const Message wrong = judge::what_is_wrong_with(problem); !wrong.empty()) throw base::UsageError(wrong);
  return problem;
}

std::string launch_words(const judge::Problem& p) {
  std::string words = fmt::format(" --rows {} --cols {}", p.rows, p.cols);
  if (p.in_pitch() != p.cols || p.out_pitch() != p.rows)
    words += fmt::format(" --pitch {},{}", p.in_pitch(), p.out_pitch());
  if (p.batch != 1) words += fmt::format(" --batch {}", p.batch);
  return words;
}

std::string launch_words(const judge::Reason& reason) {
  std::string words = reason.problem ? launch_words(*reason.problem) : "";
  if (!reason.entry.empty()) words += " --entry " + reason.entry;
  return words;
}

judge::DeviceChoice device_choice(const std::string& device) {
  if (device == "sim") return judge::DeviceChoice::Sim;
  return device == "gpu" ? judge::DeviceChoice::Gpu : judge::DeviceChoice::Auto;
}

}  // namespace lab::cli
