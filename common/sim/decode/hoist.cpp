// Which registers are hoisted, and in which order they are computed. See the header.
//
// Two walks over the code: the first counts writers and readers of each register, the second removes the
// instructions that are hoisted. Then every use of a hoisted register gets its new row.
#include "common/sim/decode/hoist.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "common/sim/decode/hoist_rules.h"
#include "common/sim/execute/hoisted.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

using Key = std::pair<RowFile, std::uint32_t>;

struct Register {
  std::uint32_t writes = 0;
  bool is_read = false;
  bool stays = false;      // a table that is not read here names it, or it is read before it is written
  bool needs_row = false;  // a reader other than an address
  std::uint32_t value = kNoPc;
  bool of_block = false;
};

bool differs_between_blocks(const RowRef& row) {
  if (row.file != RowFile::BlockSpecial) return false;
  const std::uint32_t which = row.offset_bytes / row_bytes(4);
  return std::any_of(ptx::special_registers().begin(), ptx::special_registers().end(),
                     [&](const ptx::SpecialRegister& special) {
                       return special.kept == ptx::Kept::Block && special.follows >= ptx::Follows::Block &&
                              which >= special.value && which < special.value + (special.has_members ? 3 : 1);
                     });
}

void exec_nothing(WarpContext& /*w*/, const Inst& /*inst*/) {}

class Hoisting {
 public:
  Hoisting(ProgramData& data, const FunctionTables& tables, const std::vector<ListedRows>& lists)
      : data_(data), tables_(tables), lists_(lists) {}

  void run() {
    note_mentions();
    for (std::uint32_t pc = begin(); pc < data_.code.size(); ++pc) consider(pc);
    if (taken_.empty()) return;
    number_values();
    make_groups();
    step_over();
    for (Inst& inst : code()) {
      for (RowRef* row : {&inst.dst, &inst.dst2, &inst.a, &inst.b, &inst.c, &inst.d, &inst.guard}) move(*row);
    }
    for (std::vector<RowRef>& list : std::span(data_.vectors).subspan(tables_.vectors)) {
      for (RowRef& row : list) move(row);
    }
  }

 private:
  struct Taken {
    std::uint32_t pc = 0, run_end = 0;
    bool of_block = false;
  };

  [[nodiscard]] std::uint32_t begin() const { return static_cast<std::uint32_t>(tables_.code); }
  [[nodiscard]] std::span<Inst> code() { return std::span(data_.code).subspan(tables_.code); }
  Register& at(const RowRef& row) { return registers_[{row.file, row.offset_bytes}]; }
  [[nodiscard]] static bool is_parameter(const Inst& inst) {
    return inst.is_pure && inst.space == Space::Param;
  }

  void reads(const RowRef& row) {
    if (!is_register(row)) return;
    at(row).is_read = true;
    if (at(row).writes == 0) at(row).stays = true;
  }
  void writes(const RowRef& row) {
    if (is_register(row)) ++at(row).writes;
  }

  void note_mentions() {
    auto list = lists_.begin();
    for (const Inst& inst : code()) {
      for (const RowRef& row : {inst.a, inst.b, inst.c, inst.d}) reads(row);
      if (inst.has_guard) reads(inst.guard);
      for (; list != lists_.end() && list->pc == inst.pc; ++list) {
        for (const RowRef& row : data_.vectors[list->list]) list->are_sources ? reads(row) : writes(row);
      }
      for (const RowRef& row : {inst.dst, inst.dst2}) writes(row);
    }
    for_unlisted_rows(data_, tables_, lists_, [&](const RowRef& row) {
      if (is_register(row)) at(row).stays = true;
    });
  }

  [[nodiscard]] bool may_go(const RowRef& row) {
    return is_register(row) && row.file != RowFile::Reg128 && at(row).writes == 1 && !at(row).stays;
  }
  // It reads nothing but what is known before.
  [[nodiscard]] bool is_settled(const RowRef& row) { return !is_register(row) || at(row).value != kNoPc; }

  void consider(std::uint32_t pc) {
    const Inst& inst = data_.code[pc];
    const bool plain = inst.control == Control::Plain && !inst.has_guard;
    Taken taken{pc, pc + inst.run, false};
    std::vector<RowRef> results;
    if (plain && is_parameter(inst)) {
      results = data_.vectors[inst.extra];
      if (inst.elem_bytes > 8) return;
      std::erase_if(results, [](const RowRef& row) { return !is_set(row); });
    } else if (plain && inst.is_pure) {
      for (const RowRef& row : {inst.a, inst.b, inst.c, inst.d}) {
        if (!is_settled(row)) return;
        taken.of_block |= is_register(row) ? at(row).of_block : differs_between_blocks(row);
      }
      results.push_back(inst.dst);
      if (is_set(inst.dst2)) results.push_back(inst.dst2);
    }
    const bool all =
        std::all_of(results.begin(), results.end(), [&](const RowRef& row) { return may_go(row); });
    if (results.empty() || !all) return;
    for (const RowRef& row : results) {
      at(row).value = 0;  // numbered later
      at(row).of_block = taken.of_block;
    }
    taken_.push_back(taken);
  }

  // Values with rows come first, so that those stand close together.
  void number_values() {
    std::vector<bool> is_taken(data_.code.size());
    for (const Taken& t : taken_) is_taken[t.pc] = true;
    const auto needs_row = [&](const RowRef& row) {
      if (is_register(row) && at(row).value != kNoPc) at(row).needs_row = true;
    };
    for (const Inst& inst : code()) {
      if (is_taken[inst.pc]) continue;
      if (!inst.takes_ramp) needs_row(inst.a);
      for (const RowRef& row : {inst.b, inst.c, inst.d}) needs_row(row);
      if (inst.has_guard) needs_row(inst.guard);
    }
    for (const ListedRows& list : lists_) {
      for (const RowRef& row : data_.vectors[list.list])
        if (list.are_sources) needs_row(row);
    }
    HoistedValues& all = data_.hoisted;
    std::vector<Register*> without;
    for (auto& [key, r] : registers_) {
      if (r.value == kNoPc) continue;
      const bool is_number = key.first == RowFile::Reg32 || key.first == RowFile::Reg64;
      if (r.needs_row || !is_number) {
        r.value = all.with_rows++;
      } else {
        without.push_back(&r);
      }
    }
    all.registers = all.with_rows;
    for (Register* r : without) r->value = all.registers++;
    all.values = all.registers;
  }

  // The number of what an operand holds.
  std::uint32_t number_of(const RowRef& row) {
    if (!is_set(row)) return kNoPc;
    if (is_register(row)) return at(row).value;
    const auto [found, fresh] = leaves_.try_emplace({row.file, row.offset_bytes}, data_.hoisted.values);
    if (!fresh) return found->second;
    HoistedOp leaf;
    leaf.act = HoistedAct::Leaf;
    leaf.value = data_.hoisted.values++;
    leaf.row = row;
    leaf.bytes = row.lane_bytes;
    HoistedOps& begin = data_.hoisted.at_begin;
    (differs_between_blocks(row) ? begin.of_block : begin.of_launch).push_back(leaf);
    return found->second;
  }

  [[nodiscard]] HoistedOp op_of(const Inst& inst) {
    HoistedOp op;
    op.pc = inst.pc;
    op.value = at(inst.dst).value;
    op.needs_row = at(inst.dst).needs_row;
    op.bytes = inst.dst.lane_bytes;
    if (is_set(inst.dst2) && at(inst.dst2).is_read) op.second = at(inst.dst2).value;
    op.a = number_of(inst.a);
    op.b = number_of(inst.b);
    op.c = number_of(inst.c);
    op.d = number_of(inst.d);
    const ptx::Instruction& in = data_.text(inst.pc);
    const std::optional<HoistRule> rule = hoist_rule(in);
    if (op.second == kNoPc && read_comparison(in, op)) op.act = HoistedAct::Compare;
    if (rule && inst.a.lane_bytes == rule->from_bytes && op.bytes == rule->to_bytes) {
      op.act = rule->act;
      op.widens = rule->widens;
    }
    return op;
  }

  void parameters_of(const Inst& inst, HoistedOps& ops) {
    std::uint64_t offset = static_cast<std::uint64_t>(inst.immediate);
    for (const RowRef& row : data_.vectors[inst.extra]) {
      HoistedOp op;
      op.act = HoistedAct::Parameter;
      op.pc = inst.pc;
      op.offset = offset;
      op.bytes_there = inst.elem_bytes;
      op.is_signed = is_signed(last_type(data_.text(inst.pc)));
      offset += inst.elem_bytes;
      if (!is_set(row)) continue;
      op.value = at(row).value;
      op.needs_row = at(row).needs_row;
      op.bytes = row.lane_bytes;
      ops.of_launch.push_back(op);
    }
  }

  // A kernel with few values has them all when a block begins; of others a run's are computed when a warp
  // comes there.
  void make_groups() {
    constexpr std::size_t kFew = 128;
    HoistedValues& all = data_.hoisted;
    HoistedOps first;
    std::uint32_t run_end = kNoPc;
    for (const Taken& t : taken_) {
      Inst& inst = data_.code[t.pc];
      if (t.run_end != run_end) {
        run_end = t.run_end;
        all.groups.emplace_back();
        heads_.push_back(t.pc);
      }
      HoistedGroup& group = all.groups.back();
      HoistedOps& ops = taken_.size() <= kFew ? first : group.ops;
      if (!is_parameter(inst)) {
        (t.of_block ? ops.of_block : ops.of_launch).push_back(op_of(inst));
        continue;
      }
      parameters_of(inst, ops);
      ++group.parameter_loads;
      group.parameter_bytes += std::uint32_t{inst.elem_bytes} * inst.vector;
    }
    const auto append = [](std::vector<HoistedOp>& to, const std::vector<HoistedOp>& more) {
      to.insert(to.end(), more.begin(), more.end());  // behind the leaves
    };
    append(all.at_begin.of_launch, first.of_launch);
    append(all.at_begin.of_block, first.of_block);
    for (std::uint32_t g = 0; g < heads_.size(); ++g) {
      Inst& head = data_.code[heads_[g]];
      head.target = g;
      const HoistedGroup& group = all.groups[g];
      const bool computes = !group.ops.of_launch.empty() || !group.ops.of_block.empty();
      head.enter_full = head.enter_masked = head.masked = computes ? exec_hoisted
                                                          : group.parameter_loads != 0
                                                              ? exec_hoisted_parameters
                                                              : exec_nothing;
    }
    // Where a run begins something must execute.
    std::erase_if(heads_, [&](std::uint32_t pc) {
      const bool joined =
          pc > begin() && data_.code[pc - 1].control == Control::Plain && data_.code[pc - 1].run > 1;
      return joined && data_.code[pc].enter_full == exec_nothing;
    });
  }

  // From each instruction that executes to the next one that does.
  void step_over() {
    std::vector<bool> executes(data_.code.size(), true);
    for (const Taken& t : taken_) executes[t.pc] = false;
    for (const std::uint32_t pc : heads_) executes[pc] = true;
    for (std::uint32_t pc = static_cast<std::uint32_t>(data_.code.size()); pc-- > begin();) {
      Inst& inst = data_.code[pc];
      if (inst.control == Control::Plain && inst.run > 1 && !executes[pc + 1])
        inst.step = data_.code[pc + 1].step + 1u;
    }
  }

  void move(RowRef& row) {
    if (!is_register(row)) return;
    const auto found = registers_.find({row.file, row.offset_bytes});
    if (found == registers_.end() || found->second.value == kNoPc) return;
    row.file = RowFile::Hoisted;
    row.offset_bytes = found->second.value * HoistedValues::kSlotBytes;
  }

  ProgramData& data_;
  const FunctionTables tables_;
  const std::vector<ListedRows>& lists_;
  std::map<Key, Register> registers_;
  std::map<Key, std::uint32_t> leaves_;
  std::vector<Taken> taken_;
  std::vector<std::uint32_t> heads_;
};

}  // namespace

void hoist(ProgramData& data, const FunctionTables& tables, const std::vector<ListedRows>& lists) {
  Hoisting(data, tables, lists).run();
}

}  // namespace lab::sim
