// What the commands of `lab` share.
#include "common/cli/cli.h"

#include <fmt/core.h>

#include "common/explore/plain_kernel.h"

namespace lab::cli {

std::optional<compile::CompilerKind> Session::compiler_kind() const { return compile::kind_named(compiler); }

std::string lesson_of(std::string_view chapter) {
  return fmt::format("chapters/{}/README{}.md", chapter,
                     text::language() == text::Language::Chinese ? ".zh" : "");
}

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

judge::DeviceChoice device_choice(const std::string& device) {
  if (device == "sim") return judge::DeviceChoice::Sim;
  return device == "gpu" ? judge::DeviceChoice::Gpu : judge::DeviceChoice::Auto;
}

}  // namespace lab::cli
