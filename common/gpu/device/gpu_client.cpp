// A GPU as a Device: every question goes to a worker process. See gpu.h.
//
// Enters: launches and buffers. Leaves: outcomes. A worker that hangs is killed, one whose context is gone
// ends by itself; the next question starts another, loads the modules again, and buffers of before are gone.
#include <algorithm>
#include <map>
#include <utility>

#include "common/gpu/device/gpu_line.h"
#include "common/gpu/device/gpu_module.h"
#include "common/gpu/device/gpu_words.h"

namespace lab::device {
namespace {

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
  int gpus() const override { return survey_.together; }
  void use_gpu(int gpu) override { line_.use(gpu); }
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

  TensorMapBytes tensor_map(const sim::TensorMap& map) override {
    return asked(Packet().put(Ask::TensorMap).put(map)).get<TensorMapBytes>();
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
    put_offsets(request, &kernel);
    request.put_text(text_of(launch.parameters));
    try {
      Packet reply = line_.ask(request, line_.options().launch_limit);
      outcome.seconds = reply.get<double>();
      outcome.output = reply.get_text();
    } catch (const Refused& refused) {
      if (blames_machine(refused.code)) throw failed(refused);
      outcome.faults.push_back(launch_fault(refused.code, refused.name, name()));
    } catch (const Lost& lost) {
      if (!lost.too_late) throw DeviceError(msg("The driver broke down: its process {}.", lost.how));
      outcome.faults.push_back(endless_fault(name(), line_.options().launch_limit.count()));
    }
    return outcome;
  }

  std::vector<double> time_at_once(std::span<const TimedWork> by_gpu, const TimingPlan& plan) override {
    Packet request;
    request.put(Ask::Time).put(plan).put(static_cast<std::uint64_t>(by_gpu.size()));
    for (const TimedWork& work : by_gpu) put_work(request, work);
    Packet reply = asked(request);
    std::vector<double> samples(reply.get<std::uint64_t>());
    for (double& s : samples) s = reply.get<double>();
    return samples;
  }

 private:
  static std::string_view text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  void put_work(Packet& request, const TimedWork& work) const {
    request.put(work.kernel != nullptr ? bound(*work.kernel) : RemoteHandle{}).put(work.kind);
    put_launch(request, work.launch);
    put_offsets(request, work.kernel);
    request.put(work.turns_at_once).put(work.copy_bytes).put(work.rows).put(work.cols).put(work.elem_bytes);
    request.put(static_cast<std::uint64_t>(work.turns.size()));
    for (const TimedWork::Turn& turn : work.turns)
      request.put_text(text_of(turn.parameters)).put(turn.to).put(turn.from);
  }
  static void put_launch(Packet& request, const Launch& launch) {
    request.put(launch.grid).put(launch.block).put(launch.cluster).put(launch.dynamic_shared_bytes);
  }

  static void put_offsets(Packet& request, const Kernel* kernel) {
    const std::size_t count = kernel == nullptr ? 0 : kernel->parameters().size();
    request.put(static_cast<std::uint64_t>(count));
    for (std::size_t i = 0; i < count; ++i) request.put(kernel->parameters()[i].offset_bytes);
  }

  // The driver would only say that some value is invalid.
  static std::optional<sim::Fault> refuse(const Launch& launch) {
    constexpr std::uint32_t kMostAcross = 65'535;
    if (launch.grid.y <= kMostAcross && launch.grid.z <= kMostAcross) return std::nullopt;
    return plain_fault(sim::FaultKind::InvalidLaunch,
                       msg("The grid is {} × {} × {} blocks; along y and z there can be 65 535 at most.",
                           launch.grid.x, launch.grid.y, launch.grid.z));
  }

  RemoteHandle bound(const Kernel& kernel) const {
    const auto& remote = dynamic_cast<const RemoteKernel&>(kernel);
    if (!line_.is_up() || remote.generation != line_.generation()) (void)remote.module.bind(remote);
    return remote.handle;
  }

  [[nodiscard]] DeviceError failed(const Refused& refused) const {
    return DeviceError(msg("The {} fails at {} ({}).", name(), refused.call, refused.name));
  }

  // Asks a question whose failure no kernel is to blame for.
  Packet asked(const Packet& request) const {
    try {
      return line_.ask(request, line_.options().start_limit);
    } catch (const Refused& refused) {
      throw failed(refused);
    } catch (const Lost& lost) {
      throw DeviceError(lost.too_late ? msg("The {} did not answer in time; its worker was ended.", name())
                                      : msg("The driver broke down: its process {}.", lost.how));
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
  if (!survey.usable()) throw GpuUnavailable(survey, Message(survey.problem).then(survey.advice));
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
    survey.problem = text::message_of(error);
    survey.advice = "End other programs and try again.";
    return survey;
  }
}

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace lab::device
