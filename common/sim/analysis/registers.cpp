// Registers that are alive at once: a value is, from the instruction that makes it to the last that reads it.
// See registers.h.
#include "common/sim/analysis/registers.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

class Liveness {
 public:
  explicit Liveness(const Function& text) : text_(text), lines_(text.body.size()) {
    for (const ptx::RegisterDeclaration& declared : text.registers) declare(declared);
    for (std::size_t at = 0; at < text.body.size(); ++at) read(text.body[at], lines_[at]);
    follow();
  }
  [[nodiscard]] std::uint32_t most() const {
    std::uint32_t most = 0;
    for (std::size_t at = 0; at < lines_.size(); ++at) {
      Set behind = behind_of(at);
      most = std::max({most, words(lines_[at].alive), words(behind |= lines_[at].makes)});
    }
    return most;
  }

 private:
  // A set of registers, by number.
  struct Set {
    std::vector<std::uint64_t> bits;
    void add(std::size_t one) {
      if (bits.size() <= one / 64) bits.resize(one / 64 + 1);
      bits[one / 64] |= std::uint64_t{1} << one % 64;
    }
    Set& operator|=(const Set& other) {
      if (bits.size() < other.bits.size()) bits.resize(other.bits.size());
      for (std::size_t k = 0; k < other.bits.size(); ++k) bits[k] |= other.bits[k];
      return *this;
    }
    Set& operator-=(const Set& other) {
      for (std::size_t k = 0; k < std::min(bits.size(), other.bits.size()); ++k) bits[k] &= ~other.bits[k];
      return *this;
    }
  };
  struct Line {
    Set makes, reads, alive;  // alive: before it
    bool guarded = false;
  };

  void declare(const ptx::RegisterDeclaration& declared) {
    const auto size = static_cast<std::uint32_t>(ptx::size_bytes(declared.type));
    const std::uint32_t width = size == 0 ? 0 : std::max(1u, size / 4);
    const auto number = [&](const std::string& name) {
      if (numbers_.emplace(name, widths_.size()).second) widths_.push_back(width);
    };
    if (declared.count == 0) number(declared.name);
    for (int k = 0; k < declared.count; ++k) number(declared.name + std::to_string(k));
  }
  void add(const std::string& name, Set& to) const {
    if (const auto found = numbers_.find(name); found != numbers_.end()) to.add(found->second);
  }
  void add(const Operand& operand, Set& to) const {
    add(operand.name, to);
    add(operand.predicate_or, to);
    for (const Operand& element : operand.elements) add(element, to);
  }
  void read(const Instruction& in, Line& line) const {
    const Operand* const written = ptx::written_operand(in);
    for (const Operand& operand : in.operands) add(operand, &operand == written ? line.makes : line.reads);
    if (in.row->writes == ptx::Writes::Adds) add(in.operands[0], line.reads);
    line.guarded = !in.guard.empty();
    if (line.guarded) add(in.guard, line.reads);
  }
  // What is alive behind an instruction: before each that can come next.
  [[nodiscard]] Set behind_of(std::size_t at) const {
    const Instruction& in = text_.body[at];
    Set behind;
    const auto next = [&](std::size_t other) {
      if (other < lines_.size()) behind |= lines_[other].alive;
    };
    if (!in.row->ends_block() || lines_[at].guarded) next(at + 1);
    const auto to = [&](const std::string& label) {
      if (const auto found = text_.labels.find(label); found != text_.labels.end()) next(found->second);
    };
    if (in.row->next == ptx::Next::Jump && !in.operands.empty()) to(in.operands[0].name);
    if (in.row->next == ptx::Next::JumpIndexed)
      for (const ptx::TargetList& list : text_.branch_targets)
        for (const std::string& label : list.targets) to(label);
    return behind;
  }
  // Backwards, until nothing changes: a loop's end sees what its beginning reads.
  void follow() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t at = lines_.size(); at-- > 0;) {
        Line& line = lines_[at];
        Set alive = behind_of(at);
        if (!line.guarded) alive -= line.makes;
        alive |= line.reads;
        alive |= line.alive;
        if (alive.bits == line.alive.bits) continue;
        line.alive = std::move(alive);
        changed = true;
      }
    }
  }
  [[nodiscard]] std::uint32_t words(const Set& set) const {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < set.bits.size() * 64; ++k)
      if ((set.bits[k / 64] >> k % 64 & 1) != 0) sum += widths_[k];
    return sum;
  }

  const Function& text_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::uint32_t> widths_;  // in words, by number
  std::vector<Line> lines_;
};

}  // namespace

std::uint32_t registers_alive(const Function& text) { return Liveness(text).most(); }

}  // namespace lab::sim
