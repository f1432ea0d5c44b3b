// What an instruction is to `ptxas` when it looks for neighbours. See merge_text.h.
#include "common/sim/analysis/merge_text.h"
#include "common/sim/ptx/modifiers.h"

#include <algorithm>

namespace lab::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

bool is_volatile(const Instruction& in) { return has(in, "volatile") || has(in, "mmio"); }

bool is_ordered(const Instruction& in) {
  return has(in, "relaxed") || has(in, "acquire") || has(in, "release") || has(in, "acq_rel") ||
         has(in, "sc");
}

bool names(const Instruction& in, std::string_view space) {
  return std::any_of(in.modifiers.begin(), in.modifiers.end(), [&](const std::string& m) {
    return m == space || m.starts_with(std::string(space) + "::");
  });
}

bool is_generic(const Instruction& in) {
  return std::none_of(in.modifiers.begin(), in.modifiers.end(), [](const std::string& m) {
    return m == "global" || m == "local" || m == "const" || m.starts_with("shared") || m.starts_with("param");
  });
}

// Whether it touches memory that may be that of `space`.
bool touches(const Instruction& in, MergedSpace space) {
  if (is_generic(in) || space == MergedSpace::Generic) return !names(in, "param") && !names(in, "local");
  return names(in, space == MergedSpace::Shared ? "shared" : "global");
}

}  // namespace

MergeText::MergeText(const ptx::Function& function) : function_(function) {
  using ptx::Computes;
  const auto mention = [&](const auto& self, const Operand& operand) -> void {
    if (!operand.name.empty()) ++mentions_[operand.name];
    for (const Operand& e : operand.elements) self(self, e);
  };
  for (const Instruction& in : function.body) {
    for (const Operand& operand : in.operands) mention(mention, operand);
    if (!in.guard.empty()) ++mentions_[in.guard];
    const Computes does = in.row->computes;
    const bool widens = (does == Computes::Convert && has(in, "u16") && (has(in, "u32") || has(in, "u64"))) ||
                        (does == Computes::Multiply && has(in, "wide") && has(in, "u16"));
    const bool needs_zeros = does == Computes::Add || does == Computes::Subtract ||
                             does == Computes::ShiftLeft || does == Computes::ShiftRight ||
                             does == Computes::Compare;
    const bool half = has(in, "f16") || has(in, "f16x2") || has(in, "bf16") || has(in, "bf16x2");
    if (!widens && (half || !needs_zeros)) continue;
    for (std::size_t k = 1; k < in.operands.size(); ++k) half_used_whole_.insert(in.operands[k].name);
  }
}

bool MergeText::is_unused(const std::string& name) const {
  const auto found = mentions_.find(name);
  return found != mentions_.end() && found->second == 1;
}

bool MergeText::is_wider_than_half(const std::string& name) const {
  return std::any_of(function_.registers.begin(), function_.registers.end(), [&](const auto& declared) {
    const bool is_it = declared.count == 0
                           ? declared.name == name
                           : name.starts_with(declared.name) &&
                                 std::all_of(name.begin() + static_cast<std::ptrdiff_t>(declared.name.size()),
                                             name.end(), [](char c) { return c >= '0' && c <= '9'; });
    return is_it && ptx::size_bytes(declared.type) > 2;
  });
}

// A 16-bit load sets the upper bits of its register to zero; a part of a wider one does not.
bool MergeText::keeps_half(const Operand& element) const {
  return element.kind != OperandKind::Register || is_wider_than_half(element.name) ||
         half_used_whole_.contains(element.name);
}

bool MergeText::access(const Instruction& in, TextAccess& access) const {
  access = {};
  access.is_load = in.row->loads();
  if ((!access.is_load && !in.row->stores()) || in.operands.size() < 2 || !in.guard.empty()) return false;
  if (is_volatile(in) || has(in, "shared::cluster") || has(in, "v8")) return false;
  if (names(in, "param") || names(in, "local") || names(in, "const")) return false;
  access.space = names(in, "shared")   ? MergedSpace::Shared
                 : names(in, "global") ? MergedSpace::Global
                                       : MergedSpace::Generic;
  if (access.space != MergedSpace::Shared && is_ordered(in)) return false;
  const Operand& address = in.operands[access.is_load ? 1 : 0];
  const Operand& values = in.operands[access.is_load ? 0 : 1];
  if (address.kind != OperandKind::Address || !address.elements.empty()) return false;
  const int scalar = ptx::size_bytes(last_type(in));
  const int count = has(in, "v4") ? 4 : has(in, "v2") ? 2 : 1;
  access.address = &address;
  access.bytes = static_cast<std::uint8_t>(scalar * count);
  const bool small_vector = count > 1 && scalar < 4;
  if (scalar < 2 && !(small_vector && access.bytes == 4)) return false;
  access.element_bytes = static_cast<std::uint8_t>(small_vector && access.bytes >= 4 ? 4 : scalar);
  if (access.element_bytes > 8) return false;
  for (std::uint8_t at = 0; at < access.bytes; at = static_cast<std::uint8_t>(at + access.element_bytes)) {
    if (!small_vector && access.is_load) {
      const Operand& element = count == 1 ? values : values.elements.at(at / access.element_bytes);
      if (element.kind == OperandKind::Sink || is_unused(element.name)) continue;
      if (access.element_bytes == 2 && keeps_half(element)) return false;
    }
    access.live.push_back(at);
  }
  return true;
}

bool MergeText::parts_loads(const Instruction& in, MergedSpace space) {
  const ptx::Parts parts = in.row->parts;
  if (parts == ptx::Parts::Loads || parts == ptx::Parts::Both) return touches(in, space);
  return parts == ptx::Parts::All;
}

bool MergeText::parts_stores(const Instruction& in, MergedSpace space) {
  const ptx::Parts parts = in.row->parts;
  if (parts == ptx::Parts::Stores || parts == ptx::Parts::Both) return touches(in, space);
  const bool releases = in.row->stores() && (has(in, "release") || has(in, "acq_rel"));
  return parts == ptx::Parts::All || parts == ptx::Parts::AllStores || releases;
}

}  // namespace lab::sim
