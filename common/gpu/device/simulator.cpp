// The simulated GPU behind the device interface.
//
// Enters: PTX text, buffers, launches. Leaves: what common/sim says, with its exceptions turned into
// LoadError. Nothing is decided here.
#include <algorithm>
#include <utility>

#include "common/gpu/device/device.h"
#include "common/sim/gpu.h"
#include "common/sim/program/program_data.h"

namespace lab::device {
namespace {

sim::Fault bad_ptx(const sim::ptx::ParseError& error) {
  sim::Fault fault;
  fault.kind = sim::FaultKind::BadPtx;
  fault.message = error.message();
  return fault;
}

class SimulatorKernel final : public Kernel {
 public:
  SimulatorKernel(std::shared_ptr<const sim::Program> p, std::shared_ptr<sim::ModuleImage> image)
      : program(std::move(p)), image_(std::move(image)) {
    for (const sim::ParameterInfo& info : program->parameters()) {
      parameters_.push_back({info.name, info.offset_bytes, info.size_bytes, info.kind()});
    }
  }
  const std::string& name() const override { return program->name(); }
  const std::vector<Parameter>& parameters() const override { return parameters_; }
  std::uint32_t static_shared_bytes() const override { return program->static_shared_bytes(); }
  bool may_write_global() const override {
    const sim::ProgramData& data = program->data();
    return data.writes_global || data.uses_engine || data.launches_at != sim::kNoPc;
  }
  void renew() const override { sim::renew(*image_); }
  // With every instruction of the text.
  [[nodiscard]] std::shared_ptr<const sim::Program> stepped() const {
    return sim::decode(*image_, name(), sim::Shortcuts::Off);
  }
  const std::shared_ptr<const sim::Program> program;

 private:
  const std::shared_ptr<sim::ModuleImage> image_;
  std::vector<Parameter> parameters_;
};

class SimulatorModule final : public Module {
 public:
  SimulatorModule(sim::ptx::Module parsed, sim::Memory& memory)
      : memory_(memory), image_(sim::load_module(std::move(parsed), memory)) {}

  std::vector<std::string> entries() const override {
    std::vector<std::string> names;
    for (const sim::ptx::Function& f : sim::parsed(*image_).functions) {
      if (f.is_entry && !f.is_declaration) names.push_back(f.name);
    }
    return names;
  }

  std::shared_ptr<const Kernel> kernel(std::string_view entry) override {
    const std::vector<std::string> known = entries();
    if (std::find(known.begin(), known.end(), entry) == known.end()) {
      sim::Fault fault;
      fault.kind = sim::FaultKind::BadPtx;
      fault.message =
          msg("The module has no kernel `{}`: write it, with extern \"C\" before its __global__.", entry);
      throw LoadError(fault);
    }
    try {
      return std::make_shared<SimulatorKernel>(sim::decode(*image_, entry), image_);
    } catch (const sim::FaultError& error) {
      throw LoadError(error.fault);
    }
  }

  std::optional<std::vector<std::byte>> constant(std::string_view name) const override {
    const sim::DeviceAddress address = sim::variable_address(*image_, name);
    const sim::ptx::Variable* variable = sim::parsed(*image_).find_variable(name);
    if (address == 0 || variable == nullptr) return std::nullopt;
    std::vector<std::byte> bytes(variable->size_bytes);
    memory_.read(address, bytes);
    return bytes;
  }

 private:
  sim::Memory& memory_;
  std::shared_ptr<sim::ModuleImage> image_;
};

class Simulator final : public Device {
 public:
  std::string name() const override { return "simulator"; }
  bool counts() const override { return true; }
  bool catches_stray_writes() const override { return true; }

  std::shared_ptr<Module> load(const Image& image) override {
    try {
      return std::make_shared<SimulatorModule>(sim::ptx::parse(image.ptx), memory_);
    } catch (const sim::ptx::ParseError& error) {
      throw LoadError(bad_ptx(error));
    } catch (const sim::FaultError& error) {
      throw LoadError(error.fault);
    }
  }

  Address allocate(std::uint64_t size_bytes, Content content, std::string name) override {
    const bool sparse = content == Content::SparsePoison || content == Content::SparseReadOnly;
    const bool poison = content == Content::Poison || content == Content::SparsePoison;
    const bool read_only = content == Content::ReadOnly || content == Content::SparseReadOnly;
    return memory_.allocate(size_bytes, poison ? sim::Fill::Poison : sim::Fill::Written, std::move(name),
                            read_only, sparse);
  }
  void release(Address base) override { memory_.release(base); }
  void allocate_high(bool high) override { memory_.allocate_high(high); }
  void leave_room(std::uint64_t bytes) override { memory_.leave_room(bytes); }
  void provide(Address base, sim::ContentSource& source) override { memory_.provide(base, source); }
  void write(Address to, std::span<const std::byte> bytes) override { memory_.write(to, bytes); }
  void read(Address from, std::span<std::byte> bytes) const override { memory_.read(from, bytes); }
  void poison(Address base, std::uint64_t size_bytes, std::byte value) override {
    memory_.poison(base, value, size_bytes);
  }

  TensorMapBytes tensor_map(const sim::TensorMap& map) override { return sim::encoded(map); }

  int gpus() const override { return static_cast<int>(sim::kMostDevices); }
  void use_gpu(int gpu) override {
    if (!memory_.several_devices() && gpu != 0) {
      for (std::uint32_t device = 0; device < sim::kMostDevices; ++device)
        for (std::uint32_t owner = 0; owner < sim::kMostDevices; ++owner) memory_.let(device, owner, true);
    }
    memory_.use_device(static_cast<std::uint32_t>(gpu));
  }

  LaunchOutcome launch(const Kernel& kernel, const Launch& launch) override {
    const auto& simulated = dynamic_cast<const SimulatorKernel&>(kernel);
    sim::LaunchOptions options;
    options.host_threads = launch.host_threads;
    if (launch.budget_work != 0) options.budget_work = launch.budget_work;
    options.count = launch.count;
    options.check_races = options.check_uninitialised = launch.check;
    options.check_global_races = launch.global_races;
    options.checks_stop = launch.checks_stop;
    options.observers = launch.observers;
    options.clusters = launch.clusters;
    options.schedule = launch.schedule;
    options.numbers = launch.numbers;
    sim::LaunchConfig config;
    config.grid = launch.grid;
    config.block = launch.block;
    config.cluster = launch.cluster;
    config.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    config.allow_large_shared = true;  // the launch shape asks for its bytes: that is opting in
    const bool steps = std::any_of(launch.observers.begin(), launch.observers.end(),
                                   [](const sim::Observer* o) { return o->steps(); });
    const auto program = steps ? simulated.stepped() : simulated.program;
    sim::LaunchResult result = sim::launch(memory_, *program, config, launch.parameters, options);
    return {.faults = std::move(result.faults),
            .notes = std::move(result.notes),
            .findings = std::move(result.findings),
            .counted = launch.count,
            .counters = result.counters,
            .lines = std::move(result.lines),
            .lane_instructions = result.lane_instructions,
            .warp_instructions = result.warp_instructions,
            .work = result.work,
            .seconds = result.seconds,
            .output = std::move(result.output)};
  }

 private:
  sim::Memory memory_;
};

}  // namespace

std::unique_ptr<Device> make_simulator() { return std::make_unique<Simulator>(); }

}  // namespace lab::device
