// What the modifiers of a memory instruction say (space, width, order), and what the program notes of the
// access.
//
// Enters: one instruction. Leaves: answers, and in the program what each access is counted and checked by.
#include <algorithm>
#include <set>
#include <string>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/block.h"
#include "common/sim/ptx/modifiers.h"

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
  if (ptx::has(in, "v2")) return 2;
  if (ptx::has(in, "v4")) return 4;
  if (ptx::has(in, "v8")) return 8;
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
  if (ptx::has(in, "cta")) return Scope::Block;
  if (ptx::has(in, "gpu") || ptx::has(in, "cluster") || ptx::has(in, "gl")) return Scope::Device;
  return ptx::has(in, "sys") ? Scope::System : otherwise;
}

Ordering ordering_of(const ptx::Instruction& in) {
  const auto has = [&](std::string_view m) { return ptx::has(in, m); };
  Ordering order;
  order.is_volatile = has("volatile") || has("mmio");
  order.acquire = has("acquire") || has("acq_rel");
  order.release = has("release") || has("acq_rel");
  const bool names_one = order.acquire || order.release || has("relaxed") || has("sc");
  if (order.is_volatile) {
    order.scope = Scope::System;
  } else if (in.row->is_atomic() || names_one) {
    order.scope = scope_of(in, Scope::Device);
  }
  return order;
}

}  // namespace

// Other blocks may be waiting for, or may see, this access while the launch runs; or its order among theirs
// makes a difference to what memory holds in the end.
void Decoder::note_blocks(const ptx::Instruction& in, Space space) {
  const bool reaches_others = space != Space::Shared && space != Space::Local && space != Space::Param;
  const bool depends = in.row->moves.direction == Direction::Update || is_strong(in);
  if (reaches_others && depends) data_->blocks_talk = true;
  const bool learns = in.row->fetches() || (in.row->loads() && is_strong(in));
  if (learns && space != Space::Local && space != Space::Param) data_->turns_decide = true;
}

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
                in.row->moves.direction != Direction::Read);
  }
  inst.order = ordering_of(in);
  inst.roots = roots_of(address_operand(in));
  note_blocks(in, inst.space);
  inst.watches_memory = in.row->loads() && is_strong(in);
}

// What an address is made of, in the terms of the program; 0: not known.
std::uint16_t Decoder::roots_of(const ptx::Operand* address) {
  const auto found = scope_->roots.find(address);
  if (found == scope_->roots.end() || !found->second.known()) return 0;
  RootsOfAddress roots;
  for (const auto& [name, offset] : found->second.parameters) {
    const auto p = std::find_if(data_->parameters.begin(), data_->parameters.end(),
                                [&wanted = name](const ParameterInfo& info) { return info.name == wanted; });
    if (p == data_->parameters.end()) return 0;
    const std::uint32_t at = p->offset_bytes + static_cast<std::uint32_t>(offset);
    roots.parameters.push_back(at);
    if (!found->second.factors.contains({name, offset})) roots.summands.push_back(at);
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
  const auto next = static_cast<std::uint16_t>(data_->roots.size());
  const auto [known, fresh] = roots_.try_emplace(roots, next);
  if (!fresh) return known->second;
  if (next == 0xffff) return roots_.erase(known), 0;
  data_->roots.push_back(std::move(roots));
  return next;
}

void Decoder::decode_fence(const ptx::Instruction& in) {
  if (ptx::has(in, "proxy") || ptx::has(in, "mbarrier_init")) return decode_proxy_fence(in);
  const bool at_cta = ptx::has(in, "sync_restrict::shared::cta");
  if ((at_cta || ptx::has(in, "sync_restrict::shared::cluster")) &&
      !(ptx::has(in, at_cta ? "release" : "acquire") && ptx::has(in, "cluster")))
    unsupported(in, "these modifiers together");
  check_hint(in);
  emit(in, [](WarpContext& w, const Inst& i) { w.block->fenced(w, i.fence); }).fence =
      scope_of(in, sim::Scope::System);
}

}  // namespace lab::sim
