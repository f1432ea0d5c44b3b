// The device: what it is, what it can, waiting for it.
//
// Enters: questions. Leaves: numbers of the GPU that --gpu names (data/gpus/*.toml), the same ones that
// launches are checked against.
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "common/run/cudart/allocation.h"
#include "common/run/cudart/capture.h"
#include "common/run/cudart/driver.h"
#include "common/run/cudart/modules.h"
#include "common/run/cudart/properties.h"
#include "common/run/cudart/streams.h"

using namespace lab::cudart;

namespace {

constexpr int kRuntimeVersion = 13000;

struct AttributeRow {
  int attribute;
  std::uint64_t value;
};

// The largest textures and surfaces, as an NVIDIA H200 says (tests/golden/units.txt.gz); alike from compute
// capability 7.5 on.
constexpr AttributeRow kLargestTextures[] = {
    {21, 131072}, {22, 131072},  {23, 65536}, {24, 16384}, {25, 16384}, {26, 16384},     {27, 32768},
    {28, 32768},  {29, 2048},    {42, 32768}, {43, 2048},  {45, 32768}, {46, 32768},     {47, 8192},
    {48, 8192},   {49, 32768},   {52, 32768}, {53, 32768}, {54, 2046},  {55, 32768},     {56, 131072},
    {57, 65536},  {58, 16384},   {59, 16384}, {60, 16384}, {61, 32768}, {62, 2048},      {63, 32768},
    {64, 32768},  {65, 2048},    {66, 32768}, {67, 32768}, {68, 2046},  {69, 268435456}, {70, 131072},
    {71, 65000},  {72, 2097120}, {73, 32768}, {74, 32768}, {77, 32768}};

// Alike on every GPU that is simulated.
constexpr AttributeRow kOfAll[] = {{10, 32}, {14, 512}, {15, 1}, {19, 1}, {31, 1},  {40, 3}, {41, 1},
                                   {51, 32}, {78, 1},   {79, 1}, {80, 1}, {83, 1},  {87, 2}, {89, 1},
                                   {90, 1},  {91, 1},   {95, 1}, {99, 1}, {102, 1}, {115, 1}};

// What an H200 says besides (tests/golden/calls_h200.txt.xz), of hardware and driver that are not simulated.
constexpr AttributeRow kOfHopper[] = {{30, 512}, {32, 1},  {96, 1},  {103, 1},   {107, 1}, {110, 1},
                                      {112, 1},  {113, 1}, {114, 1}, {118, 100}, {119, 9}, {121, 1},
                                      {122, 1},  {123, 1}, {124, 1}, {125, 1},   {126, 4}, {127, 1},
                                      {128, 1},  {129, 1}, {141, 1}, {142, 1}};

// The numbers of cudaDeviceAttr, in its order; what is not here is 0.
std::uint64_t attribute_of(const GpuData& gpu, int wanted, int device) {
  const DeviceProperties p = properties_of(gpu, device);
  const auto u = [](auto value) { return static_cast<std::uint64_t>(value); };
  const AttributeRow rows[] = {
      {1, u(p.max_threads_per_block)},
      {2, u(p.max_threads_dim[0])},
      {3, u(p.max_threads_dim[1])},
      {4, u(p.max_threads_dim[2])},
      {5, u(p.max_grid_size[0])},
      {6, u(p.max_grid_size[1])},
      {7, u(p.max_grid_size[2])},
      {8, p.shared_per_block},
      {9, p.total_const_memory},
      {11, p.memory_pitch},
      {12, u(p.registers_per_block)},
      {13, u(gpu.clock_mhz) * 1000},
      {16, u(p.multiprocessors)},
      {33, u(p.pci_bus)},
      {36, u(gpu.memory_clock_mhz) * 1000},
      {37, gpu.bus_bits},
      {38, gpu.l2_bytes},
      {39, u(p.max_threads_per_multiprocessor)},
      {75, u(gpu.major)},
      {76, u(gpu.minor)},
      {81, gpu.shared_bytes},
      {82, gpu.registers_per_multiprocessor},
      {97, gpu.shared_bytes_per_block},
      {106, gpu.blocks_per_multiprocessor},
      {108, gpu.persisting_l2_bytes()},
      {109, gpu.access_window_bytes()},
      {111, gpu.shared_bytes_reserved},
      {120, gpu.major >= 9 ? 1u : 0u},
  };
  std::vector<std::span<const AttributeRow>> tables = {rows, kOfAll, kLargestTextures};
  if (gpu.major >= 9) tables.emplace_back(kOfHopper);
  for (const std::span<const AttributeRow> table : tables)
    for (const AttributeRow& row : table)
      if (row.attribute == wanted) return row.value;
  return 0;
}

enum {
  kStackLimit,
  kPrintLimit,
  kMallocHeapLimit,
  kSyncDepthLimit,
  kPendingLimit,
  kGranularityLimit,
  kPersistingLimit
};

// What becomes of a value that a program sets, measured on an H200: a multiple of `step`, and at least `least`.
// More than `most` is cut where `cuts`, else refused. Parts of L2 are tenths of what may persist.
struct LimitRow {
  std::size_t step = 1, least = 0, most = SIZE_MAX;
  bool cuts = false;
};
LimitRow limit_row(const Context& c, int limit) {
  const std::size_t persisting = c.gpu.persisting_l2_bytes();
  switch (limit) {
    case kStackLimit:
      return {.step = 16, .most = (512 << 10) - 16};
    case kPrintLimit:
      return {.step = 256, .least = 512 << 10, .most = c.gpu.memory_bytes};
    case kMallocHeapLimit:
      return {.step = 64 << 10, .least = 4 << 20, .most = c.gpu.memory_bytes};
    case kPendingLimit:
      return {.least = 32, .most = 599'186, .cuts = true};
    case kGranularityLimit:
      return {.most = 128};
    case kPersistingLimit:
      return {.step = std::max<std::size_t>(1, persisting / 10), .most = persisting};
    default:
      return {};
  }
}

void check_limit(int limit) {
  if (limit < 0 || limit > kPersistingLimit) throw ApiError{Error::InvalidValue};
  if (limit == kSyncDepthLimit)
    throw ApiError{Error::UnsupportedLimit};  // kernels no longer wait for kernels
}

std::array<int, lab::sim::kMostDevices> cache_configs{};  // as the program set them: a wish
// cudaFuncCache
void check_cache_config(int config) {
  constexpr int kPreferEqual = 3;
  if (config < 0 || config > kPreferEqual) throw ApiError{Error::InvalidValue};
}
constexpr std::size_t kBusIdLength = 13;

std::string bus_id(int device) {
  char text[kBusIdLength];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", static_cast<unsigned>(device) & 0xff);
  return text;
}

}  // namespace

LAB_API Error cudaGetDeviceCount(int* count) {
  return enter(Asks::Host, [&](Context& c) { given(count) = static_cast<int>(c.devices.size()); });
}
LAB_API Error cudaGetDevice(int* device) {
  return enter(Asks::Host, [&](Context&) { given(device) = current_device(); });
}
LAB_API Error cudaSetDevice(int device) {
  return enter(Asks::Host, [&](Context& c) {
    check_device(c, device);
    runtime_chose(device);
  });
}
LAB_API Error cudaInitDevice(int device, unsigned /*device_flags*/, unsigned /*flags*/) {
  return enter(Asks::Host, [&](Context& c) { check_device(c, device); });
}
LAB_API Error cudaSetValidDevices(int* devices, int count) {
  return enter([&](Context& c) {
    need(devices);
    for (const int device : std::span(devices, count < 0 ? 0 : static_cast<std::size_t>(count)))
      check_device(c, device);
  });
}
LAB_API Error cudaChooseDevice(int* device, const DeviceProperties* wanted) {
  return cudaGetDevice(wanted == nullptr ? nullptr : device);
}
LAB_API Error cudaSetDeviceFlags(unsigned flags) {
  return enter(Asks::Host, [&](Context& c) {
    constexpr unsigned kSchedules = 7, kAll = 0xff;  // cudaDeviceSchedule…: one of them
    const unsigned schedule = flags & kSchedules;
    if (flags > kAll || (schedule & (schedule - 1)) != 0) throw ApiError{Error::InvalidValue};
    c.device().flags = flags;
  });
}
LAB_API Error cudaGetDeviceFlags(unsigned* flags) {
  return enter(Asks::Host, [&](Context& c) { given(flags) = c.device().flags_shown(); });
}

LAB_API Error cudaGetDeviceProperties(DeviceProperties* properties, int device) {
  return enter(Asks::Host, [&](Context& c) {
    if (properties == nullptr) throw ApiError{Error::InvalidValue};
    check_device(c, device);
    *properties = properties_of(c.gpu, device);
  });
}

LAB_API Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return enter(Asks::Host, [&](Context& c) {
    constexpr int kLastAttribute = 149;
    if (value == nullptr || attribute < 1 || attribute > kLastAttribute) throw ApiError{Error::InvalidValue};
    check_device(c, device);
    *value = static_cast<int>(attribute_of(c.gpu, attribute, device));
  });
}

LAB_API Error cudaDeviceSynchronize() {
  return enter([](Context& c) {
    refuse_any(current_device());
    wait_for_all(c);
  });
}

// Everything that the program allocated on it goes; kernels and variables are loaded anew when used again.
Error lab::cudart::reset_device(int device) {
  return enter("cudaDeviceReset", Asks::Host, [&](Context& c) {
    const DeviceScope scope(c, device);
    wait_for_all(c);
    for (auto at = c.allocated.begin(); at != c.allocated.end();) {
      if (at->second.device != device) {
        ++at;
        continue;
      }
      c.memory.release(at->first);
      if (Pool* const pool = at->second.pool) pool->used_bytes -= at->second.size_bytes;
      at = c.allocated.erase(at);
    }
    c.device().used_bytes = 0;
    for (const int peer : std::exchange(c.device().peers, {}))
      c.memory.let(static_cast<std::uint32_t>(device), static_cast<std::uint32_t>(peer), false);
    modules().unload();
    if (c.stuck != Error::Success) {
      c.say_once(
          "cudaDeviceReset does not repair what a kernel broke: calls behind it return "
          "cudaErrorDevicesUnavailable, as on a GPU. Fix the kernel, or end the process and start it again.");
      c.stuck = Error::DevicesUnavailable;
    }
    return Error::Success;
  });
}
LAB_API Error cudaDeviceReset() { return reset_device(current_device()); }

LAB_API Error cudaDeviceSetLimit(int limit, std::size_t value) {
  return enter_outside_capture([&](Context& c) {
    check_limit(limit);
    const LimitRow row = limit_row(c, limit);
    if (value > row.most && !row.cuts) throw ApiError{Error::InvalidValue};
    const std::size_t most = std::min(value, row.most);
    const std::size_t kept = std::max((most + row.step - 1) / row.step * row.step, row.least);
    if (limit == kMallocHeapLimit) c.memory.heap_limit(kept);
    c.device().limits.at(static_cast<std::size_t>(limit)) = kept;
  });
}
LAB_API Error cudaDeviceGetLimit(std::size_t* value, int limit) {
  return enter([&](Context& c) {
    need(value);
    check_limit(limit);
    *value = c.device().limits.at(static_cast<std::size_t>(limit));
  });
}

LAB_API Error cudaDeviceSetCacheConfig(int config) {
  return enter_outside_capture([&](Context&) {
    check_cache_config(config);
    cache_configs.at(static_cast<std::size_t>(current_device())) = config;
  });
}
LAB_API Error cudaDeviceGetCacheConfig(int* config) {
  return enter(
      [&](Context&) { given(config) = cache_configs.at(static_cast<std::size_t>(current_device())); });
}
LAB_API Error cudaDeviceSetSharedMemConfig(int /*config*/) {
  return enter([](Context&) {});
}
LAB_API Error cudaDeviceGetSharedMemConfig(int* config) {
  return enter([&](Context&) {
    given(config) = 1;  // banks of four bytes
  });
}
LAB_API Error cudaCtxResetPersistingL2Cache() {
  return enter([](Context&) {});
}

LAB_API Error cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return enter(Asks::Host, [&](Context& c) {
    check_device(c, device);
    if (text == nullptr || length < static_cast<int>(kBusIdLength)) throw ApiError{Error::InvalidValue};
    std::strncpy(text, bus_id(device).c_str(), static_cast<std::size_t>(length));
  });
}
LAB_API Error cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return enter([&](Context& c) {
    need(device, text);
    for (std::size_t d = 0; d < c.devices.size(); ++d) {
      *device = static_cast<int>(d);
      if (text == bus_id(*device)) return Error::Success;
    }
    return Error::InvalidDevice;
  });
}

LAB_API Error cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return Error::InvalidValue;
  *version = kRuntimeVersion;
  return Error::Success;
}
LAB_API Error cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

LAB_API ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

LAB_API Error cudaProfilerStart() {
  return enter_outside_capture([](Context&) {});
}
LAB_API Error cudaProfilerStop() {
  return enter_outside_capture([](Context& c) { wait_for_all(c); });
}
