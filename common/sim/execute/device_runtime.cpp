// The device runtime. See device_runtime.h.
#include "common/sim/execute/device_runtime.h"

#include <algorithm>
#include <span>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/builtins.h"
#include "common/sim/execute/launch_limits.h"

namespace lab::sim {
namespace {

// cudaError_t.
constexpr int kSuccess = 0, kInvalidValue = 1, kMemoryAllocation = 2, kInvalidConfiguration = 9,
              kTooManyPending = 69;
// Tail launches of one grid, as measured (cudaLimitDevRuntimePendingLaunchCount).
constexpr std::size_t kMostTails = 2048;
// Handles of streams and events; the small numbers are streams that always exist.
constexpr std::uint64_t kFirstHandle = 0x1000;

struct Name {
  std::string_view call;
  Builtin builtin;
};
constexpr Name kDeviceCalls[] = {{"GetParameterBufferV2", Builtin::ParameterBuffer},
                                 {"LaunchDeviceV2", Builtin::LaunchDevice},
                                 {"StreamCreateWithFlags", Builtin::MakeHandle},
                                 {"StreamDestroy", Builtin::Nothing},
                                 {"StreamWaitEvent", Builtin::Nothing},
                                 {"EventCreateWithFlags", Builtin::MakeHandle},
                                 {"EventRecord", Builtin::Nothing},
                                 {"EventRecordWithFlags", Builtin::Nothing},
                                 {"EventDestroy", Builtin::Nothing},
                                 {"GetLastError", Builtin::LastError},
                                 {"PeekAtLastError", Builtin::PeekAtLastError},
                                 {"GetErrorString", Builtin::ErrorString},
                                 {"GetDevice", Builtin::CurrentDevice},
                                 {"GetDeviceCount", Builtin::DeviceCount},
                                 {"Malloc", Builtin::DeviceMalloc},
                                 {"Free", Builtin::DeviceFree},
                                 {"MemcpyAsync", Builtin::CopyAsync},
                                 {"MemsetAsync", Builtin::FillAsync}};

// As the runtime of CUDA 13 says it, for the codes that kernels meet here.
std::string_view error_string(std::uint64_t code) {
  switch (code) {
    case kSuccess:
      return "no error";
    case kInvalidValue:
      return "invalid argument";
    case kMemoryAllocation:
      return "out of memory";
    case kInvalidConfiguration:
      return "invalid configuration argument";
    case kTooManyPending:
      return "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount";
    default:
      return "unrecognized error code";
  }
}

// One lane's call.
class DeviceCall {
 public:
  DeviceCall(BlockRun& block, const WarpContext& w, const CallSite& site, const Inst& inst, int lane)
      : block_(block),
        w_(w),
        site_(site),
        inst_(inst),
        lane_(lane),
        runtime_(*block.launch().device_runtime) {}

  void run() {
    if (site_.builtin == Builtin::ParameterBuffer) return answer(parameter_buffer());
    if (site_.builtin == Builtin::ErrorString) return answer(text_in_memory(error_string(argument(0))));
    const int code = code_of_call();
    const bool asks = site_.builtin == Builtin::LastError || site_.builtin == Builtin::PeekAtLastError;
    if (code != kSuccess && !asks) error() = code;
    answer(static_cast<std::uint64_t>(code));
  }

 private:
  [[nodiscard]] std::uint64_t argument(std::size_t k) const {
    return argument_of(block_, w_, site_, k, lane_);
  }
  [[nodiscard]] Dim3 shape(std::size_t k) const {
    std::uint32_t sides[3] = {1, 1, 1};
    copy_argument(block_, w_, site_, k, lane_, std::as_writable_bytes(std::span(sides)));
    return {sides[0], sides[1], sides[2]};
  }
  void answer(std::uint64_t value) { set_result(block_, w_, site_, lane_, value); }
  int& error() {
    const std::uint32_t thread = w_.place->first_thread + static_cast<std::uint32_t>(lane_);
    return runtime_.errors[{w_.place->block_index, thread}];
  }
  [[noreturn]] void stop(const Message& what) const {
    block_.fault(FaultKind::Trap, w_, inst_.pc, lane_, 0, msg("{} {}", block_.thread_name(w_, lane_), what));
  }

  int code_of_call() {
    switch (site_.builtin) {
      case Builtin::LaunchDevice:
        return launch();
      case Builtin::MakeHandle:
        return store(argument(0), kFirstHandle + runtime_.handles++, 8);
      case Builtin::LastError:
        return std::exchange(error(), kSuccess);
      case Builtin::PeekAtLastError:
        return error();
      case Builtin::CurrentDevice:
        return store(argument(0), 0, 4);
      case Builtin::DeviceCount:
        return store(argument(0), 1, 4);
      case Builtin::DeviceMalloc: {
        const DeviceAddress room = runtime_.memory.heap_allocate(argument(1));
        store(argument(0), room, 8);
        return room == 0 ? kMemoryAllocation : kSuccess;
      }
      case Builtin::DeviceFree:
        return argument(0) == 0 || runtime_.memory.heap_release(argument(0)) ? kSuccess : kInvalidValue;
      case Builtin::CopyAsync:
        return later(DeviceLaunch::What::Copy, argument(4));
      case Builtin::FillAsync:
        return later(DeviceLaunch::What::Fill, argument(3));
      case Builtin::SetConditional:
        return store(argument(0), argument(1), 4);
      default:
        return kSuccess;
    }
  }

  // For the kernel to read and print.
  std::uint64_t text_in_memory(std::string_view text) {
    const DeviceAddress at = runtime_.memory.allocate(text.size() + 1, Fill::Written,
                                                      "the text of cudaGetErrorString in a kernel");
    runtime_.buffers.push_back(at);
    runtime_.memory.write(at, std::as_bytes(std::span(text.data(), text.size())));
    return at;
  }

  // Where the compiler's code will write the parameters of the launch. 0: there will be none.
  std::uint64_t parameter_buffer() {
    const std::vector<LaunchableKernel>& kernels = block_.launch().program->launchable;
    const std::uint64_t index = (argument(0) - kFunctionBase) / 16;
    if (argument(0) < kFunctionBase || index >= kernels.size() || kernels[index].name.empty())
      stop("launches what is no kernel of the program.");
    DeviceLaunch made;
    made.kernel = kernels[index].name;
    made.grid = shape(1);
    made.block = shape(2);
    made.dynamic_shared_bytes = static_cast<std::uint32_t>(argument(3));
    made.parameters.resize(kernels[index].parameter_bytes);
    if (!allowed(made)) {
      error() = kInvalidConfiguration;
      return 0;
    }
    const DeviceAddress at = runtime_.memory.allocate(std::max<std::size_t>(made.parameters.size(), 1),
                                                      Fill::Poison, "the parameters of a launch by a kernel");
    runtime_.buffers.push_back(at);
    runtime_.begun[at] = std::move(made);
    return at;
  }

  [[nodiscard]] bool allowed(const DeviceLaunch& wanted) const {
    const DeviceLimits& limits = block_.launch().limits;
    const auto inside = [](const Dim3& d, const Dim3& most) {
      return d.count() != 0 && d.x <= most.x && d.y <= most.y && d.z <= most.z;
    };
    return inside(wanted.grid, limits.max_grid) && inside(wanted.block, limits.max_block) &&
           wanted.block.count() <= limits.max_threads_per_block &&
           wanted.dynamic_shared_bytes <= limits.max_static_shared_bytes;
  }

  int launch() {
    const auto found = runtime_.begun.find(argument(0));
    if (found == runtime_.begun.end()) return kInvalidValue;
    runtime_.memory.read(found->first, found->second.parameters);
    found->second.stream = argument(1);
    if (found->second.stream == DeviceLaunch::kTailStream) {
      if (runtime_.tails == kMostTails) return kTooManyPending;
      ++runtime_.tails;
    }
    hand_over(std::move(found->second));
    runtime_.begun.erase(found);
    return kSuccess;
  }

  void hand_over(DeviceLaunch work) {
    work.number = runtime_.launched.size();
    if (work.stream != DeviceLaunch::kTailStream)
      block_.notify<&Observer::launched>(w_.place->warp, work.number);
    runtime_.launched.push_back(std::move(work));
  }

  // cudaMemcpyAsync(to, from, bytes, kind, stream), cudaMemsetAsync(to, value, bytes, stream).
  int later(DeviceLaunch::What what, std::uint64_t stream) {
    DeviceLaunch work;
    work.what = what;
    work.stream = stream;
    work.to = argument(0);
    if (what == DeviceLaunch::What::Copy) work.from = argument(1);
    if (what == DeviceLaunch::What::Fill) work.value = static_cast<std::uint8_t>(argument(1));
    work.size_bytes = argument(2);
    hand_over(std::move(work));
    return kSuccess;
  }

  // To any space: most often a variable of the thread's own.
  int store(std::uint64_t address, std::uint64_t value, std::size_t size_bytes) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(&value, 1)).first(size_bytes);
    Warp& warp = block_.warp_of(w_);
    const std::uint32_t thread = w_.place->first_thread + static_cast<std::uint32_t>(lane_);
    const std::uint64_t in_local = local_offset(address, thread), in_shared = address - kSharedWindow;
    if (in_local_window(address) && in_local + size_bytes <= warp.local_stride) {
      const std::uint64_t lane = static_cast<std::uint64_t>(lane_) * warp.local_stride;
      std::copy(bytes.begin(), bytes.end(),
                warp.local.begin() + static_cast<std::ptrdiff_t>(lane + in_local));
    } else if (in_shared < kWindowBytes && in_shared + size_bytes <= block_.shared.size()) {
      std::copy(bytes.begin(), bytes.end(), block_.shared.begin() + static_cast<std::ptrdiff_t>(in_shared));
    } else if (runtime_.memory.find(address, size_bytes) != nullptr) {
      runtime_.memory.write(address, bytes);
    } else {
      stop(msg("hands the device runtime an address where nothing can be written: {}.",
               runtime_.memory.describe(address, size_bytes)));
    }
    return kSuccess;
  }

  BlockRun& block_;
  const WarpContext& w_;
  const CallSite& site_;
  const Inst& inst_;
  const int lane_;
  DeviceRuntime& runtime_;
};

}  // namespace

DeviceRuntime::~DeviceRuntime() {
  for (const DeviceAddress at : buffers) memory.release(at);
}

Builtin device_builtin(std::string_view name) {
  if (name == "cudaGraphSetConditional") return Builtin::SetConditional;
  constexpr std::string_view kPrefix = "__cudaCDP2", kPerThread = "_ptsz";
  if (!name.starts_with(kPrefix)) return Builtin::None;
  name.remove_prefix(kPrefix.size());
  if (name.ends_with(kPerThread)) name.remove_suffix(kPerThread.size());
  const auto* const found = std::find_if(std::begin(kDeviceCalls), std::end(kDeviceCalls),
                                         [&](const Name& known) { return known.call == name; });
  return found == std::end(kDeviceCalls) ? Builtin::None : found->builtin;
}

std::optional<Fault> check_device_runtime(const Program& program, const LaunchOptions& options) {
  const std::uint32_t at = program.data().launches_at;
  if (at == kNoPc || options.kernels_launch) return std::nullopt;
  Fault fault = launch_fault(program, FaultKind::Unsupported,
                             "a kernel that launches kernels (dynamic parallelism). `lab run` runs such "
                             "programs; a chapter's kernel does its work itself.");
  const InstSource source = program.source(at);
  fault.file = source.file, fault.line = source.line;
  return fault;
}

void run_device_runtime(BlockRun& block, WarpContext& w, const CallSite& site, const Inst& inst) {
  constexpr std::uint64_t kWorkOfCall = 300;  // units (program/work.h)
  for (const int lane : lanes_of<int>(w.mask)) {
    block.charge(w, inst, kWorkOfCall);
    DeviceCall(block, w, site, inst, lane).run();
  }
}

}  // namespace lab::sim
