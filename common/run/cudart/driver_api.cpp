// The driver: initialising it, devices, contexts.
//
// Enters: calls of libcuda.so.1. Leaves: codes. A context says which GPU is the current one, and is else a
// handle that programs pass around: what was made in one can be used in all of that GPU, and the primary one
// is the runtime's.
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "common/run/cudart/driver.h"
#include "common/run/cudart/properties.h"

using namespace lab::cudart;

namespace lab::cudart {

struct DriverContext {
  int device = 0;
  unsigned flags = 0;
  int held = 0;  // of a primary one: how often it was retained
};

namespace {

constexpr int kDriverVersion = 13000;

bool initialised = false;
// Contexts that cuCtxCreate made, and those that were destroyed since: other threads may have them on their stacks.
std::vector<std::unique_ptr<DriverContext>> made, gone;
std::mutex contexts_turn;  // of these, and of how often a primary one is held
thread_local std::vector<DriverContext*> current;

// The primary context of each GPU.
DriverContext& primary(int device) {
  static const auto all = [] {
    auto* const contexts = new std::array<DriverContext, lab::sim::kMostDevices>;
    for (std::size_t d = 0; d < contexts->size(); ++d) (*contexts)[d].device = static_cast<int>(d);
    return contexts;
  }();
  return all->at(static_cast<std::size_t>(device));
}

// The stack changed.
void report_devices() {
  std::vector<int> devices;
  for (const DriverContext* const one : current) devices.push_back(one->device);
  contexts_are(std::move(devices));
}

template <class Body>
int on_device(int device, const Body& body) {
  if (const int code = not_ready(Needs::Initialised); code != 0) return code;
  if (device < 0 || static_cast<std::size_t>(device) >= lab::cudart::context().devices.size())
    return kInvalidDevice;
  return body();
}

// A context that exists: made by cuCtxCreate, or the primary one while it is retained.
bool is_context(const DriverContext* context) {
  const std::lock_guard turn(contexts_turn);
  for (int d = 0; d < static_cast<int>(lab::cudart::context().devices.size()); ++d)
    if (context == &primary(d)) return context->held > 0 || lab::cudart::context().runtime_used;
  return std::any_of(made.begin(), made.end(), [&](const auto& one) { return one.get() == context; });
}

DriverContext* current_context() {
  if (!current.empty()) return current.back();
  return lab::cudart::context().runtime_used && !without_context ? &primary(current_device()) : nullptr;
}

}  // namespace

int device_of(const DriverContext* context) { return is_context(context) ? context->device : -1; }
int device_or_current(const DriverContext* context) {
  return device_of(context != nullptr ? context : current_context());
}

void runtime_chose(int device) {
  if (!current.empty()) current.back() = &primary(device);
  choose_device(device);
}

int not_ready(Needs needs) {
  const bool runtime = lab::cudart::context().runtime_used;
  if (needs == Needs::Nothing) return 0;
  if (!initialised && !runtime) {
    lab::cudart::context().say_once("the driver API was used before cuInit(0): CUDA_ERROR_NOT_INITIALIZED.");
    return kNotInitialised;
  }
  if (needs == Needs::Context && current_context() == nullptr) {
    lab::cudart::context().say_once(
        "the driver API was used without a context: CUDA_ERROR_INVALID_CONTEXT. Call cuCtxCreate, or "
        "cuDevicePrimaryCtxRetain and cuCtxSetCurrent, first.");
    return kInvalidContext;
  }
  return 0;
}

int as_driver(Needs needs, base::FunctionView<Error()> body) {
  if (const int code = not_ready(needs); code != 0) return code;
  const Error before = remembered();
  const bool before_inside = std::exchange(inside_library, true);
  int code = 0;
  try {
    code = driver_code(body());
  } catch (const ApiError& error) {
    code = driver_code(error.code);
  }
  inside_library = before_inside;
  remember(before);
  if (code != 0) note_seen(static_cast<Error>(code));  // there is no other way to ask
  return code;
}

int enter_driver(const char* call, base::FunctionView<Error(Context&)> body, Needs needs) {
  return as_driver(needs, [&] { return enter(call, body); });
}

}  // namespace lab::cudart

LAB_ENTRY int cuInit(unsigned flags) {
  if (flags != 0) return kInvalidValue;
  initialised = true;
  return 0;
}
LAB_ENTRY int cuDriverGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = kDriverVersion;
  return 0;
}

// --- devices ---

LAB_ENTRY int cuDeviceGet(int* device, int ordinal) {
  return on_device(ordinal, [&] {
    if (device == nullptr) return kInvalidValue;
    *device = ordinal;
    return 0;
  });
}
LAB_ENTRY int cuDeviceGetCount(int* count) {
  return on_device(0, [&] {
    if (count == nullptr) return kInvalidValue;
    *count = static_cast<int>(context().devices.size());
    return 0;
  });
}
LAB_ENTRY int cuDeviceGetName(char* name, int length, int device) {
  return on_device(device, [&] {
    if (name == nullptr || length <= 0) return kInvalidValue;
    const std::string& full = context().gpu.name;
    const std::size_t count = std::min(full.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, full.data(), count);
    name[count] = '\0';
    return 0;
  });
}
LAB_ENTRY int cuDeviceGetUuid_v2(char* uuid, int device) {
  return on_device(device, [&] {
    if (uuid == nullptr) return kInvalidValue;
    std::memcpy(uuid, properties_of(context().gpu, device).uuid, 16);
    return 0;
  });
}
LAB_ENTRY int cuDeviceGetUuid(char* uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }
LAB_ENTRY int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return on_device(device, [&] {
    if (bytes == nullptr) return kInvalidValue;
    *bytes = context().gpu.memory_bytes;
    return 0;
  });
}
LAB_ENTRY int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return on_device(device, [&] {
    return as_driver(Needs::Initialised, [&] { return cudaDeviceGetAttribute(value, attribute, device); });
  });
}
LAB_ENTRY int cuDeviceComputeCapability(int* major, int* minor, int device) {
  return on_device(device, [&] {
    if (major == nullptr || minor == nullptr) return kInvalidValue;
    *major = context().gpu.major;
    *minor = context().gpu.minor;
    return 0;
  });
}
LAB_SAME_EARLY(cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId);
LAB_SAME_EARLY(cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId);

// --- contexts ---

LAB_ENTRY int cuCtxCreate_v2(DriverContext** context, unsigned flags, int device) {
  if (context == nullptr) return kInvalidValue;
  return on_device(device, [&] {
    auto fresh = std::make_unique<DriverContext>(DriverContext{device, flags, 0});
    current.push_back(*context = fresh.get());
    report_devices();
    const std::lock_guard turn(contexts_turn);
    made.push_back(std::move(fresh));
    return 0;
  });
}
LAB_ENTRY int cuCtxCreate_v3(DriverContext** context, void* /*affinity*/, int /*count*/, unsigned flags,
                             int device) {
  return cuCtxCreate_v2(context, flags, device);
}
LAB_ENTRY int cuCtxCreate_v4(DriverContext** context, void* /*parameters*/, unsigned flags, int device) {
  return cuCtxCreate_v2(context, flags, device);
}
LAB_ENTRY int cuCtxDestroy_v2(DriverContext* context) {
  return enter_driver(Needs::Initialised, [&](Context& c) {
    if (!is_context(context) || context == &primary(context->device))
      throw ApiError{Error::InvalidResourceHandle};
    wait_for_all(c, context->device);
    std::erase(current, context);
    report_devices();
    const std::lock_guard turn(contexts_turn);
    const auto at =
        std::find_if(made.begin(), made.end(), [&](const auto& one) { return one.get() == context; });
    if (at == made.end()) return;  // another thread was first
    gone.push_back(std::move(*at));
    made.erase(at);
  });
}
LAB_ENTRY int cuCtxPushCurrent_v2(DriverContext* context) {
  if (context == nullptr) return kInvalidValue;
  if (!is_context(context)) return kInvalidContext;
  current.push_back(context);
  report_devices();
  return 0;
}
LAB_ENTRY int cuCtxPopCurrent_v2(DriverContext** context) {
  if (current.empty()) return kInvalidContext;
  if (context != nullptr) *context = current.back();
  current.pop_back();
  report_devices();
  return 0;
}
LAB_ENTRY int cuCtxSetCurrent(DriverContext* context) {
  if (context != nullptr && !is_context(context)) return kInvalidContext;
  if (!current.empty()) current.pop_back();
  if (context != nullptr) current.push_back(context);
  without_context = current.empty();
  report_devices();
  return 0;
}
LAB_ENTRY int cuCtxGetCurrent(DriverContext** context) {
  if (context == nullptr) return kInvalidValue;
  *context = current_context();
  return 0;
}
LAB_ENTRY int cuCtxGetDevice(int* device) {
  return enter_driver([&](Context&) { given(device) = current_device(); });
}
// The context of the stream's GPU: the current one, where it is that GPU's.
LAB_ENTRY int cuStreamGetCtx(StreamHandle stream, DriverContext** context) {
  return enter_driver([&](Context&) {
    need(context);
    const int device = streams().find(stream).device;
    DriverContext* const now = current_context();
    *context = now->device == device ? now : &primary(device);
  });
}
LAB_ENTRY int cuStreamGetCtx_v2(StreamHandle stream, DriverContext** context, void** green) {
  if (green != nullptr) *green = nullptr;
  DriverContext* not_asked = nullptr;
  return cuStreamGetCtx(stream, context != nullptr ? context : &not_asked);
}
LAB_ENTRY int cuCtxGetFlags(unsigned* flags) {
  return enter_driver(
      [&](Context& c) { given(flags) = current_context()->flags | c.device().flags_shown(); });
}
LAB_ENTRY int cuCtxGetApiVersion(DriverContext* /*context*/, unsigned* version) {
  if (version == nullptr) return kInvalidValue;
  *version = 3020;
  return 0;
}
LAB_SAME(cuCtxSynchronize, cudaDeviceSynchronize);
LAB_SAME(cuCtxGetLimit, cudaDeviceGetLimit);
LAB_SAME(cuCtxSetLimit, cudaDeviceSetLimit);
LAB_ENTRY int cuCtxSetCacheConfig(int /*config*/) { return not_ready(Needs::Context); }
LAB_SAME(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange);

LAB_ENTRY int cuDevicePrimaryCtxRetain(DriverContext** context, int device) {
  return on_device(device, [&] {
    if (context == nullptr) return kInvalidValue;
    *context = &primary(device);
    const std::lock_guard turn(contexts_turn);
    ++(*context)->held;
    return 0;
  });
}
LAB_ENTRY int cuDevicePrimaryCtxRelease_v2(int device) {
  return on_device(device, [&] {
    const std::lock_guard turn(contexts_turn);
    if (primary(device).held == 0) return kInvalidContext;
    --primary(device).held;
    return 0;
  });
}
LAB_ENTRY int cuDevicePrimaryCtxReset_v2(int device) {
  return on_device(device,
                   [&] { return as_driver(Needs::Initialised, [&] { return reset_device(device); }); });
}
LAB_ENTRY int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  return on_device(device, [&] {
    primary(device).flags = flags;
    return 0;
  });
}
LAB_ENTRY int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  return on_device(device, [&] {
    if (flags == nullptr || active == nullptr) return kInvalidValue;
    *flags = primary(device).flags;
    *active = is_context(&primary(device)) ? 1 : 0;
    return 0;
  });
}

LAB_ENTRY int cuProfilerStart() { return not_ready(Needs::Context); }
LAB_SAME(cuProfilerStop, cudaDeviceSynchronize);
