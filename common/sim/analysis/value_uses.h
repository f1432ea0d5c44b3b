// Where the value of a load goes, through the registers of its function.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

class ValueUses {
 public:
  explicit ValueUses(const ptx::Function& function);
  // It becomes an address, or stands in memory that others see, or the operand of an atomic. A value that
  // does not is only compared.
  [[nodiscard]] bool leaves(const ptx::Instruction& load) const;
  // Another instruction takes it in, as it is, counted with, or as the outcome of a comparison.
  [[nodiscard]] bool reaches(const ptx::Instruction& load, const ptx::Instruction& other) const;
  // It decides whether a loop that holds the load goes on; or goes where that cannot be seen.
  [[nodiscard]] bool decides_its_loop(const ptx::Instruction& load) const;
  // Both stand in one loop of the function.
  [[nodiscard]] bool in_one_loop(const ptx::Instruction& a, const ptx::Instruction& b) const {
    return in_one_loop(index_of(a), index_of(b));
  }

 private:
  // Each instruction that takes the value in, directly or through others, once.
  template <class Act>
  void follow(const ptx::Instruction& load, bool through_comparisons, const Act& act) const;
  [[nodiscard]] bool in_one_loop(std::size_t a, std::size_t b) const;
  [[nodiscard]] std::size_t index_of(const ptx::Instruction& in) const {
    return static_cast<std::size_t>(&in - function_.body.data());
  }

  const ptx::Function& function_;
  std::multimap<std::string_view, std::size_t> readers_;    // of a register: indices into the body
  std::vector<std::pair<std::size_t, std::size_t>> loops_;  // first and last instruction
};

}  // namespace lab::sim
