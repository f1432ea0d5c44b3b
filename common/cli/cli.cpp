// What the commands of `lab` share.
#include "common/cli/cli.h"

#include <fmt/format.h>

#include <cstdlib>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/cli/suggest.h"
#include "common/judge/checks.h"

namespace lab::cli {

using base::UsageError;

std::optional<compile::CompilerKind> Session::compiler_kind() const {
  return compile::kind_named(compiler);
  return std::nullopt;
}

std::string lesson_of(std::string_view chapter) {
  return fmt::format("chapters/{}/README{}.md", chapter,
                     text::language() == text::Language::Chinese ? ".zh" : "");
}

void add_device_options(CLI::App& command, std::string& device, int& gpu_index) {
  command
      .add_option(
          "--device", device,
          "sim: the simulated GPU; gpu: a real one; auto: both where there is a GPU, and they must agree")
      ->check(CLI::IsMember({"sim", "gpu", "auto"}))
      ->capture_default_str();
  command.add_option("--gpu-index", gpu_index, "Which GPU, from 0; CUDA_VISIBLE_DEVICES is honoured")
      ->check(CLI::Range(0, 1023))
      ->capture_default_str();
}

void add_kernel_options(CLI::App& command, explore::KernelOptions& options) {
  command.add_option("--block", options.block,
                     "Threads of a block, XxY (default: the file's LAUNCH_SHAPE, else 32x8)");
  command.add_option(
      "--tile", options.tile,
      "Elements that a block covers, XxY: columns x rows (default: LAUNCH_SHAPE, else the block)");
  command.add_option("--elem-bytes", options.elem_bytes,
                     "Bytes of an element: 1, 2, 4, 8, 16 (default: those of the type that `out` points to)");
}

judge::DeviceChoice device_choice(const std::string& device) {
  if (device == "sim") return judge::DeviceChoice::Sim;
  return device == "gpu" ? judge::DeviceChoice::Gpu : judge::DeviceChoice::Auto;
}

}  // namespace lab::cli
