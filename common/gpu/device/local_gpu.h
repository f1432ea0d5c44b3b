// The GPU of this process: every call goes straight to the driver.
//
// Enters: what a worker process was asked (gpu_worker.cpp). Leaves: answers, or cuda::Error with the driver's
// code. Only workers use this: a process that has opened the driver shares its fate.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/gpu/device/cublas.h"
#include "common/gpu/device/cuda_driver.h"
#include "common/gpu/device/gpu.h"

namespace lab::device {

// A function of a loaded module.
struct LocalFunction {
  cuda::Handle handle = nullptr;
  std::uint32_t static_shared_bytes = 0;
};

using Offsets = std::span<const std::uint32_t>;

// What one GPU does while all are timed; the function is that of Kind::Kernel.
struct LocalWork {
  cuda::Handle function = nullptr;
  TimedWork work;
  std::vector<std::uint32_t> offsets;
};

class LocalGpu {
 public:
  LocalGpu();  // opens the driver; `survey` says how that went
  // Makes the context on one of survey().gpus; on failure survey() has a problem.
  void open(int index);
  // What follows is about this one of survey().together, the opened one being 0. It makes the context of
  // another one, and lets all that have one use each other's memory.
  void use(int gpu);
  [[nodiscard]] const GpuSurvey& survey() const { return survey_; }
  [[nodiscard]] const GpuInfo& info() const { return survey_.gpus.at(static_cast<std::size_t>(index_)); }
  [[nodiscard]] const cuda::Driver& driver() const { return driver_; }

  // All throw cuda::Error. A module: the cubin, else the PTX; `log` takes what the driver's compiler said.
  [[nodiscard]] cuda::Handle load(const std::string& ptx, const std::string& cubin, std::string& log);
  void unload(cuda::Handle module);
  [[nodiscard]] LocalFunction function(cuda::Handle module, const std::string& entry);
  // False: no such variable.
  [[nodiscard]] bool variable(cuda::Handle module, const std::string& name, std::string& bytes);
  [[nodiscard]] Address allocate(std::uint64_t size_bytes);
  void release(Address base);
  void write(Address to, const void* from, std::uint64_t size_bytes);
  void read(Address from, void* to, std::uint64_t size_bytes);
  void fill(Address base, std::uint64_t size_bytes, std::byte value);
  [[nodiscard]] TensorMapBytes tensor_map(const sim::TensorMap& map) const;
  // Seconds. `offsets`: where each parameter begins in the packed ones; where they lie on the GPU, the driver
  // knows: a tensor map's place there goes by addresses, not by offsets.
  [[nodiscard]] double launch(cuda::Handle function, const Launch& launch, Offsets offsets);
  // All GPUs at once, by the clock of GPU 0.
  [[nodiscard]] std::vector<double> time(std::span<const LocalWork> by_gpu, const TimingPlan& plan);
  [[nodiscard]] Cublas& cublas();

 private:
  void call(const char* name, cuda::Result code) const {
    if (code != 0) throw cuda::Error{code, name};
  }
  struct Opened {
    int ordinal = 0;
    cuda::Handle context = nullptr, begin = nullptr, end = nullptr;  // the latter two are events
    cuda::Handle stream = nullptr;                                   // for work on several GPUs at once
  };
  void look_around();
  void find_peers();
  void make_context(Opened& gpu);
  void allow_shared(cuda::Handle function, const Launch& launch);
  void start(cuda::Handle function, const Launch& launch, std::span<const std::byte> parameters,
             Offsets offsets, cuda::Handle stream);
  void start_clusters(cuda::Handle function, const Launch& launch, void** arguments, cuda::Handle stream);
  void turn(const LocalWork& work, const TimedWork::Turn& turn, cuda::Handle stream);
  [[nodiscard]] cuda::Handle stream_beside_others(std::size_t gpu);
  void drop_spare_memory();

  cuda::Driver driver_;
  GpuSurvey survey_;
  int index_ = 0;
  std::vector<Opened> gpus_;                            // with a context or without
  std::size_t used_ = 0;                                // of these
  using Place = std::pair<std::size_t, std::uint64_t>;  // GPU, bytes
  std::map<Address, Place> places_;                     // of buffers in use
  // Buffers given back are kept: small shapes come by the thousand, and the driver takes its time.
  std::multimap<Place, Address> spare_;
  std::uint64_t spare_bytes_ = 0;
  Cublas cublas_;
};

}  // namespace lab::device
