// Memory of every kind: made, freed, copied, filled, asked about; pools; arrays.
#pragma once

#include "kinds.h"

using HostFlags = OneOf<0, 1, 2, 4, 3, 7, 8, 16>;
using RegisterFlags = OneOf<0, 1, 2, 3, 8, 16>;
using AttachFlags = OneOf<1, 1, 2, 4, 0, 3>;
using Value = OneOf<0, 1, 255>;

struct NewHeap {  // memory of the C library, to be registered: page-aligned
  void* at;
  explicit NewHeap(World&) : at(std::aligned_alloc(4096, kHeapBytes)) { std::memset(at, 0, kHeapBytes); }
  void* value() const { return at; }
  std::string shown() const { return "heap"; }
  std::string kept(World& w) const {
    if (w.buffers[kRegistered].at != nullptr) left_over().push_back(w.buffers[kRegistered]);
    w.buffers[kRegistered] = {at, Made::Registered};
    return "";
  }
};
struct Location {
  cudaMemLocation place{};
  explicit Location(World& w) {
    constexpr cudaMemLocation all[] = {{cudaMemLocationTypeDevice, 0},   {cudaMemLocationTypeHost, 0},
                                       {cudaMemLocationTypeDevice, 0},   {cudaMemLocationTypeDevice, 7},
                                       {cudaMemLocationTypeHostNuma, 0}, {cudaMemLocationTypeInvalid, 0}};
    place = all[w.draw.below(6)];
  }
  cudaMemLocation value() const { return place; }
  std::string shown() const { return std::to_string(place.type) + "/" + std::to_string(place.id); }
  std::string kept(World&) const { return ""; }
};
struct LocationAt : Location {
  using Location::Location;
  cudaMemLocation* value() { return &place; }
};

inline void attributes(World& w) {
  const AsValue p(w);
  w.say("cudaPointerGetAttributes", p.shown(), [&] {
    cudaPointerAttributes a{};
    const int code = cudaPointerGetAttributes(&a, p.value());
    std::string text = std::to_string(code);
    if (code == 0)
      text += ":" + std::to_string(a.type) + ":" + std::to_string(a.device) +
              (a.devicePointer ? ":d" : ":-") + (a.hostPointer ? ":h" : ":-");
    return text;
  });
}
inline void range_attribute(World& w) {
  const OneOf<1, 2, 3, 4, 5, 6, 9> which(w);
  const AsValue p(w);
  const OneOf<4096, 64, 0> bytes(w);
  w.say("cudaMemRangeGetAttribute", which.shown() + "," + p.shown() + "," + bytes.shown(), [&] {
    int value[2] = {77, 77};
    const int code = cudaMemRangeGetAttribute(value, 4, static_cast<cudaMemRangeAttribute>(which.n.n),
                                              p.value(), static_cast<size_t>(bytes.n.n));
    return std::to_string(code) + (code == 0 ? ":" + std::to_string(value[0]) : "");
  });
}
inline cudaMemcpy3DParms parms_3d(const Any& to, const Any& from, long long width, long long height,
                                  long long kind) {
  cudaMemcpy3DParms p{};
  p.dstPtr = make_cudaPitchedPtr(to.value(), 64, 64, 16);
  p.srcPtr = make_cudaPitchedPtr(from.value(), 64, 64, 16);
  p.extent = make_cudaExtent(static_cast<size_t>(width), static_cast<size_t>(height), 2);
  p.kind = static_cast<cudaMemcpyKind>(kind);
  return p;
}
inline void copy_3d(World& w) {
  const bool async = w.draw.one_in(2);
  const Any to(w), from(w);
  const Width width(w);
  const Height height(w);
  const CopyKind kind(w);
  const Stream s(w);
  w.say(async ? "cudaMemcpy3DAsync" : "cudaMemcpy3D",
        to.shown() + "," + from.shown() + "," + width.shown() + "," + height.shown() + "," + kind.shown() +
            "," + s.shown(),
        [&] {
          const cudaMemcpy3DParms p = parms_3d(to, from, width.n.n, height.n.n, kind.n.n);
          return std::to_string(async ? cudaMemcpy3DAsync(&p, s.value()) : cudaMemcpy3D(&p));
        });
}
inline void fill_3d(World& w) {
  const bool async = w.draw.one_in(2);
  const OnDevice to(w);
  const Width width(w);
  const Height height(w);
  const Stream s(w);
  w.say(async ? "cudaMemset3DAsync" : "cudaMemset3D",
        to.shown() + "," + width.shown() + "," + height.shown() + "," + s.shown(), [&] {
          const cudaPitchedPtr at = make_cudaPitchedPtr(to.value(), 64, 64, 16);
          const cudaExtent extent =
              make_cudaExtent(static_cast<size_t>(width.n.n), static_cast<size_t>(height.n.n), 2);
          return std::to_string(async ? cudaMemset3DAsync(at, 1, extent, s.value())
                                      : cudaMemset3D(at, 1, extent));
        });
}
// What the buffers hold, once all is done. Printed only where one stream does all work.
inline void contents(World& w) {
  w.say("contents", "", [&]() -> std::string {
    const int code = cudaDeviceSynchronize();
    if (code != 0 || !w.one_stream) return std::to_string(code);
    std::string text = "0";
    for (const int slot : {0, 1, 2, 3}) {
      const Buffer& buffer = w.buffers[static_cast<std::size_t>(slot)];
      std::vector<unsigned char> bytes(kBytes);
      if (buffer.at == nullptr) continue;
      if (const int read = cudaMemcpy(bytes.data(), buffer.at, kBytes, cudaMemcpyDefault); read != 0)
        return text + ":" + std::to_string(read);
      std::uint32_t hash = 2166136261u;
      for (const unsigned char b : bytes) hash = (hash ^ b) * 16777619u;
      text += ":" + std::to_string(hash % 9973);
    }
    return text;
  });
}
struct LosesArray : Array {
  using Array::Array;
  std::string kept(World& w) const {
    w.arrays[static_cast<std::size_t>(slot)] = nullptr;
    return "";
  }
};
struct MakesArray {
  cudaArray_t result = nullptr;
  int slot;
  explicit MakesArray(World& w) : slot(w.draw.below(2)) {}
  cudaArray_t* value() { return &result; }
  std::string shown() const { return "&a" + std::to_string(slot); }
  std::string kept(World& w) const {
    if (w.arrays[static_cast<std::size_t>(slot)] != nullptr)
      cudaFreeArray(w.arrays[static_cast<std::size_t>(slot)]);
    w.arrays[static_cast<std::size_t>(slot)] = result;
    return "";
  }
};
struct Format {
  cudaChannelFormatDesc format;
  int which;
  explicit Format(World& w) : which(w.draw.below(6)) {
    constexpr cudaChannelFormatDesc all[] = {
        {32, 0, 0, 0, cudaChannelFormatKindFloat},  {8, 8, 8, 8, cudaChannelFormatKindUnsigned},
        {32, 32, 0, 0, cudaChannelFormatKindFloat}, {32, 0, 0, 0, cudaChannelFormatKindFloat},
        {8, 16, 0, 0, cudaChannelFormatKindSigned}, {32, 32, 32, 0, cudaChannelFormatKindFloat}};
    format = all[which];
  }
  const cudaChannelFormatDesc* value() const { return &format; }
  std::string shown() const { return "f" + std::to_string(which); }
  std::string kept(World&) const { return ""; }
};
inline void array_info(World& w) {
  const Array a(w);
  w.say("cudaArrayGetInfo", a.shown(), [&] {
    cudaChannelFormatDesc d{};
    cudaExtent e{};
    unsigned flags = 0;
    const int code = cudaArrayGetInfo(&d, &e, &flags, a.value());
    return std::to_string(code) + (code == 0 ? ":" + std::to_string(d.x) + ":" + std::to_string(e.width) +
                                                   ":" + std::to_string(e.height) + ":" +
                                                   std::to_string(e.depth) + ":" + std::to_string(flags)
                                             : "");
  });
}
struct MakesPool {
  cudaMemPool_t result = nullptr;
  int slot;
  explicit MakesPool(World& w) : slot(1 + w.draw.below(2)) {}
  cudaMemPool_t* value() { return &result; }
  std::string shown() const { return "&q" + std::to_string(slot); }
  std::string kept(World& w) const {
    if (w.pools[static_cast<std::size_t>(slot)] == nullptr) w.pools[static_cast<std::size_t>(slot)] = result;
    return "";
  }
};
struct PoolProperties {
  cudaMemPoolProps p{};
  int which;
  explicit PoolProperties(World& w) : which(w.draw.below(7)) {
    p.allocType = which == 4 ? cudaMemAllocationTypeInvalid : cudaMemAllocationTypePinned;
    p.location = {which == 5 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, which == 6 ? 9 : 0};
    if (which == 3) p.maxSize = 1 << 25;
  }
  const cudaMemPoolProps* value() const { return &p; }
  std::string shown() const { return "p" + std::to_string(which); }
  std::string kept(World&) const { return ""; }
};
struct LosesPool : Pool {
  using Pool::Pool;
  std::string kept(World& w) const {
    w.pools[static_cast<std::size_t>(slot)] = nullptr;
    return "";
  }
};
inline void pool_attribute(World& w) {
  const bool sets = w.draw.one_in(2);
  const Pool q(w);
  const OneOf<1, 2, 3, 4, 5, 6, 7, 8, 12, 0> which(w);
  const OneOf<0, 1, 1 << 20> to(w);
  w.say(sets ? "cudaMemPoolSetAttribute" : "cudaMemPoolGetAttribute",
        q.shown() + "," + which.shown() + "," + to.shown(), [&] {
          std::uint64_t value = static_cast<std::uint64_t>(to.n.n);
          const auto id = static_cast<cudaMemPoolAttr>(which.n.n);
          const int code = sets ? cudaMemPoolSetAttribute(q.value(), id, &value)
                                : cudaMemPoolGetAttribute(q.value(), id, &value);
          if (which.n.n <= 3) value &= 0xffffffff;
          return std::to_string(code) +
                 (code == 0 && which.n.n <= 4 ? ":" + std::to_string(value) : "");  // sizes are the driver's
        });
}
inline void pool_access(World& w) {
  const Pool q(w);
  const Location at(w);
  const OneOf<3, 3, 1, 0> flags(w);
  w.say("cudaMemPoolSetAccess", q.shown() + "," + at.shown() + "," + flags.shown(), [&] {
    const cudaMemAccessDesc d{at.value(), static_cast<cudaMemAccessFlags>(flags.n.n)};
    return std::to_string(cudaMemPoolSetAccess(q.value(), &d, 1));
  });
}

using MakesAsync0 = Makes<Made::Async, kAsync>;
struct LosesAsync : Pointer {
  explicit LosesAsync(World& w) { choose(w, kAsync); }
  std::string kept(World& w) const {
    w.buffers[kAsync] = {};
    return "";
  }
};

inline const std::vector<Op> kCopyOps = {
    CALL(cudaMemcpy, Any, Any, CopyBytes, CopyKind) CALL(cudaMemcpyAsync, Any, Any, CopyBytes, CopyKind, Stream)
    CALL(cudaMemcpyAsync, Any, Any, CopyBytes, CopyKind, Stream) CALL(cudaMemset, OnDevice, Value, FillBytes)
    CALL(cudaMemsetAsync, OnDevice, Value, FillBytes, Stream) CALL(cudaMemsetAsync, OnDevice, Value, FillBytes, Stream)
    CALL(cudaMemcpy2D, Any, Pitch, Any, Pitch, Width, Height, CopyKind) CALL(cudaMemcpy2DAsync, Any, Pitch, Any, Pitch, Width, Height, CopyKind, Stream)
    CALL(cudaMemset2D, OnDevice, Pitch, Value, Width, Height) CALL(cudaMemset2DAsync, OnDevice, Pitch, Value, Width, Height, Stream)
    CALL(cudaMemcpyPeer, Any, DeviceNumber, Any, DeviceNumber, CopyBytes) CALL(cudaMemcpyPeerAsync, Any, DeviceNumber, Any, DeviceNumber, CopyBytes, Stream)
    Op{"cudaMemcpy3D", copy_3d}, Op{"cudaMemset3D", fill_3d}, Op{"contents", contents}, Op{"contents", contents},
    Op{"cudaMemcpyToSymbol", [](World& w) { w.run<Any, OneOf<4, 64, 64, 65, 0>, OneOf<0, 0, 4>, OneOf<1, 1, 4, 3, 2>>("cudaMemcpyToSymbol", [](auto p, auto n, auto at, auto k) { return cudaMemcpyToSymbol(device_variable, p, n, at, k); }); }},
    Op{"cudaMemcpyFromSymbol", [](World& w) { w.run<Any, OneOf<4, 64, 64, 65, 0>, OneOf<0, 0, 4>, OneOf<2, 2, 4, 3, 1>>("cudaMemcpyFromSymbol", [](auto p, auto n, auto at, auto k) { return cudaMemcpyFromSymbol(p, device_variable, n, at, k); }); }},
    Op{"cudaMemcpyToSymbolAsync", [](World& w) { w.run<Any, OneOf<4, 64, 65>, Zero, OneOf<1, 4, 2>, Stream>("cudaMemcpyToSymbolAsync", [](auto p, auto n, auto at, auto k, auto s) { return cudaMemcpyToSymbolAsync(device_variable, p, n, at, k, s); }); }},
    CALL(cudaMemcpy2DToArray, Array, OneOf<0, 0, 32>, OneOf<0, 0, 8>, Any, Pitch, Width, Height, CopyKind) CALL(cudaMemcpy2DFromArray, Any, Pitch, Array, OneOf<0, 0, 32>, OneOf<0, 0, 8>, Width, Height, CopyKind)
};
inline const std::vector<Op> kMemoryOps = {
    CALL(cudaMalloc, Makes<Made::Device>, AllocBytes) CALL(cudaMalloc, Makes<Made::Device>, AllocBytes)
    CALL(cudaMallocManaged, Makes<Made::Managed>, AllocBytes, AttachFlags) CALL(cudaMallocHost, Makes<Made::Pinned>, OneOf<4096, 65536, 0>)
    CALL(cudaHostAlloc, Makes<Made::Pinned>, OneOf<4096, 65536, 0>, HostFlags) CALL(cudaMallocPitch, Makes<Made::Device>, Out<size_t>, OneOf<100, 4096, 0>, OneOf<8, 0, 1>)
    CALL(cudaFree, ToFree<Made::Device>) CALL(cudaFree, ToFree<Made::Device>) CALL(cudaFreeHost, ToFree<Made::Pinned>) CALL(cudaFreeHost, ToFree<Made::Pinned>)
    CALL(cudaHostRegister, NewHeap, OneOf<4096, 65536, 100, 0>, RegisterFlags) CALL(cudaHostUnregister, OnHost) CALL(cudaHostGetDevicePointer, Unseen<void*>, AsValue, OneOf<0, 0, 1>)
    CALL(cudaHostGetFlags, Out<unsigned>, AsValue) CALL(cudaMemGetInfo, Unseen<size_t>, Unseen<size_t>)
    CALL(cudaMemAdvise, AsValue, OneOf<4096, 0, 64>, OneOf<1, 2, 3, 4, 5, 6, 9>, Location) CALL(cudaMemPrefetchAsync, AsValue, OneOf<4096, 0, 8192>, Location, Zero, Stream)
    CALL(cudaStreamAttachMemAsync, Stream, AsValue, OneOf<0, 4096, 64>, AttachFlags) Op{"cudaPointerGetAttributes", attributes}, Op{"cudaPointerGetAttributes", attributes},
    Op{"cudaMemRangeGetAttribute", range_attribute},
    Op{"cudaGetSymbolAddress", [](World& w) { w.run<Unseen<void*>>("cudaGetSymbolAddress", [](auto p) { return cudaGetSymbolAddress(p, device_variable); }); }},
    Op{"cudaGetSymbolSize", [](World& w) { w.run<Out<size_t>>("cudaGetSymbolSize", [](auto p) { return cudaGetSymbolSize(p, device_variable); }); }},
    CALL(cudaMallocArray, MakesArray, Format, OneOf<16, 64, 0, 1 << 20>, OneOf<0, 16, 1>, OneOf<0, 2, 0, 1, 99>) CALL(cudaFreeArray, LosesArray) Op{"cudaArrayGetInfo", array_info},
};
inline const std::vector<Op> kPoolOps = {
    CALL(cudaMallocAsync, MakesAsync0, AllocBytes, Stream)
        CALL(cudaMallocFromPoolAsync, MakesAsync0, AllocBytes, Pool, Stream)
            CALL(cudaFreeAsync, ToFree<Made::Async>, Stream) CALL(cudaFreeAsync, LosesAsync, Stream)
                CALL(cudaFree, LosesAsync) CALL(cudaMemPoolCreate, MakesPool, PoolProperties)
                    CALL(cudaMemPoolDestroy, LosesPool) CALL(cudaMemPoolTrimTo, Pool, OneOf<0, 4096, 1 << 20>)
                        CALL(cudaDeviceGetDefaultMemPool, Unseen<cudaMemPool_t>, DeviceNumber)
                            CALL(cudaDeviceGetMemPool, Unseen<cudaMemPool_t>, DeviceNumber)
                                CALL(cudaDeviceSetMemPool, DeviceNumber, Pool)
                                    CALL(cudaMemPoolGetAccess, Out<cudaMemAccessFlags>, Pool, LocationAt)
                                        Op{"cudaMemPoolAttribute", pool_attribute},
    Op{"cudaMemPoolAttribute", pool_attribute}, Op{"cudaMemPoolSetAccess", pool_access},
    CALL(cudaMemGetDefaultMemPool, Unseen<cudaMemPool_t>, LocationAt, OneOf<1, 1, 2, 0>)
        CALL(cudaMemGetMemPool, Unseen<cudaMemPool_t>, LocationAt, OneOf<1, 1, 2, 0>)};
