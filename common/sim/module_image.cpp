// Gives a module's .global and .const variables their place in memory, with their initial bytes.
//
// Enters: a parsed module. Leaves: a ModuleImage; decode turns names into addresses with it. Shared and
// local variables get their offsets later, entry by entry.
#include <cstring>
#include <utility>

#include "common/sim/program_data.h"

namespace lab::sim {
namespace {

[[noreturn]] void bad_variable(const ptx::Variable& variable, const std::string& what) {
  Fault fault;
  fault.kind = FaultKind::BadPtx;
  fault.message =
      "PTX line " + std::to_string(variable.ptx_line) + ": variable `" + variable.name + "` " + what;
  throw FaultError(std::move(fault));
}

bool has_address(const ptx::Variable& v) {
  return (v.space == ptx::Space::Global || v.space == ptx::Space::Const) && !v.is_extern;
}

}  // namespace

ModuleImage::ModuleImage(ptx::Module parsed, Memory& into) : module(std::move(parsed)), memory(into) {
  const auto place = [&](const ptx::Variable& v) {
    if (!has_address(v)) return;
    if (v.size_bytes > (1ull << 36))
      bad_variable(v, "is larger than the memory of any GPU; make it smaller.");
    if (v.is_managed) {
      addresses[v.name] = memory.allocate_visible(v.size_bytes, v.name);
      return;
    }
    // Read-only would refuse our own initial bytes too: `write` is the host's way in, warps go through
    // `find`.
    addresses[v.name] = memory.allocate(v.size_bytes, Fill::Written, v.name, v.space == ptx::Space::Const);
  };
  for (const ptx::Variable& v : module.variables) place(v);
  for (const ptx::Function& f : module.functions) {
    for (const ptx::Variable& v : f.variables) place(v);
  }
  for (const ptx::Variable& v : module.variables) fill(v);
  for (const ptx::Function& f : module.functions) {
    for (const ptx::Variable& v : f.variables) fill(v);
  }
}

ModuleImage::~ModuleImage() {
  for (const auto& [name, base] : addresses) memory.release(base);
}

void ModuleImage::fill(const ptx::Variable& variable) {
  const auto found = addresses.find(variable.name);
  if (!has_address(variable) || found == addresses.end()) return;
  if (variable.initial.size() > variable.size_bytes)
    bad_variable(variable, "has more initial bytes than room.");
  if (!variable.initial.empty()) memory.write(found->second, std::as_bytes(std::span(variable.initial)));
  for (const ptx::Relocation& r : variable.relocations) {
    std::uint64_t value = 0;
    if (const auto symbol = addresses.find(r.symbol); symbol != addresses.end()) {
      value = symbol->second;
    } else {
      bool known = false;
      for (std::size_t k = 0; k < module.functions.size(); ++k) {
        if (module.functions[k].name != r.symbol) continue;
        value = kFunctionBase + 16 * k;
        known = true;
      }
      if (!known) bad_variable(variable, "is initialised with `" + r.symbol + "`, which has no address.");
    }
    value += static_cast<std::uint64_t>(r.addend);
    const auto size = static_cast<std::size_t>(r.size_bytes);
    if (size > 8 || r.offset_bytes > variable.size_bytes || variable.size_bytes - r.offset_bytes < size) {
      bad_variable(variable, "has an address in its initialiser that does not fit.");
    }
    std::byte raw[8];
    std::memcpy(raw, &value, 8);
    memory.write(found->second + r.offset_bytes, std::span<const std::byte>(raw, size));
  }
}

std::shared_ptr<ModuleImage> load_module(ptx::Module module, Memory& memory) {
  return std::make_shared<ModuleImage>(std::move(module), memory);
}

DeviceAddress variable_address(const ModuleImage& image, std::string_view name) {
  const auto found = image.addresses.find(name);
  return found == image.addresses.end() ? 0 : found->second;
}

const ptx::Module& parsed(const ModuleImage& image) { return image.module; }

}  // namespace lab::sim
