// The program's kernels and variables. See modules.h.
#include "common/run/cudart/modules.h"

#include <algorithm>

#include "common/run/cudart/device_runtime.h"
#include "common/run/cudart/fatbin.h"
#include "common/run/cudart/link_modules.h"
#include "common/run/cudart/repeats.h"
#include "common/sim/base/kernel_name.h"

namespace lab::cudart {
namespace {

std::vector<const void*> containers(const FatBinaryWrapper& wrapper) {
  std::vector<const void*> found;
  if (wrapper.version >= 2 && wrapper.files != nullptr) {
    for (auto* file = static_cast<void* const*>(wrapper.files); *file != nullptr; ++file)
      found.push_back(*file);
  }
  if (found.empty() && wrapper.container != nullptr) found.push_back(wrapper.container);
  return found;
}

std::vector<Image> images_at(const void* container) {
  return read_container(std::span(static_cast<const std::byte*>(container), container_bytes(container)));
}

std::string list(const std::vector<int>& architectures, const char* prefix) {
  std::string text;
  for (const int a : architectures) text += (text.empty() ? "" : ", ") + (prefix + std::to_string(a));
  return text;
}

[[noreturn]] void refuse(const std::vector<int>& too_new, const std::vector<int>& machine_code, bool other,
                         const GpuData& gpu) {
  const std::string arch = std::to_string(gpu.architecture());
  const Message advice =
      msg("Compile with -gencode arch=compute_{},code=compute_{}, or let `lab run` compile the .cu files.",
          arch, arch);
  if (!too_new.empty()) {
    throw ApiError{Error::NoKernelImageForDevice,
                   msg("the program holds kernels for {}, and the simulated {} is compute_{}. {}",
                       list(too_new, "compute_"), gpu.name, arch, advice)};
  }
  if (other && machine_code.empty()) {
    throw ApiError{
        Error::NoKernelImageForDevice,
        msg("the program holds intermediate code for link-time optimisation (-dlto) and no PTX. {}", advice)};
  }
  throw ApiError{
      Error::NoKernelImageForDevice,
      machine_code.empty()
          ? "the program's fat binary holds no kernels."
          : msg("the program holds machine code for {} and no PTX, which is what the simulator runs. {}",
                list(machine_code, "sm_"), advice)};
}

// NVIDIA's device runtime, libcudadevrt: the only code that asks the driver this way. Ours answers its calls.
bool is_device_runtime(const Image& image) { return image.ptx.find("__cuda_syscall_") != std::string::npos; }

// The newest PTX that this GPU may run. Where a GPU would take machine code and the only PTX is for newer
// ones, as in many packages, the oldest of that. Else the reason why there is none.
Image choose(Context& c, std::vector<Image> images) {
  const int mine = c.gpu.architecture();
  Image best, newer;
  std::vector<int> too_new, machine_code;
  bool other = false, runs_there = false;
  for (Image& image : images) {
    if (image.kind == ImageKind::Other) other = true;
    if (image.kind == ImageKind::MachineCode) {
      machine_code.push_back(image.architecture);
      runs_there |= image.architecture / 10 == mine / 10 && image.architecture <= mine;
    }
    if (image.kind != ImageKind::Ptx || is_device_runtime(image)) continue;
    if (image.architecture > mine) {
      too_new.push_back(image.architecture);
      if (newer.kind != ImageKind::Ptx || image.architecture < newer.architecture) newer = std::move(image);
    } else if (best.kind != ImageKind::Ptx || image.architecture > best.architecture) {
      best = std::move(image);
    }
  }
  if (best.kind == ImageKind::Ptx) return best;
  if (newer.kind != ImageKind::Ptx || !runs_there) refuse(too_new, machine_code, other, c.gpu);
  c.say_once(
      msg("the program's kernels for this GPU are machine code, which the simulator does not run; their PTX "
          "for compute_{} runs in its place.",
          newer.architecture));
  return newer;
}

sim::ptx::Module parse_text(const std::string& ptx, bool debug) {
  try {
    return sim::ptx::parse(ptx);
  } catch (const sim::ptx::ParseError& error) {
    throw ApiError{Error::InvalidPtx, msg("the program's PTX cannot be read: {}{}", text::message_of(error),
                                          (debug ? ". It was compiled with -G: leave that out." : "."))};
  }
}

// The image of each container that this GPU may run. Throws BadFatBinary, ApiError when there is none.
std::vector<Image> usable_images(Context& c, const FatBinaryWrapper& wrapper) {
  std::vector<Image> usable;
  std::optional<ApiError> unusable;
  for (const void* container : containers(wrapper)) {
    try {
      usable.push_back(choose(c, images_at(container)));
      if (!usable.back().debug) continue;
      c.say_once(
          "the program was compiled with -G: it runs, but its counters are those of code without "
          "optimisation. Leave -G out.");
    } catch (const ApiError& error) {
      unusable = error;  // parts of a linked program may be libraries of machine code that is never called
    }
  }
  if (!usable.empty()) return usable;
  throw unusable.value_or(
      ApiError{Error::NoKernelImageForDevice, "the program's fat binary holds no kernels."});
}

std::vector<sim::ptx::Module> parse_all(Context& c, Binary& binary) {
  std::vector<sim::ptx::Module> parsed;
  for (const std::string& text : binary.texts) parsed.push_back(parse_text(text, false));
  if (binary.wrapper != nullptr) {
    for (const Image& image : usable_images(c, *binary.wrapper)) {
      parsed.push_back(parse_text(image.ptx, image.debug));
      binary.architecture = image.architecture;
    }
  }
  const bool wants = std::any_of(parsed.begin(), parsed.end(), [](const sim::ptx::Module& m) {
    return std::any_of(std::begin(kGridBarrier), std::end(kGridBarrier), [&](const char* name) {
      const sim::ptx::Function* const found = m.find_function(name);
      return found != nullptr && found->is_declaration;
    });
  });
  if (wants) parsed.push_back(parse_text(kDeviceRuntime, false));
  return parsed;
}

Error code_of_load(sim::FaultKind kind) {
  if (kind == sim::FaultKind::TooMuchMemory) return Error::MemoryAllocation;
  return kind == sim::FaultKind::Unsupported ? Error::NotSupported : Error::InvalidPtx;
}

}  // namespace

Modules& modules() {
  static Modules* const only = new Modules;
  return *only;
}

Binary* Modules::add(const FatBinaryWrapper* wrapper) {
  binaries_.push_back(std::make_unique<Binary>());
  binaries_.back()->wrapper = wrapper;
  return binaries_.back().get();
}

std::vector<std::string> Modules::texts_in(Context& c, const FatBinaryWrapper& wrapper) {
  try {
    std::vector<std::string> texts;
    for (Image& image : usable_images(c, wrapper)) texts.push_back(std::move(image.ptx));
    return texts;
  } catch (const BadFatBinary& error) {
    throw ApiError{Error::InvalidKernelImage, text::message_of(error)};
  }
}

Binary* Modules::add_loaded(Context& c, std::vector<std::string> texts) {
  Binary* const binary = add(nullptr);
  binary->texts = std::move(texts);
  try {
    (void)load(c, *binary);
  } catch (const ApiError&) {
    remove(binary);
    throw;
  }
  return binary;
}

void Modules::check_instructions(Context& c, Binary& binary) {
  for (const sim::ptx::Function& function : sim::parsed(load(c, binary)).functions)
    for (const sim::ptx::Instruction& in : function.body)
      if (in.row == &sim::ptx::unknown_opcode())
        throw ApiError{Error::InvalidPtx,
                       msg("PTX line {}: there is no instruction `{}`.", in.ptx_line, in.full_opcode())};
}

void Modules::must_hold(const Binary& binary) const {
  if (std::none_of(binaries_.begin(), binaries_.end(),
                   [&](const auto& owned) { return owned.get() == &binary; }))
    throw ApiError{Error::InvalidResourceHandle, "this is no loaded module, or one that was unloaded."};
}

Function* Modules::function_named(Context& c, Binary& binary, const std::string& name) {
  must_hold(binary);
  for (const auto& function : binary.functions) {
    if (function->name == name) return function.get();
  }
  const sim::ptx::Function* const found = sim::parsed(load(c, binary)).find_function(name);
  if (found == nullptr || !found->is_entry) return nullptr;
  add_function(&binary, nullptr, name.c_str());
  return binary.functions.back().get();
}

std::pair<sim::DeviceAddress, std::uint64_t> Modules::variable_named(Context& c, Binary& binary,
                                                                     const std::string& name) const {
  must_hold(binary);
  const sim::ModuleImage& image = load(c, binary);
  const sim::ptx::Variable* const found = sim::parsed(image).find_variable(name);
  if (found == nullptr) return {0, 0};
  return {sim::variable_address(image, name), found->size_bytes};
}

void Modules::remove(Binary* binary) {
  repeats().forget();
  std::erase_if(functions_, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(binaries_, [&](const auto& owned) { return owned.get() == binary; });
}

void Modules::add_function(Binary* binary, const void* host, const char* name) {
  auto function = std::make_unique<Function>();
  function->binary = binary;
  function->name = name;
  function->shown = sim::demangled(name);
  function->brief = sim::kernel_name_for_message(function->shown);
  functions_[function.get()] = function.get();
  if (host != nullptr) functions_[host] = function.get();
  binary->functions.push_back(std::move(function));
}

void Modules::add_variable(Binary* binary, const void* host, const char* name, std::uint64_t size_bytes,
                           void** managed) {
  auto variable = std::make_unique<Variable>(Variable{binary, name, size_bytes, managed});
  variables_[host] = variable.get();
  binary->variables.push_back(std::move(variable));
}

Function& kernel_at(const void* host) {
  Function* const function = modules().function(host);
  if (function == nullptr)
    throw ApiError{host == nullptr ? Error::InvalidDeviceFunction : Error::InvalidResourceHandle,
                   "no kernel is registered at that address."};
  return *function;
}

Function* Modules::function(const void* host) const {
  const auto found = functions_.find(host);
  return found == functions_.end() ? nullptr : found->second;
}

Variable* Modules::variable(const void* host) const {
  const auto found = variables_.find(host);
  return found == variables_.end() ? nullptr : found->second;
}

sim::ModuleImage& Modules::load(Context& c, Binary& binary) {
  std::shared_ptr<sim::ModuleImage>& image = binary.images.at(static_cast<std::size_t>(current_device()));
  if (image) return *image;
  if (binary.broken) throw ApiError{binary.broken->code, ""};  // said already
  try {
    std::vector<sim::ptx::Module> parsed = parse_all(c, binary);
    image = sim::load_module(link(std::move(parsed)), c.memory, c.free_bytes(), binary.first);
    if (!binary.first) binary.first = image;
    c.device().used_bytes += sim::variable_bytes(*image);
  } catch (const ApiError& error) {
    binary.broken = error;
    throw;
  } catch (const BadFatBinary& error) {
    binary.broken = ApiError{Error::InvalidKernelImage, text::message_of(error)};
    throw *binary.broken;
  } catch (const LinkError& error) {
    binary.broken = ApiError{Error::InvalidKernelImage, text::message_of(error)};
    throw *binary.broken;
  } catch (const sim::FaultError& error) {
    const sim::Fault& f = error.fault;
    const std::string place = f.file.empty() ? "" : f.file + ":" + std::to_string(f.line) + ": ";
    binary.broken = ApiError{code_of_load(f.kind), msg("{}{}", place, f.sentence()), f};
    throw *binary.broken;
  }
  for (const auto& variable : binary.variables) {
    if (variable->managed != nullptr)
      *variable->managed = pointer_to(sim::variable_address(*image, variable->name));
  }
  return *image;
}

const sim::Program& Modules::program(Context& c, Function& function) {
  std::shared_ptr<const sim::Program>& decoded = function.here().program;
  if (decoded) return *decoded;
  const sim::ModuleImage& image = load(c, *function.binary);
  try {
    decoded = sim::decode(image, function.name, shortcuts());
  } catch (const sim::FaultError& error) {
    const sim::Fault& f = error.fault;
    const std::string place = f.file.empty() ? "" : f.file + ":" + std::to_string(f.line) + ": ";
    throw ApiError{code_of_load(f.kind), msg("`{}`: {}{}", function.shown, place, f.sentence()), f};
  }
  return *decoded;
}

sim::DeviceAddress Modules::address(Context& c, Variable& variable) {
  const sim::DeviceAddress found = sim::variable_address(load(c, *variable.binary), variable.name);
  if (found == 0) {
    throw ApiError{Error::InvalidSymbol,
                   msg("the kernels' code has no variable `{}`.", sim::short_name(variable.name))};
  }
  return found;
}

void Modules::place_managed(Context& c, Binary& binary) {
  const bool has_some = std::any_of(binary.variables.begin(), binary.variables.end(),
                                    [](const auto& v) { return v->managed != nullptr; });
  if (has_some) (void)load(c, binary);
}

void Modules::unload() {
  repeats().forget();
  for (const auto& binary : binaries_) {
    for (const auto& function : binary->functions) {
      function->here().program.reset();
      function->here().max_dynamic_shared = -1;
    }
    const bool has_managed = std::any_of(binary->variables.begin(), binary->variables.end(),
                                         [](const auto& v) { return v->managed != nullptr; });
    if (has_managed) continue;  // the host may still look at them
    std::shared_ptr<sim::ModuleImage>& image = binary->images.at(static_cast<std::size_t>(current_device()));
    if (binary->first == image) binary->first.reset();
    image.reset();
  }
}

}  // namespace lab::cudart
