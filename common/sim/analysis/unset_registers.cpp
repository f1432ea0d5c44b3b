// Registers without a value. See unset_registers.h.
//
// Two steps, since nearly every register has one write that dominates its reads: those that have not are few,
// and for them alone it is asked, block by block and backwards, what is read before it is written.
#include "common/sim/analysis/unset_registers.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "common/sim/analysis/text_flow.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

constexpr std::uint32_t kNowhere = 0xffffffffu;

class Unset {
 public:
  explicit Unset(const ptx::Function& text) : text_(text), flow_(text_flow(text)) {
    for (const ptx::RegisterDeclaration& declared : text.registers)
      declared_.emplace(declared.name, declared.count);
  }

  std::vector<std::string> names() {
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b)
      for (std::size_t at = flow_.blocks[b].begin; at < flow_.blocks[b].end; ++at) note(b, at);
    choose();
    if (chosen_.empty()) return {};
    follow();
    std::vector<std::string> found;
    for (std::size_t k = 0; k < chosen_.size(); ++k)
      if (alive_[0][k]) found.emplace_back(chosen_[k]);
    return found;
  }

 private:
  struct Register {
    std::uint32_t writes = 0, block = kNowhere;  // of its one write that no guard suppresses
    std::size_t at = 0;
    bool may_be_unset = false;
    std::uint32_t number = kNowhere;  // among the chosen ones
  };
  using Set = std::vector<bool>;

  [[nodiscard]] bool is_declared(std::string_view name) const {
    if (declared_.contains(name)) return true;
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const auto range = declared_.find(name.substr(0, digits));
    if (digits == name.size() || name.size() - digits > 9 || range == declared_.end()) return false;
    return std::stoi(std::string(name.substr(digits))) < range->second;
  }

  // Calls act(register, is_write) for each register that an instruction names, its reads first.
  template <class Act>
  void for_registers(const ptx::Instruction& in, const Act& act) {
    const ptx::Operand* const written = ptx::written_operand(in);
    const auto name = [&](std::string_view one, bool is_write) {
      if (!one.empty() && is_declared(one)) act(registers_[one], is_write);
    };
    const auto each = [&](const ptx::Operand& operand, bool is_write) {
      ptx::for_names(operand, [&](std::string_view one) { name(one, is_write); });
    };
    name(in.guard, false);
    for (const ptx::Operand& operand : in.operands)
      if (&operand != written || in.row->writes == ptx::Writes::Adds) each(operand, false);
    if (written != nullptr) each(*written, true);
  }

  void note(std::uint32_t block, std::size_t at) {
    const ptx::Instruction& in = text_.body[at];
    for_registers(in, [&](Register& r, bool is_write) {
      if (!is_write) {
        uses_.push_back({&r, block, at});
        return;
      }
      ++r.writes;
      if (in.guard.empty()) r.block = block, r.at = at;
    });
  }

  void choose() {
    for (const Use& use : uses_) {
      Register& r = *use.of;
      const bool is_first =
          r.block == use.block ? r.at < use.at : r.block != kNowhere && flow_.dominates(r.block, use.block);
      r.may_be_unset = r.may_be_unset || r.writes != 1 || !is_first;
    }
    for (auto& [name, r] : registers_) {
      if (!r.may_be_unset) continue;
      r.number = static_cast<std::uint32_t>(chosen_.size());
      chosen_.push_back(name);
    }
  }

  // Backwards, until nothing changes: what is alive at the start of each block.
  void follow() {
    const std::size_t blocks = flow_.blocks.size();
    std::vector<Set> written(blocks, Set(chosen_.size()));
    alive_.assign(blocks, Set(chosen_.size()));
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t at = flow_.blocks[b].begin; at < flow_.blocks[b].end; ++at) {
        const bool sure = text_.body[at].guard.empty();
        for_registers(text_.body[at], [&](const Register& r, bool is_write) {
          if (r.number == kNowhere) return;
          if (is_write && sure) written[b][r.number] = true;
          if (!is_write && !written[b][r.number]) alive_[b][r.number] = true;
        });
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = blocks; b-- > 0;) {
        for (const std::uint32_t next : flow_.blocks[b].next)
          for (std::size_t k = 0; k < chosen_.size(); ++k) {
            if (!alive_[next][k] || written[b][k] || alive_[b][k]) continue;
            alive_[b][k] = changed = true;
          }
      }
    }
  }

  struct Use {
    Register* of;
    std::uint32_t block;
    std::size_t at;
  };
  const ptx::Function& text_;
  TextFlow flow_;
  std::unordered_map<std::string_view, int> declared_;  // by name, or by the name of a range: how many
  std::unordered_map<std::string_view, Register> registers_;
  std::vector<Use> uses_;
  std::vector<std::string_view> chosen_;
  std::vector<Set> alive_;
};

}  // namespace

std::vector<std::string> unset_registers(const ptx::Function& text) {
  std::vector<std::string> names = Unset(text).names();
  std::sort(names.begin(), names.end());
  return names;
}

bool names_any(const ptx::Instruction& in, const std::vector<std::string>& registers) {
  bool found = false;
  const auto look = [&](std::string_view name) {
    found = found || std::find(registers.begin(), registers.end(), name) != registers.end();
  };
  look(in.guard);
  for (const ptx::Operand& operand : in.operands) ptx::for_names(operand, look);
  return found;
}

}  // namespace lab::sim
