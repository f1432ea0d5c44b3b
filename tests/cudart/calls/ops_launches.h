// Launches, good and bad; what a kernel is and needs; the device; contexts of the driver and its calls.
#pragma once

#include "ops_graphs.h"

struct Kernel {
  const void* function;
  int which;
  explicit Kernel(World& w) : which(w.draw.below(12)) {
    function = which == 11   ? reinterpret_cast<const void*>(&bump)
               : which == 10 ? nullptr
               : which > 7   ? reinterpret_cast<const void*>(&shared_static)
                             : reinterpret_cast<const void*>(&add);
  }
  const void* value() const { return function; }
  std::string shown() const {
    return which == 11 ? "host" : which == 10 ? "null" : which > 7 ? "shared" : "add";
  }
  std::string kept(World&) const { return ""; }
};
template <long long... Sides>
struct Shape {
  long long side;
  int axis;
  explicit Shape(World& w) : side(OneOf<Sides...>(w).n.n), axis(w.draw.one_in(6) ? w.draw.below(3) : 0) {}
  dim3 value() const {
    const auto n = static_cast<unsigned>(side);
    return {axis == 0 ? n : 1, axis == 1 ? n : 1, axis == 2 ? n : 1};
  }
  std::string shown() const { return std::to_string(side) + "xyz"[axis]; }
  std::string kept(World&) const { return ""; }
};
using Grid = Shape<1, 1, 1, 2, 4, 0, 65536>;
using Block = Shape<1, 32, 32, 64, 256, 1024, 0, 1025, 65>;
using DynamicShared = OneOf<0, 0, 0, 0, 1024, 8192, 49152, 49153, 232448, 232449>;
inline void launch(World& w) {
  const bool cooperative = w.draw.one_in(5);
  const Kernel kernel(w);
  const Grid grid(w);
  const Block block(w);
  const DynamicShared shared(w);
  const ForKernel target(w);
  const Stream s(w);
  w.say(cooperative ? "cudaLaunchCooperativeKernel" : "cudaLaunchKernel",
        kernel.shown() + "," + grid.shown() + "," + block.shown() + "," + shared.shown() + "," +
            target.shown() + "," + s.shown(),
        [&] {
          void* at = target.value();
          int v = 1;
          void* arguments[] = {&at, &v};
          const auto bytes = static_cast<size_t>(shared.n.n);
          return std::to_string(cooperative
                                    ? cudaLaunchCooperativeKernel(kernel.value(), grid.value(), block.value(),
                                                                  arguments, bytes, s.value())
                                    : cudaLaunchKernel(kernel.value(), grid.value(), block.value(), arguments,
                                                       bytes, s.value()));
        });
}
inline void launch_chevrons(World& w) {
  const Block block(w);
  const ForKernel target(w);
  const Stream s(w);
  w.say("<<<>>>", block.shown() + "," + target.shown() + "," + s.shown(), [&] {
    add<<<1, block.value(), 0, s.value()>>>(static_cast<int*>(target.value()), 2);
    return std::to_string(cudaPeekAtLastError());
  });
}
inline void launch_ex(World& w) {
  const OneOf<0, 0, 1, 2, 3, 4, 6, 7> cluster(w);
  const Grid grid(w);
  const Block block(w);
  const OneOf<0, 1> cooperative(w);
  const Stream s(w);
  w.say("cudaLaunchKernelExC",
        grid.shown() + "," + block.shown() + ",cl" + cluster.shown() + ",co" + cooperative.shown() + "," +
            s.shown(),
        [&] {
          cudaLaunchAttribute a[2]{};
          cudaLaunchConfig_t c{};
          c.gridDim = grid.value(), c.blockDim = block.value(), c.stream = s.value(), c.attrs = a;
          if (cluster.n.n != 0)
            a[c.numAttrs].id = cudaLaunchAttributeClusterDimension,
            a[c.numAttrs++].val.clusterDim = {static_cast<unsigned>(cluster.n.n), 1, 1};
          if (cooperative.n.n != 0)
            a[c.numAttrs].id = cudaLaunchAttributeCooperative, a[c.numAttrs++].val.cooperative = 1;
          void* at = nullptr;
          int v = 1;
          void* arguments[] = {&at, &v};
          return std::to_string(cudaLaunchKernelExC(&c, reinterpret_cast<const void*>(&add), arguments));
        });
}
inline void function_attributes(World& w) {
  const Kernel kernel(w);
  w.say("cudaFuncGetAttributes", kernel.shown(), [&] {
    cudaFuncAttributes a{};
    const int code = cudaFuncGetAttributes(&a, kernel.value());
    return std::to_string(code) +
           (code == 0 ? ":" + std::to_string(a.sharedSizeBytes) + ":" + std::to_string(a.maxThreadsPerBlock) +
                            ":" + std::to_string(a.maxDynamicSharedSizeBytes) + ":" +
                            std::to_string(a.preferredShmemCarveout) + ":" + std::to_string(a.constSizeBytes)
                      : "");
  });
}
using SharedLimit = OneOf<0, 4096, 49152, 100000, 232448, 232449, -1, 50, 101>;
inline const std::vector<Op> kLaunchOps = {
    Op{"cudaLaunchKernel", launch},
    Op{"cudaLaunchKernel", launch},
    Op{"cudaLaunchKernel", launch},
    Op{"<<<>>>", launch_chevrons},
    Op{"<<<>>>", launch_chevrons},
    Op{"cudaLaunchKernelExC", launch_ex},
    Op{"cudaFuncGetAttributes", function_attributes},
    CALL(cudaFuncSetAttribute, Kernel, OneOf<8, 8, 9, 14, 10, 0, 99>, SharedLimit)
        CALL(cudaFuncSetCacheConfig, Kernel, OneOf<0, 1, 2, 3, 7>)
            CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor, Out<int>, Kernel,
                 OneOf<32, 256, 1024, 0, 2000>, OneOf<0, 8192, 300000>)
                CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, Out<int>, Kernel,
                     OneOf<32, 256, 1024, 0, 2000>, OneOf<0, 8192>, OneOf<0, 1, 2>)
                    CALL(cudaOccupancyAvailableDynamicSMemPerBlock, Out<size_t>, Kernel, OneOf<1, 2, 4, 0>,
                         OneOf<32, 256, 1024>) CALL(cudaFuncGetParamInfo, Kernel, OneOf<0, 1, 2>, Out<size_t>,
                                                    Out<size_t>) CALL(cudaGetLastError) CALL(cudaGetLastError)
                        CALL(cudaPeekAtLastError) CALL(cudaDeviceSynchronize)
                            CALL(cudaGetFuncBySymbol, Unseen<cudaFunction_t>, Kernel)};

struct BusId {
  char text[16] = "";
  explicit BusId(World&) {}
  char* value() { return text; }
  std::string shown() const { return "&"; }
  std::string kept(World&) const { return ""; }
};
struct Properties {
  cudaDeviceProp p{};
  explicit Properties(World&) {}
  cudaDeviceProp* value() { return &p; }
  std::string shown() const { return "&"; }
  std::string kept(World&) const {
    return ":" + std::to_string(p.warpSize) + ":" + std::to_string(p.multiProcessorCount);
  }
};
inline void device_attribute(World& w) {
  const long long which = w.draw.one_in(12) ? 200 : w.draw.one_in(20) ? 0 : 1 + w.draw.below(142);
  w.say("cudaDeviceGetAttribute", std::to_string(which), [&] {
    int value = 0;
    const int code = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(which), 0);
    const bool of_machine =
        which == 33 || which == 34 || which == 50 || which == 13 || which == 36 || which == 20 || which == 18;
    return std::to_string(code) + (code == 0 && !of_machine ? ":" + std::to_string(value) : "");
  });
}
inline const std::vector<Op> kDeviceOps = {
    CALL(cudaGetDevice, Out<int>) CALL(cudaGetDeviceCount, Out<int>) CALL(cudaSetDevice, DeviceNumber) CALL(
        cudaInitDevice, DeviceNumber, OneOf<0, 1, 8>, OneOf<0, 1, 2>) CALL(cudaGetDeviceFlags, Out<unsigned>)
        CALL(cudaSetDeviceFlags, OneOf<0, 1, 2, 4, 8, 3, 64, 1024>) CALL(
            cudaGetDeviceProperties, Properties, DeviceNumber) Op{"cudaDeviceGetAttribute", device_attribute},
    Op{"cudaDeviceGetAttribute", device_attribute}, Op{"cudaDeviceGetAttribute", device_attribute},
    CALL(cudaDeviceSetLimit, OneOf<0, 1, 2, 5, 6, 3, 4, 99>, OneOf<1024, 4096, 1 << 20, 128>)
        CALL(cudaDeviceGetLimit, Out<size_t>, OneOf<0, 1, 2, 5, 6, 3, 4, 99>) CALL(
            cudaDeviceSetCacheConfig, OneOf<0, 1, 2, 3, 9>) CALL(cudaDeviceGetCacheConfig, Out<cudaFuncCache>)
            CALL(cudaDeviceGetPCIBusId, BusId, OneOf<16, 13, 5, 0>, DeviceNumber)
                CALL(cudaDeviceCanAccessPeer, Out<int>, DeviceNumber, DeviceNumber) CALL(
                    cudaDeviceEnablePeerAccess, DeviceNumber, OneOf<0, 0, 1>)
                    CALL(cudaDeviceDisablePeerAccess, DeviceNumber) CALL(
                        cudaDeviceGetP2PAttribute, Out<int>, OneOf<1, 2, 3, 4, 9>, DeviceNumber, DeviceNumber)
                        CALL(cudaDriverGetVersion, Out<int>) CALL(cudaRuntimeGetVersion, Out<int>)
                            CALL(cudaDeviceSynchronize) CALL(cudaGetLastError) CALL(cudaPeekAtLastError)
                                CALL(cudaProfilerStart) CALL(cudaProfilerStop)};
