// The words for a race. See race_words.h.
#include "common/sim/observe/race_words.h"

#include <algorithm>

#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

std::string advice_for_numbers(const Program& program, std::uint32_t pc, std::uint32_t other_pc) {
  const auto takes = [&](std::uint32_t at) {
    const Inst& inst = program.data().code[at];
    return inst.tests_atomic && !inst.checked_by_cas;
  };
  const std::uint32_t read = takes(pc) ? pc : other_pc, atomic = read == pc ? other_pc : pc;
  const InstSource source = program.source(atomic);
  if (!takes(read) || !(source.text.starts_with("atom") || source.text.starts_with("red"))) return "";
  return "two threads may read the same value before either changes it: do not read it at " +
         line_text(program.source(read)) + ", take the value that the atomic of " + line_text(source) +
         " returns";
}

// Whether threads may take turns: they take a lock, or look at a word until another thread has changed it.
bool takes_turns(const ProgramData& program) {
  for (const AtomicInfo& atomic : program.atomics)
    if (atomic.op == AtomicOp::Cas || atomic.op == AtomicOp::Exch) return true;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc)
    if (program.code[pc].order.strong() && program.texts[program.origins[pc].text].starts_with("ld"))
      return true;
  return false;
}

std::string advice_for_updates(const ProgramData& program, std::uint32_t pc, std::uint32_t other_pc) {
  if (!program.code[pc].updates || !program.code[other_pc].updates || takes_turns(program)) return "";
  return "several threads read this place, change what they read and store it again, so that changes are "
         "lost. Use an atomic (atomicAdd) in place of the read and the write, or give each thread a place "
         "of its own";
}

}  // namespace

std::string act_text(Touch touch, const std::string& thread, const std::string& block,
                     const std::string& place, const std::string& line) {
  if (touch == Touch::Read)
    return "thread " + thread + " of block " + block + " reads " + place + " at " + line;
  return touch == Touch::Write
             ? "thread " + thread + " of block " + block + " writes " + place + " at " + line
             : "thread " + thread + " of block " + block + " changes atomically " + place + " at " + line;
}

std::string earlier_act_text(Touch touch, const std::string& who, const std::string& line) {
  if (touch == Touch::Read) return "which thread " + who + " read at " + line;
  return touch == Touch::Write ? "which thread " + who + " wrote at " + line
                               : "which thread " + who + " changed atomically at " + line;
}

std::string where_to_put(const InstSource& earlier, const InstSource& later) {
  if (earlier.line != 0 && earlier.line == later.line && earlier.file == later.file) {
    return "between one run of " + line_text(earlier) + " and the next";
  }
  if (earlier.line > later.line && later.line != 0 && earlier.file == later.file) {
    return "after " + line_text(earlier) + ", before " + line_text(later) + " runs again";
  }
  return "between " + line_text(earlier) + " and " + line_text(later);
}

std::string advice_between_blocks(const ProgramData& program, std::uint32_t pc, std::uint32_t other_pc,
                                  bool both_write) {
  if (const std::string update = advice_for_updates(program, pc, other_pc); !update.empty()) return update;
  bool fences = false, narrow = false, strong = false;
  for (const Inst& inst : program.code) {
    if (inst.fence == Scope::Block || inst.order.scope == Scope::Block) narrow = true;
    fences = fences || inst.fence > Scope::Block;
    strong = strong || inst.order.strong();
  }
  const auto line = [&](std::uint32_t at) { return program.origins[at].source.line; };
  if (narrow && !fences)
    return "a fence or atomic with the scope of a block (__threadfence_block(), atomicAdd_block) orders "
           "nothing "
           "between blocks: use __threadfence() and the atomic without _block";
  if (strong && both_write && line(pc) == line(other_pc))
    return "if blocks take turns there, take the turn with an atomic and put __threadfence() before it is "
           "given "
           "away and after it is taken; else use atomicAdd";
  if (strong && !fences)
    return "an atomic or volatile access alone orders nothing else: put __threadfence() between the write "
           "and "
           "the flag that announces it, and another between reading the flag and reading the data";
  if (strong)
    return "put __threadfence() between the write and the flag that announces it, and another between "
           "reading the "
           "flag and reading the data; __syncthreads() between them if other threads of the block wrote";
  if (both_write) return "let each block write elements of its own, or use an atomic (atomicAdd)";
  return "no barrier reaches across blocks: write to another buffer than the one that is read, or split the "
         "kernel in two launches";
}

std::string overtaken_text(const std::string& now, const std::string& before, bool same_block,
                           const InstSource& earlier, const InstSource& later) {
  const std::string fence = same_block ? "__threadfence_block()" : "__threadfence()";
  return now + ", " + before +
         ". Another word told that this was done, but volatile and relaxed accesses may overtake one "
         "another, so that the old value may be read: put " +
         fence + " after " + line_text(earlier) + ", before the word that tells, and " + fence + " before " +
         line_text(later) + ", after that word was read";
}

std::string advice_without_barrier(const Program& program, std::uint32_t pc, std::uint32_t other_pc) {
  const std::string number = advice_for_numbers(program, pc, other_pc);
  return number.empty() ? advice_for_updates(program.data(), pc, other_pc) : number;
}

bool takes_locks(const ProgramData& program) {
  return std::any_of(program.atomics.begin(), program.atomics.end(),
                     [](const AtomicInfo& atomic) { return atomic.op == AtomicOp::Cas; });
}

}  // namespace lab::sim
