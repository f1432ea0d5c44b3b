// The GPU of this process. See local_gpu.h.
#include "common/device/local_gpu.h"

#include <array>
#include <fstream>
#include <sstream>

#include "common/device/gpu_words.h"

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
    survey_.problem = "There is no GPU " + std::to_string(index) + ": the driver shows " +
                      std::to_string(survey_.gpus.size()) + ", counted from 0.";
    return;
  }
  index_ = index;
  try {
    cuda::Handle context = nullptr;
    call("cuDevicePrimaryCtxRetain", driver_.retain_context(&context, index));
    call("cuCtxSetCurrent", driver_.set_context(context));
    call("cuEventCreate", driver_.create_event(&begin_, 0));
    call("cuEventCreate", driver_.create_event(&end_, 0));
  } catch (const cuda::Error& error) {
    explain_start(survey_, error.code, driver_.name_of(error.code), error.call);
  }
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
  if (const auto known = spare_.find(size); known != spare_.end()) {
    const Address base = known->second;
    spare_.erase(known);
    spare_bytes_ -= size;
    sizes_[base] = size;
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
  sizes_[base] = size;
  return base;
}

void LocalGpu::release(Address base) {
  const auto known = sizes_.find(base);
  if (known == sizes_.end()) return;
  spare_.emplace(known->second, base);
  spare_bytes_ += known->second;
  sizes_.erase(known);
  if (spare_bytes_ > kMostSpareBytes) drop_spare_memory();
}

void LocalGpu::drop_spare_memory() {
  for (const auto& [size, base] : spare_) call("cuMemFree", driver_.release(base));
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

void LocalGpu::start(cuda::Handle function, const Launch& launch, std::span<const std::byte> parameters) {
  std::size_t size = parameters.size();
  // The packed block as it is: pointer (1), size (2), end (0).
  std::array<void*, 5> extra = {reinterpret_cast<void*>(1), const_cast<std::byte*>(parameters.data()),
                                reinterpret_cast<void*>(2), &size, nullptr};
  if (launch.cluster.count() > 1) return start_clusters(function, launch, extra.data());
  call("cuLaunchKernel",
       driver_.launch(function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                      launch.block.z, launch.dynamic_shared_bytes, nullptr, nullptr, extra.data()));
}

void LocalGpu::start_clusters(cuda::Handle function, const Launch& launch, void** extra) {
  if (driver_.launch_config == nullptr) throw DeviceError("This GPU's driver knows no clusters.");
  cuda::LaunchAttribute cluster{
      .id = cuda::kAttributeCluster, .x = launch.cluster.x, .y = launch.cluster.y, .z = launch.cluster.z};
  const cuda::LaunchConfig config{.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                                  .block = {launch.block.x, launch.block.y, launch.block.z},
                                  .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                                  .attributes = &cluster,
                                  .attribute_count = 1};
  call("cuLaunchKernelEx", driver_.launch_config(&config, function, nullptr, extra));
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

double LocalGpu::launch(cuda::Handle function, const Launch& launch) {
  allow_shared(function, launch);
  call("cuEventRecord", driver_.record_event(begin_, nullptr));
  start(function, launch, launch.parameters);
  call("cuEventRecord", driver_.record_event(end_, nullptr));
  call("cuCtxSynchronize", driver_.synchronize());
  float milliseconds = 0;
  call("cuEventElapsedTime", driver_.elapsed(&milliseconds, begin_, end_));
  return double(milliseconds) / 1000;
}

void LocalGpu::turn(cuda::Handle function, const TimedWork& work, const TimedWork::Turn& turn) {
  switch (work.kind) {
    case TimedWork::Kind::Kernel:
      return start(function, work.launch, turn.parameters);
    case TimedWork::Kind::Copy:
      return call("cuMemcpyDtoDAsync", driver_.copy_inside(turn.to, turn.from, work.copy_bytes, nullptr));
    case TimedWork::Kind::Cublas:
      return cublas().transpose(turn.to, turn.from, work.rows, work.cols, work.elem_bytes);
  }
}

std::vector<double> LocalGpu::time(cuda::Handle function, const TimedWork& work, const TimingPlan& plan) {
  if (work.kind == TimedWork::Kind::Kernel) allow_shared(function, work.launch);
  std::size_t next = 0;
  const auto once = [&] { turn(function, work, work.turns[next++ % work.turns.size()]); };
  for (int i = 0; i < plan.warm_ups; ++i) once();
  call("cuCtxSynchronize", driver_.synchronize());
  std::vector<double> samples;
  for (int s = 0; s < plan.samples; ++s) {
    call("cuEventRecord", driver_.record_event(begin_, nullptr));
    for (int i = 0; i < plan.repeats; ++i) once();
    call("cuEventRecord", driver_.record_event(end_, nullptr));
    call("cuEventSynchronize", driver_.wait_for_event(end_));
    float milliseconds = 0;
    call("cuEventElapsedTime", driver_.elapsed(&milliseconds, begin_, end_));
    samples.push_back(double(milliseconds) / 1000 / plan.repeats);
  }
  call("cuCtxSynchronize", driver_.synchronize());
  return samples;
}

Cublas& LocalGpu::cublas() {
  cublas_.open();
  return cublas_;
}

}  // namespace lab::device
