// The simulated clock. See timeline.h.
#include "common/cudart/timeline.h"

#include <algorithm>

namespace lab::cudart {
namespace {

// Assumptions, round numbers: what a launch, a call and the PCI Express bus (4.0, 16 lanes) cost.
constexpr double kLaunchSeconds = 2e-6;
constexpr double kCallSeconds = 1e-6;
constexpr double kCopySeconds = 4e-6;
constexpr double kBusBytesPerSecond = 25e9;
constexpr double kSectorBytes = 32;

}  // namespace

void Timeline::add(StreamClock& stream, bool legacy, double seconds) {
  host_ += kCallSeconds;
  double start = std::max(host_, stream.ready);
  if (legacy) start = std::max({start, legacy_ready_, blocking_ready_});
  if (stream.blocks) start = std::max(start, legacy_ready_);
  stream.ready = start + seconds;
  if (legacy) legacy_ready_ = stream.ready;
  if (stream.blocks) blocking_ready_ = std::max(blocking_ready_, stream.ready);
  latest_ = std::max(latest_, stream.ready);
}

void Timeline::host_waits_for(double moment) { host_ = std::max(host_, moment); }

double Timeline::kernel_seconds(const sim::LaunchResult& result) const {
  const auto sectors = static_cast<double>(result.counters.global_total().sectors);
  const auto wavefronts = static_cast<double>(result.counters.shared_total().wavefronts);
  const double cycles = 1e6 * gpu_.clock_mhz * gpu_.multiprocessors;  // a second, all multiprocessors
  const double memory = sectors * kSectorBytes / static_cast<double>(gpu_.bandwidth);
  const double shared = wavefronts / cycles;
  const double issue = static_cast<double>(result.warp_instructions) / (cycles * gpu_.warp_schedulers);
  return kLaunchSeconds + std::max({memory, shared, issue});
}

double Timeline::copy_seconds(std::uint64_t bytes, bool over_the_bus) const {
  // On the device each byte is read and written.
  const double rate = over_the_bus ? kBusBytesPerSecond : static_cast<double>(gpu_.bandwidth) / 2;
  return kCopySeconds + static_cast<double>(bytes) / rate;
}

}  // namespace lab::cudart
