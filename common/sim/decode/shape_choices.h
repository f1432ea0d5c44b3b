// What a kernel decides by its shape and block alone, computed without a launch.
//
// Enters: a kernel's text, sizes and places. Leaves: of each decision (a comparison, what is made of several, a sign
// spread over a word), which way it goes there. It need not be a branch: what a select or a mask takes shows, too.
// Whole numbers are followed, into functions too; and tables, variables of the module that begin with values; and what
// is stored in a shared variable, as the text goes. Other memory is not; of loops the first round is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/sim/instructions/scalar_form.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

// One thread of one launch.
struct ShapePlace {
  std::array<std::int64_t, 4> integers{};  // the arguments of 32 bits that are numbers: rows, cols, pitches
  std::array<std::uint32_t, 3> tid{}, ntid{1, 1, 1}, ctaid{}, nctaid{1, 1, 1};
};

class ShapeChoices {
 public:
  // `module` outlives this.
  ShapeChoices(const ptx::Module& module, const ptx::Function& text);
  // How many decisions there are, and whether one looks at the block or thread, too.
  [[nodiscard]] std::size_t count() const { return choices_.size(); }
  [[nodiscard]] bool by_block(std::size_t choice) const { return steps_[choices_[choice]].by_block; }
  [[nodiscard]] bool is_equality(std::size_t choice) const {
    const Step& step = steps_[choices_[choice]];
    return step.does == ptx::Computes::Compare && step.relation <= Relation::Other;
  }
  // The way of each decision at this place.
  void ways(const ShapePlace& place, std::vector<bool>& found);
  [[nodiscard]] bool way(std::size_t choice, const ShapePlace& place);
  // How far, in a comparison, the left side is from where it begins to hold, or no longer does; none: no comparison.
  [[nodiscard]] std::optional<std::int64_t> distance(std::size_t choice, const ShapePlace& place);

 private:
  struct Source {
    std::int32_t step = -1;  // -1: `number`
    std::uint64_t number = 0;
  };
  enum class Relation : std::uint8_t { Equal, Other, Less, NotLess, Greater, NotGreater };
  struct Step {
    ptx::Computes does = ptx::Computes::Nothing;
    Relation relation = Relation::Equal;
    int bytes = 0, made_bytes = 0;  // of the sources, and of what is made; 0: a predicate
    bool is_signed = false, high = false;
    std::array<Source, ScalarForm::kSources> from;
    std::int32_t form = -1;   // of opcodes that the simulator's own form computes: which
    std::uint32_t place = 0;  // of values that the place gives: which, from 1 on
    bool loads = false;       // from a table, at the sum of the first two; `high`: where it begins
    bool by_block = false;
  };
  void follow(const ptx::Function& text, int depth);
  void follow_call(const ptx::Instruction& in, int depth);
  void note_store(const ptx::Instruction& in);
  std::optional<std::int32_t> add(const ptx::Instruction& in);  // the step
  std::optional<std::int32_t> add_cell(const ptx::Instruction& in, const ptx::Operand& address);
  std::int32_t push(const Step& step);
  std::optional<std::int32_t> add_load(const ptx::Instruction& in, const ptx::Operand& address);
  std::optional<Step> kind_of(const ptx::Instruction& in);
  void forget(const ptx::Operand& written);
  std::optional<Source> source(const ptx::Operand& operand);
  [[nodiscard]] std::optional<std::uint64_t> begin_of(std::string_view table) const;
  [[nodiscard]] std::uint64_t loaded(std::uint64_t address, const Step& step) const;
  std::optional<Source> given(std::uint32_t which, bool by_block);
  [[nodiscard]] std::vector<std::size_t> cone_of(const std::vector<std::size_t>& ends) const;
  void run(const ShapePlace& place, const std::vector<std::size_t>& cone);
  [[nodiscard]] std::uint64_t value(const Source& from) const {
    return from.step < 0 ? from.number : values_[static_cast<std::size_t>(from.step)];
  }
  [[nodiscard]] std::uint64_t result(const Step& step) const;
  [[nodiscard]] static bool holds(const Step& step, std::uint64_t a, std::uint64_t b);
  [[nodiscard]] static Relation relation_of(const ptx::Instruction& in);

  std::unordered_map<std::string_view, std::int32_t> known_;
  std::unordered_map<std::string_view, std::uint32_t> integers_;  // parameters, from 1 on
  std::unordered_map<std::string, Source> cells_;  // parameters and shared variables, by name and offset
  const ptx::Module& module_;
  const std::vector<ptx::Variable>& tables_;
  std::vector<ScalarForm> forms_;
  std::vector<Step> steps_;
  std::vector<std::uint64_t> values_;
  std::vector<std::size_t> choices_;
  std::vector<std::vector<std::size_t>> cones_;  // of each choice
  std::vector<std::size_t> all_;
};

}  // namespace lab::sim
