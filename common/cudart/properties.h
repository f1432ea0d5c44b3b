// What cudaDeviceProp says of a GPU.
#pragma once

#include "common/cudart/abi.h"
#include "common/device/gpu_data.h"

namespace lab::cudart {

using device::GpuData;

[[nodiscard]] DeviceProperties properties_of(const GpuData& gpu, int device);

}  // namespace lab::cudart
