// The GPU of this process: every call goes straight to the driver.
//
// Enters: what a worker process was asked (gpu_worker.cpp). Leaves: answers, or cuda::Error with the driver's
// code. Only workers use this: a process that has opened the driver shares its fate.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/device/cublas.h"
#include "common/device/cuda_driver.h"
#include "common/device/gpu.h"

namespace lab::device {

// A function of a loaded module.
struct LocalFunction {
  cuda::Handle handle = nullptr;
  std::uint32_t static_shared_bytes = 0;
};

class LocalGpu {
 public:
  LocalGpu();  // opens the driver; `survey` says how that went
  // Makes the context on one of survey().gpus; on failure survey() has a problem.
  void open(int index);
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
  [[nodiscard]] double launch(cuda::Handle function, const Launch& launch);  // seconds
  // `function` is that of Kind::Kernel.
  [[nodiscard]] std::vector<double> time(cuda::Handle function, const TimedWork& work,
                                         const TimingPlan& plan);
  [[nodiscard]] Cublas& cublas();

 private:
  void call(const char* name, cuda::Result code) const {
    if (code != 0) throw cuda::Error{code, name};
  }
  void look_around();
  void allow_shared(cuda::Handle function, const Launch& launch);
  void start(cuda::Handle function, const Launch& launch, std::span<const std::byte> parameters);
  void start_clusters(cuda::Handle function, const Launch& launch, void** extra);
  void turn(cuda::Handle function, const TimedWork& work, const TimedWork::Turn& turn);
  void drop_spare_memory();

  cuda::Driver driver_;
  GpuSurvey survey_;
  int index_ = 0;
  cuda::Handle begin_ = nullptr, end_ = nullptr;  // events
  std::map<Address, std::uint64_t> sizes_;        // of buffers in use
  // Of buffers given back, by size: small shapes come by the thousand, and the driver takes its time.
  std::multimap<std::uint64_t, Address> spare_;
  std::uint64_t spare_bytes_ = 0;
  Cublas cublas_;
};

}  // namespace lab::device
