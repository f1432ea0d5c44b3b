// Memory by the order of a stream, and the pools that it comes from.
//
// Enters: sizes, streams, pools. Leaves: memory of the pool's GPU. All is allocated at once. Which other GPUs
// may use it is the pool's affair: cudaDeviceEnablePeerAccess says nothing of it.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "common/cudart/allocation.h"
#include "common/cudart/driver.h"
#include "common/cudart/graph.h"

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
    default:  // reuse is allowed in each way
      return 1;
  }
}

// Of the GPU with this number.
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
  void* const pointer = allocate(c, size_bytes, MemoryType::Device);
  if (pointer == nullptr) return nullptr;
  c.allocated[address_of(pointer)].pool = pool;
  pool->used_bytes += size_bytes;
  pool->most_used_bytes = std::max(pool->most_used_bytes, pool->used_bytes);
  c.memory.place(address_of(pointer), static_cast<std::uint32_t>(pool->device), pool->reach);
  return pointer;
}

Error choose_pool(int device, Pool* pool) {
  if (pool == nullptr || pool->device != device) return Error::InvalidValue;
  chosen_pools.at(static_cast<std::size_t>(device)) = pool;
  return Error::Success;
}

// Throws ApiError.
int pool_device(const Context& c, const Place& place, int type) {
  constexpr int kPinned = 1;  // cudaMemAllocationTypePinned
  if (type != kPinned || place.type != Place::Device)
    throw ApiError{Error::NotSupported, "pools of the host's and of managed memory are not simulated."};
  return device_at(c, place);
}

struct PoolProperties {
  int allocation_type, handle_types;
  Place place;
};
struct PoolAccess {
  Place place;
  int flags;  // 0: none
};

// It is there for what comes behind it on this stream: others must wait for it.
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
    Stream& on = streams().find(stream);
    const Graph* const graph = on.records_into;
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
    if (pool == nullptr || streams().find(stream).records_into != nullptr)
      throw ApiError{Error::InvalidValue};
    *pointer = allocate_from(c, pool, size_bytes);
    comes_into_being(c, streams().find(stream), *pointer, "cudaMallocFromPoolAsync");
  });
}

LAB_API Error cudaFreeAsync(void* pointer, StreamHandle stream) {
  return enter([&](Context& c) {
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
  return enter([&](Context& c) {
    need(pool);
    check_device(c, device);
    *pool = default_pool(device);
  });
}
LAB_API Error cudaDeviceGetMemPool(Pool** pool, int device) {
  return enter([&](Context& c) {
    need(pool);
    check_device(c, device);
    *pool = pool_of(device);
  });
}

LAB_API Error cudaDeviceSetMemPool(int device, Pool* pool) {
  return enter([&](Context& c) {
    check_device(c, device);
    return choose_pool(device, pool);
  });
}

// The same by place: a pool of a GPU's memory; the host and managed memory have none here.
LAB_API Error cudaMemGetDefaultMemPool(Pool** pool, const Place* place, int type) {
  return enter([&](Context& c) {
    if (pool == nullptr || place == nullptr) throw ApiError{Error::InvalidValue};
    *pool = default_pool(pool_device(c, *place, type));
  });
}
LAB_API Error cudaMemGetMemPool(Pool** pool, const Place* place, int type) {
  return enter([&](Context& c) {
    if (pool == nullptr || place == nullptr) throw ApiError{Error::InvalidValue};
    *pool = pool_of(pool_device(c, *place, type));
  });
}
LAB_API Error cudaMemSetMemPool(const Place* place, int type, Pool* pool) {
  if (place == nullptr) return Error::InvalidValue;
  return enter([&](Context& c) { return choose_pool(pool_device(c, *place, type), pool); });
}

LAB_API Error cudaMemPoolCreate(Pool** pool, const PoolProperties* properties) {
  return enter([&](Context& c) {
    if (pool == nullptr || properties == nullptr) throw ApiError{Error::InvalidValue};
    const int device = device_at(c, properties->place);
    *pool = new Pool{device, 1u << device};
  });
}

LAB_API Error cudaMemPoolDestroy(Pool* pool) {
  return enter([&](Context& c) {
    if (pool == nullptr || pool == default_pool(pool->device)) throw ApiError{Error::InvalidValue};
    for (auto& [at, one] : c.allocated)
      if (one.pool == pool) one.pool = nullptr;
    std::replace(chosen_pools.begin(), chosen_pools.end(), pool, static_cast<Pool*>(nullptr));
    delete pool;
  });
}

LAB_API Error cudaMemPoolTrimTo(Pool* pool, std::size_t /*keep_bytes*/) {
  return enter([&](Context&) { need(pool); });
}

LAB_API Error cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value) {
  return enter([&](Context&) {
    need(pool, value);
    std::uint64_t number = 0;
    if (attribute >= ReleaseThreshold) std::memcpy(&number, value, sizeof number);
    if (attribute == ReleaseThreshold) pool->release_threshold = number;
    if (attribute == ReservedHigh || attribute == UsedHigh) {  // may be set to 0 alone: counted from now on
      if (number != 0) throw ApiError{Error::InvalidValue};
      pool->most_used_bytes = pool->used_bytes;
    }
  });
}

LAB_API Error cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
  return enter([&](Context&) {
    need(pool, value);
    const std::uint64_t number = number_of(*pool, attribute);
    std::memcpy(value, &number, attribute >= ReleaseThreshold ? 8 : 4);
  });
}

LAB_API Error cudaMemPoolSetAccess(Pool* pool, const PoolAccess* list, std::size_t count) {
  return enter([&](Context& c) {
    need(list);
    if (pool == nullptr) throw ApiError{Error::InvalidValue};
    for (const PoolAccess& access : std::span(list, count)) {
      const int device = device_at(c, access.place);
      if (device == pool->device && access.flags == 0) throw ApiError{Error::InvalidValue};
      const std::uint32_t bit = 1u << device;
      pool->reach = access.flags != 0 ? pool->reach | bit : pool->reach & ~bit;
    }
    for (const auto& [at, one] : c.allocated)
      if (one.pool == pool) c.memory.place(at, static_cast<std::uint32_t>(pool->device), pool->reach);
  });
}

LAB_API Error cudaMemPoolGetAccess(int* flags, Pool* pool, const Place* place) {
  return enter([&](Context& c) {
    if (flags == nullptr || pool == nullptr || place == nullptr) throw ApiError{Error::InvalidValue};
    constexpr int kReadWrite = 3;
    *flags = (pool->reach & 1u << device_at(c, *place)) != 0 ? kReadWrite : 0;
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
