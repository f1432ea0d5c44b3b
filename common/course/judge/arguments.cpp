// Packs kernel arguments as the kernel's parameter list wants them.
#include <fmt/core.h>

#include <cstring>

#include "common/course/judge/target.h"

namespace lab::judge {

Arguments::Arguments(const Problem& p, device::Address out, device::Address in, const device::Kernel& kernel)
    : problem(p), out_(out), in_(in), kernel_(kernel) {
  for (const device::Parameter& q : kernel.parameters()) {
    if (q.offset_bytes + q.size_bytes > bytes_.size()) bytes_.resize(q.offset_bytes + q.size_bytes);
  }
}

const device::Parameter& Arguments::next(const Message& what) {
  if (used_ >= kernel_.parameters().size()) {
    throw SignatureError(
        msg("`{}` takes {} parameters; after them {} is missing. The course's signature is transpose(float* "
            "out, const float* in, int rows, int cols).",
            kernel_.name(), used_, what));
  }
  return kernel_.parameters()[used_++];
}

Arguments& Arguments::pointer(device::Address address) {
  const device::Parameter& q = next(msg("a pointer"));
  if (q.size_bytes != sizeof address) {
    throw SignatureError(msg(
        "Parameter {} of `{}` has {} bytes where a pointer is expected; the order is out, in, then integers.",
        used_, kernel_.name(), q.size_bytes));
  }
  std::memcpy(bytes_.data() + q.offset_bytes, &address, sizeof address);
  return *this;
}

Arguments& Arguments::integer(std::int64_t value) {
  const device::Parameter& q = next(msg("an integer"));
  if (q.size_bytes != 4 && q.size_bytes != 8) {
    throw SignatureError(msg("Parameter {} of `{}` has {} bytes where an int is expected.", used_,
                             kernel_.name(), q.size_bytes));
  }
  std::memcpy(bytes_.data() + q.offset_bytes, &value, q.size_bytes);  // little-endian, like the GPU
  return *this;
}

Arguments& Arguments::gpus(const Gpus& gpus) {
  const device::Parameter& q = next("lab::Gpus");
  if (q.size_bytes != sizeof gpus) {
    throw SignatureError(
        msg("Parameter {} of `{}` has {} bytes where lab::Gpus is expected: LAUNCH_SHAPE asks for several "
            "GPUs. Write transpose(lab::Gpus gpus, const float* in, int rows, int cols).",
            used_, kernel_.name(), q.size_bytes));
  }
  std::memcpy(bytes_.data() + q.offset_bytes, &gpus, sizeof gpus);
  return *this;
}

Arguments& Arguments::tensor_map(const device::TensorMapBytes& map) {
  const device::Parameter& q = next(msg("a tensor map"));
  if (q.size_bytes != map.size()) {
    throw SignatureError(
        msg("Parameter {} of `{}` has {} bytes where a tensor map is expected: LAUNCH_SHAPE asks for it in "
            ".maps. Write const __grid_constant__ lab::TensorMap map.",
            used_, kernel_.name(), q.size_bytes));
  }
  std::memcpy(bytes_.data() + q.offset_bytes, map.data(), map.size());
  return *this;
}

std::vector<std::byte> pack(Arguments& arguments, const Target& target,
                            std::span<const device::TensorMapBytes> maps) {
  if (target.arguments) {
    target.arguments(arguments);
  } else {
    arguments.out().in().integer(arguments.problem.rows).integer(arguments.problem.cols);
  }
  for (const device::TensorMapBytes& map : maps) arguments.tensor_map(map);
  return arguments.packed();
}

void with_pitches(Arguments& a) {
  a.out().in().integer(a.problem.rows).integer(a.problem.cols);
  a.integer(a.problem.out_pitch()).integer(a.problem.in_pitch());
}

std::vector<std::byte> Arguments::packed() const {
  if (used_ != kernel_.parameters().size()) {
    throw SignatureError(
        msg("`{}` takes {} parameters; the check gives it {}. The course's signature is transpose(float* "
            "out, const float* in, int rows, int cols).",
            kernel_.name(), kernel_.parameters().size(), used_));
  }
  return bytes_;
}

}  // namespace lab::judge
