// Tensor maps, and the way of the runtime to functions of the driver.
//
// Enters: a tensor as a program describes it. Leaves: 128 opaque bytes that a kernel gets as a parameter, or
// the code that a driver returns and a sentence with the rule that the map breaks.
#include <cstring>
#include <string_view>

#include "common/run/cudart/driver.h"
#include "common/sim/memory/tensor_map.h"

using namespace lab::cudart;

// Found by name alone: a runtime library that exported it would take the place of the driver's own.
LAB_ENTRY int cuTensorMapEncodeTiled(void* map, int type, std::uint32_t rank, void* address,
                                     const std::uint64_t* dims, const std::uint64_t* strides,
                                     const std::uint32_t* box, const std::uint32_t* steps, int interleave,
                                     int swizzle, int promotion, int fill) {
  Context& c = context();
  const std::lock_guard lock(c.mutex);
  if (c.stuck != Error::Success) return static_cast<int>(c.stuck);
  const auto refuse = [](Error code, const Message& why) {
    say(msg("cuTensorMapEncodeTiled: {}", why));
    return static_cast<int>(code);
  };
  const bool needs_strides = rank > 1 && strides == nullptr;
  if (map == nullptr || dims == nullptr || box == nullptr || steps == nullptr || needs_strides)
    return refuse(Error::InvalidValue, "a pointer is null.");
  if (address_of(map) % lab::sim::kTensorMapAlign != 0)
    return refuse(Error::InvalidValue,
                  "the CUtensorMap does not lie at a multiple of 64 bytes. Declare it alignas(64).");
  lab::sim::TensorMap made;
  made.type = static_cast<lab::sim::TensorType>(type & 0xff);
  made.rank = rank;
  made.address = address_of(address);
  for (std::uint32_t k = 0; k < rank && k < lab::sim::kMostDimensions; ++k) {
    made.dims[k] = dims[k];
    if (k + 1 < rank) made.strides[k] = strides[k];
    made.box[k] = box[k];
    made.steps[k] = steps[k];
  }
  made.interleave = static_cast<std::uint32_t>(interleave);
  made.swizzle = static_cast<std::uint32_t>(swizzle);
  made.promotion = static_cast<std::uint32_t>(promotion);
  made.fill = static_cast<std::uint32_t>(fill);
  if (const auto refused = lab::sim::refusal(made))
    return refuse(refused->unsupported ? Error::NotSupported : Error::InvalidValue, refused->why);
  const auto bytes = lab::sim::encoded(made);
  std::memcpy(map, bytes.data(), bytes.size());
  return 0;
}

LAB_API Error cudaGetDriverEntryPointByVersion(const char* symbol, void** entry, unsigned version,
                                               unsigned long long /*flags*/, int* found) {
  return enter("cudaGetDriverEntryPoint", [&](Context& c) {
    if (symbol == nullptr || entry == nullptr) throw ApiError{Error::InvalidValue};
    *entry =
        std::string_view(symbol).starts_with("cu") ? find_entry(symbol, static_cast<int>(version)) : nullptr;
    if (found != nullptr) *found = *entry != nullptr ? 0 : 1;  // cudaDriverEntryPointSymbolNotFound
    if (*entry == nullptr)
      c.say_once(msg("cudaGetDriverEntryPoint: {} is not simulated. docs/calls.md lists what is.", symbol));
  });
}

LAB_API Error cudaGetDriverEntryPoint(const char* symbol, void** entry, unsigned long long flags,
                                      int* found) {
  return cudaGetDriverEntryPointByVersion(symbol, entry, 13000, flags, found);
}
