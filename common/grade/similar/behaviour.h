// What a kernel does to memory, in a form that a rewrite leaves as it is.
//
// Enters: PTX. Leaves: how often each pattern of addresses was touched by one instruction of a warp, on one
// small matrix. Which warp did it, when, at which line, in which order of lanes and from which loop is left
// out: so a loop that runs backwards, an index that is computed in another way, other names and types,
// unrolling, reordering and code that does nothing change nothing. The kernel is simulated, within the
// budgets of a check.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace lab::grade {

struct Behaviour {
  std::map<std::uint64_t, std::uint64_t> patterns;  // fingerprint → how often
  [[nodiscard]] bool empty() const { return patterns.empty(); }
};

// Empty where the module has no kernel `transpose`, or it does not run to its end.
[[nodiscard]] Behaviour behaviour_of(const std::string& ptx);

[[nodiscard]] std::string text_of(const Behaviour& behaviour);
[[nodiscard]] Behaviour behaviour_from(const std::string& text);

struct SharedBehaviour {
  double all = 0;  // of the smaller one's accesses: 0 to 1
  double own = 0;  // the same without what skeleton and solutions do; 0 where hardly anything is left
};
using Patterns = std::set<std::uint64_t>;
[[nodiscard]] SharedBehaviour compare(const Behaviour& a, const Behaviour& b, const Patterns& known);

}  // namespace lab::grade
