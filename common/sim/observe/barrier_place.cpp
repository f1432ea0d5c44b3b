// Where the barrier is missing. See barrier_place.h.
#include "common/sim/observe/barrier_place.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "common/sim/observe/place_text.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

// Whether a thread can come from one instruction to the other and pass no barrier.
bool leads_to(const Program& program, std::uint32_t from, std::uint32_t to) {
  const std::vector<Inst>& code = program.data().code;
  std::vector<bool> seen(code.size(), false);
  std::vector<std::uint32_t> next{from + 1};
  while (!next.empty()) {
    const std::uint32_t pc = next.back();
    next.pop_back();
    if (pc >= code.size() || seen[pc]) continue;
    if (pc == to) return true;
    seen[pc] = true;
    const Inst& inst = code[pc];
    if (inst.control == Control::Barrier && !inst.has_guard) continue;
    if (inst.control == Control::Branch) next.push_back(inst.target);
    const bool ends = (inst.control == Control::Branch || inst.control == Control::Exit ||
                       inst.control == Control::Return) &&
                      !inst.has_guard;
    if (!ends) next.push_back(pc + 1);
  }
  return false;
}

// The branch or loop that holds the second of the two and begins on a line between them.
std::optional<InstSource> branch_between(const Program& program, std::uint32_t first, std::uint32_t second) {
  const InstSource from = program.source(first), to = program.source(second);
  for (std::uint32_t pc = first; pc < second; ++pc) {
    const Inst& inst = program.data().code[pc];
    if (inst.control != Control::Branch || !inst.has_guard || inst.target == kNoPc || inst.target <= second)
      continue;
    const InstSource branch = program.source(pc);
    if (branch.file == to.file && from.line < branch.line && branch.line < to.line) return branch;
  }
  return std::nullopt;
}

// "between line 21 and line 27"; or, when the later access stands above the earlier one, in a loop.
std::string where_to_put(const InstSource& earlier, const InstSource& later) {
  if (earlier.line != 0 && earlier.line == later.line && earlier.file == later.file) {
    return "between one run of " + line_text(earlier) + " and the next";
  }
  if (earlier.line > later.line && later.line != 0 && earlier.file == later.file) {
    return "after " + line_text(earlier) + ", before " + line_text(later) + " runs again";
  }
  return "between " + line_text(earlier) + " and " + line_text(later);
}

}  // namespace

bool in_a_branch(const Program& program, std::uint32_t pc, std::uint32_t other) {
  const std::uint32_t low = std::min(pc, other), high = std::max(pc, other);
  for (const Inst& inst : program.data().code) {
    const bool around = inst.control == Control::Branch && inst.target != kNoPc;
    if (around && inst.pc < low && inst.target > low && inst.target != high && inst.pc + 1 != inst.target)
      return true;
  }
  return false;
}

bool behind_a_wait(const Program& program, std::uint32_t pc) {
  const std::vector<Inst>& code = program.data().code;
  for (std::uint32_t at = pc; at-- > 0;) {
    const Inst& inst = code[at];
    if (inst.control == Control::Barrier || inst.control == Control::Exit || inst.control == Control::Return)
      return false;
    if (inst.control == Control::Branch && inst.has_guard && inst.watches_memory && inst.target <= at &&
        inst.target != kNoPc)
      return true;
  }
  return false;
}

std::string barrier_place(const Program& program, std::uint32_t earlier_pc, std::uint32_t pc) {
  const InstSource earlier = program.source(earlier_pc), later = program.source(pc);
  const auto copies = [](const InstSource& source) { return source.text.starts_with("cp.async"); };
  if (copies(earlier) && copies(later)) return "behind the last use of the copy, before the next one starts";
  if (copies(earlier))
    return "between the wait for the copy of " + line_text(earlier) + " and " + line_text(later);
  if (copies(later))
    return "after " + line_text(earlier) + ", before the copy of " + line_text(later) +
           " starts; or, where " + line_text(earlier) + " is to read that copy, behind the wait for it";
  const bool there = leads_to(program, earlier_pc, pc), back = leads_to(program, pc, earlier_pc);
  const bool turned = there == back ? earlier.line > later.line : back;
  std::string where = turned ? where_to_put(later, earlier) : where_to_put(earlier, later);
  if (in_a_branch(program, earlier_pc, pc)) {
    where = where + ", outside of the branch, so that every thread reaches it";
  } else if (const std::optional<InstSource> branch = branch_between(program, earlier_pc, pc);
             branch && !turned) {
    where = where_to_put(earlier, *branch) +
            ", before the branch or loop that begins there, so that every thread reaches it";
  }
  if (earlier.line != 0 && earlier.line == later.line && earlier.file == later.file)
    where = where + "; if several threads change one element there, it needs an atomic (atomicAdd)";
  return where;
}

}  // namespace lab::sim
