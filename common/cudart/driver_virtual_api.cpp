// The driver: virtual memory, reserved, made and mapped.
//
// Enters: cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess. Leaves: a range of addresses that has
// its memory from the start: a program that touches it before cuMemMap goes on here and faults on a GPU. The
// same memory mapped at two places is refused, for the two would not be one.
#include <set>

#include "common/cudart/driver.h"

using namespace lab::cudart;

namespace {

constexpr std::size_t kGranularity = 2 << 20;

struct Made {
  std::size_t size_bytes = 0;
  bool mapped = false;
};
std::map<unsigned long long, Made> made;
unsigned long long next_handle = 1;

}  // namespace

LAB_ENTRY int cuMemGetAllocationGranularity(std::size_t* bytes, const void* /*properties*/, int /*option*/) {
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
LAB_ENTRY int cuMemAddressFree(void* at, std::size_t /*size_bytes*/) {
  return as_driver([&] { return cudaFree(at); });
}

LAB_ENTRY int cuMemCreate(unsigned long long* handle, std::size_t size_bytes, const void* /*properties*/,
                          unsigned long long /*flags*/) {
  return enter_driver("cuMemCreate", [&](Context&) {
    if (size_bytes == 0 || size_bytes % kGranularity != 0) return Error::InvalidValue;
    made[*handle = next_handle++] = {size_bytes, false};
    return Error::Success;
  });
}
LAB_ENTRY int cuMemRelease(unsigned long long handle) {
  return enter_driver("cuMemRelease", [&](Context&) {
    return made.erase(handle) == 0 ? Error::InvalidValue : Error::Success;
  });
}

LAB_ENTRY int cuMemMap(void* at, std::size_t size_bytes, std::size_t offset, unsigned long long handle,
                       unsigned long long /*flags*/) {
  return enter_driver("cuMemMap", [&](Context& c) {
    const auto found = made.find(handle);
    if (found == made.end() || offset != 0 || size_bytes > found->second.size_bytes)
      return Error::InvalidValue;
    if (c.memory.find(address_of(at), size_bytes) == nullptr) return Error::InvalidValue;
    if (found->second.mapped)
      throw ApiError{Error::NotSupported, "the same memory mapped at two places is not simulated."};
    found->second.mapped = true;
    return Error::Success;
  });
}
LAB_ENTRY int cuMemUnmap(void* at, std::size_t size_bytes) {
  return enter_driver("cuMemUnmap", [&](Context& c) {
    return c.memory.find(address_of(at), size_bytes) == nullptr ? Error::InvalidValue : Error::Success;
  });
}
LAB_ENTRY int cuMemSetAccess(void* at, std::size_t size_bytes, const void* /*access*/,
                             std::size_t /*count*/) {
  return cuMemUnmap(at, size_bytes);  // is it a reserved range?
}
