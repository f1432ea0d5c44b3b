// The driver's error codes in words.
//
// Enters: a code, where it came from. Leaves: what happened and what to do next.
#pragma once

#include <string>

#include "common/gpu/device/gpu.h"

namespace lab::device {

// Why no GPU can be used: sets problem, advice and error. `call` is the driver's function that refused.
void explain_start(GpuSurvey& survey, int code, const std::string& name, const std::string& call);
// No library, or one that is no driver.
void explain_no_driver(GpuSurvey& survey, bool found, const std::string& loader_says);

// A kernel that the GPU stopped, or would not start.
[[nodiscard]] sim::Fault launch_fault(int code, const std::string& name, const std::string& gpu);
// A kernel that did not end in time.
[[nodiscard]] sim::Fault endless_fault(const std::string& gpu, long limit_ms);
// A module that the driver refused; `log` is what its compiler said.
[[nodiscard]] sim::Fault load_fault(int code, const std::string& name, const std::string& log,
                                    const GpuInfo& gpu, int cuda_version);
// After this code the context is gone, and with it every buffer and module.
[[nodiscard]] bool ends_context(int code);
// Errors of the machine and not of the kernel: an uncorrectable memory error, a GPU that fell off the bus.
[[nodiscard]] bool blames_machine(int code);

}  // namespace lab::device
