// Tensor maps from a launch shape. See tensor_maps.h.
#include "common/course/judge/tensor_maps.h"

#include <algorithm>
#include <iterator>

#include "common/course/judge/target.h"

namespace lab::judge {
namespace {

// Whole numbers: a copy changes no bit of them, and fills up with zeros.
sim::TensorType type_of(int elem_bytes) {
  switch (elem_bytes) {
    case 1:
      return sim::TensorType::U8;
    case 2:
      return sim::TensorType::U16;
    case 8:
      return sim::TensorType::U64;
    default:
      return sim::TensorType::U32;
  }
}

sim::TensorMap described(const TensorMapShape& shape, const Problem& p, device::Address out,
                         device::Address in) {
  const bool of_in = shape.of == kIn;
  sim::TensorMap map;
  map.type = type_of(p.elem_bytes);
  map.rank = 2;
  map.address = of_in ? in : out;
  map.dims[0] = static_cast<std::uint64_t>(of_in ? p.cols : p.rows);
  map.dims[1] = static_cast<std::uint64_t>(of_in ? p.rows : p.cols);
  map.strides[0] = static_cast<std::uint64_t>((of_in ? p.in_pitch() : p.out_pitch()) * p.elem_bytes);
  map.box[0] = static_cast<std::uint32_t>(shape.box.cols);
  map.box[1] = static_cast<std::uint32_t>(shape.box.rows);
  map.steps[0] = static_cast<std::uint32_t>(shape.element_strides.cols);
  map.steps[1] = static_cast<std::uint32_t>(shape.element_strides.rows);
  map.swizzle = static_cast<std::uint32_t>(shape.swizzle);
  return map;
}

}  // namespace

std::size_t map_count(const LaunchShape& shape) {
  const auto* end = std::find_if(std::begin(shape.maps), std::end(shape.maps),
                                 [](const TensorMapShape& map) { return map.of == kNoMap; });
  return static_cast<std::size_t>(end - std::begin(shape.maps));
}

std::vector<device::TensorMapBytes> tensor_maps(device::Device& device, const LaunchShape& shape,
                                                const Problem& problem, device::Address out,
                                                device::Address in) {
  std::vector<device::TensorMapBytes> maps;
  for (std::size_t k = 0; k < map_count(shape); ++k) {
    const sim::TensorMap map = described(shape.maps[k], problem, out, in);
    if (problem.elem_bytes > 8 || problem.batch != 1)
      throw SignatureError("A tensor map describes one matrix of elements of at most 8 bytes.");
    if (const auto refused = sim::refusal(map))
      throw SignatureError(msg(".maps[{}] of the launch shape: {}", k, refused->why));
    maps.push_back(device.tensor_map(map));
  }
  return maps;
}

}  // namespace lab::judge
