// What a kernel does to memory, in a form that a rewrite leaves as it is.
//
// Enters: PTX. Leaves: how often each pattern of addresses was touched by one instruction of a warp, on one
// small matrix. Which warp did it, when, at which line, in which order of lanes and from which loop is left
// out: so a loop that runs backwards, an index that is computed in another way, other names and types,
// unrolling, reordering and code that does nothing change nothing. The kernel is simulated, within the
// budgets of a check.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace lab::grade {

struct Pattern {
  std::uint64_t print = 0;
  std::uint32_t count = 0;
  bool known = false;  // skeleton or solutions do it too
};
struct Behaviour {
  std::vector<Pattern> patterns;  // sorted
  [[nodiscard]] bool empty() const { return patterns.empty(); }
};

// Empty where the module has no kernel `transpose`, or it does not run to its end.
[[nodiscard]] Behaviour behaviour_of(const std::string& ptx);

[[nodiscard]] std::string text_of(const Behaviour& behaviour);
[[nodiscard]] Behaviour behaviour_from(const std::string& text);

using Prints = std::set<std::uint64_t>;
[[nodiscard]] Behaviour marked(Behaviour behaviour, const Prints& known);
// Some of what it does that is not known, chosen so that another kernel that does much the same has some too.
[[nodiscard]] std::vector<std::uint64_t> sample(const Behaviour& behaviour);

struct SharedBehaviour {
  double all = 0;  // of the smaller one's accesses: 0 to 1
  double own = 0;  // the same without what is known; 0 where hardly anything is left
};
[[nodiscard]] SharedBehaviour compare(const Behaviour& a, const Behaviour& b);

}  // namespace lab::grade
