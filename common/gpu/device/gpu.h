// A GPU as a Device, and what this machine has of GPUs.
//
// Enters: the CUDA driver, when there is one. Leaves: a Device whose kernels run on the GPU, or a sentence
// why not and what to do. The driver lives in a worker process (gpu_worker.h): a kernel that hangs is killed
// with it, and after an illegal address, which ends the driver's context, the next launch gets a fresh one.
// So this process never opens the driver itself.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "common/base/text/message.h"
#include "common/gpu/device/device.h"

namespace lab::device {

struct GpuInfo {
  int index = 0;
  std::string name;  // "NVIDIA H200"
  int major = 0, minor = 0;
  std::uint64_t memory_bytes = 0, l2_bytes = 0;
  int multiprocessors = 0;
  [[nodiscard]] std::string architecture() const { return std::to_string(major * 10 + minor); }  // "90"
};

// What was seen, whether or not it can be used.
struct GpuSurvey {
  std::string driver;    // of the operating system: "580.159.04"; "" when unknown
  int cuda_version = 0;  // the newest that the driver knows: 13000 is 13.0
  std::vector<GpuInfo> gpus;
  int together = 1;   // the opened GPU and those with which it shares memory, each with all others
  Message problem;    // "" when a GPU can be used; else what is wrong, a whole sentence
  Message advice;     // and what to do about it
  std::string error;  // the driver's own name for it: "CUDA_ERROR_NO_DEVICE"; may be empty
  [[nodiscard]] bool usable() const { return problem.empty(); }
};

// Asks the driver, in a process of its own. Never throws, never hangs.
[[nodiscard]] GpuSurvey survey_gpus();

// "13.0" of 13000.
[[nodiscard]] std::string cuda_version_text(int version);

struct GpuOptions {
  int index = 0;  // among those that CUDA_VISIBLE_DEVICES leaves
  std::chrono::milliseconds launch_limit{10'000};
  std::chrono::milliseconds start_limit{60'000};  // the driver's own start, and each load
};

// There is no GPU to use: `what` holds the problem and the advice.
class GpuUnavailable : public DeviceError {
 public:
  GpuUnavailable(GpuSurvey s, const Message& words) : DeviceError(words), survey(std::move(s)) {}
  GpuSurvey survey;
};

class Gpu : public Device {
 public:
  [[nodiscard]] virtual const GpuInfo& info() const = 0;
  [[nodiscard]] virtual const GpuSurvey& survey() const = 0;
  // "cuBLAS 13.1"; throws DeviceError with a whole sentence when it is not installed.
  [[nodiscard]] virtual std::string cublas() = 0;
  // Workers started so far: 1, and one more for each that ended.
  [[nodiscard]] virtual int workers() const = 0;
};

// A GPU that is starting. The driver takes a few tenths of a second: start it, compile meanwhile, then `get`.
class PendingGpu {
 public:
  explicit PendingGpu(const GpuOptions& options);
  ~PendingGpu();
  PendingGpu(PendingGpu&&) noexcept;
  // Once. Throws GpuUnavailable.
  [[nodiscard]] std::unique_ptr<Gpu> get();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Throws GpuUnavailable.
[[nodiscard]] std::unique_ptr<Gpu> open_gpu(const GpuOptions& options = {});

}  // namespace lab::device
