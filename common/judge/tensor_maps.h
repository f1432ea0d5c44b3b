// The tensor maps that a launch shape asks for.
//
// Enters: a launch shape, a problem, where its matrices lie. Leaves: the maps as the device reads them, in
// the order of the shape; or a sentence with the rule that one breaks, the same for both devices.
#pragma once

#include <vector>

#include "common/device/device.h"
#include "common/judge/problem.h"
#include "common/kernel/launch_shape.h"

namespace lab::judge {

[[nodiscard]] std::size_t map_count(const LaunchShape& shape);
// Throws SignatureError when a map cannot be made for this problem.
[[nodiscard]] std::vector<device::TensorMapBytes> tensor_maps(device::Device& device,
                                                              const LaunchShape& shape,
                                                              const Problem& problem, device::Address out,
                                                              device::Address in);

}  // namespace lab::judge
