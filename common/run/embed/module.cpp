// Loading, finding and launching. See module.h.
#include "common/run/embed/module.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/run/embed/ranges.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::embed {
namespace {

Refused refused(const sim::Fault& fault) {
  return {std::string(sim::code(fault.kind)), fault.sentence(), fault.ptx_line, fault.ptx_column};
}

sim::Dim3 sides(const lab_ptx_dim& d) { return {d.x, d.y, d.z}; }

sim::Dim3 cluster_sides(const lab_ptx_dim& d) {
  if ((d.x == 0) != (d.y == 0) || (d.x == 0) != (d.z == 0))
    throw bad_request(
        msg("The cluster has sides of ({},{},{}) blocks: give all three, or zeros for a cluster as "
            "the kernel was compiled.",
            d.x, d.y, d.z));
  return sides(d);
}

Message listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text::verbatim(text);
}

// As the kernel's parameters lie.
std::vector<std::byte> packed(const sim::Program& program, const lab_ptx_request& request) {
  const std::vector<sim::ParameterInfo>& wanted = program.parameters();
  if (request.argument_count != wanted.size())
    throw bad_request(msg("The kernel `{}` has {} parameters, and {} arguments were given.", program.name(),
                          wanted.size(), request.argument_count));
  if (request.argument_count != 0 && request.arguments == nullptr)
    throw bad_request("The list of arguments is a null pointer.");
  std::vector<std::byte> bytes(program.parameter_bytes());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const lab_ptx_argument& given = request.arguments[i];
    if (given.bytes != wanted[i].size_bytes)
      throw bad_request(msg("Argument {} has {} bytes; the kernel's parameter `{}` has {}.", i + 1,
                            given.bytes, wanted[i].name, wanted[i].size_bytes));
    if (given.bytes == 0) continue;
    if (given.value == nullptr)
      throw bad_request(
          msg("The value of argument {} is a null pointer. To pass a null pointer, point to a "
              "variable that holds it.",
              i + 1));
    std::memcpy(bytes.data() + wanted[i].offset_bytes, given.value, given.bytes);
  }
  return bytes;
}

sim::LaunchOptions options_of(const lab_ptx_request& request) {
  sim::LaunchOptions options;
  options.host_threads = request.host_threads;
  if (request.budget_instructions != 0) options.budget_instructions = request.budget_instructions;
  options.check_races = options.check_uninitialised = (request.flags & LAB_PTX_NO_CHECKS) == 0;
  options.checks_stop = (request.flags & LAB_PTX_STOP) != 0;
  options.schedule = request.schedule;
  return options;
}

}  // namespace

Refused bad_request(const Message& message) { return {"bad-request", message}; }

void refuse_unknown(std::uint32_t flags, std::uint32_t known, const Message& whose) {
  if ((flags & ~known) != 0)
    throw bad_request(msg("The flags of {} are {}; this library knows those in {}.", whose, flags, known));
}

Module::Module(std::string_view text) {
  memory_.allocate_below(kOwnEnd);
  try {
    image_ = sim::load_module(sim::ptx::parse(text), memory_);
  } catch (const sim::ptx::ParseError& error) {
    throw Refused(std::string(sim::code(sim::FaultKind::BadPtx)), error.message(), error.line, error.column);
  } catch (const sim::FaultError& error) {
    throw refused(error.fault);
  }
  for (const sim::ptx::Function& function : sim::parsed(*image_).functions)
    if (function.is_entry && !function.is_declaration) entries_.push_back(function.name);
}

const Kernel& Module::find(const char* entry) {
  const std::lock_guard turn(turn_);
  return decoded(entry);
}

const Kernel& Module::decoded(const char* entry) {
  if (entry == nullptr && entries_.size() != 1)
    throw bad_request(msg("Name a kernel: the text has {} of them.", entries_.size()));
  const std::string name = entry == nullptr ? entries_.front() : entry;
  if (const auto known = kernels_.find(name); known != kernels_.end()) return known->second;
  if (std::find(entries_.begin(), entries_.end(), name) == entries_.end())
    throw bad_request(entries_.empty()
                          ? msg("There is no kernel `{}`: the text has none.", name)
                          : msg("There is no kernel `{}`; the text has {}.", name, listed(entries_)));
  Kernel kernel;
  try {
    kernel.program = sim::decode(*image_, name);
  } catch (const sim::FaultError& error) {
    throw refused(error.fault);
  }
  for (const sim::ParameterInfo& info : kernel.program->parameters())
    kernel.parameters.push_back(
        {info.name.c_str(), info.size_bytes, info.align_bytes, static_cast<lab_ptx_kind>(info.kind())});
  Kernel& kept = kernels_.emplace(name, std::move(kernel)).first->second;
  kept.described = {kept.program->name().c_str(), kept.parameters.data(), kept.parameters.size(),
                    kept.program->static_shared_bytes()};
  return kept;
}

Module::Variable Module::variable(std::string_view name) {
  const std::lock_guard turn(turn_);
  const std::uint64_t address = sim::variable_address(*image_, name);
  const sim::Allocation* const there = address == 0 ? nullptr : memory_.find(address, 0);
  if (there == nullptr) return {};
  return {there->host, address, there->size_bytes};
}

Module::Launched Module::launch(const lab_ptx_request& request) {
  const std::lock_guard turn(turn_);
  refuse_unknown(request.flags, LAB_PTX_NO_CHECKS | LAB_PTX_STOP | LAB_PTX_RAW_MEMORY, msg("the request"));
  const Kernel& kernel = decoded(request.entry);
  sim::LaunchConfig config;
  config.grid = sides(request.grid);
  config.block = sides(request.block);
  config.cluster = cluster_sides(request.cluster);
  config.dynamic_shared_bytes = request.shared_bytes;
  config.allow_large_shared = true;  // to ask for the bytes is to opt in
  const std::vector<std::byte> parameters = packed(*kernel.program, request);
  const LentRanges lent(memory_, request);
  return {&kernel, sim::launch(memory_, *kernel.program, config, parameters, options_of(request))};
}

}  // namespace lab::embed
