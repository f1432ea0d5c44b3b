// Where the barrier is missing. See barrier_place.h.
#include "common/sim/observe/barrier_place.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "common/sim/observe/place_text.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

// Whether a thread can come from one instruction to the other, and pass no barrier unless any way will do.
enum class Past : std::uint8_t { NoBarrier, Any };
bool leads_to(const Program& program, std::uint32_t from, std::uint32_t to, Past past = Past::NoBarrier) {
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
    if (inst.control == Control::Barrier && !inst.has_guard && past == Past::NoBarrier) continue;
    if (inst.control == Control::Branch) next.push_back(inst.target);
    const bool ends = (inst.control == Control::Branch || inst.control == Control::Exit ||
                       inst.control == Control::Return) &&
                      !inst.has_guard;
    if (!ends) next.push_back(pc + 1);
  }
  return false;
}

// A branch or loop that holds a barrier of the whole block: all threads walk it together.
bool walked_together(const Program& program, std::uint32_t begin, std::uint32_t end) {
  const auto code = program.data().code.begin();
  return std::any_of(code + begin, code + end, [](const Inst& inst) {
    return inst.control == Control::Barrier && !inst.has_guard && !is_set(inst.b);  // b: of how many threads
  });
}

// Whether the loop that begins there comes to `pc` again from another access to the same place, without a
// barrier: one in front of the loop would not order that.
bool comes_round(const Program& program, std::uint32_t begin, std::uint32_t end, std::uint32_t pc) {
  const std::vector<Inst>& code = program.data().code;
  const auto stores = [&](std::uint32_t at) { return program.opcode(at).moves.direction != Direction::Read; };
  for (std::uint32_t at = begin; at < end; ++at) {
    const Inst& inst = code[at];
    const bool same_place = at != pc && inst.elem_bytes != 0 && inst.space == code[pc].space &&
                            is_set(inst.a) && inst.a.file == code[pc].a.file &&
                            inst.a.offset_bytes == code[pc].a.offset_bytes &&
                            inst.immediate == code[pc].immediate;
    if (same_place && (stores(at) || stores(pc)) && leads_to(program, at, pc)) return true;
  }
  return false;
}

struct BranchHead {
  InstSource source;
  bool inside;  // of a loop that all threads walk together
};

// The branch or loop that holds the second of the two and begins on a line between them.
std::optional<BranchHead> branch_between(const Program& program, std::uint32_t first, std::uint32_t second) {
  const InstSource from = program.source(first), to = program.source(second);
  bool inside = false;
  for (std::uint32_t pc = first; pc < second; ++pc) {
    const Inst& inst = program.data().code[pc];
    if (inst.control != Control::Branch || !inst.has_guard || inst.target == kNoPc || inst.target <= second)
      continue;
    const InstSource branch = program.source(pc);
    if (branch.file != to.file || branch.line <= from.line || branch.line >= to.line) continue;
    if (!walked_together(program, pc, inst.target) || !comes_round(program, pc, inst.target, second))
      return BranchHead{branch, inside};
    inside = true;
  }
  return std::nullopt;
}

// "between line 21 and line 27"; or, when the later access stands above the earlier one, in a loop.
BarrierPlace where_to_put(const InstSource& earlier, const InstSource& later) {
  BarrierPlace place{{}, earlier.line, later.line};
  const bool one = line_text(earlier) == line_text(later);
  place.in_loop = one || (earlier.line > later.line && later.line != 0 && earlier.file == later.file);
  place.words = !place.in_loop ? msg("between {} and {}", line_text(earlier), line_text(later))
                : one          ? msg("between one run of {} and the next", line_text(earlier))
                               : msg("after {}, before {} runs again", line_text(earlier), line_text(later));
  return place;
}

// `s[t] += s[t + 16]`: one run of a line reads and then writes. What lies between two stores of the line is
// another run of it, as in a loop that was unrolled.
bool one_update(const Program& program, std::uint32_t read, std::uint32_t write) {
  const auto direction = [&](std::uint32_t at) { return program.opcode(at).moves.direction; };
  if (direction(read) != Direction::Read || direction(write) == Direction::Read) return false;
  const InstSource source = program.source(write);
  for (std::uint32_t at = read; at < write; ++at) {
    const InstSource other = program.source(at);
    if (program.opcode(at).stores() && other.line == source.line && other.file == source.file) return false;
  }
  return true;
}

// Whether a thread comes past no barrier from accesses of one line to those of the other, and from there to
// the first line again: both stand in a loop, unrolled or not.
bool round_a_loop(const Program& program, std::uint32_t pc, const InstSource& one, const InstSource& other) {
  const std::vector<Inst>& code = program.data().code;
  const auto leads = [&](const InstSource& from, const InstSource& to) {
    for (std::uint32_t at = 0, source = kNoPc; at < code.size(); ++at) {
      if (code[at].elem_bytes == 0 || code[at].space != code[pc].space) continue;
      const int line = program.source(at).line;
      if (source != kNoPc && line == to.line && leads_to(program, source, at)) return true;
      if (line == to.line) source = kNoPc;
      if (line == from.line) source = at;
    }
    return false;
  };
  return one.line != 0 && other.line != 0 && one.line != other.line && one.file == other.file &&
         leads(one, other) && leads(other, one);
}

// Whether a branch that parts threads jumps around both.
bool in_one_branch(const Program& program, std::uint32_t pc, std::uint32_t other) {
  const std::uint32_t low = std::min(pc, other), high = std::max(pc, other);
  const std::vector<Inst>& code = program.data().code;
  return std::any_of(code.begin(), code.end(), [&](const Inst& inst) {
    return inst.control == Control::Branch && inst.target != kNoPc && inst.pc < low && inst.target > high &&
           !walked_together(program, inst.pc, inst.target);
  });
}

}  // namespace

bool in_a_branch(const Program& program, std::uint32_t pc, std::uint32_t other) {
  const std::uint32_t low = std::min(pc, other), high = std::max(pc, other);
  for (const Inst& inst : program.data().code) {
    const bool around = inst.control == Control::Branch && inst.target != kNoPc;
    if (around && inst.pc < low && inst.target > low && inst.target != high && inst.pc + 1 != inst.target &&
        !walked_together(program, inst.pc, inst.target))
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

namespace {

bool stores_to_shared(const Program& program, std::uint32_t at) {
  return program.opcode(at).moves.unit == ptx::Unit::Copy ||
         (program.data().code[at].space == Space::Shared && program.opcode(at).stores());
}

}  // namespace

InstSource store_without_barrier(const Program& program, std::uint32_t pc, Meets meets) {
  const InstSource read = program.source(pc);
  const auto waits = [&](const Inst& inst) {
    return inst.control == Control::Barrier || (meets == Meets::Warp && inst.control == Control::WarpSync);
  };
  InstSource store;
  int barrier = 0;  // the last line before the read with one
  for (std::uint32_t at = 0; at < program.data().code.size(); ++at) {
    const Inst& inst = program.data().code[at];
    const InstSource source = program.source(at);
    if (source.file != read.file || source.line >= read.line) continue;
    if (waits(inst)) barrier = std::max(barrier, source.line);
    if (stores_to_shared(program, at) && source.line > store.line) store = source;
  }
  return barrier >= store.line ? InstSource{} : store;
}

InstSource only_shared_store(const Program& program) {
  InstSource only;
  for (std::uint32_t at = 0; at < program.data().code.size(); ++at) {
    if (!stores_to_shared(program, at)) continue;
    const InstSource source = program.source(at);
    if (source.line == 0 || (only.line != 0 && only.line != source.line)) return {};
    only = source;
  }
  return only;
}

InstSource arrival_for(const Program& program, std::uint32_t pc, std::uint32_t other) {
  if (!behind_a_wait(program, other)) return {};
  const std::vector<Inst>& code = program.data().code;
  for (std::uint32_t at = pc + 1; at < code.size(); ++at) {
    if (code[at].control == Control::Barrier || code[at].control == Control::Exit) return {};
    const ptx::OpcodeRow& row = program.opcode(at);
    if (row.reader == ptx::Reader::Mbarrier && row.orders == ptx::Orders::Arrive &&
        (code[at].has_guard || in_a_branch(program, at, at)))
      return program.source(at);
  }
  return {};
}

bool barriers_order_one_way(const Program& program, std::uint32_t pc, std::uint32_t other) {
  return leads_to(program, pc, other, Past::Any) && leads_to(program, other, pc, Past::Any) &&
         leads_to(program, pc, other) != leads_to(program, other, pc);
}

BarrierPlace barrier_place(const Program& program, std::uint32_t earlier_pc, std::uint32_t pc, Meets meets) {
  const InstSource earlier = program.source(earlier_pc), later = program.source(pc);
  const auto copies = [&](std::uint32_t at) {
    const ptx::Unit unit = program.opcode(at).moves.unit;
    return unit == ptx::Unit::Copy || unit == ptx::Unit::Bulk;
  };
  if (copies(earlier_pc) && copies(pc))
    return {"behind the last use of the copy, before the next one starts", earlier.line, later.line};
  const bool there = leads_to(program, earlier_pc, pc), back = leads_to(program, pc, earlier_pc);
  if (copies(earlier_pc) && back && !there)
    return {msg("after {}, before the copy of {} starts again", line_text(later), line_text(earlier)),
            later.line, earlier.line, true};
  if (copies(earlier_pc))
    return {
        msg("between the wait for the copy of {} and {}; where one stands there, the copy starts too late or "
            "once more",
            line_text(earlier), line_text(later)),
        earlier.line, later.line};
  if (copies(pc))
    return {msg("after {}, before the copy of {} starts; or, where {} is to read that copy, behind the wait "
                "for it",
                line_text(earlier), line_text(later), line_text(earlier)),
            earlier.line, later.line};
  const bool turned = there == back ? earlier.line > later.line : back;
  BarrierPlace place = turned ? where_to_put(later, earlier) : where_to_put(earlier, later);
  // A function above, inlined below: what counts is where it is called.
  if (there && !back && place.in_loop && later.call_line > earlier.line && earlier.call_line == 0)
    place = {msg("between {} and line {}, which calls {}", line_text(earlier), text::Line{later.call_line},
                 line_text(later)),
             earlier.line, later.call_line};
  if (meets == Meets::Warp && in_one_branch(program, earlier_pc, pc)) {
    place.words = msg(
        "{}, inside the branch, with the mask of the lanes that take it (of a coalesced group: its sync())",
        place.words);
  } else if (in_a_branch(program, earlier_pc, pc) && !place.in_loop &&
             round_a_loop(program, pc, earlier, later)) {
    place.in_loop = true;
    place.words =
        msg("behind the branch that holds {} and {}, at the end of each round of the loop, so that every "
            "thread reaches it",
            line_text(program.source(turned ? pc : earlier_pc)),
            line_text(program.source(turned ? earlier_pc : pc)));
  } else if (in_a_branch(program, earlier_pc, pc)) {
    place.words = msg("{}, outside of the branch, so that every thread reaches it", place.words);
  } else if (const std::optional<BranchHead> branch = branch_between(program, earlier_pc, pc);
             branch && !turned) {
    if (branch->inside) {
      place = {msg("right before {}", line_text(branch->source)), earlier.line, branch->source.line};
    } else {
      place = where_to_put(earlier, branch->source);
    }
    place.words =
        msg("{}, before the branch or loop that begins there, so that every thread reaches it", place.words);
  }
  if (earlier.line != 0 && earlier.line == later.line && earlier.file == later.file) {
    if (one_update(program, std::min(earlier_pc, pc), std::max(earlier_pc, pc)) && !(there && back))
      place = {msg("between the read and the write of {}: read into a variable, then the barrier, then write",
                   line_text(later)),
               earlier.line, later.line};
    place.words = msg(
        "{}; if several threads change one element there, it needs an atomic (atomicAdd); if elements change "
        "places, write them to another array",
        place.words);
  }
  return place;
}

}  // namespace lab::sim
