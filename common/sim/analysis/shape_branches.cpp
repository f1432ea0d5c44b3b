// Follows values from arguments, memory and the block's number to the guards of branches. See
// shape_branches.h.
#include "common/sim/analysis/shape_branches.h"

#include <string_view>
#include <unordered_set>

#include "common/sim/program/program_data.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

using Values = std::unordered_set<std::string_view>;

// The number of the block, of its cluster or multiprocessor, and how many there are.
bool follows_shape(std::string_view name) {
  const ptx::SpecialRegister* special = ptx::special_register(name);
  return special != nullptr &&
         (special->follows == ptx::Follows::Grid || special->follows == ptx::Follows::Block);
}

bool follows(const ptx::Instruction& in, const Values& known) {
  if (in.row->sees == ptx::Sees::Memory || in.row->sees == ptx::Sees::Callee) return true;
  bool any = known.contains(in.guard);
  const ptx::Operand* const written = ptx::written_operand(in);
  const auto look = [&](std::string_view name) { any = any || follows_shape(name) || known.contains(name); };
  for (const ptx::Operand& operand : in.operands)
    if (&operand != written) ptx::for_names(operand, look);
  return any;
}

Values values_that_follow(const ptx::Function& text) {
  Values known;
  for (std::size_t before = ~std::size_t{0}; before != known.size();) {
    before = known.size();
    for (const ptx::Instruction& in : text.body)
      if (const ptx::Operand* const written = ptx::written_operand(in);
          written != nullptr && follows(in, known))
        ptx::for_names(*written, [&](std::string_view name) { known.insert(name); });
  }
  return known;
}

}  // namespace

std::set<std::int64_t> compared_with_shape(const ProgramData& program) {
  std::set<std::int64_t> numbers;
  for (const ptx::Function* text : program.function_texts) {
    const Values known = values_that_follow(*text);
    for (const ptx::Instruction& in : text->body) {
      if (in.row->computes != ptx::Computes::Compare || !follows(in, known)) continue;
      for (const ptx::Operand& operand : in.operands)
        if (operand.kind == ptx::OperandKind::Immediate &&
            (operand.literal == ptx::Type::S64 || operand.literal == ptx::Type::U64))
          numbers.insert(static_cast<std::int64_t>(operand.bits));
    }
  }
  return numbers;
}

std::vector<bool> shape_branches(const ProgramData& program) {
  std::unordered_set<const ptx::Instruction*> branches;
  for (const ptx::Function* text : program.function_texts) {
    const Values known = values_that_follow(*text);
    for (const ptx::Instruction& in : text->body)
      if (in.row->ends_block() && known.contains(in.guard)) branches.insert(&in);
  }
  std::vector<bool> found(program.code.size());
  for (std::size_t pc = 0; pc < found.size(); ++pc) found[pc] = branches.contains(&program.text(pc));
  return found;
}

}  // namespace lab::sim
