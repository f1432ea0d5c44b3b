// The driver: memory, copies and fills, streams and events.
//
// Enters: calls of cuda.h. Leaves: the runtime's calls of the same meaning.
#include <cstring>

#include "common/run/cudart/allocation.h"
#include "common/run/cudart/capture.h"
#include "common/run/cudart/driver.h"
#include "common/run/cudart/textures.h"

using namespace lab::cudart;

namespace {

template <class SideOf>
Side start_of(const SideOf& side, std::size_t z, std::size_t height, const CopyShape& shape) {
  if (side.type == CopyMemory::Array) return side_of(array_at(side.array), side.x_bytes, side.y, z, shape);
  const auto* const base =
      static_cast<const std::byte*>(side.type == CopyMemory::Host ? side.host : side.device);
  const std::size_t pitch = side.pitch_bytes == 0 ? shape.width_bytes : side.pitch_bytes;
  return {base + side.x_bytes + pitch * (side.y + height * z), pitch, pitch * height};
}

Error copy_2d(Context& c, StreamHandle stream, bool waits, const Copy2DRequest& r) {
  const CopyShape shape{r.width_bytes, r.height};
  return submit_copy(c, stream, waits, start_of(r.to, 0, 0, shape), start_of(r.from, 0, 0, shape), shape,
                     CopyKind::Default);
}
CopyShape shape_of(const Copy3DRequest& r) { return {r.width_bytes, r.height, r.depth}; }
Side start_of(const CopySide3D& s, const Copy3DRequest& r) {
  return start_of(s, s.z, s.height == 0 ? r.height : s.height, shape_of(r));
}

Error copy_3d(Context& c, StreamHandle stream, bool waits, const Copy3DRequest& r) {
  return submit_copy(c, stream, waits, start_of(r.to, r), start_of(r.from, r), shape_of(r),
                     CopyKind::Default);
}

template <class T>
Error fill(Context& c, StreamHandle stream, bool waits, void* to, std::size_t pitch_bytes, T value,
           std::size_t width, std::size_t height) {
  (void)usable(stream);  // also where no byte is filled
  if (address_of(to) % sizeof value != 0) return Error::InvalidValue;
  return submit_fill(c, stream, waits, {to, pitch_bytes, 0}, value, sizeof value,
                     {width * sizeof value, height});
}

}  // namespace

namespace lab::cudart {

Copy3D as_runtime(const Copy3DRequest& r) {
  return parameters_of(start_of(r.to, r), start_of(r.from, r), shape_of(r), CopyKind::Default);
}

Copy3DRequest as_request(const Context& c, const Copy3D& copy) {
  const auto side = [&](const PitchedPointer& p, const Position& at) {
    const bool device = c.memory.find(address_of(p.pointer), 1) != nullptr;
    CopySide3D same{};
    same.x_bytes = at.x, same.y = at.y, same.z = at.z;
    same.type = device ? CopyMemory::Device : CopyMemory::Host;
    (device ? same.device : same.host) = p.pointer;
    same.pitch_bytes = p.pitch_bytes, same.height = p.height;
    return same;
  };
  return {side(copy.from, copy.from_position), side(copy.to, copy.to_position), copy.extent.width,
          copy.extent.height, copy.extent.depth};
}

}  // namespace lab::cudart

LAB_ENTRY int cuMemAlloc_v2(void** at, std::size_t size_bytes) {
  return enter_driver([&](Context& c) {
    refuse_unsafe();
    if (at == nullptr || size_bytes == 0) throw ApiError{Error::InvalidValue};
    *at = allocate(c, size_bytes, MemoryType::Device);
  });
}
LAB_ENTRY int cuMemAllocManaged(void** at, std::size_t size_bytes, unsigned flags) {
  return as_driver(
      [&] { return size_bytes == 0 ? Error::InvalidValue : cudaMallocManaged(at, size_bytes, flags); });
}
LAB_SAME(cuMemAllocPitch_v2, cudaMallocPitch, unsigned);
LAB_SAME_EARLY(cuMemFree_v2, cudaFree);
LAB_SAME(cuMemAllocAsync, cudaMallocAsync);
LAB_SAME(cuMemFreeAsync, cudaFreeAsync);
LAB_ENTRY int cuMemHostAlloc(void** at, std::size_t size_bytes, unsigned flags) {
  constexpr unsigned kFlags = 7;  // looked at also where no byte is wanted
  return as_driver([&] {
    if (const Error e = enter_outside_capture([](Context&) {}); e != Error::Success) return e;
    return flags > kFlags ? Error::InvalidValue : cudaHostAlloc(at, size_bytes, flags);
  });
}
LAB_ENTRY int cuMemAllocHost_v2(void** at, std::size_t size_bytes) {
  return as_driver([&] { return cudaHostAlloc(at, size_bytes, 0); });
}
LAB_SAME_EARLY(cuMemFreeHost, cudaFreeHost);
LAB_SAME(cuMemHostRegister_v2, cudaHostRegister);
LAB_SAME(cuMemHostUnregister, cudaHostUnregister);
LAB_SAME(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer);
LAB_SAME(cuMemHostGetFlags, cudaHostGetFlags);
LAB_SAME(cuMemGetInfo_v2, cudaMemGetInfo);
LAB_ENTRY int cuMemGetAddressRange_v2(void** base, std::size_t* size_bytes, void* at) {
  return enter_driver([&](Context& c) {
    const lab::sim::Allocation* const a = c.memory.find(address_of(at), 1);
    if (a == nullptr) throw ApiError{Error::SymbolNotFound};  // CUDA_ERROR_NOT_FOUND
    if (base != nullptr) *base = pointer_to(a->base);
    if (size_bytes != nullptr) *size_bytes = a->size_bytes;
  });
}

namespace {

constexpr int kHostPointer = 4;  // CU_POINTER_ATTRIBUTE_HOST_POINTER

// One attribute of a pointer, as an H200 gives it (tests/cudart/programs/pointer_attributes.cu); of memory that no
// allocation holds nulls, and the device that is none.
int give_attribute(void* data, int attribute, const PointerAttributes& a, void* at) {
  enum {
    kContext = 1,
    kMemoryType = 2,
    kDevicePointer = 3,
    kSynchronous = 6,
    kBufferId = 7,
    kManaged = 8,
    kOrdinal = 9,
    kLegacyShared = 10,  // with other processes
    kRangeStart = 11,
    kRangeSize = 12,
    kMapped = 13,
    kHandleTypes = 14,
    kReachable = 15,  // by other devices of the bus
    kAccess = 16,
    kPool = 17,
    kMappingSize = 18,
    kMappingStart = 19,
    kBlockId = 20,
    kDecompressed = 21
  };
  constexpr unsigned kReadsAndWrites = 3;
  constexpr std::uint64_t kMapping = 2u << 20, kMappingOfPools = 32u << 20;
  if (data == nullptr) return kInvalidValue;
  const bool known = a.type != MemoryType::Unregistered;
  DriverContext* context = nullptr;
  void* start = nullptr;
  std::size_t size_bytes = 0;
  Pool* pool = nullptr;
  (void)enter_driver("cuPointerGetAttribute", [&](Context& c) {
    const Allocated* const one = known ? around(c, address_of(at)) : nullptr;
    pool = one == nullptr ? nullptr : one->pool;
    return Error::Success;
  });
  if (known && cuMemGetAddressRange_v2(&start, &size_bytes, at) != 0) start = at;
  const auto give = [&](const auto& value) { return std::memcpy(data, &value, sizeof value), 0; };
  const CopyMemory type = a.type == MemoryType::Host ? CopyMemory::Host : CopyMemory::Device;
  const unsigned managed = a.type == MemoryType::Managed, mapped = known;
  const unsigned plain = a.type == MemoryType::Device && pool == nullptr;
  const unsigned synchronous = known && a.type != MemoryType::Host;
  const std::uint64_t mapping = pool == nullptr ? kMapping : kMappingOfPools;
  const std::uint64_t first = address_of(start) / mapping * mapping, last = address_of(start) + size_bytes;
  const int ordinal = a.device;
  switch (attribute) {
    case kMemoryType:
      return known ? give(type) : give(0u);
    case kContext:
      return known && pool == nullptr && cuCtxGetCurrent(&context) != 0 ? kInvalidContext : give(context);
    case kDevicePointer:
      return give(a.device_pointer);
    case kHostPointer:
      return give(a.host_pointer);
    case kBufferId:  // no two live allocations begin at one address
      return give(start);
    case kRangeStart:
      return known ? give(start) : 0;
    case kRangeSize:
      return known ? give(size_bytes) : 0;
    case kSynchronous:
      return give(synchronous);
    case kManaged:
      return give(managed);
    case kOrdinal:
      return give(ordinal);
    case kMapped:
      return give(mapped);
    case kHandleTypes:
      return give(std::uint64_t{0});
    case kLegacyShared:
    case kReachable:
    case kDecompressed:
      return give(plain);
    case kAccess:
      return give(known ? kReadsAndWrites : 0u);
    case kPool:
      return give(pool);
    case kMappingSize:
      return give(known ? (last - first + mapping - 1) / mapping * mapping : 0);
    case kMappingStart:
      return give(first);
    case kBlockId:
      return give(first / kMapping);
    default:
      return kInvalidValue;
  }
}

}  // namespace

LAB_ENTRY int cuPointerGetAttribute(void* data, int attribute, void* at) {
  PointerAttributes a{};
  const int code = as_driver([&] { return cudaPointerGetAttributes(&a, at); });
  const bool lacking = attribute == kHostPointer && a.host_pointer == nullptr;
  if (code != 0 || a.type == MemoryType::Unregistered || lacking) return kInvalidValue;
  constexpr int kTokensOfPeers = 5;
  constexpr std::size_t kTokenBytes = 12;
  if (data != nullptr && attribute == kTokensOfPeers && a.type != MemoryType::Host)
    return std::memset(data, 0, kTokenBytes), 0;
  return give_attribute(data, attribute, a, at);
}
// Here what is not there is no error.
LAB_ENTRY int cuPointerGetAttributes(unsigned count, const int* attributes, void** data, void* at) {
  if (count == 0 || attributes == nullptr || data == nullptr) return kInvalidValue;
  PointerAttributes a{};
  int code = as_driver([&] { return cudaPointerGetAttributes(&a, at); });
  for (unsigned k = 0; k < count && code == 0; ++k) code = give_attribute(data[k], attributes[k], a, at);
  return code;
}

// --- copies: the addresses say which way ---

LAB_ENTRY_PAIR(cuMemcpy, cuMemcpyAsync,
               submit_copy(c, stream, waits, {to}, {from}, {count}, CopyKind::Default), void* to,
               const void* from, std::size_t count)
LAB_ENTRY_PAIR(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2,
               submit_copy(c, stream, waits, {to}, {from}, {count}, CopyKind::HostToDevice), void* to,
               const void* from, std::size_t count)
LAB_ENTRY_PAIR(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2,
               submit_copy(c, stream, waits, {to}, {from}, {count}, CopyKind::DeviceToHost), void* to,
               const void* from, std::size_t count)
LAB_ENTRY_PAIR(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2,
               submit_copy(c, stream, waits, {to}, {from}, {count}, CopyKind::DeviceToDevice), void* to,
               const void* from, std::size_t count)
LAB_ENTRY_PAIR(cuMemcpy2D_v2, cuMemcpy2DAsync_v2, copy_2d(c, stream, waits, given(request)),
               const Copy2DRequest* request)
LAB_ENTRY int cuMemcpy2DUnaligned_v2(const Copy2DRequest* request) { return cuMemcpy2D_v2(request); }
LAB_ENTRY_PAIR(cuMemcpy3D_v2, cuMemcpy3DAsync_v2, copy_3d(c, stream, waits, given(request)),
               const Copy3DRequest* request)
// The contexts of a copy between GPUs stand where `reserved` does; the addresses say the same.
LAB_ENTRY_PAIR(cuMemcpy3DPeer, cuMemcpy3DPeerAsync, copy_3d(c, stream, waits, given(request)),
               const Copy3DRequest* request)

LAB_ENTRY_PAIR(cuMemsetD8_v2, cuMemsetD8Async, fill(c, stream, waits, at, 0, value, count, 1), void* at,
               std::uint8_t value, std::size_t count)
LAB_ENTRY_PAIR(cuMemsetD2D8_v2, cuMemsetD2D8Async, fill(c, stream, waits, at, pitch, value, width, height),
               void* at, std::size_t pitch, std::uint8_t value, std::size_t width, std::size_t height)
LAB_ENTRY_PAIR(cuMemsetD16_v2, cuMemsetD16Async, fill(c, stream, waits, at, 0, value, count, 1), void* at,
               std::uint16_t value, std::size_t count)
LAB_ENTRY_PAIR(cuMemsetD2D16_v2, cuMemsetD2D16Async, fill(c, stream, waits, at, pitch, value, width, height),
               void* at, std::size_t pitch, std::uint16_t value, std::size_t width, std::size_t height)
LAB_ENTRY_PAIR(cuMemsetD32_v2, cuMemsetD32Async, fill(c, stream, waits, at, 0, value, count, 1), void* at,
               std::uint32_t value, std::size_t count)
LAB_ENTRY_PAIR(cuMemsetD2D32_v2, cuMemsetD2D32Async, fill(c, stream, waits, at, pitch, value, width, height),
               void* at, std::size_t pitch, std::uint32_t value, std::size_t width, std::size_t height)

LAB_ENTRY int cuStreamCreate(StreamHandle* stream, unsigned flags) {
  return as_driver([&] { return cudaStreamCreateWithPriority(stream, flags, 0); });
}
LAB_SAME(cuStreamCreateWithPriority, cudaStreamCreateWithPriority);
LAB_SAME(cuStreamDestroy_v2, cudaStreamDestroy);
LAB_SAME(cuStreamSynchronize, cudaStreamSynchronize);
LAB_SAME(cuStreamQuery, cudaStreamQuery);
LAB_SAME(cuStreamWaitEvent, cudaStreamWaitEvent);
LAB_SAME(cuStreamGetFlags, cudaStreamGetFlags);
LAB_SAME(cuStreamGetPriority, cudaStreamGetPriority);
LAB_SAME(cuStreamAddCallback, cudaStreamAddCallback);
LAB_SAME(cuLaunchHostFunc, cudaLaunchHostFunc);
LAB_SAME(cuEventCreate, cudaEventCreateWithFlags);
LAB_SAME_EARLY(cuEventDestroy_v2, cudaEventDestroy);
LAB_SAME_EARLY(cuEventRecord, cudaEventRecord);
LAB_SAME_EARLY(cuEventSynchronize, cudaEventSynchronize);
LAB_SAME_EARLY(cuEventQuery, cudaEventQuery);
LAB_SAME_EARLY(cuEventElapsedTime, cudaEventElapsedTime);
LAB_SAME_EARLY(cuEventElapsedTime_v2, cudaEventElapsedTime);
