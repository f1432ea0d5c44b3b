// Registers in place of variables, where another compiler made the PTX. See step_variables.h.
#include <set>
#include <string>

#include "common/course/explore/step_variables.h"
#include "common/sim/ptx/modifiers.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::explore {
namespace {

// "b32": bits that may be a number or anything else.
std::string type_word(sim::ptx::Type type) {
  return type == sim::ptx::Type::Pred ? "bool" : std::string(sim::ptx::name(type));
}

// Registers are declared by a name, or as a range: "%f" and how many.
std::string type_of(const sim::ptx::Function& function, const std::string& reg) {
  const std::string range = reg.substr(0, reg.find_last_not_of("0123456789") + 1);
  for (const sim::ptx::RegisterDeclaration& r : function.registers)
    if (sim::ptx::size_bytes(r.type) <= static_cast<int>(sizeof(std::uint64_t)) &&
        (r.count > 0 ? r.name == range : r.name == reg))
      return type_word(r.type);
  return "";
}

void add_names(const sim::ptx::Operand& operand, std::set<std::string>& names) {
  names.insert(operand.name);
  if (!operand.predicate_or.empty()) names.insert(operand.predicate_or);
  for (const sim::ptx::Operand& element : operand.elements) add_names(element, names);
}

// What the rest of its statement reads of what was there before it.
VariableStop stop_at(const sim::ptx::Function& function, std::size_t from) {
  VariableStop stop;
  const sim::ptx::Instruction& first = function.body[from];
  stop.line = first.source.line;
  std::set<std::string> seen;  // read or written before
  for (std::size_t k = from; k < function.body.size(); ++k) {
    const sim::ptx::Instruction& in = function.body[k];
    if (in.source != first.source || in.inlined_at != first.inlined_at) break;
    const sim::ptx::Operand* const to = sim::ptx::written_operand(in);
    std::set<std::string> read = {in.guard}, written;
    for (const sim::ptx::Operand& operand : in.operands) add_names(operand, &operand == to ? written : read);
    for (const std::string& reg : read) {
      VariablePart part;
      part.name = part.reg = reg;
      part.type = type_of(function, reg);
      if (!part.type.empty() && seen.insert(reg).second) stop.parts.push_back(std::move(part));
    }
    seen.insert(written.begin(), written.end());
  }
  return stop;
}

}  // namespace

VariableTable registers_of(const std::string& ptx, const std::string& entry) {
  VariableTable table;
  table.are_registers = true;
  const sim::ptx::Module module = sim::ptx::parse(ptx);
  for (const sim::ptx::Function& function : module.functions) {
    if (function.name != entry) continue;
    for (std::size_t k = 0; k < function.body.size(); ++k) {
      table.by_line[function.body[k].ptx_line] = static_cast<int>(table.stops.size());
      table.stops.push_back(stop_at(function, k));
    }
    if (!function.body.empty()) table.by_line[function.body.back().ptx_line + 1] = -1;
  }
  return table;
}

}  // namespace lab::explore
