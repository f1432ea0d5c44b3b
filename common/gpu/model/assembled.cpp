// Guards, loops that are written out. See assembled.h.
#include "common/gpu/model/assembled.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "common/gpu/model/machine_code.h"
#include "common/sim/program/program_data.h"

namespace lab::model {
namespace {

using sim::Control;
using sim::Inst;
using sim::RowFile;
using sim::RowRef;
using sim::ptx::Computes;
using sim::ptx::OpcodeRow;
using sim::ptx::Unit;

constexpr std::uint32_t kMostGuarded = 8, kMostJoined = 20, kMostWrittenOut = 40;

using Key = std::pair<RowFile, std::uint32_t>;
Key key_of(const RowRef& row) { return {row.file, row.offset_bytes}; }

struct Guard {
  std::uint32_t instructions = 0, accesses = 0;
};
struct Loop {
  std::uint32_t begin = 0, end = 0;  // its first instruction, and the jump back
};

class Reading {
 public:
  explicit Reading(const sim::ProgramData& program)
      : program_(program), count_(static_cast<std::uint32_t>(program.code.size())), targets_(count_ + 1, 0) {
    result_.sums = machine_sums(program);
    result_.loads.resize(count_);
    result_.repeats.assign(count_, Repeats::No);
    result_.strong.assign(count_, 0);
    for (std::uint32_t pc = 0; pc < count_; ++pc) {
      const Inst& in = program.code[pc];
      result_.strong[pc] = in.order.strong() || in.order.is_volatile ? 1 : 0;
      if (in.control == Control::Branch && in.target <= count_) targets_[in.target] = 1;
      if (in.control == Control::Branch && in.target <= pc) loops_.push_back({in.target, pc});
    }
    for (const std::vector<std::uint32_t>& table : program.branch_tables)
      for (const std::uint32_t target : table) targets_[std::min(target, count_)] = 1;
    for (std::uint32_t pc = 0; pc < count_; ++pc) guard(pc);
    find_regions();
    for (const Loop& loop : loops_) write_out(loop);
    for (const Loop& loop : loops_) find_repeats(loop);
    add_guards();
  }
  Assembled take() && { return std::move(result_); }

 private:
  [[nodiscard]] const Inst& at(std::uint32_t pc) const { return program_.code[pc]; }
  [[nodiscard]] const OpcodeRow& row(std::uint32_t pc) const { return program_.opcode(pc); }
  [[nodiscard]] std::uint32_t instructions(std::uint32_t pc, std::uint32_t end) const {
    return result_.sums[end][0] - result_.sums[pc][0];
  }
  [[nodiscard]] bool is_access(std::uint32_t pc) const {
    return row(pc).moves_bytes() && at(pc).space != sim::Space::Param && !at(pc).passes_argument;
  }
  [[nodiscard]] bool loads_far(std::uint32_t pc) const {
    return is_access(pc) && row(pc).moves.direction == sim::Direction::Read &&
           at(pc).space != sim::Space::Shared;
  }
  [[nodiscard]] std::span<const RowRef> list(std::uint32_t pc) const {
    if (row(pc).moves.unit != Unit::Lanes || at(pc).extra >= program_.vectors.size()) return {};
    return program_.vectors[at(pc).extra];
  }
  template <class Does>
  void for_sources(std::uint32_t pc, const Does& does) const {
    for (const RowRef& source : {at(pc).a, at(pc).b, at(pc).c, at(pc).d})
      if (sim::is_set(source)) does(source);
    if (at(pc).has_guard) does(at(pc).guard);
    if (row(pc).moves.direction == sim::Direction::Write)
      for (const RowRef& source : list(pc)) does(source);
  }
  template <class Does>
  void for_made(std::uint32_t pc, const Does& does) const {
    for (const RowRef& made : {at(pc).dst, at(pc).dst2})
      if (sim::is_register(made)) does(made);
    if (row(pc).moves.direction == sim::Direction::Read)
      for (const RowRef& made : list(pc)) does(made);
  }

  // A jump over few instructions, in which nothing jumps or asks other lanes.
  [[nodiscard]] bool skips(std::uint32_t pc, std::uint32_t most) const {
    const Inst& jump = at(pc);
    if (jump.control != Control::Branch || !jump.has_guard || jump.target <= pc + 1 || jump.target > count_)
      return false;
    for (std::uint32_t k = pc + 1; k < jump.target; ++k)
      if (at(k).control != Control::Plain || targets_[k] != 0 || row(k).sees == sim::ptx::Sees::Lanes)
        return false;
    return instructions(pc + 1, jump.target) <= most;
  }
  void guard(std::uint32_t pc) {
    if (!skips(pc, kMostGuarded)) return;
    Guard body{instructions(pc + 1, at(pc).target), 0};
    for (std::uint32_t k = pc + 1; k < at(pc).target; ++k) {
      if (at(k).has_guard || loads_far(k) || row(k).is_atomic()) return;
      body.accesses += is_access(k) ? 1 : 0;
    }
    if (body.instructions == 0) return;
    guards_[pc] = body;
    for (std::uint32_t k = pc + 1; k < at(pc).target; ++k) guarded_.insert(k);
  }

  void find_regions() {
    std::vector<bool> begins(count_ + 1, false);
    for (std::uint32_t pc = 0; pc < count_; ++pc) {
      if (at(pc).control == Control::Plain || skips(pc, kMostJoined)) continue;
      begins[pc + 1] = true;
      if (at(pc).control == Control::Branch && at(pc).target <= count_) begins[at(pc).target] = true;
    }
    for (const std::vector<std::uint32_t>& table : program_.branch_tables)
      for (const std::uint32_t target : table) begins[std::min(target, count_)] = true;
    begins[count_] = true;
    for (std::uint32_t begin = 0, end = 0; begin < count_; begin = end) {
      do ++end;
      while (!begins[end]);
      const bool is_loop = at(end - 1).control == Control::Branch && at(end - 1).target == begin;
      std::set<Key> read;  // behind the instruction
      for (std::uint32_t pc = end; pc-- > begin;) {
        LoadPlace& place = result_.loads[pc];
        place.region = begin, place.is_loop = is_loop;
        for_made(pc, [&](const RowRef& made) { place.used = place.used || read.contains(key_of(made)); });
        for_sources(pc, [&](const RowRef& source) { read.insert(key_of(source)); });
      }
    }
  }

  // A register that the loop changes once, by a constant.
  [[nodiscard]] bool counts(const Loop& loop, const RowRef& value) const {
    std::uint32_t changed = 0;
    bool by_constant = false;
    for (std::uint32_t pc = loop.begin; pc <= loop.end; ++pc)
      for_made(pc, [&](const RowRef& made) {
        if (key_of(made) != key_of(value)) return;
        ++changed;
        const bool sum = row(pc).computes == Computes::Add || row(pc).computes == Computes::Subtract;
        by_constant = sum && (at(pc).a.file == RowFile::Constant || at(pc).b.file == RowFile::Constant);
      });
    return changed == 1 && by_constant;
  }
  [[nodiscard]] bool changes(const Loop& loop, const RowRef& value) const {
    bool found = false;
    for (std::uint32_t pc = loop.begin; pc <= loop.end; ++pc)
      for_made(pc, [&](const RowRef& made) { found = found || key_of(made) == key_of(value); });
    return found;
  }
  [[nodiscard]] bool is_kept(const Loop& loop) const {
    const sim::ptx::Instruction* const first = &program_.text(loop.begin);
    return std::any_of(program_.function_texts.begin(), program_.function_texts.end(), [&](const auto* text) {
      return std::any_of(text->no_unroll.begin(), text->no_unroll.end(), [&](std::size_t place) {
        return place < text->body.size() && &text->body[place] == first;
      });
    });
  }
  [[nodiscard]] bool calls(std::uint32_t pc) const {
    return at(pc).control == Control::Call || at(pc).control == Control::BranchIndirect ||
           may_call(program_.text(pc));
  }
  void write_out(const Loop& loop) {
    const bool holds_another = std::any_of(loops_.begin(), loops_.end(), [&](const Loop& other) {
      return other.end != loop.end && other.begin >= loop.begin && other.end <= loop.end;
    });
    if (loop.end - loop.begin + 1 > kMostWrittenOut || holds_another || !at(loop.end).has_guard ||
        is_kept(loop))
      return;
    std::uint32_t test = loop.end;
    for (std::uint32_t pc = loop.begin; pc < loop.end; ++pc) {
      if (calls(pc)) return;
      if (row(pc).computes == Computes::Compare && key_of(at(pc).dst) == key_of(at(loop.end).guard))
        test = pc;
    }
    if (test == loop.end) return;
    const RowRef &a = at(test).a, &b = at(test).b;
    if (!(counts(loop, a) && !changes(loop, b)) && !(counts(loop, b) && !changes(loop, a))) return;
    for (std::uint32_t pc = loop.begin; pc <= loop.end; ++pc) result_.loads[pc].written_out = true;
  }

  [[nodiscard]] bool adds_nothing(const sim::AtomicInfo& info, const Inst& in) const {
    using sim::AtomicOp;
    if (info.op != AtomicOp::Add && info.op != AtomicOp::Or && info.op != AtomicOp::Xor) return false;
    if (in.b.file != RowFile::Constant) return false;
    const std::byte* const value = program_.constants.data() + in.b.offset_bytes;
    return std::all_of(value, value + in.b.lane_bytes, [](std::byte one) { return one == std::byte{0}; });
  }
  [[nodiscard]] Repeats kind_of(std::uint32_t pc) const {
    const Inst& in = at(pc);
    const sim::AtomicInfo* const atomic = program_.atomic_of(in);
    if (atomic == nullptr || in.space == sim::Space::Shared) return Repeats::No;
    if (atomic->op == sim::AtomicOp::Cas || atomic->op == sim::AtomicOp::Exch) return Repeats::Update;
    return adds_nothing(*atomic, in) ? Repeats::Poll : Repeats::No;
  }
  // Whether the jump back follows from what the instruction finds.
  [[nodiscard]] bool decides(std::uint32_t pc, const Loop& loop) const {
    std::set<Key> from;
    for_made(pc, [&](const RowRef& made) { from.insert(key_of(made)); });
    for (std::uint32_t k = pc + 1; k <= loop.end; ++k) {
      bool needs = false;
      for_sources(k, [&](const RowRef& source) { needs = needs || from.contains(key_of(source)); });
      if (needs && at(k).control == Control::Branch && (k == loop.end || at(k).target > loop.end))
        return true;
      if (needs) for_made(k, [&](const RowRef& made) { from.insert(key_of(made)); });
    }
    return false;
  }
  void find_repeats(const Loop& loop) {
    constexpr std::uint32_t kMost = 64;
    if (loop.end - loop.begin > kMost) return;
    for (std::uint32_t pc = loop.begin; pc < loop.end; ++pc)
      if (const Repeats kind = kind_of(pc); kind != Repeats::No && decides(pc, loop))
        result_.repeats[pc] = kind;
  }

  // Behind those of the machine's instructions.
  void add_guards() {
    sim::Observer::Weights more{};
    for (std::uint32_t pc = 0; pc < count_; ++pc) {
      if (const auto guard = guards_.find(pc); guard != guards_.end()) {
        more[kGuarded] += guard->second.instructions;
        more[kGuardedAccesses] += guard->second.accesses;
      }
      if (guarded_.contains(pc)) {
        more[kGuardedRun] += instructions(pc, pc + 1);
        more[kGuardedAccessesRun] += is_access(pc) ? 1 : 0;
      }
      for (std::size_t k = kGuarded; k < kSums; ++k) result_.sums[pc + 1][k] = more[k];
    }
  }

  const sim::ProgramData& program_;
  const std::uint32_t count_;
  std::vector<std::uint8_t> targets_;  // jumps lead there
  std::vector<Loop> loops_;
  std::map<std::uint32_t, Guard> guards_;
  std::set<std::uint32_t> guarded_;
  Assembled result_;
};

}  // namespace

Assembled assembled(const sim::ProgramData& program) { return Reading(program).take(); }

}  // namespace lab::model
