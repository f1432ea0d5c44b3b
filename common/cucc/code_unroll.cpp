// Loops of a known number of turns, in part written out: several turns between two jumps, as NVRTC does, and
// as checks of the course count. See code.h.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "common/cucc/code.h"

namespace lab::cucc {
namespace {

using Effects = Instruction::Effect;
constexpr std::uint64_t kMostAtOnce = 64, kMostWrittenOut = 128;  // turns, and instructions of them; as NVRTC

// for (i = begin; i < end; i += step): label, body, the step, the comparison and the jump back.
struct CountedLoop {
  std::size_t label = 0, step = 0;  // of instructions: the comparison and the jump stand behind the step
  std::string counter;
  std::int64_t by = 0;
  std::uint64_t turns = 0;

  [[nodiscard]] std::size_t body_size() const { return step - label - 1; }
  // How many turns are written between two jumps: a power of two that leaves none over.
  [[nodiscard]] std::uint64_t copies() const {
    std::uint64_t n = std::min(kMostAtOnce, turns & (~turns + 1));
    while (n * body_size() > kMostWrittenOut) n /= 2;
    return body_size() == 0 ? 1 : n;
  }
};

bool writes(const Instruction& i, const std::string& reg) {
  const std::vector<std::string> written = i.written();
  return std::find(written.begin(), written.end(), reg) != written.end();
}

std::uint64_t turns_of(const std::string& comparison, std::int64_t from, std::int64_t to, std::int64_t by) {
  const bool up = comparison == "lt" || comparison == "le", down = comparison == "gt" || comparison == "ge";
  if (by == 0 || (!up && !down) || up != (by > 0)) return 0;
  const std::int64_t way = up ? to - from : from - to, each = std::abs(by);
  const std::int64_t turns = comparison[1] == 't' ? (way + each - 1) / each : way / each + 1;
  return way <= 0 ? 0 : static_cast<std::uint64_t>(turns);
}

// The loop whose jump back is instruction `jump`; without turns where it is no such loop.
CountedLoop counted_loop(const std::vector<Instruction>& code, std::size_t jump) {
  CountedLoop loop;
  if (jump < 3 || code[jump].effect != Effects::Jump || code[jump].from.empty()) return loop;
  const Instruction &compare = code[jump - 1], &step = code[jump - 2];
  const bool counts = compare.op.starts_with("setp.") && code[jump].guard == "@" + compare.to[0] + " " &&
                      step.op.starts_with("add.") && step.to.size() == 1 && step.from[0] == step.to[0] &&
                      compare.from[0] == step.to[0] && is_short_number(step.from[1]) &&
                      is_short_number(compare.from[1]);
  if (!counts) return loop;
  loop.counter = step.to[0], loop.by = std::stoll(step.from[1]), loop.step = jump - 2;
  std::size_t n = jump - 2;
  for (; n > 0 && code[n].effect != Effects::Label; --n)
    if (n < loop.step && (writes(code[n], loop.counter) || code[n].effect == Effects::Jump)) return loop;
  if (code[n].op != code[jump].from[0]) return loop;
  loop.label = n;
  while (n > 0 && !writes(code[n - 1], loop.counter) && code[n - 1].effect != Effects::Label) --n;
  if (n == 0 || !code[n - 1].op.starts_with("mov.") || !is_short_number(code[n - 1].from[0])) return loop;
  loop.turns = turns_of(compare.op.substr(5, 2), std::stoll(code[n - 1].from[0]), std::stoll(compare.from[1]),
                        loop.by);
  return loop;
}

}  // namespace

void Code::repeat_bodies() {
  std::vector<Instruction> out;
  for (std::size_t jump = 0; jump < instructions_.size(); ++jump) {
    out.push_back(instructions_[jump]);
    const CountedLoop loop = counted_loop(instructions_, jump);
    if (loop.turns == 0 || rolled_labels_.contains(instructions_[loop.label].op)) continue;
    const std::uint64_t copies = loop.copies();
    if (copies < 2) continue;
    out.resize(out.size() - (jump - loop.label));  // what comes behind the label
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      Names names;
      const auto named = [&](const std::string& reg) { return names[reg] = new_register(letters_of(reg)); };
      if (copy > 0) {
        const Instruction& step = instructions_[loop.step];
        const std::string by = std::to_string(static_cast<std::int64_t>(copy) * loop.by);
        out.push_back({Effects::Pure, step.op, {named(loop.counter)}, {loop.counter, by}, "", step.place});
      }
      for (std::size_t n = loop.label + 1; n < loop.step; ++n) {
        Instruction i = instructions_[n];
        rename_read(i, names);
        for (std::string& r : i.to)  // the last copy has the names that stand behind the loop, too
          if (copy + 1 < copies && !i.is_assembly() && !changing_.contains(r)) r = named(r);
        out.push_back(std::move(i));
      }
    }
    Instruction step = instructions_[loop.step];
    step.from[1] = std::to_string(static_cast<std::int64_t>(copies) * loop.by);
    out.insert(out.end(), {step, instructions_[jump - 1], instructions_[jump]});
  }
  instructions_ = std::move(out);
}

}  // namespace lab::cucc
