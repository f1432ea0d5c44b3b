// Where the variables of a kernel are, statement by statement, as the built-in compiler says.
//
// Enters: its PTX with the comments that it writes behind (common/compile/builtin/code_stops.cpp). Leaves: for
// each line of the PTX the statement that it belongs to, and for each part of each variable in scope there a
// register, a place in local memory, a constant, a recipe, or nothing: it is not computed here. What is not
// proved is left out.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/course/explore/step_recipes.h"
#include "common/sim/base/lanes.h"
#include "common/sim/base/observer.h"

namespace lab::explore {

struct VariablePart {
  std::string name;  // "p.x", "v[2]"
  // "s32", "u8", "f64", "bool"; "pointer", "shared", "local": into which space; "b32": bits of a register.
  std::string type;
  bool unwritten = false;  // nothing wrote it yet
  std::size_t frame = 0;   // 0: of the function that runs, 1: of the one that called it, …
  // One of these, or it is not computed here.
  std::optional<std::uint64_t> constant;  // its bits
  std::string reg;
  std::optional<Recipe> recipe;
  std::string local;           // a variable in local memory,
  std::uint32_t local_at = 0;  // and the byte of it where this part lies
  [[nodiscard]] bool is_read() const { return !reg.empty() || recipe || !local.empty(); }
  [[nodiscard]] bool is_known() const { return constant || is_read(); }
  [[nodiscard]] unsigned bytes() const;
  [[nodiscard]] bool is_pointer() const { return type == "pointer" || type == "shared" || type == "local"; }
};

struct VariableCall {
  std::string function;  // as the source names it, with what its template was given; "": not known
  int line = 0;          // that calls it
};

struct VariableStop {
  int statement = -1;  // the same where more of it is no longer known; -1: it is the line's
  int line = 0;
  std::vector<VariablePart> parts;  // of inner frames and scopes first
  std::vector<VariableCall> calls;  // of each frame but the last, which is the kernel
};

struct VariableTable {
  std::vector<VariableStop> stops;
  std::map<int, int> by_line;  // of the PTX, from there on: index into stops; -1: none
  bool are_registers = false;  // parts are registers, and no compiler said what is in them
  [[nodiscard]] int stop_at(int ptx_line) const;
};

// Takes the comments away from the text.
[[nodiscard]] VariableTable take_variables(std::string& ptx);

// For PTX without these comments: registers that each statement reads (step_registers.cpp).
[[nodiscard]] VariableTable registers_of(const std::string& ptx, const std::string& entry);

// What a warp's variables were when a step began: for each part that is known, in their order.
struct StepVariables {
  std::int32_t stop = -1;  // of VariableTable; -1: nothing is known
  sim::Mask lanes = 0;
  std::vector<bool> alike;          // all lanes were found to have the same, which stands once
  std::vector<std::uint64_t> bits;  // else 32
  [[nodiscard]] std::size_t bytes() const { return bits.size() * sizeof(std::uint64_t) + alike.size() / 8; }
};

// One part of a step: of each lane its bits.
struct ShownVariable {
  const VariablePart* part = nullptr;
  bool known = false, alike = false;
  std::array<std::uint64_t, sim::kWarpLanes> bits{};
};
[[nodiscard]] std::vector<ShownVariable> shown_variables(const VariableTable& table,
                                                         const StepVariables& variables);

// How many groups of cp.async a lane has committed.
[[nodiscard]] std::uint32_t committed_copies(const sim::WarpContext& registers, std::size_t lane);

// Rows of the registers of a stop; reads them while a warp runs.
class VariableReader {
 public:
  VariableReader() = default;
  VariableReader(const VariableTable& table, const sim::Program& program);
  [[nodiscard]] int stop_of(std::uint32_t pc) const { return stop_of_.empty() ? -1 : stop_of_[pc]; }
  // What `step` shows. A value that has a recipe is computed behind the recording: `recipes` are asked for it.
  [[nodiscard]] StepVariables read(int stop, sim::Mask lanes, const sim::WarpContext& registers,
                                   std::size_t step, Recipes& recipes) const;

 private:
  using Bits = std::array<std::uint64_t, sim::kWarpLanes>;
  [[nodiscard]] Bits bits_of(const std::string& reg, const sim::WarpContext& registers) const;
  [[nodiscard]] Bits bits_of(const Recipe::Input& input, const sim::WarpContext& registers) const;
  [[nodiscard]] Bits bits_of(const VariablePart& part, const sim::WarpContext& registers) const;

  const VariableTable* table_ = nullptr;
  const sim::Program* program_ = nullptr;
  std::vector<int> stop_of_;  // by pc
};

}  // namespace lab::explore
