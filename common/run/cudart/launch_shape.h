// The shape of a launch, and whether a GPU takes it.
//
// Enters: grid, block, cluster, shared memory, as the program asks. Leaves: nothing, or ApiError with the
// limit that it breaks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "common/run/cudart/modules.h"

namespace lab::cudart {

struct LaunchShape {
  Dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::optional<Dim3> cluster;  // asked for by an attribute
  bool overlaps = false;        // the same: it may begin before the kernel before it is done
  void take(const LaunchAttribute* attributes, unsigned count);
};

[[nodiscard]] LaunchShape launch_shape_of(const LaunchRequest& request);
// "[x,y,z]", as a GPU prints an assertion.
[[nodiscard]] std::string three(const Dim3& d);
[[nodiscard]] sim::DeviceLimits limits_of(const Context& c, const Function& function);
// What a kernel was compiled for; {0, 0, 0}: nothing.
[[nodiscard]] Dim3 compiled_cluster(const sim::Program& program);
// The cluster that a launch asks for, else the kernel's own, else {1, 1, 1}; ApiError when it does not fit.
Dim3 check_cluster(const Context& c, const Function& function, const sim::Program& program,
                   const LaunchShape& shape);
void check_shape(const Context& c, const Function& function, const sim::Program& program,
                 const LaunchShape& shape);

}  // namespace lab::cudart
