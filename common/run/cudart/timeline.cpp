// The simulated clock. See timeline.h.
#include "common/run/cudart/timeline.h"

#include <algorithm>

namespace lab::cudart {
namespace {

// Assumptions, round numbers: what a launch, a call and the PCI Express bus (4.0, 16 lanes) cost.
constexpr double kLaunchSeconds = 2e-6;
constexpr double kCallSeconds = 1e-6;
constexpr double kCopySeconds = 4e-6;
constexpr double kBusBytesPerSecond = 25e9;
constexpr double kLinkBytesPerSecond = 450e9;  // each way: NVLink 4, as the data sheet of an H200 has it
constexpr double kSectorBytes = 32;

}  // namespace

void Timeline::add(StreamClock& stream, bool legacy, double seconds) {
  OfDevice& device = of(stream.device);
  host_ += kCallSeconds;
  double start = std::max(host_, stream.ready);
  if (legacy) start = std::max({start, device.legacy_ready, device.blocking_ready});
  if (stream.blocks) start = std::max(start, device.legacy_ready);
  stream.ready = start + seconds;
  if (legacy) device.legacy_ready = stream.ready;
  if (stream.blocks) device.blocking_ready = std::max(device.blocking_ready, stream.ready);
  device.latest = std::max(device.latest, stream.ready);
}

void Timeline::wait_for_device(StreamClock& stream, int device) const {
  stream.ready = std::max(stream.ready, of(device).latest);
}

void Timeline::hold_device(const StreamClock& stream, int device) {
  OfDevice& held = of(device);
  held.legacy_ready = std::max(held.legacy_ready, stream.ready);
  held.latest = std::max(held.latest, stream.ready);
}

void Timeline::host_waits_for(double moment) { host_ = std::max(host_, moment); }

double Timeline::kernel_seconds(const sim::LaunchResult& result) const {
  const auto sectors = static_cast<double>(result.counters.global_total().cost);
  const auto wavefronts = static_cast<double>(result.counters.shared_total().cost);
  const double cycles = 1e6 * gpu_.clock_mhz * gpu_.multiprocessors;  // a second, all multiprocessors
  const double memory = sectors * kSectorBytes / static_cast<double>(gpu_.bandwidth);
  const double shared = wavefronts / cycles;
  const double issue = static_cast<double>(result.warp_instructions) / (cycles * gpu_.warp_schedulers);
  const sim::Counters& c = result.counters;
  const auto link = static_cast<double>(
      std::max(c[sim::Path::LinkLoad].cost,
               c[sim::Path::LinkStore].cost + c[sim::Path::LinkAtomic].cost));  // both ways at once
  return kLaunchSeconds + std::max({memory, shared, issue, link * kSectorBytes / kLinkBytesPerSecond});
}

double Timeline::copy_seconds(std::uint64_t bytes, Road road) const {
  // On the device each byte is read and written.
  const double rate = road == Road::Bus    ? kBusBytesPerSecond
                      : road == Road::Link ? kLinkBytesPerSecond
                                           : static_cast<double>(gpu_.bandwidth) / 2;
  return kCopySeconds + static_cast<double>(bytes) / rate;
}

}  // namespace lab::cudart
