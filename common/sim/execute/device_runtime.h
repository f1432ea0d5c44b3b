// What kernels ask of the device runtime: launches, copies and fills behind them, streams, errors.
//
// Enters: calls of a kernel (`__cudaCDP2…`). Leaves: a list of work, in the order in which it was asked for.
// A GPU may begin a child at any time from its launch on; here it begins when its parent's grid has ended.
// Streams allow that, and since CUDA 12 a kernel has no call that waits for what it launched. What a GPU says
// of launches beyond its limits was measured on an H100 (driver 580).
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/sim/execute/block.h"

namespace lab::sim {

// The device runtime of one launch. The blocks of such a kernel run in turns on one host thread.
struct DeviceRuntime {
  explicit DeviceRuntime(Memory& of) : memory(of) {}
  ~DeviceRuntime();
  DeviceRuntime(const DeviceRuntime&) = delete;
  DeviceRuntime& operator=(const DeviceRuntime&) = delete;

  Memory& memory;
  std::map<DeviceAddress, DeviceLaunch> begun;  // by the buffer that their parameters are written to
  std::vector<DeviceAddress> buffers;
  std::vector<DeviceLaunch> launched;
  std::map<std::pair<std::uint64_t, std::uint32_t>, int> errors;  // of each block's threads
  std::uint64_t handles = 0;
  std::size_t tails = 0;
};

// Builtin::None when the device runtime has no such function, or it is not simulated.
[[nodiscard]] Builtin device_builtin(std::string_view name);

// A kernel that launches kernels, where nothing would run them: refused, with its line.
[[nodiscard]] std::optional<Fault> check_device_runtime(const Program& program, const LaunchOptions& options);

void run_device_runtime(BlockRun& block, WarpContext& w, const CallSite& site, const Inst& inst);

}  // namespace lab::sim
