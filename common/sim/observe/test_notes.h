// Plain tests before atomics that met another thread's atomic, unordered: harmless, and noted.
//
// Enters: pairs of instructions, in the order in which threads happen to run. Leaves: for each test the first
// atomic of the program that it met, which does not depend on that order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace lab::sim {

class TestNotes {
 public:
  // Whether there is nothing new to say.
  [[nodiscard]] bool covers(std::uint32_t test, std::uint32_t atomic) const {
    const auto known = atomics_.find(test);
    return known != atomics_.end() && known->second <= atomic;
  }
  void note(std::uint32_t test, std::uint32_t atomic) {
    const auto [at, fresh] = atomics_.emplace(test, atomic);
    if (!fresh) at->second = std::min(at->second, atomic);
  }
  void join(const TestNotes& more) {
    for (const auto& [test, atomic] : more.atomics_) note(test, atomic);
  }
  void clear() { atomics_.clear(); }
  [[nodiscard]] const std::map<std::uint32_t, std::uint32_t>& all() const { return atomics_; }

 private:
  std::map<std::uint32_t, std::uint32_t> atomics_;  // by test, both by pc
};

}  // namespace lab::sim
