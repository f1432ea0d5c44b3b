// The GPUs of the process. See devices.h.
#include "common/run/cudart/devices.h"

#include <algorithm>
#include <utility>

#include "common/run/cudart/context.h"
#include "common/run/cudart/request.h"

namespace lab::cudart {
namespace {

thread_local int chosen_device = 0;         // by cudaSetDevice
thread_local std::vector<int> of_contexts;  // of the driver
thread_local int scoped_device = -1;        // a DeviceScope

}  // namespace

std::size_t wanted_devices() {
  return std::clamp<std::size_t>(static_cast<std::size_t>(request().gpus), 1, sim::kMostDevices);
}

int current_device() {
  if (scoped_device >= 0) return scoped_device;
  return of_contexts.empty() ? chosen_device : of_contexts.back();
}

void choose_device(int device) { (of_contexts.empty() ? chosen_device : of_contexts.back()) = device; }

void contexts_are(std::vector<int> devices) { of_contexts = std::move(devices); }

DeviceScope::DeviceScope(Context& c, int device)
    : context_(c), before_(std::exchange(scoped_device, device)) {
  context_.memory.use_device(static_cast<std::uint32_t>(current_device()));
}

DeviceScope::~DeviceScope() {
  scoped_device = before_;
  context_.memory.use_device(static_cast<std::uint32_t>(current_device()));
}

OfThread::OfThread(int device) : before_(std::exchange(scoped_device, device)) {}
OfThread::~OfThread() { scoped_device = before_; }

int device_at(const Context& c, const Place& place) {
  if (place.type != Place::Device) return current_device();
  check_device(c, place.number);
  return place.number;
}

void check_device(const Context& c, int device) {
  if (device >= 0 && static_cast<std::size_t>(device) < c.devices.size()) return;
  const std::string asked = std::to_string(device);
  throw ApiError{Error::InvalidDevice,
                 c.devices.size() == 1
                     ? msg("there is one GPU, number 0; the program asked for number {}. `lab run --gpus N` "
                           "simulates several.",
                           asked)
                     : msg("there are {} GPUs, numbered from 0; the program asked for number {}.",
                           c.devices.size(), asked)};
}

}  // namespace lab::cudart
