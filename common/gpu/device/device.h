// One small interface for both devices: the simulator, and a GPU through the CUDA driver (gpu.h).
//
// Enters: a compiled kernel file. Leaves: entry points that can be launched on buffers, with what the launch
// did: faults, counters where the device has them, seconds. Users never ask which device it is; they ask what
// it can do (`counts`, `catches_stray_writes`, `has_times`).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/sim/base/fault.h"
#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"
#include "common/sim/memory/tensor_map.h"
#include "common/sim/observe/counters.h"
#include "common/sim/program/program.h"

namespace lab::device {

using Address = std::uint64_t;
using sim::Dim3;

// The module or one of its entries cannot be loaded; `fault` says why, with a whole sentence.
class LoadError : public text::Said<std::runtime_error> {
 public:
  explicit LoadError(sim::Fault f) : Said(f.sentence()), fault(std::move(f)) {}
  sim::Fault fault;
};

// The device itself is not there, or has no room: no fault of the kernel.
class DeviceError : public text::Said<std::runtime_error> {
 public:
  using Said::Said;
};

// What a device loads. The simulator reads the PTX. A GPU takes the cubin where there is one, else its driver
// compiles the PTX.
struct Image {
  Image(std::string ptx_text, std::string cubin_bytes = {})  // NOLINT: PTX alone is an image
      : ptx(std::move(ptx_text)), cubin(std::move(cubin_bytes)) {}
  std::string ptx, cubin;
};

struct Parameter {
  using Kind = sim::ParameterKind;
  std::string name;
  std::uint32_t offset_bytes = 0, size_bytes = 0;
  Kind kind = Kind::Bits;
};

// One entry point of a module, ready to launch. Lives as long as its module.
class Kernel {
 public:
  virtual ~Kernel() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const std::vector<Parameter>& parameters() const = 0;
  [[nodiscard]] virtual std::uint32_t static_shared_bytes() const = 0;
  // Whether it has a store to global memory, or what may store for it; a GPU's kernel does not say.
  [[nodiscard]] virtual bool may_write_global() const { return true; }
  // Its module is as if it were loaded anew: what an earlier launch left in variables is gone. Where the
  // device cannot do that, nothing happens.
  virtual void renew() const {}
};

// A loaded module. Lives as long as its device.
class Module {
 public:
  virtual ~Module() = default;
  [[nodiscard]] virtual std::vector<std::string> entries() const = 0;
  // Throws LoadError when there is no such entry or the device cannot execute it.
  [[nodiscard]] virtual std::shared_ptr<const Kernel> kernel(std::string_view entry) = 0;
  // The bytes of a .const or .global variable; none when the module has no such name.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> constant(std::string_view name) const = 0;
};

struct Launch {
  Dim3 grid, block;
  Dim3 cluster{0, 0, 0};  // blocks; none given: what the kernel was compiled for, else one
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;      // packed as Kernel::parameters says
  bool count = true;                      // counters, when the device has them
  bool check = true;                      // races and uninitialised reads
  bool global_races = true;               // of these, races in global memory
  bool checks_stop = true;                // what they find ends the launch; else it is in `findings`
  unsigned host_threads = 0;              // of the simulator; 0: as many as the machine has
  std::uint64_t budget_work = 0;          // of the simulator (sim/program/work.h); 0: its own limits
  std::vector<sim::Observer*> observers;  // of the simulator only
  std::vector<std::uint64_t> clusters;    // of the simulator: these of the grid alone; empty: all
  // For the simulator: what CUDA leaves open, drawn: the order of warps and blocks, what was never set; the
  // hardware's numbers, on which no count depends. 0: as always.
  std::uint64_t schedule = 0, numbers = 0;
};

struct LaunchOutcome {
  std::vector<sim::Fault> faults;         // empty: the launch did what it says
  std::vector<sim::Fault> notes;          // simulator: no mistakes, good to know
  std::vector<sim::Fault> findings = {};  // simulator: of checks that do not stop
  bool counted = false;                   // the next two hold something
  sim::Counters counters;
  std::vector<sim::LineCounters> lines;
  std::uint64_t lane_instructions = 0;  // simulator
  std::uint64_t warp_instructions = 0;  // simulator: issued, however many lanes were active
  std::uint64_t work = 0;               // simulator: what it cost the host, in units
  double seconds = 0;                   // of the simulation, or of the GPU
  std::string output;                   // of device printf
};

// A tensor map as this device reads it: opaque, a kernel parameter.
using TensorMapBytes = std::array<std::byte, sim::kTensorMapBytes>;

// What a buffer holds before the kernel runs.
enum class Content : std::uint8_t {
  Poison,    // no thread may read it before it is written
  Data,      // the host fills it
  ReadOnly,  // the host fills it, the kernel must not write it
  // As Poison and ReadOnly, of which only a few places are ever touched.
  SparsePoison,
  SparseReadOnly,
};

// Something to be done many times and timed. Its buffers take turns, so that no turn finds its data in a
// cache.
struct TimedWork {
  enum class Kind : std::uint8_t { Kernel, Copy, Cublas };  // cuBLAS: its transpose, `geam`
  struct Turn {
    std::vector<std::byte> parameters;  // of the kernel
    Address to = 0, from = 0;           // of the others
  };
  Kind kind = Kind::Kernel;
  const lab::device::Kernel* kernel = nullptr;
  Launch launch;  // of the kernel; `parameters` come from the turn
  std::vector<Turn> turns;
  int turns_at_once = 1;  // so many of them are done in one repeat: a copy to each of several GPUs
  std::uint64_t copy_bytes = 0;
  std::int64_t rows = 0, cols = 0;  // of `in`, for cuBLAS
  int elem_bytes = 4;
};

// `samples` times: the clock is read, the work is done `repeats` times, the clock is read.
struct TimingPlan {
  int warm_ups = 3, samples = 20, repeats = 1;
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual std::string name() const = 0;  // "simulator", "NVIDIA H200"
  [[nodiscard]] virtual bool counts() const = 0;       // launches have counters
  // A write outside a buffer is a fault; when not, users lay guard zones around their buffers.
  [[nodiscard]] virtual bool catches_stray_writes() const = 0;

  // Throws LoadError.
  [[nodiscard]] virtual std::shared_ptr<Module> load(const Image& image) = 0;

  // Throws std::bad_alloc or DeviceError. `name` is what messages call the buffer.
  [[nodiscard]] virtual Address allocate(std::uint64_t size_bytes, Content content, std::string name) = 0;
  virtual void release(Address base) = 0;
  // On the simulator, what is allocated from now on has addresses such as Linux gives, or as elsewhere.
  virtual void allocate_high(bool /*high*/) {}
  // There, too: the next buffer lies so far behind the last one.
  virtual void leave_room(std::uint64_t /*bytes*/) {}
  // What a SparseReadOnly buffer holds where it is read, on demand. The simulator alone can do it.
  virtual void provide(Address /*base*/, sim::ContentSource& /*source*/) {
    throw DeviceError(msg("The {} fills buffers as a whole.", name()));
  }
  virtual void write(Address to, std::span<const std::byte> bytes) = 0;
  virtual void read(Address from, std::span<std::byte> bytes) const = 0;
  // Fills a whole Poison buffer with one byte value and forgets what was written.
  virtual void poison(Address base, std::uint64_t size_bytes, std::byte value) = 0;

  // The map, which breaks no rule (sim::refusal), as bytes. Throws DeviceError where the driver knows none.
  [[nodiscard]] virtual TensorMapBytes tensor_map(const sim::TensorMap& map) = 0;

  // How many GPUs it can play at once, and the one that what follows is about: modules, buffers, launches.
  // Each may use the memory of all others, as with peer access.
  [[nodiscard]] virtual int gpus() const { return 1; }
  virtual void use_gpu(int /*gpu*/) {}

  [[nodiscard]] virtual LaunchOutcome launch(const Kernel& kernel, const Launch& launch) = 0;

  // Seconds that mean something: those of one repeat, one number a sample. Throws DeviceError when the work
  // cannot be done here. The GPUs work at the same time: no one begins before GPU 0's clock is read, and it
  // is read again when all have ended.
  [[nodiscard]] virtual bool has_times() const { return false; }
  [[nodiscard]] virtual std::vector<double> time_at_once(std::span<const TimedWork> /*by_gpu*/,
                                                         const TimingPlan&) {
    throw DeviceError(msg("The {} has no times.", name()));
  }
  [[nodiscard]] std::vector<double> time(const TimedWork& work, const TimingPlan& plan) {
    return time_at_once({&work, 1}, plan);
  }
};

// The simulated GPU. Devices share nothing: one a host thread is the way to run shapes side by side.
[[nodiscard]] std::unique_ptr<Device> make_simulator();

// A buffer that goes back when it leaves its scope.
class Buffer {
 public:
  Buffer(Device& device, std::uint64_t size_bytes, Content content, std::string name)
      : device_(&device),
        address_(device.allocate(size_bytes, content, std::move(name))),
        size_(size_bytes) {}
  ~Buffer() { device_->release(address_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] Address address() const { return address_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_; }

 private:
  Device* device_;
  Address address_;
  std::uint64_t size_;
};

}  // namespace lab::device
