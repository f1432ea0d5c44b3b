// Sums over cases.
#include "common/judge/verdict.h"

#include <algorithm>

namespace lab::judge {

std::string_view name(CaseKind kind) {
  switch (kind) {
    case CaseKind::Holds:
      return "holds";
    case CaseKind::Goal:
      return "goal";
    case CaseKind::Prediction:
      return "prediction";
  }
  return "";
}

bool Evaluation::passed() const {
  return !cases.empty() &&
         std::all_of(cases.begin(), cases.end(), [](const CaseResult& c) { return c.passed; });
}

bool Evaluation::right() const {
  return std::all_of(cases.begin(), cases.end(),
                     [](const CaseResult& c) { return c.kind != CaseKind::Holds || c.passed; });
}

bool Evaluation::earned() const {
  const auto earns = [](const CaseResult& c) { return c.earns; };
  const auto met = [](const CaseResult& c) { return c.earns && c.passed; };
  return right() &&
         (std::none_of(cases.begin(), cases.end(), earns) || std::any_of(cases.begin(), cases.end(), met));
}

int Evaluation::points() const {
  if (!earned()) return 0;
  int sum = 0;
  for (const CaseResult& c : cases) sum += c.passed ? c.points : 0;
  return sum;
}

int Evaluation::points_possible() const {
  int sum = 0;
  for (const CaseResult& c : cases) sum += c.points;
  return sum;
}

const CaseResult* Evaluation::first_failure() const {
  const auto found = std::find_if(cases.begin(), cases.end(), [](const CaseResult& c) { return !c.passed; });
  return found == cases.end() ? nullptr : &*found;
}

}  // namespace lab::judge
