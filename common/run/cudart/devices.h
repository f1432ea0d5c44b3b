// The GPUs of the process: how many there are, which one a thread uses, what each of them holds.
//
// Enters: LAB_RUN_GPUS (`lab run --gpus N`), cudaSetDevice, contexts of the driver. Leaves: the current GPU
// of a thread. All are alike, share one address space, and each pair is joined by a link.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "common/gpu/model/l2_cache.h"

namespace lab::cudart {

class Context;

struct Device {
  std::uint64_t used_bytes = 0;  // of its memory
  unsigned flags = 0;            // cudaSetDeviceFlags
  // cudaSetDeviceFlags lets mapping be left out; it never is.
  [[nodiscard]] unsigned flags_shown() const { return flags | 8; }
  std::array<std::size_t, 7> limits{1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
  std::set<int> peers;                         // whose memory its kernels may use
  std::optional<model::L2Cache> second_level;  // only when times are predicted
  model::L2Cache& cache(std::uint64_t capacity_bytes) {
    return second_level ? *second_level : second_level.emplace(capacity_bytes);
  }
};

[[nodiscard]] std::size_t wanted_devices();

// This thread's device, as cudaGetDevice gives it.
[[nodiscard]] int current_device();
// cudaSetDevice: in the place of the context on top, when the driver's stack has one.
void choose_device(int device);
// The GPUs of the driver's contexts that are current to this thread, the last on top.
void contexts_are(std::vector<int> devices);

// Another GPU is the current one, within this scope: work runs on its own.
class DeviceScope {
 public:
  DeviceScope(Context& c, int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Context& context_;
  int before_;
};

// The same for calls that take the lock themselves.
class OfThread {
 public:
  explicit OfThread(int device);
  ~OfThread();
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;

 private:
  int before_;
};

// Throws ApiError (InvalidDevice) when there is no GPU of that number.
void check_device(const Context& c, int device);

// cudaMemLocation. Places of other types than Device are near the current GPU.
struct Place {
  enum Type : int { None, Device, Host, HostNode };
  int type, number;
};
[[nodiscard]] int device_at(const Context& c, const Place& place);

}  // namespace lab::cudart
