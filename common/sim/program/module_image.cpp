// Gives a module's .global and .const variables their place in memory, with their initial bytes.
//
// Enters: a parsed module. Leaves: a ModuleImage; decode turns names into addresses with it. Shared and
// local variables get their offsets later, entry by entry.
#include <algorithm>
#include <cstring>
#include <utility>

#include "common/sim/base/kernel_name.h"

#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

[[noreturn]] void bad_variable(const ptx::Variable& variable, const Message& what) {
  Fault fault;
  fault.kind = FaultKind::BadPtx;
  fault.ptx_line = variable.ptx_line;
  fault.message = msg("PTX line {}: variable `{}` {}", variable.ptx_line, short_name(variable.name), what);
  throw FaultError(std::move(fault));
}

bool has_address(const ptx::Variable& v) {
  return (v.space == Space::Global || v.space == Space::Const) && !v.is_extern;
}

bool names(const ptx::Operand& operand, const std::string& variable) {
  if (operand.name == variable && !operand.base_is_register) return true;
  return std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const ptx::Operand& inner) { return names(inner, variable); });
}

// PTX does not say where a variable was declared; the line that first speaks of it is the next best.
ptx::SourceLine first_use(const ptx::Module& module, const std::string& variable) {
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& in : function.body) {
      if (std::any_of(in.operands.begin(), in.operands.end(),
                      [&](const ptx::Operand& operand) { return names(operand, variable); }))
        return in.source;
    }
  }
  return {};
}

constexpr std::uint64_t kConstantBytes = 64 * 1024;  // of a module, on every GPU

struct Declared {
  std::uint64_t bytes = 0, constant_bytes = 0;  // the parser bounds these sums, so they do not overflow
  const ptx::Variable* largest = nullptr;

  void add(const ptx::Variable& v) {
    if (!has_address(v)) return;
    bytes += v.size_bytes;
    if (v.space == Space::Const) constant_bytes += v.size_bytes;
    if (largest == nullptr || v.size_bytes > largest->size_bytes) largest = &v;
  }
};

Declared all_variables(const ptx::Module& module) {
  Declared declared;
  for (const ptx::Variable& v : module.variables) declared.add(v);
  for (const ptx::Function& f : module.functions) {
    for (const ptx::Variable& v : f.variables) declared.add(v);
  }
  return declared;
}

// Asked before anything is allocated: what a machine has free decides nothing.
void check_room(const ptx::Module& module, std::uint64_t room_bytes) {
  const Declared declared = all_variables(module);
  const bool no_room = declared.bytes > room_bytes;
  if (!no_room && declared.constant_bytes <= kConstantBytes) return;
  const std::string& name = declared.largest->name;
  Fault fault;
  fault.kind = FaultKind::TooMuchMemory;
  fault.message =
      no_room
          ? msg("The module's `__device__` and `__constant__` variables take {} bytes together; there is "
                "room for {}. The largest one is `{}`, with {} bytes. Make it smaller.",
                big(declared.bytes), big(room_bytes), short_name(name), big(declared.largest->size_bytes))
          : msg("The module's `__constant__` variables take {} bytes together; a GPU has room for {}. Put "
                "what does not fit into `__device__` variables.",
                big(declared.constant_bytes), big(kConstantBytes));
  const ptx::SourceLine place = first_use(module, name);
  fault.line = place.line;
  if (const auto file = module.files.find(place.file); place.line != 0 && file != module.files.end())
    fault.file = file->second;
  throw FaultError(std::move(fault));
}

}  // namespace

ModuleImage::ModuleImage(ptx::Module parsed, Memory& into, std::uint64_t room_bytes,
                         std::shared_ptr<const ModuleImage> first)
    : text(std::make_shared<const ptx::Module>(std::move(parsed))),
      module(*text),
      memory(into),
      first_(std::move(first)) {
  check_room(module, room_bytes);
  const auto place = [&](const ptx::Variable& v) {
    if (!has_address(v)) return;
    has_written_variables_ |= v.space != Space::Const;
    if (v.is_managed && first_ != nullptr) {
      addresses[v.name] = first_->addresses.at(v.name);
      return;
    }
    if (v.is_managed) {
      addresses[v.name] = memory.allocate_visible(v.size_bytes, v.name);
      memory.fill(addresses[v.name], std::byte{0}, v.size_bytes);  // a variable begins as zeros, said or not
      return;
    }
    // Read-only would refuse our own initial bytes too: `write` is the host's way in, warps go through
    // `find`.
    addresses[v.name] =
        memory.allocate(v.size_bytes, Fill::Written, short_name(v.name), v.space == Space::Const);
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
  for (const auto& [name, base] : addresses)
    if (first_ == nullptr || first_->addresses.at(name) != base) memory.release(base);
}

void ModuleImage::renew() {
  memory.heap_clear();
  if (!has_written_variables_) return;
  const auto anew = [&](const ptx::Variable& v) {
    if (!has_address(v) || v.space == Space::Const) return;
    memory.clear(addresses.at(v.name));
    fill(v);
  };
  for (const ptx::Variable& v : module.variables) anew(v);
  for (const ptx::Function& f : module.functions) {
    for (const ptx::Variable& v : f.variables) anew(v);
  }
}

void ModuleImage::fill(const ptx::Variable& variable) {
  const auto found = addresses.find(variable.name);
  if (!has_address(variable) || found == addresses.end()) return;
  if (variable.is_managed && first_ != nullptr) return;
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
      if (!known)
        bad_variable(variable, msg("is initialised with `{}`, which has no address.", demangled(r.symbol)));
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

std::shared_ptr<ModuleImage> load_module(ptx::Module module, Memory& memory, std::uint64_t room_bytes,
                                         std::shared_ptr<const ModuleImage> first) {
  return std::make_shared<ModuleImage>(std::move(module), memory, room_bytes, std::move(first));
}

void renew(ModuleImage& image) { image.renew(); }

std::uint64_t variable_bytes(const ModuleImage& image) { return all_variables(image.module).bytes; }

DeviceAddress variable_address(const ModuleImage& image, std::string_view name) {
  const auto found = image.addresses.find(name);
  return found == image.addresses.end() ? 0 : found->second;
}

const ptx::Module& parsed(const ModuleImage& image) { return image.module; }

}  // namespace lab::sim
