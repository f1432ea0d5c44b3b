// The driver's calls, on the same streams, events, graphs and buffers.
#pragma once

#include "ops_launches.h"

struct Context {
  CUcontext handle = nullptr;
  explicit Context(World& w) {
    if (!w.draw.one_in(8)) cuDevicePrimaryCtxRetain(&handle, 0), cuDevicePrimaryCtxRelease(0);
  }
  CUcontext value() const { return handle; }
  std::string shown() const { return handle == nullptr ? "null" : "c"; }
  std::string kept(World&) const { return ""; }
};
struct Function {
  CUfunction f;
  explicit Function(World& w) : f(w.draw.one_in(12) ? nullptr : w.function) {}
  CUfunction value() const { return f; }
  std::string shown() const { return f == nullptr ? "null" : "f"; }
  std::string kept(World&) const { return ""; }
};
struct ModuleLoaded {
  CUmodule m;
  explicit ModuleLoaded(World& w) : m(w.draw.one_in(12) ? nullptr : w.module_loaded) {}
  CUmodule value() const { return m; }
  std::string shown() const { return m == nullptr ? "null" : "m"; }
  std::string kept(World&) const { return ""; }
};
struct LocationDriver : Location {
  using Location::Location;
  CUmemLocation value() const {
    CUmemLocation same{};
    same.type = static_cast<CUmemLocationType>(place.type), same.id = place.id;
    return same;
  }
};
struct FreesDriver : ToFree<Made::Device> {
  using ToFree<Made::Device>::ToFree;
  CUdeviceptr value() const { return reinterpret_cast<CUdeviceptr>(at); }
};
struct Name {
  int which;
  explicit Name(World& w) : which(w.draw.below(4)) {}
  const char* value() const {
    return which == 0 ? "number" : which == 1 ? "nothing" : which == 2 ? "" : "empty";
  }
  std::string shown() const { return value(); }
  std::string kept(World&) const { return ""; }
};
inline void pointer_attribute(World& w) {
  const OneOf<1, 2, 3, 4, 7, 8, 9, 10, 11, 13, 15, 99> which(w);
  const AsValue p(w);
  w.say("cuPointerGetAttribute", which.shown() + "," + p.shown(), [&] {
    unsigned long long value[2] = {};
    const int code = cuPointerGetAttribute(value, static_cast<CUpointer_attribute>(which.n.n),
                                           reinterpret_cast<CUdeviceptr>(p.value()));
    const bool number =
        which.n.n == 2 || which.n.n == 8 || which.n.n == 9 || which.n.n == 10 || which.n.n == 13;
    return std::to_string(code) +
           (code == 0 && number ? ":" + std::to_string(static_cast<unsigned>(value[0])) : "");
  });
}
inline void launch_driver(World& w) {
  const Function f(w);
  const Grid grid(w);
  const Block block(w);
  const DynamicShared shared(w);
  const Stream s(w);
  w.say(
      "cuLaunchKernel",
      f.shown() + "," + grid.shown() + "," + block.shown() + "," + shared.shown() + "," + s.shown(), [&] {
        const dim3 g = grid.value(), b = block.value();
        return std::to_string(cuLaunchKernel(f.value(), g.x, g.y, g.z, b.x, b.y, b.z,
                                             static_cast<unsigned>(shared.n.n), s.value(), nullptr, nullptr));
      });
}
inline void driver_query(World& w) {
  const Stream s(w);
  w.say("cuStreamQuery", s.shown(),
        [&] { return query(static_cast<cudaError_t>(cuStreamQuery(s.value()))); });
}
inline void driver_event_query(World& w) {
  const Event e(w);
  w.say("cuEventQuery", e.shown(), [&] { return query(static_cast<cudaError_t>(cuEventQuery(e.value()))); });
}
inline void module_load(World& w) {
  const int which = w.draw.below(4);
  w.say("cuModuleLoadData", std::to_string(which), [&] {
    const char* text =
        which == 0   ? "this is no PTX"
        : which == 1 ? ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry e() { bad; }\n"
        : which == 2 ? ""
                     : ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry e() { ret; }\n";
    CUmodule m = nullptr;
    const int code = cuModuleLoadData(&m, text);
    return std::to_string(code) + (code == 0 ? ":" + std::to_string(cuModuleUnload(m)) : "");
  });
}
inline void address_range(World& w) {
  const AsValue p(w);
  w.say("cuMemGetAddressRange", p.shown(), [&] {
    CUdeviceptr base = 0;
    size_t size = 0;
    const int code = cuMemGetAddressRange(&base, &size, reinterpret_cast<CUdeviceptr>(p.value()));
    return std::to_string(code) +
           (code == 0 ? ":" + std::to_string(reinterpret_cast<CUdeviceptr>(p.value()) - base) + ":" +
                            std::to_string(size)
                      : "");
  });
}
inline void push_pop(World& w) {
  const Context c(w);
  w.say("cuCtxPushCurrent+Pop", c.shown(), [&] {
    CUcontext popped = nullptr;
    const int code = cuCtxPushCurrent(c.value());
    return std::to_string(code) + (code == 0 ? ":" + std::to_string(cuCtxPopCurrent(&popped)) : "");
  });
}
inline const std::vector<Op> kDriverOps = {
    CALL(cuDeviceGet, Out<int>, DeviceNumber) CALL(cuDeviceGetCount, Out<int>)
        CALL(cuDeviceGetAttribute, Out<int>, OneOf<1, 10, 16, 75, 76, 85, 115, 120, 0, 200>, DeviceNumber)
            CALL(cuDeviceTotalMem, Unseen<size_t>, DeviceNumber) CALL(cuCtxGetCurrent, Unseen<CUcontext>)
                CALL(cuCtxGetDevice, Out<int>) CALL(cuCtxGetFlags, Out<unsigned>)
                    CALL(cuCtxGetApiVersion, Context, Out<unsigned>) CALL(cuCtxSynchronize)
                        CALL(cuCtxSetCurrent, Context) Op{"cuCtxPushCurrent", push_pop},
    CALL(cuCtxGetLimit, Out<size_t>, OneOf<0, 1, 2, 5, 6, 99>) CALL(
        cuCtxSetLimit, OneOf<0, 1, 2, 99>, OneOf<4096, 1 << 20>) CALL(cuCtxGetStreamPriorityRange, Out<int>,
                                                                      Out<int>)
        CALL(cuDevicePrimaryCtxGetState, DeviceNumber, Unseen<unsigned>, Out<int>) CALL(
            cuMemAlloc, MakesDriver<Made::Device>,
            AllocBytes) CALL(cuMemAllocManaged, MakesDriver<Made::Managed>, AllocBytes, AttachFlags)
            CALL(cuMemAllocAsync, MakesDriver<Made::Async, kAsync>, AllocBytes, Stream)
                CALL(cuMemHostAlloc, Makes<Made::Pinned>, OneOf<4096, 0>, HostFlags) CALL(
                    cuMemHostGetFlags, Out<unsigned>, AsValue) CALL(cuMemcpy, AsDriver, AsDriver, CopyBytes)
                    CALL(cuMemcpyAsync, AsDriver, AsDriver, CopyBytes, Stream) CALL(
                        cuMemcpyHtoD, OnDeviceDriver, OnHost,
                        CopyBytes) CALL(cuMemcpyDtoH, OnHost, OnDeviceDriver, CopyBytes)
                        CALL(cuMemcpyDtoD, OnDeviceDriver, OnDeviceDriver, CopyBytes) CALL(
                            cuMemcpyHtoDAsync, OnDeviceDriver, OnHost, CopyBytes, Stream)
                            CALL(cuMemcpyDtoHAsync, OnHost, OnDeviceDriver, CopyBytes, Stream) CALL(
                                cuMemsetD8, OnDeviceDriver, Value, FillBytes)
                                CALL(cuMemsetD32, OnDeviceDriver, Value, OneOf<0, 16, 1024, 2048>) CALL(
                                    cuMemsetD32Async, OnDeviceDriver, Value, OneOf<0, 16, 1024, 2048>, Stream)
                                    CALL(cuMemsetD16, OnDeviceDriver, Value, OneOf<0, 16, 2048>) CALL(
                                        cuMemsetD2D32, OnDeviceDriver, Pitch, Value, OneOf<0, 1, 16>, Height)
                                        Op{"cuPointerGetAttribute", pointer_attribute},
    Op{"cuMemGetAddressRange", address_range},
    CALL(cuMemGetInfo, Unseen<size_t>, Unseen<size_t>) CALL(cuStreamCreate, MakesStream, StreamFlags)
        CALL(cuStreamSynchronize, Stream) CALL(cuStreamWaitEvent, Stream, Event, WaitFlags)
            CALL(cuStreamGetFlags, Stream, Out<unsigned>) CALL(cuStreamGetPriority, Stream, Out<int>)
                Op{"cuStreamQuery", driver_query},
    CALL(cuStreamGetCtx, Stream, Unseen<CUcontext>) CALL(cuEventCreate, MakesEvent, EventFlags) CALL(
        cuEventRecord, Event, Stream) CALL(cuEventSynchronize, Event) Op{"cuEventQuery", driver_event_query},
    CALL(cuStreamBeginCapture, Stream, CaptureMode) CALL(cuStreamEndCapture, Stream, MakesGraph) CALL(
        cuStreamIsCapturing, Stream, Out<CUstreamCaptureStatus>) CALL(cuGraphCreate, MakesGraph, OneOf<0, 1>)
        CALL(cuGraphAddEmptyNode, MakesNode, Graph, After, AfterCount) CALL(cuGraphLaunch, Exec, Stream)
            CALL(cuGraphInstantiate, MakesExec, Graph, ExecFlags) Op{"cuLaunchKernel", launch_driver},
    Op{"cuLaunchKernel", launch_driver},
    Op{"cuModuleLoadData", module_load},
    CALL(cuModuleGetFunction, Unseen<CUfunction>, ModuleLoaded, Name)
        CALL(cuModuleGetGlobal, Unseen<CUdeviceptr>, Out<size_t>, ModuleLoaded, Name)
            CALL(cuFuncGetAttribute, Out<int>, OneOf<0, 1, 8, 9, 99>, Function)
                CALL(cuFuncSetAttribute, Function, OneOf<8, 8, 9, 0, 99>, SharedLimit)
                    CALL(cuFuncSetCacheConfig, Function, OneOf<0, 1, 2, 3, 7>) CALL(
                        cuOccupancyMaxActiveBlocksPerMultiprocessor, Out<int>, Function,
                        OneOf<32, 256, 0, 2000>, OneOf<0, 8192>)
                        CALL(cuMemPrefetchAsync, OnDeviceDriver, OneOf<4096, 0>, LocationDriver, Zero, Stream)
                            CALL(cuDeviceGetDefaultMemPool, Unseen<CUmemoryPool>, DeviceNumber)
                                CALL(cuMemFree, FreesDriver) CALL(cuMemFreeHost, ToFree<Made::Pinned>)
                                    CALL(cuInit, OneOf<0, 0, 1>) CALL(cuDriverGetVersion, Out<int>)};
