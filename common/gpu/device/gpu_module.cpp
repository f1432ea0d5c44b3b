// Loads, finds, binds. See gpu_module.h.
#include "common/gpu/device/gpu_module.h"

#include <utility>

#include "common/gpu/device/gpu_words.h"

namespace lab::device {

sim::Fault plain_fault(sim::FaultKind kind, Message message) {
  sim::Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  return fault;
}

RemoteKernel::RemoteKernel(RemoteModule& m, const sim::ptx::Function& entry) : module(m), name_(entry.name) {
  std::uint32_t offset = 0;
  for (const sim::ptx::Variable& p : entry.parameters) {
    offset = (offset + p.align_bytes - 1) / p.align_bytes * p.align_bytes;
    parameters_.push_back({p.name, offset, static_cast<std::uint32_t>(p.size_bytes)});
    offset += static_cast<std::uint32_t>(p.size_bytes);
  }
}

RemoteModule::RemoteModule(Line& line, const GpuInfo& gpu, int cuda_version, Image image)
    : line_(line), at_(line.gpu()), gpu_(gpu), cuda_version_(cuda_version), image_(std::move(image)) {
  try {
    parsed_ = sim::ptx::parse(image_.ptx);
  } catch (const sim::ptx::ParseError& error) {
    throw LoadError(plain_fault(sim::FaultKind::BadPtx, error.message()));
  }
  (void)handle();
}

RemoteModule::~RemoteModule() {
  if (generation_ != line_.generation() || !line_.is_up()) return;
  try {
    (void)at_home(Packet().put(Ask::Unload).put(handle_));
  } catch (...) {  // it goes with its worker
  }
}

std::vector<std::string> RemoteModule::entries() const {
  std::vector<std::string> names;
  for (const sim::ptx::Function& f : parsed_.functions) {
    if (f.is_entry && !f.is_declaration) names.push_back(f.name);
  }
  return names;
}

std::shared_ptr<const Kernel> RemoteModule::kernel(std::string_view entry) {
  const sim::ptx::Function* found = parsed_.find_function(entry);
  if (found == nullptr || !found->is_entry) {
    throw LoadError(plain_fault(
        sim::FaultKind::BadPtx,
        msg("The module has no kernel `{}`: write it, with extern \"C\" before its __global__.", entry)));
  }
  auto kernel = std::make_shared<RemoteKernel>(*this, *found);
  kernel->shared_bytes = bind(*kernel);
  return kernel;
}

std::optional<std::vector<std::byte>> RemoteModule::constant(std::string_view name) const {
  Packet reply = asked(Packet().put(Ask::Variable).put(handle()).put_text(name));
  const bool found = reply.get<bool>();
  const std::string bytes = reply.get_text();
  if (!found) return std::nullopt;
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return std::vector<std::byte>(first, first + bytes.size());
}

std::uint32_t RemoteModule::bind(const RemoteKernel& kernel) const {
  const RemoteHandle module = handle();
  Packet reply = asked(Packet().put(Ask::Function).put(module).put_text(kernel.name()));
  kernel.handle = reply.get<RemoteHandle>();
  kernel.generation = line_.generation();
  return reply.get<std::uint32_t>();
}

RemoteHandle RemoteModule::handle() const {
  line_.bring_up();
  if (generation_ != line_.generation()) {
    Packet reply = asked(Packet().put(Ask::Load).put_text(image_.ptx).put_text(image_.cubin));
    handle_ = reply.get<RemoteHandle>();
    generation_ = line_.generation();
  }
  return handle_;
}

Packet RemoteModule::at_home(const Packet& request) const {
  struct Home {
    Line& line;
    const int before = line.gpu();
    ~Home() { line.use(before); }
  } const home{line_};
  line_.use(at_);
  return line_.ask(request, line_.options().start_limit);
}

Packet RemoteModule::asked(const Packet& request) const {
  try {
    return at_home(request);
  } catch (const Refused& refused) {
    if (blames_machine(refused.code))
      throw DeviceError(msg("The {} fails at {} ({}).", gpu_.name, refused.call, refused.name));
    throw LoadError(load_fault(refused.code, refused.name, refused.log, gpu_, cuda_version_));
  } catch (const Lost& lost) {
    throw LoadError(plain_fault(
        sim::FaultKind::BadPtx,
        lost.too_late ? "The driver took too long to load the kernel and was ended."
                      : msg("The driver broke down while it loaded the kernel: its process {}.", lost.how)));
  }
}

}  // namespace lab::device
