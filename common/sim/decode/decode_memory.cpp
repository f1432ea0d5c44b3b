// Reads loads and stores, and sends the other instructions that know of memory to their files:
// decode_atomic.cpp (atom, red), decode_async.cpp (cp.async), decode_mbarrier.cpp, decode_move.cpp (cvta,
// isspacep, mov).
#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {

Space space_named(std::string_view m) {
  if (m == "global") return Space::Global;
  if (m == "shared" || m == "shared::cta" || m == "shared::cluster") return Space::Shared;
  if (m == "local") return Space::Local;
  if (m == "const") return Space::Const;
  if (m == "param" || m == "param::entry" || m == "param::func") return Space::Param;
  return Space::Generic;
}

Space space_of(const ptx::Instruction& in) {
  for (const std::string& m : in.modifiers) {
    if (const Space space = space_named(m); space != Space::Generic) return space;
  }
  return Space::Generic;
}

std::uint8_t vector_length(const ptx::Instruction& in) {
  if (has_modifier(in, "v2")) return 2;
  if (has_modifier(in, "v4")) return 4;
  if (has_modifier(in, "v8")) return 8;
  return 1;
}

// Modifiers that change neither the result nor a counter of one launch: cache hints, prefetch sizes, scopes,
// ordering.
bool is_hint(std::string_view m) {
  static const std::set<std::string_view> hints{
      "ca",      "cg",      "cs",  "lu",      "cv",      "wb",       "wt",      "nc",
      "weak",    "cta",     "gpu", "sys",     "cluster", "volatile", "relaxed", "acquire",
      "release", "acq_rel", "sc",  "unified", "noftz",   "mmio",     "uni"};
  return hints.contains(m) || m.starts_with("L1::") || m.starts_with("L2::");
}

namespace {

// The scope that it names; `gl` is what membar calls a device.
Scope scope_of(const ptx::Instruction& in, Scope otherwise) {
  if (has_modifier(in, "cta")) return Scope::Block;
  if (has_modifier(in, "gpu") || has_modifier(in, "cluster") || has_modifier(in, "gl")) return Scope::Device;
  return has_modifier(in, "sys") ? Scope::System : otherwise;
}

Ordering ordering_of(const ptx::Instruction& in) {
  const auto has = [&](std::string_view m) { return has_modifier(in, m); };
  Ordering order;
  order.is_volatile = has("volatile") || has("mmio");
  order.acquire = has("acquire") || has("acq_rel");
  order.release = has("release") || has("acq_rel");
  const bool atomic = in.opcode == "atom" || in.opcode == "red";
  const bool names_one = order.acquire || order.release || has("relaxed") || has("sc");
  if (order.is_volatile) {
    order.scope = Scope::System;
  } else if (atomic || names_one) {
    order.scope = scope_of(in, Scope::Device);
  }
  return order;
}

bool is_signed(ptx::Type t) {
  return t == ptx::Type::S8 || t == ptx::Type::S16 || t == ptx::Type::S32 || t == ptx::Type::S64;
}

// Whether other blocks may be waiting for, or may see, this access while the launch runs.
bool talks(const ptx::Instruction& in, Space space) {
  if (space == Space::Shared || space == Space::Local || space == Space::Param) return false;
  for (const std::string& m : in.modifiers) {
    if (m == "volatile" || m == "relaxed" || m == "acquire" || m == "release" || m == "cv" || m == "mmio")
      return true;
  }
  return false;
}

}  // namespace

void Decoder::note_global(Inst& inst, std::uint32_t bytes, bool writes) {
  data_->smallest_global_access_bytes = std::min(data_->smallest_global_access_bytes, bytes);
  inst.writes_global = writes;
  data_->writes_global = data_->writes_global || writes;
}

void Decoder::note_access(Inst& inst, const ptx::Instruction& in) {
  if (inst.space == Space::Shared || inst.space == Space::Generic) {
    data_->smallest_shared_access_bytes = std::min<std::uint32_t>(
        data_->smallest_shared_access_bytes, std::uint32_t{inst.elem_bytes} * inst.vector);
  }
  if (inst.space == Space::Global || inst.space == Space::Generic) {
    note_global(inst, std::uint32_t{inst.elem_bytes} * inst.vector,
                in.opcode != "ld" && in.opcode != "ldu" && !has_modifier(in, "load"));
  }
  inst.order = ordering_of(in);
  inst.roots = roots_of(in);
  if (talks(in, inst.space)) data_->blocks_talk = true;
  inst.watches_memory = talks(in, Space::Generic);
}

// What its address is made of, in the terms of the program; 0: not known.
std::uint32_t Decoder::roots_of(const ptx::Instruction& in) {
  const auto found = scope_->roots.find(&in);
  if (found == scope_->roots.end() || !found->second.known()) return 0;
  RootsOfAddress roots;
  for (const auto& [name, offset] : found->second.parameters) {
    const auto p = std::find_if(data_->parameters.begin(), data_->parameters.end(),
                                [&wanted = name](const ParameterInfo& info) { return info.name == wanted; });
    if (p == data_->parameters.end()) return 0;
    roots.parameters.push_back(p->offset_bytes + static_cast<std::uint32_t>(offset));
  }
  for (const std::string& name : found->second.variables) {
    const auto& shared = data_->shared_variables;
    const auto v = std::find_if(shared.begin(), shared.end(),
                                [&](const SharedVariable& variable) { return variable.name == name; });
    if (v != shared.end()) {
      roots.shared.push_back(static_cast<std::uint32_t>(v - shared.begin()));
    } else if (const auto global = image_.addresses.find(name); global != image_.addresses.end()) {
      roots.globals.push_back(global->second);
    } else {
      return 0;
    }
  }
  data_->roots.push_back(std::move(roots));
  return static_cast<std::uint32_t>(data_->roots.size() - 1);
}

void Decoder::decode_fence(const ptx::Instruction& in) {
  const bool proxy = std::any_of(in.modifiers.begin(), in.modifiers.end(),
                                 [](const std::string& m) { return m.starts_with("proxy"); });
  if (proxy || has_modifier(in, "mbarrier_init")) return decode_proxy_fence(in);
  const Exec run = [](WarpContext& w, const Inst& i) { w.block->fenced(w, i.fence); };
  emit(in, run, run).fence = scope_of(in, sim::Scope::System);
}

void Decoder::check_memory_modifiers(const ptx::Instruction& in) const {
  for (const std::string& m : in.modifiers) {
    const bool known = is_hint(m) || ptx::type_named(m) != ptx::Type::None || m == "v2" || m == "v4" ||
                       m == "v8" || space_named(m) != Space::Generic;
    if (!known) unsupported(in, "the modifier ." + m);
  }
}

// Where in the kernel's parameters this is, when that is a constant and nothing is wrong with it.
std::optional<std::int64_t> Decoder::parameter_offset(const Address& from, std::uint64_t size_bytes) const {
  const bool constant = from.space == Space::Param && !from.frame_relative &&
                        from.base.file == RowFile::Constant && from.base.lane_bytes == 8;
  if (!constant) return std::nullopt;
  std::uint64_t at = 0;
  std::memcpy(&at, data_->constants.data() + from.base.offset_bytes, sizeof at);
  at += static_cast<std::uint64_t>(from.offset);
  if (at % size_bytes != 0 || at > data_->parameter_bytes || size_bytes > data_->parameter_bytes - at)
    return std::nullopt;
  return static_cast<std::int64_t>(at);
}

void Decoder::decode_load(const ptx::Instruction& in) {
  check_memory_modifiers(in);
  expect_operands(in, 2, 3);
  const ptx::Type type = last_type(in);
  const Address from = address(in, in.operands[1], space_of(in));
  const std::uint32_t rows = vector_of(in, in.operands[0], type, false);
  std::uint32_t register_bytes = 0;
  for (const RowRef& r : data_->vectors[rows])
    register_bytes = std::max<std::uint32_t>(register_bytes, r.lane_bytes);
  const std::uint8_t vector = vector_length(in);
  if (data_->vectors[rows].size() != vector) fail(in, FaultKind::BadPtx, "the vector has the wrong length");
  for (const RowRef& r : data_->vectors[rows]) {
    if (is_set(r) && r.lane_bytes != register_bytes)
      fail(in, FaultKind::BadPtx, "the registers differ in size");
  }
  const auto bytes = static_cast<std::uint32_t>(ptx::size_bytes(type));
  const std::optional<std::int64_t> parameter = parameter_offset(from, std::uint64_t{bytes} * vector);
  const Exec handler = load_handler(bytes, register_bytes, is_signed(type), parameter.has_value());
  if (handler == nullptr) unsupported(in);
  Inst& inst = emit(in, handler, handler);
  inst.a = from.base;
  inst.immediate = parameter.value_or(from.offset);
  inst.space = from.frame_relative ? Space::Local : from.space;
  inst.frame_relative = from.frame_relative;
  inst.passes_argument = from.frame_relative && from.space == Space::Param;
  inst.extra = rows;
  scope_->lists.push_back({inst.pc, rows, false});
  inst.elem_bytes = static_cast<std::uint8_t>(bytes);
  inst.vector = vector;
  const bool tests = scope_->tests.contains(&in);
  inst.checked_by_cas = tests || scope_->cas_reads.contains(&in);
  note_access(inst, in);
  inst.takes_data = scope_->data_reads.contains(&in);
  inst.non_coherent = has_modifier(in, "nc");
  inst.updates = scope_->updates.contains(&in);
  // A number that the atomic would have returned is no test: it is not checked again.
  inst.tests_atomic =
      (tests || scope_->numbers.contains(&in)) && !inst.order.strong() && !scope_->cas_reads.contains(&in);
}

void Decoder::decode_store(const ptx::Instruction& in) {
  if (has_modifier(in, "async")) return decode_async_store(in);
  check_memory_modifiers(in);
  expect_operands(in, 2, 3);
  const ptx::Type type = last_type(in);
  const Address to = address(in, in.operands[0], space_of(in));
  const std::uint32_t rows = vector_of(in, in.operands[1], type, true);
  const std::uint8_t vector = vector_length(in);
  if (data_->vectors[rows].size() != vector) fail(in, FaultKind::BadPtx, "the vector has the wrong length");
  // One register width an instruction: immediates take the width of the registers beside them.
  std::uint32_t register_bytes = 0;
  for (const RowRef& r : data_->vectors[rows])
    register_bytes = std::max<std::uint32_t>(register_bytes, r.lane_bytes);
  for (std::size_t e = 0; e < data_->vectors[rows].size(); ++e) {
    RowRef& r = data_->vectors[rows][e];
    if (r.lane_bytes == register_bytes) continue;
    const ptx::Operand& element = in.operands[1].elements.at(e);
    if (element.kind != ptx::OperandKind::Immediate)
      fail(in, FaultKind::BadPtx, "the registers differ in size");
    r = constant_row(immediate_bits(in, element, type), register_bytes);
  }
  const auto bytes = static_cast<std::uint32_t>(ptx::size_bytes(type));
  const Exec handler = store_handler(bytes, register_bytes);
  if (handler == nullptr) unsupported(in);
  Inst& inst = emit(in, handler, handler);
  inst.a = to.base;
  inst.immediate = to.offset;
  inst.space = to.frame_relative ? Space::Local : to.space;
  inst.frame_relative = to.frame_relative;
  inst.passes_argument = to.frame_relative && to.space == Space::Param;
  inst.extra = rows;
  scope_->lists.push_back({inst.pc, rows, true});
  inst.elem_bytes = static_cast<std::uint8_t>(bytes);
  inst.vector = vector;
  note_access(inst, in);
  inst.updates = scope_->updates.contains(&in);
}

}  // namespace lab::sim
