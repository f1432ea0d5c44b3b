// Memory: allocate, free, ask what a pointer is.
//
// Enters: sizes and pointers. Leaves: device addresses, or host addresses that kernels can follow. What goes
// by the order of a stream is in pool_api.cpp.
#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "common/run/cudart/allocation.h"
#include "common/run/cudart/capture.h"
#include "common/run/cudart/driver.h"
#include "common/run/cudart/order.h"
#include "common/run/cudart/streams.h"

using namespace lab::cudart;
namespace sim = lab::sim;

namespace lab::cudart {
namespace {

constexpr std::size_t kPitchAlign = 512;

Error allocate_call(const char* call, void** pointer, std::uint64_t size_bytes, MemoryType type,
                    unsigned flags = 0) {
  return enter(call, Asks::HostFirst, [&](Context& c) {
    if (pointer == nullptr) throw ApiError{Error::InvalidValue};
    constexpr unsigned kHostFlags = 7, kGlobal = 1, kHost = 2;
    const bool is_managed = type == MemoryType::Managed;
    if (size_bytes != 0 && is_managed && flags != kGlobal && flags != kHost)
      throw ApiError{Error::InvalidValue};
    if (size_bytes != 0) {
      c.reach_gpu();
      if (!is_managed && flags > kHostFlags) throw ApiError{Error::InvalidValue};
      refuse_unsafe();
    }
    *pointer = allocate(c, size_bytes, type, flags);
  });
}

}  // namespace
}  // namespace lab::cudart

LAB_API Error cudaMalloc(void** pointer, std::size_t size_bytes) {
  return allocate_call("cudaMalloc", pointer, size_bytes, MemoryType::Device);
}

LAB_API Error cudaMallocManaged(void** pointer, std::size_t size_bytes, unsigned flags) {
  return allocate_call("cudaMallocManaged", pointer, size_bytes, MemoryType::Managed, flags);
}

LAB_API Error cudaMallocHost(void** pointer, std::size_t size_bytes) {
  return allocate_call("cudaMallocHost", pointer, size_bytes, MemoryType::Host);
}

LAB_API Error cudaHostAlloc(void** pointer, std::size_t size_bytes, unsigned flags) {
  return allocate_call("cudaHostAlloc", pointer, size_bytes, MemoryType::Host, flags);
}

LAB_API Error cudaMallocPitch(void** pointer, std::size_t* pitch_bytes, std::size_t width_bytes,
                              std::size_t height) {
  return enter(Asks::HostFirst, [&](Context& c) {
    need(pointer, pitch_bytes);
    *pitch_bytes = height == 0 ? 0 : (width_bytes + kPitchAlign - 1) / kPitchAlign * kPitchAlign;
    if (*pitch_bytes != 0) {
      c.reach_gpu();
      refuse_unsafe();
    }
    *pointer = allocate(c, *pitch_bytes * height, MemoryType::Device);
  });
}

LAB_API Error cudaMalloc3D(PitchedPointer* made, Extent extent) {
  return enter_outside_capture([&](Context& c) {
    need(made);
    const std::size_t pitch = (extent.width + kPitchAlign - 1) / kPitchAlign * kPitchAlign;
    *made = {allocate(c, pitch * extent.height * extent.depth, MemoryType::Device), pitch, extent.width,
             extent.height};
  });
}

LAB_API Error cudaFree(void* pointer) {
  return enter_outside_capture([&](Context& c) {
    const auto found = c.allocated.find(address_of(pointer));
    if (found != c.allocated.end() && found->second.pool != nullptr) {  // then it waits for nothing
      work_order().host_frees(c, found->first);
      return give_back(c, pointer, "free", false);
    }
    wait_for_all(c);
    if (const int owner = c.owner(pointer); owner >= 0) wait_for_all(c, owner);
    return give_back(c, pointer, "free", false);
  });
}

LAB_API Error cudaFreeHost(void* pointer) {
  return enter_outside_capture([&](Context& c) { return give_back(c, pointer, "free", true); });
}

LAB_API Error cudaHostRegister(void* pointer, std::size_t size_bytes, unsigned flags) {
  return enter_outside_capture([&](Context& c) {
    constexpr unsigned kFlags = 15;
    if (pointer == nullptr || size_bytes == 0 || flags > kFlags) throw ApiError{Error::InvalidValue};
    if (around(c, address_of(pointer)) != nullptr) throw ApiError{Error::HostMemoryAlreadyRegistered};
    const sim::DeviceAddress at = c.memory.lend(pointer, size_bytes, "registered host memory");
    c.allocated[at] = {MemoryType::Host, size_bytes, flags, nullptr, current_device()};
    c.allocated[at].is_registered = true;
  });
}

LAB_API Error cudaHostUnregister(void* pointer) {
  return enter_outside_capture([&](Context& c) {
    const auto found = c.allocated.find(address_of(pointer));
    if (pointer == nullptr || (found != c.allocated.end() && !found->second.is_registered))
      throw ApiError{Error::InvalidValue};
    if (found == c.allocated.end()) throw ApiError{Error::HostMemoryNotRegistered};
    work_order().forget(found->first);
    c.memory.release(found->first);
    c.allocated.erase(found);
  });
}

LAB_API Error cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return enter(Asks::HostFirst, [&](Context& c) {
    need(device);
    if (host == nullptr) throw ApiError{Error::InvalidValue, "the pointer of the host is null."};
    c.reach_gpu();
    if (flags != 0) throw ApiError{Error::InvalidValue};
    const Allocated* a = around(c, address_of(host));
    if (a == nullptr || a->type != MemoryType::Host) {
      throw ApiError{
          Error::InvalidValue,
          "this memory was neither allocated with cudaHostAlloc nor registered with cudaHostRegister."};
    }
    *device = host;
  });
}

LAB_API Error cudaHostGetFlags(unsigned* flags, void* host) {
  return enter([&](Context& c) {
    need(flags);
    const Allocated* a = around(c, address_of(host));
    if (a == nullptr || a->type == MemoryType::Device) throw ApiError{Error::InvalidValue};
    constexpr unsigned kMapped = 2;  // with unified addressing all of it is
    *flags = a->type == MemoryType::Host ? a->flags | kMapped : kMapped;
  });
}

LAB_API Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return enter(Asks::Host, [&](Context& c) {
    need(attributes);
    // Field by field: CUDA 12's struct ends before `reserved`.
    attributes->device_pointer = attributes->host_pointer = nullptr;
    const Allocated* a = around(c, address_of(pointer));
    const int owner = c.owner(pointer);  // of a module's variable nothing else says it
    attributes->device = a == nullptr ? -2 /* cudaInvalidDeviceId */ : owner >= 0 ? owner : a->device;
    attributes->type = a == nullptr ? MemoryType::Unregistered : a->type;
    if (a != nullptr) attributes->device_pointer = const_cast<void*>(pointer);
    if (a == nullptr || a->type != MemoryType::Device) attributes->host_pointer = const_cast<void*>(pointer);
  });
}

LAB_API Error cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return enter([&](Context& c) {
    if (total_bytes != nullptr) *total_bytes = c.gpu.memory_bytes;
    if (free_bytes != nullptr) *free_bytes = c.free_bytes();
  });
}

// --- hints for managed memory: the simulated memory is one, and remembers the hints ---

namespace lab::cudart {
namespace {

constexpr std::uint32_t kHostReads = 1u << 31;

// Calls `body` for the hints of each part of a range. False: not all of it is managed memory.
template <class Body>
bool for_hints(Context& c, const void* pointer, std::size_t count, const Body& body) {
  const sim::Allocation* const a = c.memory.find(address_of(pointer), count);
  const auto found = a == nullptr ? c.allocated.end() : c.allocated.find(a->base);
  if (count == 0 || found == c.allocated.end() || found->second.type != MemoryType::Managed) return false;
  std::map<sim::DeviceAddress, Hints>& hints = found->second.hints;
  const auto split = [&](sim::DeviceAddress at) {
    const auto next = hints.upper_bound(at);
    return hints.try_emplace(at, next == hints.begin() ? Hints{} : std::prev(next)->second).first;
  };
  const auto end = split(address_of(pointer) + count);
  for (auto one = split(address_of(pointer)); one != end; ++one) body(one->second);
  return true;
}

std::uint32_t reader(const Place& place) {
  return place.type == Place::Device ? 1u << place.number : kHostReads;
}

// The place that all parts have; none, where they differ.
Place common_place(const std::vector<Hints>& parts, Place Hints::*which) {
  const Place first = parts.front().*which;
  for (const Hints& part : parts) {
    const Place& place = part.*which;
    if (place.type != first.type || (place.type == Place::Device && place.number != first.number)) return {};
  }
  return first;
}

// As an int: a GPU, the host, or cudaInvalidDeviceId.
int number_of(const Place& place) {
  if (place.type == Place::Device) return place.number;
  return place.type == Place::None ? -2 : -1;
}

Error range_attribute(Context& c, int* data, std::size_t size_bytes, int attribute, const void* pointer,
                      std::size_t count) {
  enum {
    kReadMostly = 1,
    kPreferred,
    kAccessedBy,
    kPrefetched,
    kPreferredType,
    kPreferredId,
    kPrefetchedType
  };
  constexpr int kLast = 8;
  const std::size_t room = size_bytes / sizeof(int);
  if (data == nullptr || attribute < kReadMostly || attribute > kLast || room == 0 ||
      size_bytes % sizeof(int) != 0 || (attribute != kAccessedBy && room != 1))
    return Error::InvalidValue;
  std::vector<Hints> parts;
  if (!for_hints(c, pointer, count, [&](const Hints& h) { parts.push_back(h); })) return Error::InvalidValue;
  if (attribute == kReadMostly) {
    *data = std::all_of(parts.begin(), parts.end(), [](const Hints& h) { return h.read_mostly; }) ? 1 : 0;
    return Error::Success;
  }
  if (attribute == kAccessedBy) {
    std::uint32_t readers = ~0u;
    for (const Hints& part : parts) readers &= part.readers;
    std::fill(data, data + room, -2);
    for (std::size_t k = 0, bit = 0; k < room && bit < 32; ++bit)
      if ((readers & 1u << bit) != 0) data[k++] = bit == 31 ? -1 : static_cast<int>(bit);
    return Error::Success;
  }
  const bool prefetched = attribute == kPrefetched || attribute >= kPrefetchedType;
  const Place place = common_place(parts, prefetched ? &Hints::prefetched : &Hints::preferred);
  const bool is_number = attribute == kPreferred || attribute == kPrefetched;
  const bool is_type = attribute == kPreferredType || attribute == kPrefetchedType;
  *data = is_number ? number_of(place) : is_type ? place.type : place.number;
  return Error::Success;
}

}  // namespace

Place place_numbered(int device) {
  return device == -1 ? Place{Place::Host, 0} : Place{Place::Device, device};
}

}  // namespace lab::cudart

LAB_API Error cudaMemAdvise_v2(const void* pointer, std::size_t count, int advice, Place place) {
  return enter(Asks::HostFirst, [&](Context& c) {
    enum { kSetReadMostly = 1, kUnsetReadMostly, kSetPreferred, kUnsetPreferred, kSetAccessedBy };
    constexpr int kLast = 6;
    // For the host's memory hints are accepted without effect; advice about accesses is refused.
    if (place.type == Place::HostNode)
      return advice >= kSetReadMostly && advice <= kUnsetPreferred ? Error::Success : Error::InvalidValue;
    if (place.type == Place::None ||
        (place.type == Place::Device && static_cast<std::size_t>(place.number) >= c.devices.size()))
      return Error::InvalidValue;
    c.reach_gpu();
    if (advice < kSetReadMostly || advice > kLast) return Error::InvalidValue;
    refuse_unsafe();
    if (!for_hints(c, pointer, count, [](const Hints&) {})) return Error::InvalidValue;
    const bool known = for_hints(c, pointer, count, [&](Hints& h) {
      if (advice <= kUnsetReadMostly) {
        h.read_mostly = advice == kSetReadMostly;
      } else if (advice <= kUnsetPreferred) {
        h.preferred = advice == kSetPreferred ? place : Place{};
      } else {
        h.readers = advice == kSetAccessedBy ? h.readers | reader(place) : h.readers & ~reader(place);
      }
    });
    return known ? Error::Success : Error::InvalidValue;
  });
}

LAB_API Error cudaMemPrefetchAsync_v2(const void* pointer, std::size_t count, Place place, unsigned /*flags*/,
                                      StreamHandle stream) {
  return enter([&](Context& c) {
    const Stream& on = streams().find(stream);
    if (pointer == nullptr || count == 0 || place.type == Place::None) return Error::InvalidValue;
    refuse_captured(on);
    if (place.type == Place::Device) check_device(c, place.number);
    const bool known = for_hints(c, pointer, count, [&](Hints& h) { h.prefetched = place; });
    return known ? Error::Success : Error::InvalidValue;
  });
}

LAB_API Error cudaMemRangeGetAttribute(void* data, std::size_t size_bytes, int attribute, const void* pointer,
                                       std::size_t count) {
  return enter([&](Context& c) {
    return range_attribute(c, static_cast<int*>(data), size_bytes, attribute, pointer, count);
  });
}
LAB_API Error cudaMemRangeGetAttributes(void** data, const std::size_t* sizes_bytes, const int* attributes,
                                        std::size_t attribute_count, const void* pointer, std::size_t count) {
  return enter([&](Context& c) {
    if (data == nullptr || sizes_bytes == nullptr || attributes == nullptr || attribute_count == 0)
      return Error::InvalidValue;
    for (std::size_t k = 0; k < attribute_count; ++k) {
      const Error e =
          range_attribute(c, static_cast<int*>(data[k]), sizes_bytes[k], attributes[k], pointer, count);
      if (e != Error::Success) return e;
    }
    return Error::Success;
  });
}

// The driver's names.
LAB_SAME(cuMemRangeGetAttribute, cudaMemRangeGetAttribute);
LAB_SAME(cuMemRangeGetAttributes, cudaMemRangeGetAttributes);
LAB_SAME(cuMemPrefetchAsync_v2, cudaMemPrefetchAsync_v2);
LAB_SAME(cuMemAdvise_v2, cudaMemAdvise_v2);
LAB_ENTRY int cuMemPrefetchAsync(const void* pointer, std::size_t count, int device, StreamHandle stream) {
  return lab_same_cuMemPrefetchAsync_v2(pointer, count, place_numbered(device), 0, stream);
}
LAB_ENTRY int cuMemAdvise(const void* pointer, std::size_t count, int advice, int device) {
  return lab_same_cuMemAdvise_v2(pointer, count, advice, place_numbered(device));
}
