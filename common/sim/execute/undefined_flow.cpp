// How labels of undefined values go from the sources of an instruction to its result, by the table of instructions. See undefined.h.
#include <algorithm>
#include <span>
#include <utility>

#include "common/sim/execute/undefined.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

// "cvt.u64.s32": whole numbers on both sides move bytes.
ValueFlow flow_of_conversion(const ptx::Instruction& in) {
  const auto is_whole = [](ptx::Type one) { return one > ptx::Type::Pred && !is_float(one); };
  const ptx::Type from = last_type(in), to = made_type(in);
  if (!is_whole(from) || !is_whole(to) || has(in, "sat")) return ValueFlow::LaneWise;
  return is_signed(from) ? ValueFlow::SignedBytes : ValueFlow::Bytes;
}

// Sums and products of whole numbers, but for the upper half of a product and what is bounded.
ValueFlow flow_of_arithmetic(const ptx::Instruction& in, ValueFlow of_whole) {
  const ptx::Type type = last_type(in);
  const bool is_whole = type > ptx::Type::Pred && !is_float(type);
  return is_whole && !has(in, "hi") && !has(in, "sat") && !has(in, "cc") ? of_whole : ValueFlow::LaneWise;
}

ValueFlow flow_of_instruction(const ProgramData& program, const Inst& inst) {
  using ptx::Computes;
  const ptx::OpcodeRow& row = program.opcode(inst.pc);
  if (row.moves.unit == ptx::Unit::Matrix)
    return row.moves.direction == Direction::Write ? ValueFlow::MatrixStore : ValueFlow::MatrixLoad;
  if (row.computes == Computes::Transpose) return ValueFlow::MatrixTurn;
  if (row.loads()) return ValueFlow::Load;
  if (row.stores()) return ValueFlow::Store;
  const bool by_lists = row.moves.unit == ptx::Unit::Fragment || row.moves.unit == ptx::Unit::Texture ||
                        row.moves.unit == ptx::Unit::Surface || row.moves.unit == ptx::Unit::Hint;
  if (row.moves_bytes() && !by_lists) return ValueFlow::Update;
  const ptx::Instruction& in = program.text(inst.pc);
  switch (row.computes) {
    case Computes::Copy:
      if (inst.elem_bytes == 0) return ValueFlow::Bytes;
      return is_set(inst.dst) ? ValueFlow::Pack : ValueFlow::Unpack;
    case Computes::Convert:
      return flow_of_conversion(in);
    case Computes::And:
      return ValueFlow::And;
    case Computes::Or:
      return ValueFlow::Or;
    case Computes::Xor:
      return ValueFlow::Xor;
    case Computes::Add:
      return flow_of_arithmetic(in, ValueFlow::Sum);
    case Computes::Subtract:
      return flow_of_arithmetic(in, ValueFlow::Difference);
    case Computes::Multiply:
    case Computes::MultiplyAdd:
      return flow_of_arithmetic(in, ValueFlow::Product);
    case Computes::ShiftLeft:
      return ValueFlow::ShiftLeft;
    case Computes::ShiftRight:
      return ValueFlow::ShiftRight;
    case Computes::Permute:
      return in.modifiers.size() == 1 ? ValueFlow::Permute : ValueFlow::LaneWise;  // no mode
    case Computes::Extract:
      return is_signed(last_type(in)) ? ValueFlow::LaneWise : ValueFlow::Extract;
    case Computes::Insert:
      return ValueFlow::Insert;
    case Computes::Funnel:
      return has(in, "l") ? ValueFlow::FunnelLeft : ValueFlow::FunnelRight;
    case Computes::Select:
      return ValueFlow::Select;
    default:
      return ValueFlow::LaneWise;
  }
}

enum class Role { Decides, Source, Result };
const std::vector<RowRef> kNone;

// Where labels can be, before each instruction: a bit for each register. A lane's labels go its way through the program;
// what is written of values has none any more. Not where lanes hand labels to one another, or come from elsewhere.
class Reach {
 public:
  Reach(const ProgramData& program, const std::vector<ValueFlow>& flow) : program_(program), flow_(flow) {
    for (const ListedRows& list : program.lists)
      for (const RowRef& row : program.vectors[list.list])
        lists_[list.pc].emplace_back(row, list.are_sources ? Role::Source : Role::Result);
    uses_.resize(flow.size());
    for (const Inst& inst : program.code) note_uses(inst);
  }

  std::vector<bool> from(std::uint32_t begin) {
    std::vector<bool> reached(flow_.size(), true);
    if (!is_simple_) return reached;
    words_ = numbers_.size() / 64 + 1;
    before_.resize(words_ * flow_.size());
    for (const RowRef& row : begin == kNoPc ? program_.unset : kNone)
      if (const auto known = numbers_.find(place(row)); known != numbers_.end())
        set(before(program_.functions[0].entry_pc), known->second, true);
    for (grows_ = true; std::exchange(grows_, false);)
      for (const Inst& inst : program_.code) pass(inst, inst.pc == begin);
    for (std::uint32_t pc = 0; pc < flow_.size(); ++pc)
      reached[pc] = pc == begin || any(pc, [](Role) { return true; });
    return reached;
  }

 private:
  struct Use {
    std::size_t number;
    Role role;
  };
  using Place = std::pair<RowFile, std::uint32_t>;
  using Bits = std::span<std::uint64_t>;
  [[nodiscard]] static Place place(const RowRef& row) { return {row.file, row.offset_bytes}; }
  [[nodiscard]] static bool has(Bits bits, std::size_t k) { return (bits[k / 64] >> k % 64 & 1) != 0; }
  static void set(Bits bits, std::size_t k, bool on) {
    bits[k / 64] = (bits[k / 64] & ~(std::uint64_t{1} << k % 64)) | std::uint64_t{on} << k % 64;
  }
  [[nodiscard]] Bits before(std::uint32_t pc) { return Bits(before_).subspan(pc * words_, words_); }
  template <class Is>
  [[nodiscard]] bool any(std::uint32_t pc, const Is& is) {
    return std::any_of(uses_[pc].begin(), uses_[pc].end(),
                       [&](const Use& use) { return is(use.role) && has(before(pc), use.number); });
  }

  void note_use(std::uint32_t pc, const RowRef& row, Role role) {
    if (!is_register(row)) return;
    const auto [known, fresh] = numbers_.try_emplace(place(row), numbers_.size());
    uses_[pc].push_back({known->second, role});
  }
  // What a load reads does not come from its address.
  void note_uses(const Inst& inst) {
    const ValueFlow flow = flow_[inst.pc];
    const bool loads = flow == ValueFlow::Load || flow == ValueFlow::MatrixLoad;
    if (inst.has_guard) note_use(inst.pc, inst.guard, Role::Decides);
    for (const RowRef* row : {&inst.a, &inst.b, &inst.c, &inst.d})
      note_use(inst.pc, *row, loads ? Role::Decides : Role::Source);
    for (const RowRef* row : {&inst.dst, &inst.dst2}) note_use(inst.pc, *row, Role::Result);
    if (const auto more = lists_.find(inst.pc); more != lists_.end())
      for (const auto& [row, role] : more->second) note_use(inst.pc, row, role);
    const AtomicInfo* const atomic = program_.atomic_of(inst);
    for (const RowRef& row :
         atomic != nullptr && atomic->results != kNoPc ? program_.vectors[atomic->results] : kNone)
      note_use(inst.pc, row, Role::Result);
    is_simple_ &= inst.control != Control::BranchIndirect && inst.control != Control::Call &&
                  inst.control != Control::WarpSync;
  }

  void go_on(Bits from, std::uint32_t pc) {
    if (pc >= flow_.size()) return;
    const Bits to = before(pc);
    for (std::size_t k = 0; k < words_; ++k) {
      grows_ |= (from[k] & ~to[k]) != 0;
      to[k] |= from[k];
    }
  }

  void pass(const Inst& inst, bool begins) {
    after_.assign(before(inst.pc).begin(), before(inst.pc).end());
    const bool labels = begins || any(inst.pc, [](Role role) { return role == Role::Source; });
    const bool sets = inst.control == Control::Plain && !inst.has_guard;
    for (const Use& use : uses_[inst.pc])
      if (use.role == Role::Result && (labels || sets)) set(after_, use.number, labels);
    if (inst.control == Control::Branch) go_on(after_, inst.target);
    const bool leaves =
        inst.control == Control::Branch || inst.control == Control::Exit || inst.control == Control::Return;
    if (!leaves || inst.has_guard) go_on(after_, inst.pc + 1);
  }

  const ProgramData& program_;
  const std::vector<ValueFlow>& flow_;
  std::map<std::uint32_t, std::vector<std::pair<RowRef, Role>>> lists_;
  std::map<Place, std::size_t> numbers_;
  std::vector<std::vector<Use>> uses_;  // by pc
  std::size_t words_ = 0;
  std::vector<std::uint64_t> before_, after_;
  bool grows_ = false;
  bool is_simple_ = program_.functions.size() == 1;
};

}  // namespace

ValueFlows flows_of(const ProgramData& program) {
  ValueFlows flows;
  flows.flow.reserve(program.code.size());
  for (const Inst& inst : program.code) flows.flow.push_back(flow_of_instruction(program, inst));
  for (const ListedRows& list : program.lists)
    if (flows.flow[list.pc] == ValueFlow::LaneWise) flows.flow[list.pc] = ValueFlow::Rows;
  return flows;
}

const std::vector<bool>& reached_from(const ProgramData& program, ValueFlows& flows, std::uint32_t begin) {
  const auto [place, fresh] = flows.reached_from.try_emplace(begin);
  if (fresh) place->second = Reach(program, flows.flow).from(begin);
  return place->second;
}

}  // namespace lab::sim
