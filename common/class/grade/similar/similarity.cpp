// Instructions without names, winnowed. See similarity.h.
#include "common/class/grade/similar/similarity.h"

#include <algorithm>
#include <map>

#include "common/sim/ptx/ptx_module.h"

namespace lab::grade {
namespace ptx = sim::ptx;

namespace {

// Kinds of operands. Numbers stay: tile sides and offsets are what the author chose. Special registers stay
// too.
std::string shape_of(const ptx::Operand& operand) {
  std::string text = operand.negated ? "-" : "";
  switch (operand.kind) {
    case ptx::OperandKind::Register:
      text += operand.name.find('.') == std::string::npos ? "r" : operand.name;
      break;
    case ptx::OperandKind::Immediate:
      text += "#" + std::to_string(operand.bits);
      break;
    case ptx::OperandKind::Symbol:
      text += "s+" + std::to_string(operand.offset);
      break;
    case ptx::OperandKind::Address:
      text += (operand.base_is_register ? "[r+" : "[s+") + std::to_string(operand.offset) + "]";
      break;
    case ptx::OperandKind::Vector:
    case ptx::OperandKind::Group:
      for (const ptx::Operand& element : operand.elements) text += "{" + shape_of(element) + "}";
      break;
    case ptx::OperandKind::Sink:
      text += "_";
      break;
  }
  return text + (operand.predicate_or.empty() ? "" : "|p");
}

std::string shape_of(const ptx::Instruction& instruction) {
  std::string text = instruction.guard.empty() ? "" : instruction.guard_negated ? "@!p " : "@p ";
  text += instruction.full_opcode();
  for (const ptx::Operand& operand : instruction.operands) text += " " + shape_of(operand);
  return text;
}

}  // namespace

std::uint64_t hash_run(const std::vector<std::string>& texts, std::size_t first, std::size_t count) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (std::size_t i = first; i < first + count; ++i) {
    for (const char c : texts[i] + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

NormalisedKernel normalise(std::string_view text, std::string_view file) {
  const ptx::Module module = ptx::parse(text);
  NormalisedKernel result;
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.body) {
      result.instructions.push_back(shape_of(instruction));
      const ptx::SourceLine& place =
          instruction.inlined_at.line != 0 ? instruction.inlined_at : instruction.source;
      const auto named = module.files.find(place.file);
      const bool own = named != module.files.end() &&
                       (named->second == file || named->second.ends_with("/" + std::string(file)));
      result.lines.push_back(own ? place.line : 0);
    }
  }
  return result;
}

std::vector<Fingerprint> fingerprints(const NormalisedKernel& kernel) {
  const std::size_t count = kernel.instructions.size();
  if (count == 0) return {};
  std::vector<Fingerprint> runs;
  for (std::size_t i = 0; i + kRun <= count; ++i) runs.push_back({hash_run(kernel.instructions, i, kRun), i});
  if (runs.empty()) runs.push_back({hash_run(kernel.instructions, 0, count), 0});
  std::map<std::uint64_t, std::size_t> kept;  // hash → where it comes first
  for (std::size_t first = 0; first == 0 || first + kWindow <= runs.size(); ++first) {
    const auto end = runs.begin() + static_cast<std::ptrdiff_t>(std::min(first + kWindow, runs.size()));
    const auto smallest =
        std::min_element(runs.begin() + static_cast<std::ptrdiff_t>(first), end,
                         [](const Fingerprint& x, const Fingerprint& y) { return x.hash < y.hash; });
    kept.try_emplace(smallest->hash, smallest->at);
  }
  std::vector<Fingerprint> result;
  for (const auto& [hash, at] : kept) result.push_back({hash, at});
  return result;
}

}  // namespace lab::grade
