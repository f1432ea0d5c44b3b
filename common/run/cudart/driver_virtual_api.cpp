// The driver: virtual memory, reserved, made and mapped.
//
// Enters: cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess. Leaves: a range of addresses that has
// its memory from the start: a program that touches it before cuMemMap goes on here and faults on a GPU. The
// same memory mapped at two places is refused, for the two would not be one.
#include <map>
#include <span>

#include "common/run/cudart/driver.h"

using namespace lab::cudart;

namespace {

constexpr std::size_t kGranularity = 2 << 20;

struct Properties {  // CUmemAllocationProp
  int allocation_type, handle_types;
  Place place;
  std::uint64_t of_windows, flags;
};
struct Made {
  std::size_t size_bytes = 0;
  int device = 0;
  Properties properties{};
  bool mapped = false;
};
struct Access {  // CUmemAccessDesc
  Place place;
  int flags;  // 0: none
};
std::map<unsigned long long, Made> allocations;
unsigned long long next_handle = 1;
std::map<lab::sim::DeviceAddress, int> mapped_on;  // reserved ranges, and whose memory lies there

}  // namespace

LAB_ENTRY int cuMemGetAllocationGranularity(std::size_t* bytes, const void* properties, int /*option*/) {
  if (bytes == nullptr || properties == nullptr) return kInvalidValue;
  *bytes = kGranularity;
  return not_ready(Needs::Initialised);
}

LAB_ENTRY int cuMemAddressReserve(void** at, std::size_t size_bytes, std::size_t /*alignment*/, void* wanted,
                                  unsigned long long /*flags*/) {
  return as_driver([&] {
    if (size_bytes == 0 || size_bytes % kGranularity != 0) return Error::InvalidValue;
    (void)wanted;  // a wish, which the driver may not grant either
    return cudaMalloc(at, size_bytes);
  });
}
LAB_SAME(cuMemAddressFree, cudaFree, std::size_t);

LAB_ENTRY int cuMemCreate(unsigned long long* handle, std::size_t size_bytes, const Properties* properties,
                          unsigned long long /*flags*/) {
  return enter_driver([&](Context& c) {
    const int device = properties == nullptr ? current_device() : device_at(c, properties->place);
    need(handle);
    if (size_bytes == 0 || size_bytes % kGranularity != 0) throw ApiError{Error::InvalidValue};
    allocations[*handle = next_handle++] = {size_bytes, device,
                                            properties == nullptr ? Properties{} : *properties};
  });
}
LAB_ENTRY int cuMemRelease(unsigned long long handle) {
  return enter_driver(
      [&](Context&) { return allocations.erase(handle) == 0 ? Error::InvalidValue : Error::Success; });
}
// Compressed memory counts as granted: what a kernel reads and counts here is the same.
LAB_ENTRY int cuMemGetAllocationPropertiesFromHandle(Properties* properties, unsigned long long handle) {
  return enter_driver([&](Context&) {
    const auto found = allocations.find(handle);
    if (found == allocations.end()) throw ApiError{Error::InvalidValue};
    given(properties) = found->second.properties;
  });
}

LAB_ENTRY int cuMemMap(void* at, std::size_t size_bytes, std::size_t offset, unsigned long long handle,
                       unsigned long long /*flags*/) {
  return enter_driver([&](Context& c) {
    const auto found = allocations.find(handle);
    if (found == allocations.end() || offset != 0 || size_bytes > found->second.size_bytes)
      throw ApiError{Error::InvalidValue};
    const lab::sim::Allocation* const range = c.memory.find(address_of(at), size_bytes);
    if (range == nullptr) throw ApiError{Error::InvalidValue};
    const int device = found->second.device;
    if (mapped_on.contains(range->base) && mapped_on[range->base] != device)
      throw ApiError{Error::NotSupported,
                     "memory of two GPUs in one reserved range is not simulated: reserve a range for each."};
    if (found->second.mapped)
      throw ApiError{Error::NotSupported, "the same memory mapped at two places is not simulated."};
    found->second.mapped = true;
    mapped_on[range->base] = device;
    c.memory.place(range->base, static_cast<std::uint32_t>(device), 1u << device);
  });
}
LAB_ENTRY int cuMemUnmap(void* at, std::size_t size_bytes) {
  return enter_driver([&](Context& c) {
    return c.memory.find(address_of(at), size_bytes) == nullptr ? Error::InvalidValue : Error::Success;
  });
}
LAB_ENTRY int cuMemSetAccess(void* at, std::size_t size_bytes, const Access* list, std::size_t count) {
  return enter_driver([&](Context& c) {
    need(list);
    const lab::sim::Allocation* const range = c.memory.find(address_of(at), size_bytes);
    if (range == nullptr) throw ApiError{Error::InvalidValue};
    std::uint32_t reach = range->reach;
    for (const Access& access : std::span(list, count)) {
      const std::uint32_t bit = 1u << device_at(c, access.place);
      reach = access.flags != 0 ? reach | bit : reach & ~bit;
    }
    c.memory.place(range->base, range->device, reach);
  });
}
