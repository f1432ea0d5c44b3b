// What a lane-wise instruction makes of single numbers, without a warp.
//
// Enters: an instruction, the bits of its sources. Leaves: the bits of its result. It is the form's own loop over 32 lanes
// that computes it, so that no instruction is written down twice.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/sim/instructions/forms.h"

namespace lab::sim {

class ScalarForm {
 public:
  static constexpr std::size_t kSources = 4;
  // For whole numbers and predicates. None: it has no such form, or its result does not follow from its sources.
  static std::optional<ScalarForm> of(const ptx::Instruction& in);
  [[nodiscard]] std::uint64_t result(const std::array<std::uint64_t, kSources>& sources) const;

 private:
  explicit ScalarForm(const Form& form);
  const Form* form_;
  Inst inst_;
};

}  // namespace lab::sim
