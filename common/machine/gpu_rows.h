// What `lab doctor` says of GPUs.
//
// Enters: nothing. Leaves: rows as those of environment.h: each GPU, what compiles for it, cuBLAS; or one row
// that says why no GPU is used. A GPU is never missing, since nothing needs one.
#pragma once

#include <string>
#include <vector>

#include "common/gpu/device/gpu.h"
#include "common/machine/environment.h"

namespace lab::machine {

[[nodiscard]] std::vector<EnvironmentRow> describe_gpus();

// "" when what NVRTC or nvcc of this version makes runs with the driver, else what to do. "13.0.88" and a
// driver for CUDA 12.4 do not go together: a driver runs what compilers of its own generation, or older ones,
// make.
[[nodiscard]] Message what_driver_cannot_run(const std::string& compiler, const std::string& version,
                                             int cuda_version);

}  // namespace lab::machine
