// What a GPU takes. See launch_shape.h.
#include "common/run/cudart/launch_shape.h"

#include <algorithm>

#include "common/gpu/model/occupancy.h"
#include "common/sim/execute/launch_limits.h"
#include "common/sim/program/program_data.h"

namespace lab::cudart {
std::string three(const Dim3& d) {
  return "[" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + "]";
}

namespace {
constexpr std::uint32_t kMostBlocksNonPortable = 16;
}  // namespace

sim::DeviceLimits limits_of(const Context& c, const Function& function) {
  sim::DeviceLimits limits = c.gpu.limits();
  if (function.here().non_portable_cluster != 0) limits.max_cluster = kMostBlocksNonPortable;
  return limits;
}

Dim3 compiled_cluster(const sim::Program& program) {
  const auto& sides = program.data().required_cluster;
  return {sides[0], sides[1], sides[2]};
}

Dim3 check_cluster(const Context& c, const Function& function, const sim::Program& program,
                   const LaunchShape& shape) {
  sim::LaunchConfig config;
  config.cluster = shape.cluster.value_or(Dim3{0, 0, 0});
  const Dim3 cluster = shape.cluster ? *shape.cluster : sim::cluster_of(program.data(), config);
  const std::uint32_t most = limits_of(c, function).max_cluster;
  const Message what = msg("`{}`: a cluster of {} blocks", function.brief, three(cluster));
  if (cluster.count() == 0 || cluster.count() > most) {
    throw ApiError{
        Error::InvalidClusterSize,  // as measured on an H200, driver 580
        msg("{}; each side must be at least 1, and a cluster has at most {} blocks{}", what, most,
            (most < kMostBlocksNonPortable ? " (16 with cudaFuncAttributeNonPortableClusterSizeAllowed)."
                                           : "."))};
  }
  const Dim3 compiled = compiled_cluster(program);
  if (compiled.count() != 0 && !(cluster == compiled)) {
    throw ApiError{
        Error::InvalidClusterSize,
        msg("{}, but the kernel was compiled for {}: leave the attribute away.", what, three(compiled))};
  }
  const Dim3& g = shape.grid;
  if (g.x % cluster.x != 0 || g.y % cluster.y != 0 || g.z % cluster.z != 0) {
    throw ApiError{
        Error::InvalidClusterSize,
        msg("{}, which do not fill a grid of {}: each side of the grid must be a multiple of the cluster's.",
            what, three(g))};
  }
  return cluster;
}

void LaunchShape::take(const LaunchAttribute* attributes, unsigned count) {
  if (count != 0) need(attributes);
  for (const LaunchAttribute& attribute : std::span(attributes, count)) {
    if (attribute.id == kAttributeCooperative) cooperative = attribute.value.number != 0;
    if (attribute.id == kAttributeOverlap) overlaps = attribute.value.number != 0;
    const std::uint32_t* sides = attribute.value.dimensions;
    if (attribute.id == kAttributeClusterDimension) cluster = Dim3{sides[0], sides[1], sides[2]};
  }
}

LaunchShape launch_shape_of(const LaunchRequest& request) {
  LaunchShape shape{request.grid, request.block, request.dynamic_shared_bytes, false, {}};
  shape.take(request.attributes, request.attribute_count);
  return shape;
}

static void check_fits_at_once(const Context& c, const sim::Program& program, const LaunchShape& shape,
                               const Message& what) {
  const auto fit = static_cast<std::uint64_t>(
      model::blocks_per_multiprocessor(c.gpu, program, shape.block.count(), shape.dynamic_shared_bytes));
  if (fit != 0 && shape.grid.count() > fit * c.gpu.multiprocessors)
    throw ApiError{Error::CooperativeLaunchTooLarge, msg("{}{} blocks, and {} fit at once.", what,
                                                         shape.grid.count(), fit * c.gpu.multiprocessors)};
}

void check_shape(const Context& c, const Function& function, const sim::Program& program,
                 const LaunchShape& shape) {
  const sim::DeviceLimits limits = c.gpu.limits();
  const auto outside = [](const Dim3& d, const Dim3& most) {
    return d.x == 0 || d.y == 0 || d.z == 0 || d.x > most.x || d.y > most.y || d.z > most.z;
  };
  const Message what = msg("`{}`: ", function.brief);
  if (outside(shape.block, limits.max_block) || shape.block.count() > limits.max_threads_per_block) {
    throw ApiError{Error::InvalidValue,  // as CUDA 13 says; measured on an H200, driver 580
                   msg("{}a block of {} threads; each side must be at least 1, at most {}, and a block has "
                       "at most {} threads.",
                       what, three(shape.block), three(limits.max_block), limits.max_threads_per_block)};
  }
  if (outside(shape.grid, limits.max_grid)) {
    throw ApiError{Error::InvalidValue,  // as CUDA 13 says; measured on an H200, driver 580
                   msg("{}a grid of {} blocks; each side must be at least 1, and at most {}.", what,
                       three(shape.grid), three(limits.max_grid))};
  }
  (void)check_cluster(c, function, program, shape);
  if (shape.cooperative)
    check_fits_at_once(c, program, shape, what);  // before too much memory, as an H200 does
  const int opted = function.here().max_dynamic_shared;
  const std::size_t dynamic = shape.dynamic_shared_bytes;
  const std::size_t plain = limits.max_static_shared_bytes -
                            std::min(limits.max_static_shared_bytes, program.static_shared_bytes());
  const std::size_t allowed = opted < 0 ? plain : static_cast<std::size_t>(opted);
  if (dynamic > allowed) {
    // A cooperative launch is too large where no setting of the kernel would do (measured on an H200).
    const bool never_fits = shape.cooperative && dynamic > plain;
    throw ApiError{never_fits ? Error::CooperativeLaunchTooLarge : Error::InvalidValue,
                   msg("{}{} bytes of dynamic shared memory, and {} are allowed. Ask for more with "
                       "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes): "
                       "this GPU has up to {}.",
                       what, dynamic, allowed, big(limits.max_shared_bytes))};
  }
}

}  // namespace lab::cudart
