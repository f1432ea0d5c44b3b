// What cudaDeviceProp says of a GPU.
#pragma once

#include "common/gpu/device/gpu_data.h"
#include "common/run/cudart/abi.h"

namespace lab::cudart {

using device::GpuData;

// As programs of CUDA 13 know them, or (DeviceProperties12) of CUDA 12.
template <class Properties = DeviceProperties>
[[nodiscard]] Properties properties_of(const GpuData& gpu, int device);

}  // namespace lab::cudart
