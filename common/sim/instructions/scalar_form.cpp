// Single numbers by the forms of 32 lanes. See scalar_form.h.
#include "common/sim/instructions/scalar_form.h"

#include <algorithm>
#include <cstring>

#include "common/sim/execute/exec.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

constexpr std::uint32_t kRow = kWarpLanes * sizeof(std::uint64_t);

RowRef row_of(std::size_t operand, ptx::Type type) {
  return {static_cast<std::uint32_t>(operand) * kRow, RowFile::Reg64,
          static_cast<std::uint8_t>(ptx::size_bytes(type))};
}

}  // namespace

std::optional<ScalarForm> ScalarForm::of(const ptx::Instruction& in) {
  if (!in.row->is_pure()) return std::nullopt;
  const Form* const form = find_form(in.full_opcode(), in.operands.size());
  if (form == nullptr || form->operand_count() != in.operands.size() || in.operands.size() > kSources + 1)
    return std::nullopt;
  const bool needs_more = form->relaxed || form->uses_carry || form->second_predicate || form->parts != 0 ||
                          form->lower_pair != nullptr;
  const auto is_whole = [](ptx::Type type) {
    return type == ptx::Type::None || (!ptx::is_float(type) && ptx::size_bytes(type) <= 8);
  };
  if (needs_more || !std::all_of(form->operand.begin(), form->operand.end(), is_whole)) return std::nullopt;
  return ScalarForm(*form);
}

ScalarForm::ScalarForm(const Form& form) : form_(&form) {
  RowRef* const rows[] = {&inst_.dst, &inst_.a, &inst_.b, &inst_.c, &inst_.d};
  for (std::size_t k = 0; k < form.operand_count(); ++k) *rows[k] = row_of(k, form.operand[k]);
  inst_.dst2 = row_of(kSources + 1, ptx::Type::Pred);
  inst_.extra = form.variant;
}

std::uint64_t ScalarForm::result(const std::array<std::uint64_t, kSources>& sources) const {
  // One row more, for the second predicate that a form may write.
  alignas(kRowAlign) std::array<std::byte, (kSources + 2) * kRow> rows{};
  for (std::size_t k = 0; k < kSources; ++k)
    std::memcpy(rows.data() + (k + 1) * kRow, &sources[k], sizeof sources[k]);
  WarpContext warp;
  std::fill(std::begin(warp.file), std::end(warp.file), rows.data());
  warp.mask = kFullMask;
  form_->full(warp, inst_);
  std::uint64_t made = 0;
  const auto bytes = static_cast<std::size_t>(ptx::size_bytes(form_->operand[0]));
  std::memcpy(&made, rows.data(), std::max<std::size_t>(bytes, 1));
  return bytes == 0 ? made & 1 : made;
}

}  // namespace lab::sim
