// What the hardware turned. See matrix_turns.h.
#include "tests/chapters/matrix_turns.h"

#include <bit>

#include "common/sim/program/program_data.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::course {

void MatrixTurns::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const MatrixTurns&>(other);
  bytes_ += from.bytes_;
  between_registers_ |= from.between_registers_;
}

void MatrixTurns::launch_begin(const sim::LaunchInfo& info) {
  turns_.assign(info.program->instruction_count(), false);
  for (std::uint32_t pc = 0; pc < turns_.size(); ++pc) {
    turns_[pc] = sim::ptx::has(info.program->data().text(pc), "trans");
    between_registers_ |= info.program->opcode(pc).computes == sim::ptx::Computes::Transpose;
  }
}

void MatrixTurns::access(std::uint32_t /*slot*/, const sim::Access& access) {
  const bool matrix =
      access.path == sim::Path::SharedMatrixLoad || access.path == sim::Path::SharedMatrixStore;
  if (matrix && turns_[access.pc])
    bytes_ += static_cast<std::uint64_t>(std::popcount(access.mask)) * access.width_bytes;
}

}  // namespace lab::course
