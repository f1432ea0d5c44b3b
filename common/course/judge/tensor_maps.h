// The tensor maps that a launch shape asks for.
//
// Enters: a launch shape, a problem, where its matrices lie. Leaves: the maps as the device reads them, in
// the order of the shape; or a sentence with the rule that one breaks, the same for both devices.
#pragma once

#include <vector>

#include "common/course/judge/problem.h"
#include "common/gpu/device/device.h"
#include "common/kernel/launch_shape.h"

namespace lab::judge {

class Subject;
struct Run;

[[nodiscard]] std::size_t map_count(const LaunchShape& shape);
// Throws SignatureError when a map cannot be made for this problem.
[[nodiscard]] std::vector<device::TensorMapBytes> tensor_maps(device::Device& device,
                                                              const LaunchShape& shape,
                                                              const Problem& problem, device::Address out,
                                                              device::Address in);

// The swizzle of a map with which a wrong run would be right, as a sentence that says
// so. Found by trying: "" where no other mode makes it right.
[[nodiscard]] Message mode_that_fits(Subject& subject, const Run& wrong);

// Why nothing came to a whole tile of `out`: the grid was walked otherwise, or the engine was sent elsewhere.
[[nodiscard]] Message about_tile_left_out(const LaunchShape& shape, std::int64_t row, std::int64_t col);

// What the kernel's own indices must do at a wrong element where the maps permute. "": they do not.
[[nodiscard]] Message about_swizzled_tiles(const Run& run);

}  // namespace lab::judge
