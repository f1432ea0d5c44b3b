// Sums over cases.
#include "common/course/judge/verdict.h"

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

bool Evaluation::finished() const {
  return right() && std::all_of(cases.begin(), cases.end(),
                                [](const CaseResult& c) { return c.kind != CaseKind::Goal || c.passed; });
}

bool Evaluation::earned() const {
  const auto earns = [](const CaseResult& c) { return c.earns; };
  const auto met = [](const CaseResult& c) { return c.earns && c.passed; };
  // Where threads exchange nothing, the idea that points are for is missing, whatever the counters say.
  const auto missing = [](const CaseResult& c) {
    return std::any_of(c.reasons.begin(), c.reasons.end(),
                       [](const Reason& r) { return r.code == "not-exchanged"; });
  };
  return right() && std::none_of(cases.begin(), cases.end(), missing) &&
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

base::Json to_json(const SaidFinding& f) {
  return {{"seat", f.seat}, {"line", f.line}, {"cause", f.cause}, {"worth", f.worth}, {"right", f.right}};
}

}  // namespace lab::judge
