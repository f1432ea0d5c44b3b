// The plan of merged accesses. See merge_plan.h.
//
// A sweep over the blocks of each function works out what addresses are made of and which loads see the same
// memory; then rows of neighbours are cut into accesses of the widths that the hardware has.
#include "common/sim/analysis/merge_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/sim/analysis/address_values.h"
#include "common/sim/analysis/merge_rows.h"
#include "common/sim/analysis/merge_text.h"
#include "common/sim/analysis/text_flow.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

// Numbers of what memory holds: equal, and no store or barrier lies between.
using Epochs = std::array<std::uint64_t, kMergedSpaces>;

constexpr int kAllZeroBits = 64;
constexpr int kMostSweeps = 100;         // a few are enough; a text that needs more is not worth the wait
constexpr std::size_t kMostTurns = 128;  // of a loop that is written out

struct BlockState {
  AddressValues::State values;
  Epochs epochs{};
  bool operator==(const BlockState&) const = default;
};

// What stands for an access of `bytes` at each phase of its address; nothing when turns of one phase
// disagree.
std::optional<MergePlan::Phases> phases_of(const std::vector<CutAccess>& turns, std::uint8_t bytes) {
  MergePlan::Phases phases;
  phases.fill({{0, bytes}});
  std::array<bool, MergePlan::kPhases> known{};
  for (const CutAccess& cut : turns) {
    const std::uint64_t step = turns.size() == 1 ? 1 : cut.known;
    const std::uint64_t first = turns.size() == 1 ? 0 : cut.phase;
    for (std::uint64_t phase = first; phase < MergePlan::kPhases; phase += step) {
      if (known[phase] && phases[phase] != cut.instead) return std::nullopt;
      phases[phase] = cut.instead;
      known[phase] = true;
    }
  }
  return phases;
}

class FunctionMerger {
 public:
  FunctionMerger(const ptx::Function& function, const ProgramData& data)
      : function_(function),
        flow_(text_flow(function)),
        text_(function),
        values_(function, [&](std::string_view name) { return symbol_zeros(data, name); }) {}

  // By instruction of the text: what stands for it, turn by turn.
  CutAccesses run() {
    if (flow_.blocks.empty()) return {};
    settle();
    for (;;) {
      CutAccesses cuts = cut();
      const std::size_t known = kept_.size();
      for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
        for (std::size_t at = flow_.blocks[b].begin; at < flow_.blocks[b].end; ++at)
          if (const auto found = cuts.find(at); found != cuts.end() && !phases_of(found->second, 0))
            kept_.insert(b);
      if (kept_.size() == known) return cuts;
    }
  }

 private:
  static int symbol_zeros(const ProgramData& data, std::string_view name) {
    constexpr std::uint32_t kWindowAlign = 1024;  // shared memory begins at such an address
    for (const SharedVariable& v : data.shared_variables)
      if (v.name == name) return std::countr_zero(v.offset_bytes | kWindowAlign);
    return 0;
  }

  CutAccesses cut() {
    MergeRows rows(flow_);
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      rows.block_begins();
      BlockState state = entry(b);
      std::size_t turns = 1;
      if (const std::optional<std::uint32_t> before = enters_loop(b); before && !kept_.contains(b)) {
        BlockState first = *ends_[*before];
        turns = written_out_turns(b, first);
        if (turns > 1) state = std::move(first);
      }
      for (std::size_t turn = 0; turn < turns; ++turn) {
        values_.begin_turn(turn);
        walk(b, state, &rows, turn);
      }
      values_.begin_turn(0);
    }
    return rows.cut();
  }

  // Until what is known at the blocks' ends no longer changes.
  void settle() {
    ends_.resize(flow_.blocks.size());
    writes_.resize(flow_.blocks.size());
    bool changed = true;
    for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
      changed = false;
      for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
        BlockState state = entry(b);
        const AddressValues::State before = state.values;
        walk(b, state, nullptr, 0);
        writes_[b].resize(before.size());
        for (std::size_t k = 0; k < before.size(); ++k) writes_[b][k] = before[k] != state.values[k];
        if (ends_[b] == state) continue;
        ends_[b] = std::move(state);
        changed = true;
      }
      changed = values_.learned() || changed;
    }
  }

  // Low zero bits of what any block leaves in a register, wherever it is read: `ptxas` asks no more.
  int zeros_anywhere(std::size_t k) {
    int zeros = kAllZeroBits;
    for (std::uint32_t b = 0; b < ends_.size(); ++b)
      if (ends_[b] && writes_[b][k]) zeros = std::min(zeros, values_.zeros(ends_[b]->values[k]));
    return zeros;
  }

  // What all paths to a block agree on; those not walked yet agree with any.
  BlockState entry(std::uint32_t b) {
    std::vector<const BlockState*> ends;
    for (const std::uint32_t p : flow_.blocks[b].before)
      if (ends_[p]) ends.push_back(&*ends_[p]);
    const BlockState start{values_.entry_state(), {}};
    if (b == 0) ends.push_back(&start);
    BlockState met = *ends.front();
    for (std::size_t k = 0; k < met.values.size(); ++k) {
      const bool agree = std::all_of(ends.begin(), ends.end(),
                                     [&](const BlockState* end) { return end->values[k] == met.values[k]; });
      if (!agree) met.values[k] = values_.unknown(b, k, zeros_anywhere(k));
    }
    for (std::size_t k = 0; k < kMergedSpaces; ++k) {
      const bool agree = std::all_of(ends.begin(), ends.end(),
                                     [&](const BlockState* end) { return end->epochs[k] == met.epochs[k]; });
      if (!agree) met.epochs[k] = function_.body.size() + 1 + b;
    }
    return met;
  }

  // The block before a loop that is block `b` alone.
  std::optional<std::uint32_t> enters_loop(std::uint32_t b) const {
    const std::vector<std::uint32_t>& before = flow_.blocks[b].before;
    if (before.size() != 2 || (before[0] != b) == (before[1] != b)) return std::nullopt;
    return before[0] == b ? before[1] : before[0];
  }

  // How often it runs, when that is known and `ptxas` writes it out; else 1.
  std::size_t written_out_turns(std::uint32_t b, BlockState state) {
    const TextBlock& block = flow_.blocks[b];
    const ptx::Instruction& last = function_.body[block.end - 1];
    const bool kept = std::any_of(function_.no_unroll.begin(), function_.no_unroll.end(),
                                  [&](std::size_t at) { return at >= block.begin && at <= block.end; });
    const ptx::Instruction* test = nullptr;
    for (std::size_t at = block.begin; at < block.end; ++at) {
      const ptx::Instruction& in = function_.body[at];
      if (MergeText::parts_loads(in, MergedSpace::Shared)) return 1;
      if (in.row->computes == ptx::Computes::Compare && in.operands.size() == 3 &&
          in.operands[0].name == last.guard)
        test = &in;
    }
    if (kept || test == nullptr) return 1;
    for (std::size_t turn = 1; turn <= kMostTurns; ++turn) {
      walk(b, state, nullptr, 0);
      const std::optional<bool> holds = compared(*test, values_.of(state.values, test->operands[1]),
                                                 values_.of(state.values, test->operands[2]));
      if (!holds) return 1;
      if (*holds == last.guard_negated) return is_small(block, turn) ? turn : 1;
    }
    return 1;
  }

  // Measured: loads and arithmetic of one turn up to which `ptxas` writes out so many of them.
  static bool is_small(const TextBlock& block, std::size_t turns) {
    constexpr std::size_t kOfTheLoop = 4;  // its counter, its pointer, the test, the branch
    static constexpr std::array<std::pair<std::size_t, std::size_t>, 13> kMost{{{2, 170},
                                                                                {3, 120},
                                                                                {4, 90},
                                                                                {5, 76},
                                                                                {6, 67},
                                                                                {8, 54},
                                                                                {12, 42},
                                                                                {16, 33},
                                                                                {24, 26},
                                                                                {32, 21},
                                                                                {48, 14},
                                                                                {64, 13},
                                                                                {128, 7}}};
    const auto most =
        std::find_if(kMost.begin(), kMost.end(), [&](const auto& row) { return row.first >= turns; });
    return most != kMost.end() && block.end - block.begin <= most->second + kOfTheLoop;
  }

  static std::optional<bool> compared(const ptx::Instruction& test, const AddressValue& a,
                                      const AddressValue& b) {
    if (a.root != b.root || test.modifiers.empty()) return std::nullopt;
    const std::string& how = test.modifiers.front();
    if (how == "ne") return a.offset != b.offset;
    if (how == "eq") return a.offset == b.offset;
    if (how == "lt" || how == "lo") return a.offset < b.offset;
    if (how == "le" || how == "ls") return a.offset <= b.offset;
    if (how == "gt" || how == "hi") return a.offset > b.offset;
    if (how == "ge" || how == "hs") return a.offset >= b.offset;
    return std::nullopt;
  }

  void walk(std::uint32_t b, BlockState& state, MergeRows* rows, std::size_t turn) {
    const std::size_t kinds = function_.body.size() + flow_.blocks.size() + 1;  // of epochs
    for (std::size_t at = flow_.blocks[b].begin; at < flow_.blocks[b].end; ++at) {
      const ptx::Instruction& in = function_.body[at];
      TextAccess access;
      const bool merges = text_.access(in, access);
      for (std::size_t k = 0; k < kMergedSpaces; ++k) {
        if (MergeText::parts_loads(in, static_cast<MergedSpace>(k))) state.epochs[k] = at + 1 + turn * kinds;
        if (rows == nullptr) continue;
        const bool same_store = in.row->stores() && merges && access.space == static_cast<MergedSpace>(k);
        const bool other_store =
            in.row->stores() && !same_store && MergeText::parts_loads(in, static_cast<MergedSpace>(k));
        if (other_store || MergeText::parts_stores(in, static_cast<MergedSpace>(k)))
          rows->stores_end(static_cast<MergedSpace>(k));
      }
      if (merges && rows != nullptr) {
        const AddressValue address = values_.address(state.values, *access.address);
        rows->add({at, b, access, address, values_.base_zeros(address),
                   state.epochs[static_cast<std::size_t>(access.space)], turn});
      }
      values_.step(state.values, at);
    }
  }

  const ptx::Function& function_;
  TextFlow flow_;
  MergeText text_;
  AddressValues values_;
  std::vector<std::optional<BlockState>> ends_;
  std::vector<std::vector<bool>> writes_;  // by block and register of the state
  std::set<std::uint32_t> kept_;           // loops whose turns do not show what stands for an access
};

}  // namespace

void MergePlan::set(std::uint32_t pc, Phases instead) {
  entry_[pc] = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(std::move(instead));
}

namespace {

bool is_as_written(const MergePlan::Phases& phases, std::uint8_t bytes) {
  return std::all_of(phases.begin(), phases.end(), [&](const std::vector<MergedAccess>& one) {
    return one == std::vector<MergedAccess>{{0, bytes}};
  });
}

}  // namespace

MergePlan plan_merges(const ProgramData& program) {
  MergePlan plan(program.code.size());
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const ptx::Function& text = *program.function_texts[f];
    const CutAccesses cuts = FunctionMerger(text, program).run();
    const FunctionInfo& function = program.functions[f];
    for (std::uint32_t pc = function.entry_pc; pc < function.exit_pc; ++pc) {
      const auto found = cuts.find(static_cast<std::size_t>(&program.text(pc) - text.body.data()));
      if (found == cuts.end() || program.continues(pc)) continue;
      const Inst& inst = program.code[pc];
      const auto bytes = static_cast<std::uint8_t>(inst.elem_bytes * inst.vector);
      std::optional<MergePlan::Phases> phases = phases_of(found->second, bytes);
      if (phases && !is_as_written(*phases, bytes)) plan.set(pc, std::move(*phases));
    }
  }
  return plan;
}

const MergePlan& Program::merge_plan() const {
  std::call_once(merge_once_,
                 [this] { merge_plan_ = std::make_shared<const MergePlan>(plan_merges(*data_)); });
  return *merge_plan_;
}

}  // namespace lab::sim
