// Lays out what a kernel's reachable code needs before any of it is decoded: parameters, functions, shared
// memory.
//
// Enters: the module and the entry. Leaves: places of parameters and of shared variables, the functions to
// decode.
#include <algorithm>
#include <map>

#include "common/sim/base/kernel_name.h"

#include "common/sim/decode/decoder.h"

namespace lab::sim {

namespace {
std::uint64_t place_behind(const ptx::Variable& parameter, std::uint64_t behind) {
  const std::uint64_t align = std::max<std::uint64_t>(parameter.align_bytes, 1);
  return (behind + align - 1) / align * align;
}
}  // namespace

void Decoder::list_launchable() {
  for (const ptx::Function& f : module_.functions) {
    std::uint64_t end = 0;
    for (const ptx::Variable& p : f.parameters) end = place_behind(p, end) + p.size_bytes;
    data_->launchable.push_back({f.is_entry ? f.name : "", static_cast<std::uint32_t>(end)});
  }
}

void Decoder::lay_out_parameters(const ptx::Function& entry) {
  std::uint64_t offset = 0;
  for (const ptx::Variable& p : entry.parameters) {
    const std::uint64_t align = std::max<std::uint64_t>(p.align_bytes, 1);
    offset = place_behind(p, offset);
    data_->parameters.push_back({p.name, static_cast<std::uint32_t>(offset),
                                 static_cast<std::uint32_t>(p.size_bytes), static_cast<std::uint32_t>(align),
                                 p.type, p.is_array});
    offset += p.size_bytes;
    if (offset > 32764) {
      ptx::Instruction where;
      where.ptx_line = entry.ptx_line;
      fail(where, FaultKind::BadPtx,
           msg("the parameters of `{}` take more than 32 764 bytes",
               kernel_name_for_message(demangled(entry.name))));
    }
  }
  data_->parameter_bytes = static_cast<std::uint32_t>(offset);
}

std::uint32_t Decoder::function_index(std::string_view name) {
  const auto found = function_indices_.find(name);
  if (found != function_indices_.end()) return found->second;
  const ptx::Function* function = nullptr;
  for (const ptx::Function& f : module_.functions) {
    if (f.name == name && !f.is_declaration) function = &f;
  }
  if (function == nullptr) return kNoPc;
  const auto index = static_cast<std::uint32_t>(functions_.size());
  functions_.push_back(function);
  function_indices_.emplace(name, index);
  return index;
}

// Kernels are launched, not called: another program has their code.
bool Decoder::is_kernel(std::string_view name) const {
  return std::any_of(module_.functions.begin(), module_.functions.end(),
                     [&](const ptx::Function& f) { return f.is_entry && f.name == name; });
}

// Every function whose name stands in reachable code; with an indirect call, every function of the module.
void Decoder::collect_functions() {
  const auto visit = [&](const auto& self, const ptx::Operand& operand) -> void {
    if (operand.kind == ptx::OperandKind::Symbol && !is_kernel(operand.name)) function_index(operand.name);
    for (const ptx::Operand& e : operand.elements) self(self, e);
  };
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    for (const ptx::Instruction& in : functions_[k]->body) {
      for (const ptx::Operand& operand : in.operands) visit(visit, operand);
      const bool indirect = in.row->next == ptx::Next::Call &&
                            std::any_of(in.operands.begin(), in.operands.end(),
                                        [](const auto& o) { return o.kind == ptx::OperandKind::Register; });
      if (!indirect) continue;
      for (const ptx::Function& f : module_.functions) {
        if (!f.is_entry && !f.is_declaration) function_index(f.name);
      }
    }
  }
}

// Shared variables that reachable code names, in the order of the text, at their alignment.
void Decoder::lay_out_shared() {
  std::map<std::string_view, const ptx::Variable*> known;
  std::vector<const ptx::Variable*> order;
  const auto add = [&](const ptx::Variable& v) {
    if (v.space != Space::Shared || known.contains(v.name)) return;
    known[v.name] = &v;
    order.push_back(&v);
  };
  for (const ptx::Variable& v : module_.variables) add(v);
  for (const ptx::Function* f : functions_) {
    for (const ptx::Variable& v : f->variables) add(v);
  }
  std::map<std::string_view, bool> used;
  const auto visit = [&](const auto& self, const ptx::Operand& operand) -> void {
    if (!operand.name.empty() && known.contains(operand.name)) used[known[operand.name]->name] = true;
    for (const ptx::Operand& e : operand.elements) self(self, e);
  };
  for (const ptx::Function* f : functions_) {
    for (const ptx::Instruction& in : f->body) {
      for (const ptx::Operand& operand : in.operands) visit(visit, operand);
    }
  }
  std::uint64_t offset = 0;
  std::uint64_t dynamic_align = 16;
  for (const ptx::Variable* v : order) {
    if (!used[v->name]) continue;
    const std::uint64_t align = std::max<std::uint64_t>(v->align_bytes, 1);
    if (v->is_extern && v->size_bytes == 0) {
      dynamic_align = std::max(dynamic_align, align);
      continue;
    }
    offset = (offset + align - 1) / align * align;
    shared_offsets_[v->name] = static_cast<std::uint32_t>(offset);
    data_->shared_variables.push_back(
        {v->name, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(v->size_bytes)});
    offset += v->size_bytes;
    if (offset > (1u << 30)) {
      Fault fault;
      fault.kind = FaultKind::TooMuchShared;
      fault.message = msg("the shared arrays of `{}` take more than 1 GiB; a block of an H200 has 227 KiB.",
                          kernel_name_for_message(demangled(data_->name)));
      throw FaultError(std::move(fault));
    }
  }
  data_->static_shared_bytes = static_cast<std::uint32_t>(offset);
  const std::uint64_t dynamic = (offset + dynamic_align - 1) / dynamic_align * dynamic_align;
  for (const ptx::Variable* v : order) {
    if (!used[v->name] || !v->is_extern || v->size_bytes != 0) continue;
    shared_offsets_[v->name] = static_cast<std::uint32_t>(dynamic);
    data_->shared_variables.push_back({v->name, static_cast<std::uint32_t>(dynamic), 0});
    data_->uses_dynamic_shared = true;
    data_->static_shared_bytes = static_cast<std::uint32_t>(dynamic);
  }
}

}  // namespace lab::sim
