// The table of forms: finds the row of an opcode, and lists all of them.
//
// Enters: a full opcode, `mad.lo.s32`. Leaves: its row, whose handlers a decoded instruction will carry. The
// families in forms_*.cpp make the rows when an opcode that may be theirs is first asked for.
#include "common/sim/instructions/forms.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "common/sim/execute/exec.h"

namespace lab::sim {
namespace {

// Rows that are built together, with a hash table from opcode to row.
class Section {
 public:
  using Family = void (*)(std::vector<Form>&);
  Section(std::string_view stem, std::vector<Family> families)
      : stem_(stem), families_(std::move(families)) {}

  [[nodiscard]] bool holds(std::string_view stem) const {
    return stem_.ends_with('*') ? stem.starts_with(stem_.substr(0, stem_.size() - 1))
                                : stem_.empty() || stem_ == stem;
  }
  [[nodiscard]] const std::vector<Form>& rows() {
    std::call_once(once_, [this] { build(); });
    return rows_;
  }
  // With its modifiers in another order.
  [[nodiscard]] const Form* find_in_order(std::string_view text, std::size_t operands) {
    std::call_once(ordered_once_, [this] {
      for (const Form& form : rows()) ordered_.emplace(ptx::in_order(form.text), &form);
    });
    const Form* found = nullptr;
    const auto [first, last] = ordered_.equal_range(ptx::in_order(text));
    for (auto at = first; at != last; ++at) found = better(found, *at->second, operands);
    return found;
  }
  [[nodiscard]] const Form* find(std::string_view text, std::size_t operands) {
    const std::vector<Form>& all = rows();
    const Form* found = nullptr;
    for (std::size_t at = std::hash<std::string_view>{}(text);; ++at) {
      const std::uint32_t row = slots_[at & (slots_.size() - 1)];
      if (row == kEmpty) return found;
      if (all[row].text == text) found = better(found, all[row], operands);
      if (found != nullptr && found->operand_count() == operands) return found;
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffffu;

  // The one with so many operands, where two forms have one name.
  static const Form* better(const Form* found, const Form& other, std::size_t operands) {
    return found == nullptr || other.operand_count() == operands ? &other : found;
  }

  void build() {
    rows_.reserve(1024);
    for (Family family : families_) family(rows_);
    slots_.assign(std::bit_ceil(rows_.size() * 2), kEmpty);
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      std::size_t at = std::hash<std::string_view>{}(rows_[row].text);
      while (slots_[at & (slots_.size() - 1)] != kEmpty) ++at;
      slots_[at & (slots_.size() - 1)] = row;
    }
  }

  std::string_view stem_;  // the one opcode of the section, v*: all that begin so; empty: what no other holds
  std::vector<Family> families_;
  std::once_flag once_, ordered_once_;
  std::unordered_multimap<std::string, const Form*> ordered_;
  std::vector<Form> rows_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half full
};

// The opcodes with hundreds of rows stand alone; the last section takes the rest.
std::array<Section, 5>& sections() {
  static std::array<Section, 5> all{Section("setp", {&add_setp_forms}), Section("set", {&add_set_forms}),
                                    Section("cvt", {&add_convert_forms, &add_narrow_forms}),
                                    Section("v*", {&add_video_forms}),
                                    Section("", {&add_integer_forms, &add_logic_forms, &add_choice_forms,
                                                 &add_float_forms, &add_half_forms, &add_sm100_forms})};
  return all;
}

}  // namespace

std::vector<const Form*> all_forms() {
  std::vector<const Form*> all;
  for (Section& section : sections()) {
    for (const Form& form : section.rows()) all.push_back(&form);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Form* a, const Form* b) { return a->family < b->family; });
  return all;
}

const Form* find_form(std::string_view text, std::size_t operands) {
  const std::string_view stem = text.substr(0, text.find('.'));
  for (Section& section : sections()) {
    if (!section.holds(stem)) continue;
    const Form* const form = section.find(text, operands);
    return form != nullptr ? form : section.find_in_order(text, operands);
  }
  return nullptr;
}

}  // namespace lab::sim
