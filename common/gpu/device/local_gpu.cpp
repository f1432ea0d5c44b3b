// The GPU of this process. See local_gpu.h.
#include "common/gpu/device/local_gpu.h"

#include <array>
#include <fstream>
#include <sstream>

#include "common/gpu/device/gpu_words.h"

namespace lab::device {
namespace {

// Buffers are rounded up to this, so that those of neighbouring shapes can be used again.
constexpr std::uint64_t kRounding = 4096;
// More than this of spare buffers goes back to the driver.
constexpr std::uint64_t kMostSpareBytes = 256ull << 20;

std::uint64_t rounded(std::uint64_t bytes) {
  return (std::max<std::uint64_t>(bytes, 1) + kRounding - 1) / kRounding * kRounding;
}

// The word after `before` that starts with a digit: "580.159.04".
std::string version_in(const char* file, const std::string& before) {
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  std::istringstream words(text.substr(at + before.size()));
  for (std::string word; words >> word;) {
    if (word.front() >= '0' && word.front() <= '9' && word.find('.') != std::string::npos) return word;
  }
  return {};
}

std::string driver_of_system() {
  const std::string version = version_in("/proc/driver/nvidia/version", "Kernel Module");
  return version.empty() ? version_in("/sys/module/nvidia/version", "") : version;
}

}  // namespace

LocalGpu::LocalGpu() : driver_(cuda::open_driver()) {
  if (!driver_.is_there()) {
    explain_no_driver(survey_, driver_.found, driver_.missing);
    return;
  }
  survey_.driver = driver_of_system();
  try {
    look_around();
  } catch (const cuda::Error& error) {
    explain_start(survey_, error.code, driver_.name_of(error.code), error.call);
  }
}

void LocalGpu::look_around() {
  (void)driver_.driver_version(&survey_.cuda_version);
  call("cuInit", driver_.init(0));
  int count = 0;
  call("cuDeviceGetCount", driver_.device_count(&count));
  if (count == 0) throw cuda::Error{100, "cuDeviceGetCount"};
  for (int i = 0; i < count; ++i) {
    GpuInfo& gpu = survey_.gpus.emplace_back();
    gpu.index = i;
    std::array<char, 256> name{};
    std::size_t memory = 0;
    int l2 = 0;
    call("cuDeviceGetName", driver_.device_name(name.data(), static_cast<int>(name.size()) - 1, i));
    call("cuDeviceTotalMem", driver_.device_memory(&memory, i));
    const auto ask = [&](int what, int& value) {
      call("cuDeviceGetAttribute", driver_.device_attribute(&value, what, i));
    };
    ask(cuda::kAttributeMajor, gpu.major), ask(cuda::kAttributeMinor, gpu.minor);
    ask(cuda::kAttributeMultiprocessors, gpu.multiprocessors), ask(cuda::kAttributeL2Bytes, l2);
    gpu.name = name.data();
    gpu.memory_bytes = memory;
    gpu.l2_bytes = static_cast<std::uint64_t>(std::max(l2, 0));
  }
}

void LocalGpu::open(int index) {
  if (!survey_.usable()) return;
  if (index < 0 || index >= static_cast<int>(survey_.gpus.size())) {
    explain_start(survey_, 101, driver_.name_of(101), "cuDeviceGet");
    survey_.problem =
        msg("There is no GPU {}: the driver shows {}, counted from 0.", index, survey_.gpus.size());
    return;
  }
  index_ = index;
  gpus_.emplace_back().ordinal = index;
  try {
    make_context(gpus_.front());
    find_peers();
  } catch (const cuda::Error& error) {
    explain_start(survey_, error.code, driver_.name_of(error.code), error.call);
  }
}

// Those that reach, and are reached by, all before them.
void LocalGpu::find_peers() {
  for (int ordinal = 0; ordinal < static_cast<int>(survey_.gpus.size()); ++ordinal) {
    bool reaches = ordinal != index_;
    for (std::size_t i = 0; i < gpus_.size() && reaches; ++i) {
      int there = 0, back = 0;
      call("cuDeviceCanAccessPeer", driver_.can_access_peer(&there, gpus_[i].ordinal, ordinal));
      call("cuDeviceCanAccessPeer", driver_.can_access_peer(&back, ordinal, gpus_[i].ordinal));
      reaches = there != 0 && back != 0;
    }
    if (reaches) gpus_.emplace_back().ordinal = ordinal;
  }
  survey_.together = static_cast<int>(gpus_.size());
}

void LocalGpu::make_context(Opened& gpu) {
  call("cuDevicePrimaryCtxRetain", driver_.retain_context(&gpu.context, gpu.ordinal));
  call("cuCtxSetCurrent", driver_.set_context(gpu.context));
  call("cuEventCreate", driver_.create_event(&gpu.begin, 0));
  call("cuEventCreate", driver_.create_event(&gpu.end, 0));
  for (const Opened& other : gpus_) {
    if (other.context == nullptr || &other == &gpu) continue;
    call("cuCtxEnablePeerAccess", driver_.enable_peer_access(other.context, 0));
    call("cuCtxSetCurrent", driver_.set_context(other.context));
    call("cuCtxEnablePeerAccess", driver_.enable_peer_access(gpu.context, 0));
    call("cuCtxSetCurrent", driver_.set_context(gpu.context));
  }
}

void LocalGpu::use(int gpu) {
  const auto wanted = static_cast<std::size_t>(gpu);
  if (wanted == used_) return;
  Opened& opened = gpus_.at(wanted);
  if (opened.context == nullptr) make_context(opened);
  call("cuCtxSetCurrent", driver_.set_context(opened.context));
  used_ = wanted;
}

cuda::Handle LocalGpu::load(const std::string& ptx, const std::string& cubin, std::string& log) {
  cuda::Handle module = nullptr;
  cuda::Result refused = 0;
  if (!cubin.empty()) {
    refused = driver_.load_module(&module, cubin.data(), 0, nullptr, nullptr);
    if (refused == 0) return module;
    if (ptx.empty() || ends_context(refused)) throw cuda::Error{refused, "cuModuleLoadDataEx"};
  }
  std::array<char, 8192> said{};
  std::array options = {cuda::kJitErrorLog, cuda::kJitErrorLogBytes};
  std::array<void*, 2> values = {said.data(), reinterpret_cast<void*>(said.size() - 1)};
  const cuda::Result code =
      driver_.load_module(&module, ptx.c_str(), options.size(), options.data(), values.data());
  if (code == 0) return module;
  log = said.data();
  throw cuda::Error{code, "cuModuleLoadDataEx"};
}

void LocalGpu::unload(cuda::Handle module) { call("cuModuleUnload", driver_.unload_module(module)); }

LocalFunction LocalGpu::function(cuda::Handle module, const std::string& entry) {
  LocalFunction f;
  call("cuModuleGetFunction", driver_.module_function(&f.handle, module, entry.c_str()));
  int bytes = 0;
  call("cuFuncGetAttribute", driver_.function_attribute(&bytes, cuda::kFunctionSharedBytes, f.handle));
  f.static_shared_bytes = static_cast<std::uint32_t>(bytes);
  return f;
}

bool LocalGpu::variable(cuda::Handle module, const std::string& name, std::string& bytes) {
  cuda::Pointer at = 0;
  std::size_t size = 0;
  constexpr cuda::Result kNotFound = 500;
  const cuda::Result code = driver_.module_global(&at, &size, module, name.c_str());
  if (code == kNotFound) return false;
  call("cuModuleGetGlobal", code);
  bytes.resize(size);
  call("cuMemcpyDtoH", driver_.copy_out(bytes.data(), at, size));
  return true;
}

Address LocalGpu::allocate(std::uint64_t size_bytes) {
  const std::uint64_t size = rounded(size_bytes);
  const Place place{used_, size};
  if (const auto known = spare_.find(place); known != spare_.end()) {
    const Address base = known->second;
    spare_.erase(known);
    spare_bytes_ -= size;
    places_[base] = place;
    return base;
  }
  cuda::Pointer base = 0;
  constexpr cuda::Result kNoMemory = 2;
  cuda::Result code = driver_.allocate(&base, size);
  if (code == kNoMemory && !spare_.empty()) {
    drop_spare_memory();
    code = driver_.allocate(&base, size);
  }
  if (code == kNoMemory) throw std::bad_alloc();
  call("cuMemAlloc", code);
  places_[base] = place;
  return base;
}

void LocalGpu::release(Address base) {
  const auto known = places_.find(base);
  if (known == places_.end()) return;
  spare_.emplace(known->second, base);
  spare_bytes_ += known->second.second;
  places_.erase(known);
  if (spare_bytes_ > kMostSpareBytes) drop_spare_memory();
}

void LocalGpu::drop_spare_memory() {
  for (const auto& [place, base] : spare_) call("cuMemFree", driver_.release(base));
  spare_.clear();
  spare_bytes_ = 0;
}

void LocalGpu::write(Address to, const void* from, std::uint64_t size) {
  call("cuMemcpyHtoD", driver_.copy_in(to, from, size));
}
void LocalGpu::read(Address from, void* to, std::uint64_t size) {
  call("cuMemcpyDtoH", driver_.copy_out(to, from, size));
}
void LocalGpu::fill(Address base, std::uint64_t size, std::byte value) {
  call("cuMemsetD8", driver_.fill(base, std::to_integer<unsigned char>(value), size));
}

void LocalGpu::start(cuda::Handle function, const Launch& launch, std::span<const std::byte> parameters,
                     Offsets offsets, cuda::Handle stream) {
  std::vector<void*> arguments;
  for (const std::uint32_t offset : offsets)
    arguments.push_back(const_cast<std::byte*>(parameters.data()) + offset);
  if (launch.cluster.count() > 1) return start_clusters(function, launch, arguments.data(), stream);
  call("cuLaunchKernel",
       driver_.launch(function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                      launch.block.z, launch.dynamic_shared_bytes, stream, arguments.data(), nullptr));
}

void LocalGpu::start_clusters(cuda::Handle function, const Launch& launch, void** arguments,
                              cuda::Handle stream) {
  if (driver_.launch_config == nullptr) throw DeviceError("This GPU's driver knows no clusters.");
  cuda::LaunchAttribute cluster{
      .id = cuda::kAttributeCluster, .x = launch.cluster.x, .y = launch.cluster.y, .z = launch.cluster.z};
  const cuda::LaunchConfig config{.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                                  .block = {launch.block.x, launch.block.y, launch.block.z},
                                  .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                                  .stream = stream,
                                  .attributes = &cluster,
                                  .attribute_count = 1};
  call("cuLaunchKernelEx", driver_.launch_config(&config, function, arguments, nullptr));
}

TensorMapBytes LocalGpu::tensor_map(const sim::TensorMap& map) const {
  if (driver_.encode_tensor_map == nullptr) throw DeviceError("This GPU's driver knows no tensor maps.");
  alignas(sim::kTensorMapAlign) TensorMapBytes bytes{};
  call("cuTensorMapEncodeTiled",
       driver_.encode_tensor_map(bytes.data(), static_cast<int>(map.type), map.rank, map.address,
                                 map.dims.data(), map.strides.data(), map.box.data(), map.steps.data(),
                                 static_cast<int>(map.interleave), static_cast<int>(map.swizzle),
                                 static_cast<int>(map.promotion), static_cast<int>(map.fill)));
  return bytes;
}

// More than 48 KiB must be asked for.
void LocalGpu::allow_shared(cuda::Handle function, const Launch& launch) {
  if (launch.dynamic_shared_bytes == 0) return;
  call("cuFuncSetAttribute", driver_.set_function_attribute(function, cuda::kFunctionDynamicSharedLimit,
                                                            static_cast<int>(launch.dynamic_shared_bytes)));
}

double LocalGpu::launch(cuda::Handle function, const Launch& launch, Offsets offsets) {
  allow_shared(function, launch);
  const Opened& gpu = gpus_[used_];
  call("cuEventRecord", driver_.record_event(gpu.begin, nullptr));
  start(function, launch, launch.parameters, offsets, nullptr);
  call("cuEventRecord", driver_.record_event(gpu.end, nullptr));
  call("cuCtxSynchronize", driver_.synchronize());
  float milliseconds = 0;
  call("cuEventElapsedTime", driver_.elapsed(&milliseconds, gpu.begin, gpu.end));
  return double(milliseconds) / 1000;
}

void LocalGpu::turn(const LocalWork& local, const TimedWork::Turn& turn, cuda::Handle stream) {
  const TimedWork& work = local.work;
  switch (work.kind) {
    case TimedWork::Kind::Kernel:
      return start(local.function, work.launch, turn.parameters, local.offsets, stream);
    case TimedWork::Kind::Copy:
      return call("cuMemcpyDtoDAsync", driver_.copy_inside(turn.to, turn.from, work.copy_bytes, stream));
    case TimedWork::Kind::Cublas:
      return cublas().transpose(turn.to, turn.from, work.rows, work.cols, work.elem_bytes);
  }
}

// In the nameless stream a copy from one GPU to another waits for both and both wait for it (CUDA C++
// Programming Guide, "Peer-to-Peer Memory Copy"): two copies would go one after the other.
cuda::Handle LocalGpu::stream_beside_others(std::size_t gpu) {
  cuda::Handle& stream = gpus_[gpu].stream;
  if (stream == nullptr) call("cuStreamCreate", driver_.create_stream(&stream, cuda::kStreamNonBlocking));
  return stream;
}

std::vector<double> LocalGpu::time(std::span<const LocalWork> by_gpu, const TimingPlan& plan) {
  const int gpus = static_cast<int>(by_gpu.size());
  std::vector<std::size_t> next(by_gpu.size());
  const auto on_each = [&](const auto& body) {
    for (int gpu = gpus - 1; gpu >= 0; --gpu) use(gpu), body(static_cast<std::size_t>(gpu));  // ends with 0
  };
  std::vector<cuda::Handle> streams(by_gpu.size());
  const auto once = [&](std::size_t gpu) {
    const TimedWork& work = by_gpu[gpu].work;
    if (work.turns.empty()) return;
    for (int i = 0; i < work.turns_at_once; ++i)
      turn(by_gpu[gpu], work.turns[next[gpu]++ % work.turns.size()], streams[gpu]);
  };
  on_each([&](std::size_t gpu) {
    if (by_gpu[gpu].work.kind == TimedWork::Kind::Kernel)
      allow_shared(by_gpu[gpu].function, by_gpu[gpu].work.launch);
    if (gpus == 1) return;
    streams[gpu] = stream_beside_others(gpu);
    call("cuCtxSynchronize", driver_.synchronize());  // what was done before is in another stream
  });
  for (int i = 0; i < plan.warm_ups; ++i) on_each(once);
  on_each([&](std::size_t) { call("cuCtxSynchronize", driver_.synchronize()); });
  std::vector<double> samples;
  const Opened& clock = gpus_.front();
  for (int s = 0; s < plan.samples; ++s) {
    call("cuEventRecord", driver_.record_event(clock.begin, streams[0]));
    on_each([&](std::size_t gpu) {
      if (gpu != 0) call("cuStreamWaitEvent", driver_.let_stream_wait(streams[gpu], clock.begin, 0));
    });
    for (int i = 0; i < plan.repeats; ++i) on_each(once);
    on_each([&](std::size_t gpu) {
      if (gpu != 0) call("cuEventRecord", driver_.record_event(gpus_[gpu].end, streams[gpu]));
    });
    for (std::size_t gpu = 1; gpu < by_gpu.size(); ++gpu)
      call("cuStreamWaitEvent", driver_.let_stream_wait(streams[0], gpus_[gpu].end, 0));
    call("cuEventRecord", driver_.record_event(clock.end, streams[0]));
    call("cuEventSynchronize", driver_.wait_for_event(clock.end));
    float milliseconds = 0;
    call("cuEventElapsedTime", driver_.elapsed(&milliseconds, clock.begin, clock.end));
    samples.push_back(double(milliseconds) / 1000 / plan.repeats);
  }
  on_each([&](std::size_t) { call("cuCtxSynchronize", driver_.synchronize()); });
  return samples;
}

Cublas& LocalGpu::cublas() {
  cublas_.open();
  return cublas_;
}

}  // namespace lab::device
