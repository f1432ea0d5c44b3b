// How labels of undefined values go from the sources of an instruction to its result, by the table of instructions. See undefined.h.
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

}  // namespace

std::vector<ValueFlow> flows_of(const ProgramData& program) {
  std::vector<ValueFlow> flows;
  flows.reserve(program.code.size());
  for (const Inst& inst : program.code) flows.push_back(flow_of_instruction(program, inst));
  for (const ListedRows& list : program.lists)
    if (flows[list.pc] == ValueFlow::LaneWise) flows[list.pc] = ValueFlow::Rows;
  return flows;
}

}  // namespace lab::sim
