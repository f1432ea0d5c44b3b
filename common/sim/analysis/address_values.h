// Which addresses of a function's text differ by a constant, and what power of two divides them: as much of
// that as `ptxas` knows, by experiment (docs/hardware.md), and no more.
//
// Enters: a parsed function, instruction by instruction, along its blocks. Leaves: for each register a value:
// what it is made of (`root`, equal numbers for equal expressions) and a constant. Alignment is known of
// another split of the same value: the register that constants were last added to (`base`).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

struct AddressValue {
  std::uint32_t root = 0, base = 0;
  std::int64_t offset = 0, base_offset = 0;
  bool operator==(const AddressValue&) const = default;
};

class AddressValues {
 public:
  // `symbol_zeros`: how many low bits of a variable's address are zero.
  AddressValues(const ptx::Function& function, std::function<int(std::string_view)> symbol_zeros);

  // The registers that are written at several places: what they hold depends on where one comes from. The
  // caller keeps their values per block; the others are kept here.
  using State = std::vector<AddressValue>;
  [[nodiscard]] State entry_state();
  // Where paths meet that do not agree; `zeros` low bits are zero on all of them.
  [[nodiscard]] AddressValue unknown(std::uint32_t block, std::size_t of_state, int zeros);
  // Whether less is known of some value since this was last asked: walk the blocks again.
  [[nodiscard]] bool learned() { return std::exchange(learned_, false); }

  void step(State& state, std::size_t instruction);
  // Each turn of a loop that is written out computes values of its own.
  void begin_turn(std::size_t turn) { turn_ = turn == 0 ? "" : " turn " + std::to_string(turn); }
  [[nodiscard]] AddressValue of(const State& state, const ptx::Operand& operand);
  [[nodiscard]] AddressValue address(const State& state, const ptx::Operand& operand);
  [[nodiscard]] int zeros(const AddressValue& value) const;  // low bits that are zero
  [[nodiscard]] int base_zeros(const AddressValue& value) const { return zeros_[value.base]; }

 private:
  struct Register {
    int writes = 0;
    std::size_t in_state = 0;  // when written more than once
    AddressValue value;        // when written once
  };
  using Zeros = std::function<int(const ptx::Operand&)>;

  [[nodiscard]] std::uint32_t number(const std::string& expression, int zeros);
  [[nodiscard]] AddressValue fresh(const std::string& expression, int zeros);
  [[nodiscard]] std::string here(std::size_t at) const { return "at " + std::to_string(at) + turn_; }
  [[nodiscard]] std::string text_of(const State& state, const ptx::Operand& operand);
  [[nodiscard]] AddressValue evaluate(const State& state, std::size_t at);
  [[nodiscard]] AddressValue sum(const State& state, std::size_t at, int zeros);
  [[nodiscard]] AddressValue product(const AddressValue& factor, std::int64_t by, std::size_t at, int zeros);
  [[nodiscard]] AddressValue multiply_add(const State& state, std::size_t at, int zeros);
  [[nodiscard]] static int zeros_of(const ptx::Instruction& in, const Zeros& operand);

  const ptx::Function& function_;
  std::function<int(std::string_view)> symbol_zeros_;
  std::map<std::string, Register, std::less<>> registers_;
  std::size_t state_size_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<int> zeros_;         // by number
  std::vector<bool> is_variable_;  // by number: the address of a variable
  std::map<std::uint32_t, std::pair<std::uint32_t, std::int64_t>> products_;  // number → of what, by how much
  bool learned_ = false;
  std::string turn_;
};

}  // namespace lab::sim
