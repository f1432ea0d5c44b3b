// A GPU as a Device: every question goes to a worker process. See gpu.h.
//
// Enters: launches and buffers. Leaves: outcomes. A worker that hangs is killed, one whose context is gone
// ends by itself; the next question starts another, loads the modules again, and buffers of before are gone.
#include <algorithm>
#include <map>
#include <new>
#include <utility>

#include "common/device/gpu.h"
#include "common/device/gpu_words.h"
#include "common/device/gpu_worker.h"
#include "common/sim/ptx_module.h"

namespace lab::device {
namespace {

using RemoteHandle = void*;  // valid in one worker only

// A request that the driver refused.
struct Refused {
  int code = 0;
  std::string name, call, log;
};
// The worker did not reply in time, or ended.
struct Lost {
  bool too_late = false;
  std::string how;
};

// Talks to a worker, and replaces it.
class Line {
 public:
  Line(GpuOptions options, Worker worker) : options_(options), worker_(worker) {}
  ~Line() { stop_worker(worker_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // Grows with each worker: what one made is worth nothing to the next.
  [[nodiscard]] int generation() const { return generation_; }
  [[nodiscard]] const GpuOptions& options() const { return options_; }
  [[nodiscard]] std::byte* area() const { return worker_.area; }
  [[nodiscard]] bool is_up() const { return worker_.process > 0; }

  void bring_up() {
    if (is_up()) return;
    worker_ = start_worker(options_.index);
    ++generation_;
    const GpuSurvey survey = read_hello(worker_, options_.start_limit);
    if (survey.usable()) return;
    stop_worker(worker_);
    throw GpuUnavailable(survey, survey.problem + " " + survey.advice);
  }

  // The reply after its status. Throws Refused, Lost, DeviceError, std::bad_alloc.
  Packet ask(const Packet& request, std::chrono::milliseconds limit) {
    bring_up();
    Packet reply;
    const Received got =
        send(worker_.socket, request) ? receive(worker_.socket, reply, limit) : Received::Gone;
    if (got != Received::Whole) throw Lost{got == Received::TooLate, stop_worker(worker_)};
    switch (reply.get<Status>()) {
      case Status::Done:
        return reply;
      case Status::NoMemory:
        throw std::bad_alloc();
      case Status::DeviceFailed:
        throw DeviceError(reply.get_text());
      case Status::CudaFailed:
        break;
    }
    Refused refused;
    refused.code = reply.get<int>();
    refused.name = reply.get_text();
    refused.call = reply.get_text();
    refused.log = reply.get_text();
    if (ends_context(refused.code)) stop_worker(worker_);
    throw refused;
  }

 private:
  GpuOptions options_;
  Worker worker_;
  int generation_ = 1;
};

class RemoteModule;

class RemoteKernel final : public Kernel {
 public:
  RemoteKernel(RemoteModule& m, const sim::ptx::Function& entry) : module(m), name_(entry.name) {
    std::uint32_t offset = 0;
    for (const sim::ptx::Variable& p : entry.parameters) {
      offset = (offset + p.align_bytes - 1) / p.align_bytes * p.align_bytes;
      parameters_.push_back({p.name, offset, static_cast<std::uint32_t>(p.size_bytes)});
      offset += static_cast<std::uint32_t>(p.size_bytes);
    }
  }
  const std::string& name() const override { return name_; }
  const std::vector<Parameter>& parameters() const override { return parameters_; }
  std::uint32_t static_shared_bytes() const override { return shared_bytes; }
  RemoteModule& module;
  mutable RemoteHandle handle = nullptr;
  mutable int generation = 0;  // of the worker that the handle belongs to
  std::uint32_t shared_bytes = 0;

 private:
  std::string name_;
  std::vector<Parameter> parameters_;
};

sim::Fault plain_fault(sim::FaultKind kind, std::string message) {
  sim::Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  return fault;
}

class RemoteModule final : public Module {
 public:
  RemoteModule(Line& line, const GpuInfo& gpu, int cuda_version, Image image)
      : line_(line), gpu_(gpu), cuda_version_(cuda_version), image_(std::move(image)) {
    try {
      parsed_ = sim::ptx::parse(image_.ptx);
    } catch (const sim::ptx::ParseError& error) {
      throw LoadError(plain_fault(sim::FaultKind::BadPtx,
                                  "PTX line " + std::to_string(error.line) + ": " + error.what()));
    }
    (void)handle();
  }
  ~RemoteModule() override {
    if (generation_ != line_.generation() || !line_.is_up()) return;
    try {
      (void)line_.ask(Packet().put(Ask::Unload).put(handle_), line_.options().start_limit);
    } catch (...) {  // it goes with its worker
    }
  }
  RemoteModule(const RemoteModule&) = delete;
  RemoteModule& operator=(const RemoteModule&) = delete;

  std::vector<std::string> entries() const override {
    std::vector<std::string> names;
    for (const sim::ptx::Function& f : parsed_.functions) {
      if (f.is_entry && !f.is_declaration) names.push_back(f.name);
    }
    return names;
  }

  std::shared_ptr<const Kernel> kernel(std::string_view entry) override {
    const sim::ptx::Function* found = parsed_.find_function(entry);
    if (found == nullptr || !found->is_entry) {
      throw LoadError(
          plain_fault(sim::FaultKind::BadPtx, "The module has no kernel `" + std::string(entry) + "`."));
    }
    auto kernel = std::make_shared<RemoteKernel>(*this, *found);
    kernel->shared_bytes = bind(*kernel);
    return kernel;
  }

  std::optional<std::vector<std::byte>> constant(std::string_view name) const override {
    Packet reply = asked(Packet().put(Ask::Variable).put(handle()).put_text(name));
    const bool found = reply.get<bool>();
    const std::string bytes = reply.get_text();
    if (!found) return std::nullopt;
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    return std::vector<std::byte>(first, first + bytes.size());
  }

  // Makes the kernel's handle good for the worker of now. Its static shared bytes.
  std::uint32_t bind(const RemoteKernel& kernel) const {
    const RemoteHandle module = handle();
    Packet reply = asked(Packet().put(Ask::Function).put(module).put_text(kernel.name()));
    kernel.handle = reply.get<RemoteHandle>();
    kernel.generation = line_.generation();
    return reply.get<std::uint32_t>();
  }

 private:
  // Of the worker of now: loaded again where it is a new one.
  RemoteHandle handle() const {
    line_.bring_up();
    if (generation_ != line_.generation()) {
      Packet reply = asked(Packet().put(Ask::Load).put_text(image_.ptx).put_text(image_.cubin));
      handle_ = reply.get<RemoteHandle>();
      generation_ = line_.generation();
    }
    return handle_;
  }

  // What a loading question says; a refusal is a LoadError.
  Packet asked(const Packet& request) const {
    try {
      return line_.ask(request, line_.options().start_limit);
    } catch (const Refused& refused) {
      if (blames_machine(refused.code))
        throw DeviceError("The " + gpu_.name + " fails at " + refused.call + " (" + refused.name + ").");
      throw LoadError(load_fault(refused.code, refused.name, refused.log, gpu_, cuda_version_));
    } catch (const Lost& lost) {
      throw LoadError(plain_fault(
          sim::FaultKind::BadPtx,
          lost.too_late ? "The driver took too long to load the kernel and was ended."
                        : "The driver broke down while it loaded the kernel: its process " + lost.how + "."));
    }
  }

  Line& line_;
  const GpuInfo& gpu_;
  int cuda_version_;
  Image image_;
  sim::ptx::Module parsed_;
  mutable RemoteHandle handle_ = nullptr;
  mutable int generation_ = 0;
};

class RemoteGpu final : public Gpu {
 public:
  RemoteGpu(const GpuOptions& options, Worker worker, GpuSurvey survey)
      : line_(options, worker), survey_(std::move(survey)) {}

  std::string name() const override { return info().name; }
  bool counts() const override { return false; }
  bool catches_stray_writes() const override { return false; }
  bool has_times() const override { return true; }
  const GpuInfo& info() const override {
    return survey_.gpus.at(static_cast<std::size_t>(line_.options().index));
  }
  const GpuSurvey& survey() const override { return survey_; }
  int workers() const override { return line_.generation(); }
  std::string cublas() override { return asked(Packet().put(Ask::Cublas)).get_text(); }

  std::shared_ptr<Module> load(const Image& image) override {
    return std::make_shared<RemoteModule>(line_, info(), survey_.cuda_version, image);
  }

  Address allocate(std::uint64_t size_bytes, Content, std::string) override {
    const auto base = asked(Packet().put(Ask::Allocate).put(size_bytes)).get<Address>();
    buffers_[base] = line_.generation();
    return base;
  }

  void release(Address base) override {
    const auto known = buffers_.find(base);
    if (known == buffers_.end()) return;
    const bool here = known->second == line_.generation() && line_.is_up();
    buffers_.erase(known);
    if (!here) return;
    try {
      (void)asked(Packet().put(Ask::Release).put(base));
    } catch (const DeviceError&) {  // then all of its buffers are gone
    }
  }

  void write(Address to, std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), kAreaBytes));
      line_.bring_up();
      std::copy(piece.begin(), piece.end(), line_.area());
      (void)asked(Packet().put(Ask::Write).put(to).put(std::uint64_t{piece.size()}));
      to += piece.size();
      bytes = bytes.subspan(piece.size());
    }
  }

  void read(Address from, std::span<std::byte> bytes) const override {
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), kAreaBytes));
      (void)asked(Packet().put(Ask::Read).put(from).put(std::uint64_t{piece.size()}));
      std::copy_n(line_.area(), piece.size(), piece.begin());
      from += piece.size();
      bytes = bytes.subspan(piece.size());
    }
  }

  void poison(Address base, std::uint64_t size_bytes, std::byte value) override {
    (void)asked(Packet().put(Ask::Fill).put(base).put(size_bytes).put(value));
  }

  LaunchOutcome launch(const Kernel& kernel, const Launch& launch) override {
    LaunchOutcome outcome;
    if (std::optional<sim::Fault> wrong = refuse(launch)) {
      outcome.faults.push_back(std::move(*wrong));
      return outcome;
    }
    Packet request;
    request.put(Ask::Launch).put(bound(kernel));
    put_launch(request, launch);
    request.put_text(text_of(launch.parameters));
    try {
      Packet reply = line_.ask(request, line_.options().launch_limit);
      outcome.seconds = reply.get<double>();
      outcome.output = reply.get_text();
    } catch (const Refused& refused) {
      if (blames_machine(refused.code)) throw failed(refused);
      outcome.faults.push_back(launch_fault(refused.code, refused.name, name()));
    } catch (const Lost& lost) {
      if (!lost.too_late) throw DeviceError("The driver broke down: its process " + lost.how + ".");
      outcome.faults.push_back(endless_fault(name(), line_.options().launch_limit.count()));
    }
    return outcome;
  }

  std::vector<double> time(const TimedWork& work, const TimingPlan& plan) override {
    Packet request;
    request.put(Ask::Time).put(work.kernel != nullptr ? bound(*work.kernel) : RemoteHandle{}).put(work.kind);
    put_launch(request, work.launch);
    request.put(work.copy_bytes).put(work.rows).put(work.cols).put(work.elem_bytes).put(plan);
    request.put(static_cast<std::uint64_t>(work.turns.size()));
    for (const TimedWork::Turn& turn : work.turns)
      request.put_text(text_of(turn.parameters)).put(turn.to).put(turn.from);
    Packet reply = asked(request);
    std::vector<double> samples(reply.get<std::uint64_t>());
    for (double& s : samples) s = reply.get<double>();
    return samples;
  }

 private:
  static std::string_view text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  static void put_launch(Packet& request, const Launch& launch) {
    request.put(launch.grid).put(launch.block).put(launch.dynamic_shared_bytes);
  }

  // The driver would only say that some value is invalid.
  static std::optional<sim::Fault> refuse(const Launch& launch) {
    constexpr std::uint32_t kMostAcross = 65'535;
    if (launch.grid.y <= kMostAcross && launch.grid.z <= kMostAcross) return std::nullopt;
    return plain_fault(sim::FaultKind::InvalidLaunch,
                       "The grid is " + std::to_string(launch.grid.x) + " × " +
                           std::to_string(launch.grid.y) + " × " + std::to_string(launch.grid.z) +
                           " blocks; along y and z there can be 65,535 at most.");
  }

  RemoteHandle bound(const Kernel& kernel) const {
    const auto& remote = dynamic_cast<const RemoteKernel&>(kernel);
    if (!line_.is_up() || remote.generation != line_.generation()) (void)remote.module.bind(remote);
    return remote.handle;
  }

  [[nodiscard]] DeviceError failed(const Refused& refused) const {
    return DeviceError("The " + name() + " fails at " + refused.call + " (" + refused.name + ").");
  }

  // Of questions that no kernel is to blame for.
  Packet asked(const Packet& request) const {
    try {
      return line_.ask(request, line_.options().start_limit);
    } catch (const Refused& refused) {
      throw failed(refused);
    } catch (const Lost& lost) {
      throw DeviceError(lost.too_late ? "The " + name() + " did not answer in time; its worker was ended."
                                      : "The driver broke down: its process " + lost.how + ".");
    }
  }

  mutable Line line_;
  GpuSurvey survey_;
  std::map<Address, int> buffers_;  // and the worker that they belong to
};

}  // namespace

struct PendingGpu::State {
  GpuOptions options;
  Worker worker;
  ~State() { stop_worker(worker); }
};

PendingGpu::PendingGpu(const GpuOptions& options) : state_(std::make_unique<State>()) {
  state_->options = options;
  state_->worker = start_worker(std::max(options.index, 0));
}
PendingGpu::~PendingGpu() = default;
PendingGpu::PendingGpu(PendingGpu&&) noexcept = default;

std::unique_ptr<Gpu> PendingGpu::get() {
  GpuSurvey survey = read_hello(state_->worker, state_->options.start_limit);
  if (!survey.usable()) throw GpuUnavailable(survey, survey.problem + " " + survey.advice);
  return std::make_unique<RemoteGpu>(state_->options, std::exchange(state_->worker, {}), std::move(survey));
}

std::unique_ptr<Gpu> open_gpu(const GpuOptions& options) { return PendingGpu(options).get(); }

GpuSurvey survey_gpus() {
  try {
    Worker worker = start_worker(-1);
    GpuSurvey survey = read_hello(worker, std::chrono::seconds(30));
    stop_worker(worker);
    return survey;
  } catch (const DeviceError& error) {
    GpuSurvey survey;
    survey.problem = error.what();
    survey.advice = "End other programs and try again.";
    return survey;
  }
}

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace lab::device
