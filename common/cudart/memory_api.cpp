// Memory: allocate, free, ask what a pointer is.
//
// Enters: sizes and pointers. Leaves: device addresses, or host addresses that kernels can follow. All is
// allocated at once; the asynchronous forms differ in name alone.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "common/cudart/graph.h"

using namespace lab::cudart;
namespace sim = lab::sim;

namespace lab::cudart {

struct Pool {
  int device = 0;
  std::uint32_t reach = 1;  // bit d: kernels of GPU d may use its memory
  std::uint64_t release_threshold = 0;
};

namespace {

constexpr std::size_t kPitchAlign = 512;

void account(Context& c, std::uint64_t size_bytes) {
  if (size_bytes > c.free_bytes()) throw std::bad_alloc();
  c.device().used_bytes += size_bytes;
}

void* allocate(Context& c, std::uint64_t size_bytes, MemoryType type, unsigned flags = 0) {
  if (size_bytes == 0) return nullptr;
  if (type != MemoryType::Host) account(c, size_bytes);
  try {
    const sim::DeviceAddress at = type == MemoryType::Device
                                      ? c.memory.allocate(size_bytes, sim::Fill::Poison)
                                      : c.memory.allocate_visible(size_bytes);
    c.allocated[at] = {type, size_bytes, flags, nullptr, current_device()};
    return pointer_to(at);
  } catch (const std::bad_alloc&) {
    if (type != MemoryType::Host) c.device().used_bytes -= size_bytes;
    throw;
  }
}

Error give_back(Context& c, void* pointer, const char* verb, bool host) {
  if (pointer == nullptr || c.graph_memory.contains(address_of(pointer))) return Error::Success;
  const auto found = c.allocated.find(address_of(pointer));
  if (found == c.allocated.end() || (found->second.type == MemoryType::Host) != host) {
    throw ApiError{Error::InvalidValue, std::string("there is nothing to ") + verb +
                                            " at this pointer: it is " +
                                            c.memory.describe(address_of(pointer), 1) +
                                            (found == c.allocated.end() ? "."
                                             : host                     ? ", which cudaFree frees."
                                                                        : ", which cudaFreeHost frees.")};
  }
  if (!host) c.device(found->second.device).used_bytes -= found->second.size_bytes;
  work_order().forget(found->first);
  c.memory.release(found->first);
  c.allocated.erase(found);
  return Error::Success;
}

// The allocation of the program around an address.
const Allocated* around(const Context& c, sim::DeviceAddress at) {
  const sim::Allocation* a = c.memory.find(at, 1);
  if (a == nullptr) return nullptr;
  const auto found = c.allocated.find(a->base);
  static const Allocated variable;  // of a module
  return found == c.allocated.end() ? &variable : &found->second;
}

Error allocate_call(const char* call, void** pointer, std::uint64_t size_bytes, MemoryType type,
                    unsigned flags = 0) {
  return enter(call, [&](Context& c) {
    if (pointer == nullptr) return Error::InvalidValue;
    *pointer = allocate(c, size_bytes, type, flags);
    return Error::Success;
  });
}

// Of the GPU with this number.
Pool* default_pool(int device) {
  static const auto all = [] {
    auto* const pools = new std::array<Pool, sim::kMostDevices>;
    for (std::size_t d = 0; d < pools->size(); ++d) (*pools)[d] = {static_cast<int>(d), 1u << d, 0};
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
  c.memory.place(address_of(pointer), static_cast<std::uint32_t>(pool->device), pool->reach);
  return pointer;
}

struct PoolProperties {
  int allocation_type, handle_types;
  Place place;
};
struct PoolAccess {
  Place place;
  int flags;  // 0: none
};

}  // namespace

void* allocate_for_graph(Context& c, std::uint64_t size_bytes) {
  void* const pointer = allocate(c, size_bytes, MemoryType::Device);
  c.allocated.erase(address_of(pointer));
  c.graph_memory[address_of(pointer)] = size_bytes;
  return pointer;
}

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
  return enter("cudaMallocPitch", [&](Context& c) {
    *pitch_bytes = (width_bytes + kPitchAlign - 1) / kPitchAlign * kPitchAlign;
    *pointer = allocate(c, *pitch_bytes * height, MemoryType::Device);
    return Error::Success;
  });
}

LAB_API Error cudaMalloc3D(PitchedPointer* made, Extent extent) {
  return enter("cudaMalloc3D", [&](Context& c) {
    const std::size_t pitch = (extent.width + kPitchAlign - 1) / kPitchAlign * kPitchAlign;
    *made = {allocate(c, pitch * extent.height * extent.depth, MemoryType::Device), pitch, extent.width,
             extent.height};
    return Error::Success;
  });
}

LAB_API Error cudaFree(void* pointer) {
  return enter("cudaFree", [&](Context& c) {
    wait_for_all(c);
    if (const int owner = c.owner(pointer); owner >= 0) wait_for_all(c, owner);
    return give_back(c, pointer, "free", false);
  });
}

LAB_API Error cudaFreeHost(void* pointer) {
  return enter("cudaFreeHost", [&](Context& c) { return give_back(c, pointer, "free", true); });
}

LAB_API Error cudaHostRegister(void* pointer, std::size_t size_bytes, unsigned flags) {
  return enter("cudaHostRegister", [&](Context& c) {
    if (pointer == nullptr || size_bytes == 0) return Error::InvalidValue;
    if (around(c, address_of(pointer)) != nullptr) return Error::HostMemoryAlreadyRegistered;
    const sim::DeviceAddress at = c.memory.lend(pointer, size_bytes, "registered host memory");
    c.allocated[at] = {MemoryType::Host, size_bytes, flags, nullptr, current_device()};
    return Error::Success;
  });
}

LAB_API Error cudaHostUnregister(void* pointer) {
  return enter("cudaHostUnregister", [&](Context& c) {
    const auto found = c.allocated.find(address_of(pointer));
    if (found == c.allocated.end() || found->second.type != MemoryType::Host)
      return Error::HostMemoryNotRegistered;
    c.memory.release(found->first);
    c.allocated.erase(found);
    return Error::Success;
  });
}

LAB_API Error cudaHostGetDevicePointer(void** device, void* host, unsigned /*flags*/) {
  return enter("cudaHostGetDevicePointer", [&](Context& c) {
    const Allocated* a = around(c, address_of(host));
    if (a == nullptr || a->type == MemoryType::Device) {
      throw ApiError{
          Error::InvalidValue,
          "this memory was neither allocated with cudaHostAlloc nor registered with cudaHostRegister."};
    }
    *device = host;
    return Error::Success;
  });
}

LAB_API Error cudaHostGetFlags(unsigned* flags, void* host) {
  return enter("cudaHostGetFlags", [&](Context& c) {
    const Allocated* a = around(c, address_of(host));
    if (a == nullptr || a->type != MemoryType::Host) return Error::InvalidValue;
    *flags = a->flags | 2;  // cudaHostAllocMapped: with unified addressing all of it is
    return Error::Success;
  });
}

LAB_API Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return enter("cudaPointerGetAttributes", [&](Context& c) {
    // Field by field: CUDA 12's struct ends before `reserved`.
    attributes->device_pointer = attributes->host_pointer = nullptr;
    const Allocated* a = around(c, address_of(pointer));
    const int owner = c.owner(pointer);  // of a module's variable nothing else says it
    attributes->device = a == nullptr ? -2 /* cudaInvalidDeviceId */ : owner >= 0 ? owner : a->device;
    attributes->type = a == nullptr ? MemoryType::Unregistered : a->type;
    if (a != nullptr) attributes->device_pointer = const_cast<void*>(pointer);
    if (a != nullptr && a->type != MemoryType::Device) attributes->host_pointer = const_cast<void*>(pointer);
    return Error::Success;
  });
}

LAB_API Error cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return enter("cudaMemGetInfo", [&](Context& c) {
    *total_bytes = c.gpu.memory_bytes;
    *free_bytes = c.free_bytes();
    return Error::Success;
  });
}

// --- stream-ordered allocation ---

LAB_API Error cudaMallocAsync(void** pointer, std::size_t size_bytes, StreamHandle stream) {
  return enter("cudaMallocAsync", [&](Context& c) {
    const Stream& on = streams().find(stream);
    Graph* const graph = on.records_into;
    const DeviceScope scope(c, on.device);
    *pointer = graph == nullptr ? allocate_from(c, pool_of(on.device), size_bytes)
                                : allocate_for_graph(c, size_bytes);
    if (graph != nullptr) graph->add(kAllocNode, [](Context&, Stream&) { return Error::Success; });
    return Error::Success;
  });
}
LAB_ALIAS(cudaMallocAsync, cudaMallocAsync_ptsz)

LAB_API Error cudaMallocFromPoolAsync(void** pointer, std::size_t size_bytes, Pool* pool,
                                      StreamHandle stream) {
  return enter("cudaMallocFromPoolAsync", [&](Context& c) {
    if (pool == nullptr || streams().find(stream).records_into != nullptr) return Error::InvalidValue;
    *pointer = allocate_from(c, pool, size_bytes);
    return Error::Success;
  });
}
LAB_ALIAS(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz)

LAB_API Error cudaFreeAsync(void* pointer, StreamHandle stream) {
  return enter("cudaFreeAsync", [&](Context& c) {
    return submit(
        c, stream,
        [pointer](Context& now, Stream& on) {
          if (const sim::Allocation* a = now.memory.find(address_of(pointer), 1))
            work_order().touches(now, on, {{a->base, a->base + a->size_bytes, true}}, "cudaFreeAsync");
          return give_back(now, pointer, "free", false);
        },
        kFreeNode);
  });
}
LAB_ALIAS(cudaFreeAsync, cudaFreeAsync_ptsz)

LAB_API Error cudaDeviceGetDefaultMemPool(Pool** pool, int device) {
  return enter("cudaDeviceGetDefaultMemPool", [&](Context& c) {
    check_device(c, device);
    *pool = default_pool(device);
    return Error::Success;
  });
}
LAB_API Error cudaDeviceGetMemPool(Pool** pool, int device) {
  return enter("cudaDeviceGetMemPool", [&](Context& c) {
    check_device(c, device);
    *pool = pool_of(device);
    return Error::Success;
  });
}

LAB_API Error cudaDeviceSetMemPool(int device, Pool* pool) {
  return enter("cudaDeviceSetMemPool", [&](Context& c) {
    check_device(c, device);
    if (pool == nullptr || pool->device != device) return Error::InvalidValue;
    chosen_pools.at(static_cast<std::size_t>(device)) = pool;
    return Error::Success;
  });
}

LAB_API Error cudaMemPoolCreate(Pool** pool, const PoolProperties* properties) {
  return enter("cudaMemPoolCreate", [&](Context& c) {
    if (pool == nullptr || properties == nullptr) return Error::InvalidValue;
    const int device = device_at(c, properties->place);
    *pool = new Pool{device, 1u << device, 0};
    return Error::Success;
  });
}

LAB_API Error cudaMemPoolDestroy(Pool* pool) {
  return enter("cudaMemPoolDestroy", [&](Context& c) {
    if (pool == nullptr || pool == default_pool(pool->device)) return Error::InvalidValue;
    for (auto& [at, one] : c.allocated)
      if (one.pool == pool) one.pool = nullptr;
    std::replace(chosen_pools.begin(), chosen_pools.end(), pool, static_cast<Pool*>(nullptr));
    delete pool;
    return Error::Success;
  });
}

LAB_API Error cudaMemPoolTrimTo(Pool* /*pool*/, std::size_t /*keep_bytes*/) {
  return enter("cudaMemPoolTrimTo", [](Context&) { return Error::Success; });
}

LAB_API Error cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value) {
  return enter("cudaMemPoolSetAttribute", [&](Context&) {
    if (attribute == 4) std::memcpy(&pool->release_threshold, value, 8);  // cudaMemPoolAttrReleaseThreshold
    return Error::Success;
  });
}

LAB_API Error cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
  return enter("cudaMemPoolGetAttribute", [&](Context& c) {
    const std::uint64_t number = attribute == 4   ? pool->release_threshold
                                 : attribute >= 5 ? c.device(pool->device).used_bytes
                                                  : 1;
    std::memcpy(value, &number, attribute >= 4 ? 8 : 4);
    return Error::Success;
  });
}

LAB_API Error cudaMemPoolSetAccess(Pool* pool, const PoolAccess* list, std::size_t count) {
  return enter("cudaMemPoolSetAccess", [&](Context& c) {
    if (pool == nullptr) return Error::InvalidValue;
    for (const PoolAccess& access : std::span(list, count)) {
      const int device = device_at(c, access.place);
      if (device == pool->device && access.flags == 0) return Error::InvalidValue;
      const std::uint32_t bit = 1u << device;
      pool->reach = access.flags != 0 ? pool->reach | bit : pool->reach & ~bit;
    }
    for (const auto& [at, one] : c.allocated)
      if (one.pool == pool) c.memory.place(at, static_cast<std::uint32_t>(pool->device), pool->reach);
    return Error::Success;
  });
}

// --- hints for managed memory: the simulated memory is one ---

LAB_API Error cudaMemPrefetchAsync(const void* pointer, std::size_t /*count*/, long /*location*/,
                                   unsigned /*flags*/, StreamHandle /*stream*/) {
  return enter("cudaMemPrefetchAsync", [&](Context& c) {
    const Allocated* a = around(c, address_of(pointer));
    return a == nullptr || a->type != MemoryType::Managed ? Error::InvalidValue : Error::Success;
  });
}
LAB_ALIAS(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz)

LAB_API Error cudaMemAdvise(const void* pointer, std::size_t /*count*/, int /*advice*/, long /*location*/) {
  return enter("cudaMemAdvise", [&](Context& c) {
    const Allocated* a = around(c, address_of(pointer));
    return a == nullptr || a->type != MemoryType::Managed ? Error::InvalidValue : Error::Success;
  });
}
