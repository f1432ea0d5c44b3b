// Values of variables as data and as words. See step_words.h.
#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "common/base/text/text.h"
#include "common/course/report/step_words.h"
#include "common/sim/base/lanes.h"

namespace lab::report {
namespace {

using explore::ShownVariable;
using explore::StepRun;
using explore::VariablePart;
using text::tr;

constexpr int kValuesInRow = 8;

// The shortest number that is the same one again; JSON has no others than finite ones.
Json real_json(double value, const std::string& shortest) {
  if (!std::isfinite(value)) return shortest;
  return std::strtod(shortest.c_str(), nullptr);
}

Json real(const StepRun& run, unsigned width, std::uint64_t bits) {
  if (static_cast<int>(width) == run.run.problem.elem_bytes) {
    std::array<std::byte, sizeof bits> bytes{};
    std::memcpy(bytes.data(), &bits, sizeof bits);
    if (const auto element = run.element_of(std::span(bytes).first(width))) return run.name_in(*element);
  }
  if (width == sizeof(double)) {
    const auto value = std::bit_cast<double>(bits);
    return real_json(value, fmt::format("{}", value));
  }
  const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return real_json(value, fmt::format("{}", value));
}

// Bits that are an element of `in`, or an address in it or `out`; "": a number, as far as one can say.
std::string register_words(const StepRun& run, const VariablePart& part, unsigned width, std::uint64_t bits) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&bits);
  if (static_cast<int>(width) == run.run.problem.elem_bytes)
    if (const auto element = run.element_of({bytes, width})) return run.name_in(*element);
  if (width != sizeof bits) return "";
  const std::string name = run.name_of_target(part, bits);
  return name.empty() ? "" : "&" + name;
}

}  // namespace

Json variable_value(const StepRun& run, const VariablePart& part, std::uint64_t bits) {
  if (part.is_pointer()) {
    const std::string name = run.name_of_target(part, bits);
    return name.empty() ? fmt::format("{:#x}", bits) : "&" + name;
  }
  if (part.type == "bool") return (bits & 1u) != 0;
  const auto width = static_cast<unsigned>(std::stoi(part.type.substr(1))) / 8;
  if (part.type[0] == 'b')
    if (const std::string name = register_words(run, part, width, bits); !name.empty()) return name;
  if (part.type[0] == 'f') return real(run, width, bits);
  const unsigned unused = 64 - 8 * width;
  if (part.type[0] == 'u') return bits << unused >> unused;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::string variable_words(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string no_value_words(const VariablePart& part) {
  return part.unwritten ? tr("not written yet") : tr("not computed here");
}

std::string bytes_words(const StepRun& run, std::span<const std::byte> bytes) {
  if (const auto element = run.element_of(bytes)) return run.name_in(*element);
  std::string hex = "0x";
  for (std::size_t k = bytes.size(); k-- > 0;) hex += fmt::format("{:02x}", std::to_integer<int>(bytes[k]));
  return hex;
}

std::string frame_words(const std::vector<explore::VariableCall>& calls, std::size_t frame) {
  if (frame == calls.size()) return tr("the kernel");
  const std::string& function = calls[frame].function;
  return function.empty() ? tr("a function, called on line {}", calls[frame].line)
                          : tr("{}, called on line {}", function, calls[frame].line);
}

std::string variables_text(const StepRun& run, std::size_t number) {
  std::string text;
  const explore::StepVariables& variables = run.data.steps[number].variables;
  const std::vector<explore::VariableCall> calls = run.calls_of(run.data.steps[number]);
  std::size_t frames = 0;
  for (const ShownVariable& v : shown_variables(run.variables, variables)) {
    for (; !calls.empty() && frames <= v.part->frame; ++frames) text += frame_words(calls, frames) + "\n";
    text += fmt::format("  {:<12}", v.part->name);
    if (!v.known) {
      text += "  " + no_value_words(*v.part) + "\n";
      continue;
    }
    if (v.alike) {
      text += "  " + variable_words(variable_value(run, *v.part, v.bits[0])) + "\n";
      continue;
    }
    std::array<std::string, sim::kWarpLanes> words;
    std::size_t width = 1;
    for (std::size_t lane = 0; lane < words.size(); ++lane) {
      words[lane] = (variables.lanes >> lane & 1u) != 0
                        ? variable_words(variable_value(run, *v.part, v.bits[lane]))
                        : std::string(".");
      width = std::max(width, words[lane].size());
    }
    for (std::size_t lane = 0; lane < words.size(); ++lane) {
      if (lane != 0 && lane % kValuesInRow == 0) text += "\n" + std::string(14, ' ');
      text += fmt::format("{}{:>{}}", lane % kValuesInRow == 0 ? "  " : " ", words[lane], width);
    }
    text += "\n";
  }
  return text;
}

}  // namespace lab::report
