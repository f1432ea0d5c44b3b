// Walks the entry and every function that it can reach; decode_layout.cpp has placed what they name.
#include <algorithm>
#include <cstring>
#include <utility>

#include "common/sim/analysis/cas_probes.h"
#include "common/sim/analysis/cas_reads.h"
#include "common/sim/analysis/unset_registers.h"
#include "common/sim/decode/decoder.h"
#include "common/sim/decode/hoist.h"
#include "common/sim/decode/load_waits.h"
#include "common/sim/program/work.h"

namespace lab::sim {

std::shared_ptr<const Program> decode(const ModuleImage& image, std::string_view entry, Shortcuts shortcuts) {
  return std::make_shared<const Program>(Decoder(image, entry, shortcuts).run());
}

Decoder::Decoder(const ModuleImage& image, std::string_view entry, Shortcuts shortcuts)
    : image_(image), module_(image.module), data_(std::make_unique<ProgramData>()) {
  data_->module = image.text;
  data_->shortcuts = shortcuts;
  data_->all_lanes_name_rows = module_.target < "sm_80" && module_.target.size() == std::strlen("sm_80");
  const ptx::Function* found = module_.find_function(entry);
  if (found == nullptr || !found->is_entry || found->is_declaration) {
    Fault fault;
    fault.kind = FaultKind::BadPtx;
    fault.message = msg("there is no kernel `{}` in this module", entry);
    std::string names;
    for (const ptx::Function& f : module_.functions) {
      if (f.is_entry) names += (names.empty() ? "" : ", ") + f.name;
    }
    fault.message += names.empty() ? "; it holds no kernel at all." : msg("; it holds: {}.", names);
    throw FaultError(std::move(fault));
  }
  functions_.push_back(found);
  function_indices_[found->name] = 0;
}

std::unique_ptr<ProgramData> Decoder::run() {
  const ptx::Function& entry = *functions_[0];
  data_->name = entry.name;
  data_->files = module_.files;
  data_->variable_bytes = variable_bytes(image_);
  data_->max_threads = entry.max_threads;
  std::copy(std::begin(entry.required_threads), std::end(entry.required_threads), data_->required_threads);
  std::copy(std::begin(entry.required_cluster), std::end(entry.required_cluster), data_->required_cluster);
  if (entry.blocks_are_clusters) {
    ptx::Instruction where;
    where.ptx_line = entry.ptx_line;
    unsupported(where, "a grid counted in clusters (.blocksareclusters)");
  }
  lay_out_parameters(entry);
  collect_functions();
  lay_out_shared();
  data_->functions.resize(functions_.size());
  data_->function_texts = functions_;
  for (std::uint32_t k = 0; k < functions_.size(); ++k) decode_function(k);
  for (const ptx::Function& f : module_.functions) {
    const auto found = function_indices_.find(f.name);
    data_->function_of_module.push_back(found == function_indices_.end() ? kNoPc : found->second);
  }
  if (data_->launches_at != kNoPc) list_launchable();
  if (data_->smallest_shared_access_bytes > 4) data_->smallest_shared_access_bytes = 4;
  return std::move(data_);
}

void Decoder::declare(Scope& scope) {
  const ptx::Function& f = *scope.function;
  for (const ptx::RegisterDeclaration& r : f.registers)
    (r.count > 0 ? scope.ranges : scope.declared).emplace(r.name, &r);
  std::uint64_t local = 0;
  const auto place = [&](const ptx::Variable& v) {
    const std::uint64_t align = std::max<std::uint64_t>(v.align_bytes, 1);
    local = (local + align - 1) / align * align;
    const FrameSlot slot{static_cast<std::uint32_t>(local), static_cast<std::uint32_t>(v.size_bytes)};
    local += std::max<std::uint64_t>(v.size_bytes, 1);
    if (local > kMaxLocalBytes) {
      ptx::Instruction where;
      where.ptx_line = v.ptx_line;
      fail(where, FaultKind::StackOverflow,
           msg("the local arrays of `{}` take more than the 512 KiB that a thread can have", f.name));
    }
    scope.frame[v.name] = slot;
    return slot;
  };
  if (f.is_entry) {
    for (const ParameterInfo& p : data_->parameters) scope.parameters[p.name] = p.offset_bytes;
  } else {
    for (const ptx::Variable& v : f.parameters) scope.info.parameters.push_back(place(v));
    for (const ptx::Variable& v : f.returns) scope.info.returns.push_back(place(v));
  }
  for (const ptx::Variable& v : f.variables) {
    if (v.space == Space::Local || v.space == Space::Param) place(v);
  }
  scope.info.local_bytes = static_cast<std::uint32_t>((local + 15) / 16 * 16);
  scope.info.name = f.name;
}

namespace {

void mark_names(ProgramData& data, const std::vector<std::string>& unset) {
  data.names_unset.resize(data.code.size());
  for (std::size_t pc = data.code.size(); pc-- > 0;)
    data.names_unset[pc] =
        names_any(data.text(pc), unset) || (data.code[pc].run > 1 && data.names_unset[pc + 1]);
}

}  // namespace

void Decoder::decode_function(std::uint32_t index) {
  Scope scope;
  scope.function = functions_[index];
  scope.index = index;
  scope_ = &scope;
  scope.cas_reads = reads_that_a_cas_checks(*scope.function);
  ReadsBeforeAtomics before_atomics = reads_before_atomics(*scope.function);
  scope.tests = std::move(before_atomics.tests);
  scope.numbers = std::move(before_atomics.numbers);
  scope.updates = plain_updates(*scope.function);
  scope.data_reads = loads_that_take_data(*scope.function);
  scope.unread_atomics = unread_atomics(*scope.function);
  scope.roots = pointer_roots(*scope.function);
  if (!module_.is_for_debugging) scope.fused = fused_products(*scope.function);
  scope.tests.merge(probes_of_a_cas(*scope.function, scope.roots));
  declare(scope);
  const auto first = static_cast<std::uint32_t>(data_->code.size());
  scope.info.entry_pc = first;
  const FunctionTables tables{first,
                              data_->vectors.size(),
                              data_->calls.size(),
                              data_->async_copies.size(),
                              data_->bulk_copies.size(),
                              data_->async_stores.size(),
                              data_->unset.size()};
  for (const ptx::Instruction& in : scope.function->body) {
    scope.pc_of.push_back(static_cast<std::uint32_t>(data_->code.size()));
    scope.decoded = &in;
    decode_instruction(in);
  }
  scope.pc_of.push_back(static_cast<std::uint32_t>(data_->code.size()));
  const std::vector<std::string> unset =
      index == 0 ? unset_registers(*scope.function) : std::vector<std::string>();
  for (const std::string& name : unset) data_->unset.push_back(register_row({}, name).first);
  append_exit();
  finish_function(scope);
  mark_load_waits(*data_, first, scope.lists);
  if (index == 0 && data_->shortcuts == Shortcuts::On) hoist(*data_, tables, scope.lists);
  if (data_->shortcuts == Shortcuts::On)
    share_rows(*data_, scope.info, tables, scope.lists);
  else if (index == 0) {
    for (const auto& [name, row] : scope.rows) data_->registers.emplace(name, row.first);
    for (const auto& [name, slot] : scope.frame) data_->locals.emplace(name, slot);
  }
  if (!unset.empty()) mark_names(*data_, unset);
  data_->lists.insert(data_->lists.end(), scope.lists.begin(), scope.lists.end());
  data_->functions[index] = std::move(scope.info);
  scope_ = nullptr;
}

void Decoder::append_exit() {
  ptx::Instruction& last = data_->ends.emplace_back(ptx::plain_return());
  if (!scope_->function->body.empty()) last.ptx_line = scope_->function->body.back().ptx_line;
  if (!scope_->function->body.empty()) last.source = scope_->function->body.back().source;
  scope_->decoded = &last;
  emit(last, nullptr, nullptr, scope_->function->is_entry ? Control::Exit : Control::Return);
  scope_->nodes.back().falls_through = false;
}

// Targets, leaders, reconvergence points and straight runs.
void Decoder::finish_function(Scope& scope) {
  const std::uint32_t first = scope.info.entry_pc;
  scope.info.exit_pc = static_cast<std::uint32_t>(data_->code.size() - 1);
  for (const auto& [node, body_index] : scope.jumps) {
    const std::uint32_t target = body_index == kNoPc ? scope.info.exit_pc : scope.pc_of[body_index];
    scope.nodes[node].targets.push_back(target - first);
    Inst& inst = data_->code[first + node];
    if (inst.control == Control::BranchIndirect) {
      data_->branch_tables[inst.extra].push_back(target);
    } else {
      inst.target = target;
    }
  }
  const ControlFlow flow = analyse_flow(scope.nodes);
  LoopSearch loops(scope.nodes);
  for (std::uint32_t n = 0; n < scope.nodes.size(); ++n)
    if (data_->code[first + n].watches_memory) loops.mark(n);
  for (std::uint32_t n = 0; n < scope.nodes.size(); ++n) {
    Inst& inst = data_->code[first + n];
    if (flow.reconverge[n] != kNoMeeting) inst.reconverge = first + flow.reconverge[n];
    // Meeting only to return is not meeting: lanes that jump to a `ret` have returned.
    while (inst.reconverge != kNoPc && data_->code[inst.reconverge].control == Control::Branch &&
           !data_->code[inst.reconverge].has_guard && data_->code[inst.reconverge].target > inst.reconverge) {
      inst.reconverge = data_->code[inst.reconverge].target;
    }
    if (inst.control != Control::Branch || inst.target > first + n) continue;
    if (!loops.has_marked(inst.target - first, n)) continue;
    inst.watches_memory = true;
    loops.mark(n);
  }
  for (std::uint32_t n = static_cast<std::uint32_t>(scope.nodes.size()); n-- > 0;) {
    Inst& inst = data_->code[first + n];
    const bool next_joins = n + 1 < scope.nodes.size() && !flow.leader[n + 1] &&
                            data_->code[first + n + 1].control == Control::Plain &&
                            data_->code[first + n + 1].run < kLongestRun;
    inst.run = next_joins ? data_->code[first + n + 1].run + 1 : 1;
    if (next_joins && inst.control == Control::Plain) inst.work += data_->code[first + n + 1].work;
  }
}

// A file of CUDA's or the compiler's own, whose functions were not inlined.
bool Decoder::is_installed(int file) const {
  const auto found = module_.files.find(file);
  return found != module_.files.end() && found->second.find("/include/") != std::string::npos;
}

Inst& Decoder::emit(const ptx::Instruction& in, Exec full, Exec masked, Control control) {
  Inst inst;
  inst.full = full;
  inst.masked = masked;
  inst.enter_full = full;
  inst.enter_masked = masked;
  inst.control = control;
  inst.work = extra_work_of(in);
  data_->starts_work |= in.row->orders >= ptx::Orders::Arrive && in.row->orders <= ptx::Orders::Commit;
  inst.pc = static_cast<std::uint32_t>(data_->code.size());
  // A header's code that was inlined is the doing of the line that called it; a helper in the same file is
  // not.
  const bool from_header = in.inlined_at.line != 0 && in.inlined_at.file != in.source.file;
  data_->origins.push_back(
      {scope_->decoded, from_header ? in.inlined_at : in.source, from_header ? 0 : in.inlined_at.line});
  inst.of_header = from_header || is_installed(in.source.file);
  data_->code.push_back(inst);
  FlowNode node;
  node.ends_block = control != Control::Plain;
  scope_->nodes.push_back(std::move(node));
  Inst& out = data_->code.back();
  apply_guard(in, out);
  return out;
}

void Decoder::apply_guard(const ptx::Instruction& in, Inst& inst) {
  if (in.guard.empty()) return;
  const auto [row, type] = register_row(in, in.guard);
  if (type != ptx::Type::Pred) fail(in, FaultKind::BadPtx, msg("the guard `{}` is no predicate", in.guard));
  inst.guard = row;
  inst.has_guard = true;
  inst.guard_negated = in.guard_negated;
  if (inst.control != Control::Plain) return;
  inst.enter_full = exec_guarded;
  inst.enter_masked = exec_guarded;
}

void exec_guarded(WarpContext& warp, const Inst& inst) {
  const Mask before = warp.mask;
  warp.mask = acting_lanes(warp, inst);
  if (warp.mask == kFullMask) {
    inst.full(warp, inst);
  } else if (warp.mask != 0) {
    inst.masked(warp, inst);
  }
  warp.mask = before;
}

Inst& Decoder::emit_access(const ptx::Instruction& in, Exec handler, const Address& at,
                           std::uint32_t elem_bytes) {
  Inst& inst = emit(in, handler);
  inst.a = at.base;
  inst.immediate = at.offset;
  inst.space = at.frame_relative ? Space::Local : at.space;
  inst.frame_relative = at.frame_relative;
  inst.elem_bytes = static_cast<std::uint8_t>(elem_bytes);
  return inst;
}

Inst& Decoder::emit_form(const ptx::Instruction& in, std::string_view form) {
  const Form* found = find_form(form);
  if (found == nullptr) unsupported(in);
  Inst& inst = emit(in, found->full, found->masked);
  inst.extra = found->variant;
  inst.is_pure = true;
  return inst;
}

void Decoder::decode_instruction(const ptx::Instruction& in) {
  scope_->taken.clear();
  if (const Message wrong = wrong_modifiers(in); !wrong.empty()) fail(in, FaultKind::BadPtx, wrong);
  if (!decode_structural(in)) {
    const bool first_gpus = module_.target.starts_with("sm_1") && module_.target.size() == 5;
    std::string text = in.full_opcode();
    const Form* form = find_form(first_gpus ? ptx::spelled_today(text) : text, in.operands.size());
    // `ptxas` rounds sums of products of these pairs to the nearest, whatever the text says.
    for (const std::string_view word : {".rz", ".rm", ".rp"})
      if (const std::size_t at = text.find(word);
          form == nullptr && at != std::string::npos && ptx::has(in, "bf16x2") && in.operands.size() == 4)
        form = find_form(text.replace(at, word.size(), ".rn"), in.operands.size());
    if (form == nullptr) unsupported(in);
    if (ptx::has(in, "rs") && in.operands.back().kind != ptx::OperandKind::Register)
      fail(in, FaultKind::BadPtx, "its source must be a register");
    check_table(in);
    form->lower_pair != nullptr ? decode_four(in, *form) : decode_lane_wise(in, *form);
    if (form->parts > 0) decode_video_parts(in, *form);
  }
  for (const ptx::Operand& operand : in.operands) refuse_what_was_not_taken(in, operand);
}

void Decoder::decode_lane_wise(const ptx::Instruction& in, const Form& form) {
  const std::size_t count = form.operand_count();
  expect_operands(in, form.last_may_lack ? count - 1 : count, count);
  RowRef rows[5];
  for (std::size_t k = 1; k < in.operands.size(); ++k) {
    const ptx::Operand& from = in.operands[k];
    if (form.of_registers &&
        (from.kind != ptx::OperandKind::Register || ptx::is_sum(from) || special_row(from.name)))
      fail(in, FaultKind::BadPtx, "its source must be a register");
    rows[k] = source(in, from, form.operand[k], form.relaxed && form.operand[k] != ptx::Type::B32);
  }
  rows[0] = destination(in, in.operands[0], form.operand[0], form.relaxed);
  RowRef second;
  const std::string& second_name = in.operands[0].predicate_or;
  if (form.optional_second_predicate && !form.second_predicate && !second_name.empty() && second_name != "_")
    fail(in, FaultKind::BadPtx, "of numbers of 16 bits it writes one predicate");
  if (form.second_predicate || form.optional_second_predicate) second = second_destination(in);
  const auto fused = form.fused == nullptr ? scope_->fused.end() : scope_->fused.find(&in);
  Exec full = form.full;
  if (fused != scope_->fused.end()) full = fuse(in, form, fused->second, rows);
  Inst& inst = emit(in, full, form.masked);
  inst.extra = form.variant;
  inst.is_pure = !form.uses_carry;
  inst.dst = rows[0];
  inst.dst2 = second;
  inst.a = rows[1];
  inst.b = rows[2];
  inst.c = rows[3];
  inst.d = rows[4];
}

// A sum that computes one of its operands: the factors stand in place of its sources, the other one behind them.
Exec Decoder::fuse(const ptx::Instruction& in, const Form& form, const FusedProduct& fused,
                   RowRef (&rows)[5]) {
  const bool is_difference = in.row->computes == ptx::Computes::Subtract;
  rows[3] = fused.is_second ? rows[1] : rows[2];
  for (std::size_t k : {1, 2}) rows[k] = source(*fused.product, fused.product->operands[k], form.operand[k]);
  return form.fused[signs_of_fused(fused.is_negated != (is_difference && fused.is_second),
                                   is_difference && !fused.is_second)];
}

// cvt.rs d, {a, b, e, f}, random: the lower two first, in a register of their own.
void Decoder::decode_four(const ptx::Instruction& in, const Form& form) {
  expect_operands(in, 3, 3);
  const ptx::Operand& four = in.operands[1];
  take(&four);
  if (four.kind != ptx::OperandKind::Vector || four.elements.size() != 4)
    fail(in, FaultKind::BadPtx, "its sources are four in braces");
  RowRef from[4];
  for (std::size_t k = 0; k < 4; ++k) from[k] = source(in, four.elements[k], form.operand[1]);
  const RowRef random = source(in, in.operands[2], form.operand[3]);
  const RowRef to = destination(in, in.operands[0], form.operand[0]);
  const RowRef below = allocate_row(RowFile::Reg32, 4);
  const auto step = [&](Exec full, const RowRef& dst, const RowRef& a, const RowRef& b) -> Inst& {
    Inst& inst = emit(in, full, &masked_row);
    inst.is_pure = true;
    inst.dst = dst;
    inst.a = a;
    inst.b = b;
    inst.c = random;
    return inst;
  };
  step(form.lower_pair, below, from[2], from[3]);
  step(form.full, to, from[0], from[1]).d = below;
}

void Decoder::expect_operands(const ptx::Instruction& in, std::size_t least, std::size_t most) const {
  if (in.operands.size() >= least && in.operands.size() <= most) return;
  fail(in, FaultKind::BadPtx,
       msg("it has {} operands, and should have {}{}", in.operands.size(), least,
           most == least ? Message() : msg(" to {}", most)));
}

void Decoder::fail(const ptx::Instruction& in, FaultKind kind, const Message& what) const {
  Fault fault;
  fault.kind = kind;
  // A header's instruction is reported where the kernel's own file calls it.
  const ptx::SourceLine& place = in.inlined_at.line != 0 ? in.inlined_at : in.source;
  fault.line = place.line;
  if (const auto file = module_.files.find(place.file); file != module_.files.end())
    fault.file = file->second;
  fault.ptx_line = in.ptx_line;
  fault.ptx_column = in.ptx_column;
  fault.message = in.opcode.empty() ? msg("PTX line {}: {}.", in.ptx_line, what)
                                    : msg("PTX line {}: `{}`: {}.", in.ptx_line, in.full_opcode(), what);
  throw FaultError(std::move(fault));
}

void Decoder::unsupported(const ptx::Instruction& in, const Message& what) const {
  fail(in, FaultKind::Unsupported,
       msg("{}; docs/coverage.md lists what it knows",
           what.empty() ? Message("the simulated GPU does not know this instruction") : what));
}

}  // namespace lab::sim
