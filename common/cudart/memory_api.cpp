// Memory: allocate, free, ask what a pointer is.
//
// Enters: sizes and pointers. Leaves: device addresses, or host addresses that kernels can follow. What goes
// by the order of a stream is in pool_api.cpp.
#include "common/cudart/allocation.h"
#include "common/cudart/streams.h"

using namespace lab::cudart;
namespace sim = lab::sim;

namespace lab::cudart {
namespace {

constexpr std::size_t kPitchAlign = 512;

Error allocate_call(const char* call, void** pointer, std::uint64_t size_bytes, MemoryType type,
                    unsigned flags = 0) {
  return enter(call, [&](Context& c) {
    if (pointer == nullptr) return Error::InvalidValue;
    *pointer = allocate(c, size_bytes, type, flags);
    return Error::Success;
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
