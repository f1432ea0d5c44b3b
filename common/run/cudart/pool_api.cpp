// Stream-ordered memory, and its pools.
//
// Enters: sizes, streams, pools. Leaves: memory of the pool's GPU. All is allocated at once. The pool decides which
// other GPUs may use it: cudaDeviceEnablePeerAccess does not apply.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "common/run/cudart/allocation.h"
#include "common/run/cudart/capture.h"
#include "common/run/cudart/driver.h"
#include "common/run/cudart/graph.h"

using namespace lab::cudart;
namespace sim = lab::sim;

namespace lab::cudart {

namespace {

// cudaMemPoolAttr. What is reserved is what is used: nothing is kept for later.
enum PoolAttribute : int { ReleaseThreshold = 4, ReservedCurrent, ReservedHigh, UsedCurrent, UsedHigh };

std::uint64_t number_of(const Pool& pool, int attribute) {
  switch (attribute) {
    case ReleaseThreshold:
      return pool.release_threshold;
    case ReservedCurrent:
    case UsedCurrent:
      return pool.used_bytes;
    case ReservedHigh:
    case UsedHigh:
      return pool.most_used_bytes;
    default:
      return static_cast<std::uint64_t>(pool.reuse.at(static_cast<std::size_t>(attribute) - 1));
  }
}

// The GPU with this number.
Pool* default_pool(int device) {
  static const auto all = [] {
    auto* const pools = new std::array<Pool, sim::kMostDevices>;
    for (std::size_t d = 0; d < pools->size(); ++d) (*pools)[d] = {static_cast<int>(d), 1u << d};
    return pools;
  }();
  return &all->at(static_cast<std::size_t>(device));
}

// Where cudaMallocAsync takes memory from on each GPU, when the program chose another pool.
std::array<Pool*, sim::kMostDevices> chosen_pools{};

Pool* pool_of(int device) {
  Pool* const chosen = chosen_pools.at(static_cast<std::size_t>(device));
  return chosen == nullptr ? default_pool(device) : chosen;
}

void* allocate_from(Context& c, Pool* pool, std::uint64_t size_bytes) {
  const DeviceScope scope(c, pool->device);
  void* const pointer = allocate(c, size_bytes, pool->type);
  if (pointer == nullptr) return nullptr;
  c.allocated[address_of(pointer)].pool = pool;
  pool->used_bytes += size_bytes;
  pool->most_used_bytes = std::max(pool->most_used_bytes, pool->used_bytes);
  if (pool->type == MemoryType::Device)
    c.memory.place(address_of(pointer), static_cast<std::uint32_t>(pool->device), pool->reach);
  return pointer;
}

Error choose_pool(int device, Pool* pool) {
  if (pool == nullptr || pool->device != device) return Error::InvalidValue;
  chosen_pools.at(static_cast<std::size_t>(device)) = pool;
  return Error::Success;
}

// A GPU that is not there is a bad value to these calls, not a bad device (measured on an H200). Throws ApiError.
void check_pool_device(const Context& c, int device) {
  if (device < 0 || static_cast<std::size_t>(device) >= c.devices.size())
    throw ApiError{Error::InvalidValue, msg("there is no GPU number {}.", device)};
}

// Which memory that is. Throws ApiError.
MemoryType memory_of(const Context& c, const Place& place, int type) {
  enum { kPinned = 1, kManaged = 2 };  // cudaMemAllocationType
  if ((type != kPinned && type != kManaged) || (type == kPinned && place.type == Place::None))
    throw ApiError{Error::InvalidValue};
  if (place.type == Place::Device) check_pool_device(c, place.number);
  if (type == kManaged) return MemoryType::Managed;
  return place.type == Place::Device ? MemoryType::Device : MemoryType::Host;
}

// Pools of the host's and of managed memory that no call made.
Pool* default_pool(const Context& c, const Place& place, int type) {
  static auto* const pinned = new Pool{.type = MemoryType::Host};
  static auto* const managed = new Pool{.type = MemoryType::Managed};
  const MemoryType memory = memory_of(c, place, type);
  if (memory == MemoryType::Device) return default_pool(place.number);
  return memory == MemoryType::Host ? pinned : managed;
}

struct PoolProperties {
  int allocation_type, handle_types;
  Place place;
};
struct PoolAccess {
  Place place;
  int flags;  // 0: none
};

// Later work on this stream may use it; other streams must wait for it.
void comes_into_being(Context& c, Stream& on, void* pointer, const char* by) {
  work_order().begin(on);
  if (const sim::Allocation* a = c.memory.find(address_of(pointer), 1))
    work_order().touches(c, on, {{a->base, a->base + a->size_bytes, true, nullptr}}, by);
}

}  // namespace
}  // namespace lab::cudart

LAB_API Error cudaMallocAsync(void** pointer, std::size_t size_bytes, StreamHandle stream) {
  return enter([&](Context& c) {
    need(pointer);
    Stream& on = usable(stream);
    if (on.capture == nullptr) refuse_unsafe();
    const Graph* const graph = on.capture == nullptr ? nullptr : on.capture->graph;
    const DeviceScope scope(c, on.device);
    *pointer = graph == nullptr ? allocate_from(c, pool_of(on.device), size_bytes)
                                : allocate_for_graph(c, size_bytes);
    if (graph == nullptr) comes_into_being(c, on, *pointer, "cudaMallocAsync");
    if (graph != nullptr) {
      auto shown = std::make_shared<AllocNode>();
      shown->size_bytes = size_bytes;
      shown->pointer = *pointer;
      record_node(on, kAllocNode, {nothing(), shown});
    }
  });
}

LAB_API Error cudaMallocFromPoolAsync(void** pointer, std::size_t size_bytes, Pool* pool,
                                      StreamHandle stream) {
  return enter([&](Context& c) {
    need(pointer);
    const Stream& on = usable(stream);
    if (on.capture == nullptr) refuse_unsafe();
    if (pool == nullptr || on.capture != nullptr) throw ApiError{Error::InvalidValue};
    *pointer = allocate_from(c, pool, size_bytes);
    comes_into_being(c, streams().find(stream), *pointer, "cudaMallocFromPoolAsync");
  });
}

LAB_API Error cudaFreeAsync(void* pointer, StreamHandle stream) {
  return enter([&](Context& c) {
    if (usable(stream).capture == nullptr) refuse_unsafe();
    const auto found = c.allocated.find(address_of(pointer));
    if (found != c.allocated.end() && found->second.type == MemoryType::Managed &&
        found->second.pool == nullptr)
      throw ApiError{Error::NotSupported, "managed memory is freed with cudaFree."};
    return submit(
        c, stream,
        [pointer](Context& now, Stream& on) {
          if (const sim::Allocation* a = now.memory.find(address_of(pointer), 1))
            work_order().touches(now, on, {{a->base, a->base + a->size_bytes, true, nullptr}},
                                 "cudaFreeAsync");
          return give_back(now, pointer, "free", false);
        },
        kFreeNode, [pointer] { return std::make_shared<void*>(pointer); });
  });
}

LAB_API Error cudaDeviceGetDefaultMemPool(Pool** pool, int device) {
  return enter(Asks::Host, [&](Context& c) {
    need(pool);
    check_device(c, device);
    *pool = default_pool(device);
  });
}
LAB_API Error cudaDeviceGetMemPool(Pool** pool, int device) {
  return enter(Asks::Host, [&](Context& c) {
    need(pool);
    check_pool_device(c, device);
    *pool = pool_of(device);
  });
}

LAB_API Error cudaDeviceSetMemPool(int device, Pool* pool) {
  return enter_outside_capture(Asks::Host, [&](Context& c) {
    check_pool_device(c, device);
    return choose_pool(device, pool);
  });
}

// The same by place: a GPU's memory, the host's, managed memory.
LAB_API Error cudaMemGetDefaultMemPool(Pool** pool, const Place* place, int type) {
  return enter(Asks::Host, [&](Context& c) {
    if (pool == nullptr || place == nullptr) throw ApiError{Error::InvalidValue};
    *pool = default_pool(c, *place, type);
  });
}
LAB_API Error cudaMemGetMemPool(Pool** pool, const Place* place, int type) {
  return enter(Asks::Host, [&](Context& c) {
    if (pool == nullptr || place == nullptr) throw ApiError{Error::InvalidValue};
    Pool* const first = default_pool(c, *place, type);
    *pool = first->type == MemoryType::Device ? pool_of(place->number) : first;
  });
}
LAB_API Error cudaMemSetMemPool(const Place* place, int type, Pool* pool) {
  if (place == nullptr) return Error::InvalidValue;
  return enter([&](Context& c) {
    if (memory_of(c, *place, type) != MemoryType::Device)
      throw ApiError{Error::NotSupported,
                     "another pool of the host's or of managed memory cannot be chosen."};
    return choose_pool(place->number, pool);
  });
}

LAB_API Error cudaMemPoolCreate(Pool** pool, const PoolProperties* properties) {
  return enter_outside_capture(Asks::Host, [&](Context& c) {
    if (pool == nullptr || properties == nullptr) throw ApiError{Error::InvalidValue};
    constexpr int kPinned = 1;  // cudaMemAllocationTypePinned
    const Place& place = properties->place;
    if (properties->allocation_type != kPinned || place.type == Place::None)
      throw ApiError{Error::InvalidValue};
    if (place.type == Place::Device) check_pool_device(c, place.number);
    const int device = device_at(c, place);
    *pool = new Pool{device, 1u << device};
    if (place.type != Place::Device) (*pool)->type = MemoryType::Host;
  });
}

LAB_API Error cudaMemPoolDestroy(Pool* pool) {
  return enter_outside_capture(Asks::Host, [&](Context& c) {
    if (pool == nullptr || pool == default_pool(pool->device)) throw ApiError{Error::InvalidValue};
    for (auto& [at, one] : c.allocated)
      if (one.pool == pool) one.pool = nullptr;
    std::replace(chosen_pools.begin(), chosen_pools.end(), pool, static_cast<Pool*>(nullptr));
    delete pool;
  });
}

LAB_API Error cudaMemPoolTrimTo(Pool* pool, std::size_t /*keep_bytes*/) {
  return enter_outside_capture(Asks::Host, [&](Context&) { need(pool); });
}

LAB_API Error cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value) {
  return enter_outside_capture(Asks::Host, [&](Context&) {
    need(pool, value);
    if (attribute < 1 || attribute > UsedHigh || attribute == ReservedCurrent || attribute == UsedCurrent)
      throw ApiError{Error::InvalidValue};
    std::uint64_t number = 0;
    std::memcpy(&number, value, attribute >= ReleaseThreshold ? sizeof number : sizeof(int));
    if (attribute < ReleaseThreshold)
      pool->reuse.at(static_cast<std::size_t>(attribute) - 1) = static_cast<int>(number);
    if (attribute == ReleaseThreshold) pool->release_threshold = number;
    if (attribute == ReservedHigh || attribute == UsedHigh) {  // may be set to 0 alone: counted from now on
      if (number != 0) throw ApiError{Error::InvalidValue};
      pool->most_used_bytes = pool->used_bytes;
    }
  });
}

LAB_API Error cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
  return enter_outside_capture(Asks::Host, [&](Context&) {
    need(pool, value);
    if (attribute < 1 || attribute > UsedHigh) throw ApiError{Error::InvalidValue};
    const std::uint64_t number = number_of(*pool, attribute);
    std::memcpy(value, &number, attribute >= ReleaseThreshold ? 8 : 4);
  });
}

LAB_API Error cudaMemPoolSetAccess(Pool* pool, const PoolAccess* list, std::size_t count) {
  return enter_outside_capture(Asks::Host, [&](Context& c) {
    need(list);
    if (pool == nullptr) throw ApiError{Error::InvalidValue};
    for (const PoolAccess& access : std::span(list, count)) {
      constexpr int kReadOnly = 1;
      const bool of_host = pool->type != MemoryType::Device;  // all GPUs reach it
      if (of_host && access.place.type == Place::None) throw ApiError{Error::InvalidValue};
      if ((!of_host && access.place.type != Place::Device) || access.flags == kReadOnly)
        throw ApiError{Error::NotSupported, "a pool can be read and written by a GPU, or not at all."};
      if (of_host) continue;
      const int device = device_at(c, access.place);
      if (device == pool->device && access.flags == 0)
        throw ApiError{Error::InvalidDevice, "a GPU always reaches the pools of its own memory."};
      const std::uint32_t bit = 1u << device;
      pool->reach = access.flags != 0 ? pool->reach | bit : pool->reach & ~bit;
    }
    for (const auto& [at, one] : c.allocated)
      if (one.pool == pool) c.memory.place(at, static_cast<std::uint32_t>(pool->device), pool->reach);
  });
}

LAB_API Error cudaMemPoolGetAccess(int* flags, Pool* pool, const Place* place) {
  return enter_outside_capture(Asks::Host, [&](Context& c) {
    if (flags == nullptr || pool == nullptr || place == nullptr) throw ApiError{Error::InvalidValue};
    constexpr int kReadWrite = 3;
    if (place->type == Place::None) throw ApiError{Error::InvalidValue};
    if (place->type == Place::Device) check_pool_device(c, place->number);
    *flags = place->type == Place::Device && (pool->reach & 1u << place->number) != 0 ? kReadWrite : 0;
  });
}

// The driver's names: its structures and attributes have the runtime's layout and numbers.
LAB_SAME(cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync);
LAB_SAME_EARLY(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool);
LAB_SAME_EARLY(cuDeviceGetMemPool, cudaDeviceGetMemPool);
LAB_SAME_EARLY(cuDeviceSetMemPool, cudaDeviceSetMemPool);
LAB_SAME_EARLY(cuMemGetDefaultMemPool, cudaMemGetDefaultMemPool);
LAB_SAME_EARLY(cuMemGetMemPool, cudaMemGetMemPool);
LAB_SAME_EARLY(cuMemSetMemPool, cudaMemSetMemPool);
LAB_SAME_EARLY(cuMemPoolCreate, cudaMemPoolCreate);
LAB_SAME_EARLY(cuMemPoolDestroy, cudaMemPoolDestroy);
LAB_SAME_EARLY(cuMemPoolTrimTo, cudaMemPoolTrimTo);
LAB_SAME_EARLY(cuMemPoolSetAttribute, cudaMemPoolSetAttribute);
LAB_SAME_EARLY(cuMemPoolGetAttribute, cudaMemPoolGetAttribute);
LAB_SAME_EARLY(cuMemPoolSetAccess, cudaMemPoolSetAccess);
LAB_SAME_EARLY(cuMemPoolGetAccess, cudaMemPoolGetAccess);
