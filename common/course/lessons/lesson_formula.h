// The small formulas in which a lesson says where a number comes from.
//
// Enters: text such as `solution(04).shared_load.wavefronts / 32 + 1`, and a lookup of the sources by
// name. Leaves: a number. Throws std::runtime_error with a whole sentence for anything that is no formula.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::course {

// `solution(07, transpose_u8).shared_load.wavefronts`
struct FormulaSource {
  std::string name;               // "solution"
  std::vector<std::string> args;  // "07", "transpose_u8"
  std::string path;               // "shared_load.wavefronts"; may be empty
};

using FormulaLookup = std::function<double(const FormulaSource&)>;

// Numbers, + - * / with the usual rules, parentheses, sources.
[[nodiscard]] double evaluate_formula(std::string_view text, const FormulaLookup& lookup);

}  // namespace lab::course
