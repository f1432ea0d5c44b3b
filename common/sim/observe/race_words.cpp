// The words for a race. See race_words.h.
#include "common/sim/observe/race_words.h"

#include <algorithm>

#include "common/sim/observe/barrier_place.h"
#include "common/sim/program/program_data.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

// Lines of a write and of a read that may see it; of two writes in their order.
Fix by_lines(const Program& program, Fix::Act act, std::uint32_t pc, std::uint32_t other_pc) {
  const auto only_reads = [&](std::uint32_t at) {
    return program.opcode(at).loads() && !program.opcode(at).is_atomic();
  };
  const bool reads_first = only_reads(other_pc);
  const std::uint32_t first = reads_first ? pc : other_pc, second = reads_first ? other_pc : pc;
  return {act, "", program.source(first).line, program.source(second).line};
}

// The fences exist. Where all threads execute the write, another thread publishes the data.
Fix before_announcing(const Program& program, Fix fix, std::uint32_t pc, std::uint32_t other_pc) {
  const std::uint32_t write = program.opcode(other_pc).stores() ? other_pc : pc;
  fix.whole_block = !in_a_branch(program, write, write);
  return fix;
}

Fix at_line(const Program& program, Fix::Act act, std::uint32_t pc) {
  return {act, "", 0, program.source(pc).line};
}

Advice advice_for_numbers(const Program& program, std::uint32_t pc, std::uint32_t other_pc) {
  const auto takes = [&](std::uint32_t at) {
    const Inst& inst = program.data().code[at];
    return inst.tests_atomic && !inst.checked_by_cas;
  };
  const std::uint32_t read = takes(pc) ? pc : other_pc, atomic = read == pc ? other_pc : pc;
  const InstSource source = program.source(atomic);
  if (!takes(read) || !program.opcode(atomic).is_atomic()) return {};
  return {msg("two threads may read the same value before either changes it: do not read it at {}, take the "
              "value that the atomic of {} returns",
              line_text(program.source(read)), line_text(source)),
          {Fix::Act::AtomicResult, "", program.source(read).line, source.line}};
}

// `atomicAdd(p, 0)`, `atomicOr(p, 0)`: how a word is read that others change.
bool changes_nothing(const ProgramData& program, const Inst& inst) {
  const AtomicInfo* const atomic = program.atomic_of(inst);
  if (atomic == nullptr) return false;
  const bool keeps = atomic->op == AtomicOp::Add || atomic->op == AtomicOp::Or || atomic->op == AtomicOp::Xor;
  if (!keeps || inst.b.file != RowFile::Constant || !is_set(inst.b)) return false;
  const std::byte* const row = program.constants.data() + inst.b.offset_bytes;
  return std::all_of(row, row + inst.elem_bytes, [](std::byte b) { return b == std::byte{0}; });
}

// Whether threads may take turns: they take a lock, or look at a word until another thread has changed it.
bool takes_turns(const ProgramData& program) {
  for (const AtomicInfo& atomic : program.atomics)
    if (atomic.op == AtomicOp::Cas || atomic.op == AtomicOp::Exch) return true;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Inst& inst = program.code[pc];
    if (inst.order.strong() && program.opcode(pc).loads()) return true;
    if (program.opcode(pc).fetches() && changes_nothing(program, inst)) return true;
  }
  return false;
}

bool same_row(const RowRef& a, const RowRef& b) {
  return is_set(a) && a.file == b.file && a.offset_bytes == b.offset_bytes;
}

// A thread compares what an atomic returned, or that and one more: a ticket, the last of all that counted.
bool counts_arrivals(const ProgramData& program) {
  constexpr std::size_t kNear = 24;  // instructions
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    if (!program.opcode(pc).fetches()) continue;
    RowRef value = program.code[pc].dst, next = value;
    for (std::size_t k = pc + 1; k < std::min(pc + kNear, program.code.size()); ++k) {
      const Inst& inst = program.code[k];
      const bool uses = same_row(inst.a, value) || same_row(inst.b, value) || same_row(inst.a, next) ||
                        same_row(inst.b, next);
      const ptx::Computes does = program.opcode(k).computes;
      if (uses && does == ptx::Computes::Compare) return true;
      if (same_row(inst.dst, value)) value = {};  // the row is another value's now
      if (same_row(inst.dst, next)) next = {};
      if (uses && does == ptx::Computes::Add) next = inst.dst;
    }
  }
  return false;
}

// One side is atomic, the other touches the same word plainly: it needs no flag.
Advice advice_for_mixed(const Program& whole, std::uint32_t pc, std::uint32_t other_pc) {
  const ProgramData& program = whole.data();
  if (program.code[pc].order.strong() == program.code[other_pc].order.strong()) return {};
  const std::uint32_t plain = program.code[pc].order.strong() ? other_pc : pc;
  const Message line = line_text(whole.source(plain));
  if (program.opcode(plain).loads())
    return {
        msg("the read at {} is plain, of a word that others change atomically. Where an older value does no "
            "harm, read it through a volatile pointer or with cuda::atomic_ref; where it must be the last "
            "one, split the kernel in two launches",
            line),
        at_line(whole, Fix::Act::VolatileRead, plain)};
  const bool looks = program.opcode(plain == pc ? other_pc : pc).loads();
  if (looks && counts_arrivals(program)) return {};  // data, and a counter shows that they are there
  const Fix fix = at_line(whole, Fix::Act::AtomicStore, plain);
  if (looks)
    return {
        msg("the write at {} is plain, to a word that others read as volatile or atomic: make it atomic too "
            "(atomicExch), and put __threadfence() before it where it announces that data are there or "
            "that a lock is free",
            line),
        fix};
  return {
      msg("the write at {} is plain, to a word that others touch atomically: make it atomic too "
          "(atomicExch), and put __threadfence() before it where it announces that data are there or that "
          "a lock is free",
          line),
      fix};
}

// Whether threads of the program wait for one another by compare-and-swap.
bool takes_locks(const ProgramData& program) {
  return std::any_of(program.atomics.begin(), program.atomics.end(),
                     [](const AtomicInfo& atomic) { return atomic.op == AtomicOp::Cas; });
}

// Whether a loop goes round until an atomic or volatile word has changed.
bool waits_for_words(const ProgramData& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Inst& inst) {
    return inst.control == Control::Branch && inst.watches_memory && inst.target <= inst.pc;
  });
}

// Whether a loop reads a volatile or atomic word until another thread has changed it.
bool watches_flags(const ProgramData& program) {
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Inst& inst = program.code[pc];
    if (inst.order.strong() && !inst.takes_data && program.opcode(pc).loads()) return true;
  }
  return false;
}

Advice advice_for_updates(const Program& program, std::uint32_t pc, std::uint32_t other_pc) {
  const std::vector<Inst>& code = program.data().code;
  if (!code[pc].updates || !code[other_pc].updates || takes_turns(program.data())) return {};
  // The store, and the read that its value comes from: where both are stores, the one before it.
  const bool stores = program.opcode(pc).stores();
  const std::uint32_t store = stores ? pc : other_pc;
  std::uint32_t read = stores ? other_pc : pc;
  for (std::uint32_t at = store; program.opcode(read).stores() && at-- > 0;)
    if (code[at].updates && program.opcode(at).loads()) read = at;
  return {
      "several threads read this place and then store to it, so that changes are lost. Use an atomic "
      "(atomicAdd, atomicMax, atomicCAS) in place of the read and the write, or give each thread a place "
      "of its own",
      {Fix::Act::Atomic, "", program.source(read).line, program.source(store).line}};
}

// The last instruction before `pc` that writes this register; null: there is none.
const ptx::Instruction* writer_before(const ProgramData& program, std::uint32_t pc, std::string_view name) {
  while (pc-- > 0) {
    const ptx::Operand* const written = ptx::written_operand(program.text(pc));
    if (written != nullptr && written->name == name) return &program.text(pc);
  }
  return nullptr;
}

// Whether all ways from one instruction to another go through a comparison of the thread's number with a
// constant: `if (threadIdx.x == 0)`.
bool leads_one_thread(const ProgramData& program, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t pc = from; pc < to; ++pc) {
    const Inst& inst = program.code[pc];
    if (inst.control != Control::Branch || !inst.has_guard || inst.target <= to) continue;
    const ptx::Instruction* const test = writer_before(program, pc, program.text(pc).guard);
    if (test == nullptr || test->operands.size() < 3 ||
        test->operands[2].kind != ptx::OperandKind::Immediate ||
        !(ptx::has(*test, "eq") || ptx::has(*test, "ne")))
      continue;
    const ptx::Instruction* const number = writer_before(program, pc, test->operands[1].name);
    if (number != nullptr &&
        std::any_of(number->operands.begin(), number->operands.end(), [](const ptx::Operand& operand) {
          const ptx::SpecialRegister* special = ptx::special_register(operand.name);
          return special != nullptr && special->follows == ptx::Follows::Lane;
        }))
      return true;
  }
  return false;
}

// The lines of the first and the last fence or atomic that orders inside a block alone.
Fix narrow_lines(const Program& program) {
  Fix fix = {Fix::Act::DeviceScope};
  const std::vector<Inst>& code = program.data().code;
  for (std::uint32_t pc = 0; pc < code.size(); ++pc) {
    const int line = program.source(pc).line;
    if (line == 0 || (code[pc].fence != Scope::Block && code[pc].order.scope != Scope::Block)) continue;
    fix.after = fix.after == 0 ? line : std::min(fix.after, line);
    fix.before = std::max(fix.before, line);
  }
  return fix;
}

}  // namespace

Message act_text(Touch touch, const std::string& thread, const std::string& block, const Message& place,
                 const Message& line) {
  if (touch == Touch::Read) return msg("thread {} of block {} reads {} at {}", thread, block, place, line);
  return touch == Touch::Write
             ? msg("thread {} of block {} writes {} at {}", thread, block, place, line)
             : msg("thread {} of block {} changes atomically {} at {}", thread, block, place, line);
}

Message earlier_act_text(Touch touch, const Message& who, const Message& line) {
  if (touch == Touch::Read) return msg("which thread {} read at {}", who, line);
  return touch == Touch::Write ? msg("which thread {} wrote at {}", who, line)
                               : msg("which thread {} changed atomically at {}", who, line);
}

Message one_instruction_text(const std::string& thread, const std::string& other, const std::string& block,
                             const Message& place, const Message& line) {
  return msg(
      "threads {} and {} of block {} write different values to {} at {} in one instruction, and either one "
      "may stay: let one thread write, or give each its own place",
      thread, other, block, place, line);
}

Advice advice_between_blocks(const Program& whole, std::uint32_t pc, std::uint32_t other_pc, bool both_write,
                             bool cooperative) {
  const ProgramData& program = whole.data();
  if (Advice update = advice_for_updates(whole, pc, other_pc); !update.words.empty()) return update;
  bool fences = false, narrow = false, narrow_atomic = false, strong = false;
  for (std::uint32_t at = 0; at < program.code.size(); ++at) {
    const Inst& inst = program.code[at];
    if (inst.fence == Scope::Block || inst.order.scope == Scope::Block) narrow = true;
    if (inst.order.scope == Scope::Block && whole.opcode(at).is_atomic()) narrow_atomic = true;
    fences = fences || inst.fence > Scope::Block;
    strong = strong || inst.order.strong();
  }
  const auto by = [&](Fix::Act act) { return by_lines(whole, act, pc, other_pc); };
  if (cooperative)
    return {
        "put the grid's barrier (cooperative_groups::this_grid().sync()) between: no other barrier "
        "reaches across blocks",
        by(Fix::Act::GridBarrier)};
  if (Advice mixed = advice_for_mixed(whole, pc, other_pc); !mixed.words.empty()) return mixed;
  strong = strong && (takes_turns(program) || counts_arrivals(program));
  if (strong && !both_write && !waits_for_words(program) && !counts_arrivals(program) &&
      !takes_locks(program))
    return {
        "no thread waits for it here: read the flag that announces it in a loop until it is set, with "
        "__threadfence() behind the loop; or split the kernel in two launches",
        by(Fix::Act::TwoLaunches)};
  const auto line = [&](std::uint32_t at) { return program.origins[at].source.line; };
  if (narrow_atomic || (narrow && !fences))
    return {
        "a fence or atomic with the scope of a block (__threadfence_block(), atomicAdd_block) orders "
        "nothing between blocks: use __threadfence() and the atomic without _block",
        narrow_lines(whole)};
  if (strong && both_write && line(pc) == line(other_pc))
    return {
        "if blocks take turns there, take the turn with an atomic and put __threadfence() before it is "
        "given away and after it is taken; else use atomicAdd",
        at_line(whole, Fix::Act::AtomicStore, pc)};
  if (strong && !fences)
    return {
        "an atomic or volatile access alone orders nothing else: put __threadfence() between the write "
        "and the flag that announces it, and another between reading the flag and reading the data",
        by(Fix::Act::Threadfence)};
  if (strong && takes_locks(program))
    return {
        "if a lock is to guard it, both threads must hold the same one, with __threadfence() behind "
        "taking it and before giving it back; if a flag announces it, put __threadfence() between the "
        "write and the flag, and another between reading the flag and reading the data",
        by(Fix::Act::HoldLock)};
  if (strong)
    return {
        "put __threadfence() between the write and the flag that announces it, and another between reading "
        "the flag and reading the data; __syncthreads() between them if other threads of the block wrote",
        before_announcing(whole, by(Fix::Act::Threadfence), pc, other_pc)};
  if (both_write)
    return {"let each block write elements of its own, or use an atomic (atomicAdd)",
            at_line(whole, Fix::Act::OwnElement, pc)};
  return {
      "no barrier reaches across blocks: write to another buffer than the one that is read, or split the "
      "kernel in two launches",
      by(Fix::Act::TwoLaunches)};
}

Message overtaken_text(const Message& now, const Message& before, bool same_block, const InstSource& earlier,
                       const InstSource& later) {
  const std::string fence = same_block ? "__threadfence_block()" : "__threadfence()";
  return msg(
      "{}, {}. Another word showed that this was done, but volatile and relaxed accesses may overtake one "
      "another, so that the old value may be read: put {} after {}, before the word that shows it, and {} "
      "before {}, after that word was read",
      now, before, fence, line_text(earlier), fence, line_text(later));
}

Message stale_text(const Message& now, const Message& before, bool by_texture) {
  if (by_texture)
    return msg(
        "{} through a texture, and {} in the same launch: textures keep the older value, and no barrier "
        "helps. Read it through a surface or a pointer, write to other memory, or read it in the next launch",
        now, before);
  return msg(
      "{} on the read-only path, and {} in the same launch: that path need not see it, and no barrier helps. "
      "Read it as other memory is read (no __ldg; no const __restrict__ on a pointer to what this kernel "
      "writes), or write to other memory",
      now, before);
}

Advice advice_without_barrier(const Program& program, std::uint32_t pc, std::uint32_t other_pc) {
  Advice number = advice_for_numbers(program, pc, other_pc);
  if (!number.words.empty()) return number;
  // What all threads read and one of them replaces needs a barrier between, and no atomic.
  const auto [read, store] = std::minmax(pc, other_pc);
  return leads_one_thread(program.data(), read, store) ? Advice{} : advice_for_updates(program, pc, other_pc);
}

Message advice_by_words(const ProgramData& program) {
  const Message lock =
      "If a lock is to guard it: every thread takes the lock, and __threadfence_block() stands behind taking "
      "it and before it is given away";
  const Message flag =
      "If a flag announces it: put __threadfence_block() between the write and the flag, and another between "
      "reading the flag and reading the data";
  const bool locks = takes_locks(program), flags = watches_flags(program);
  if (locks && flags)
    return "If a flag announces it: put __threadfence_block() between the write and the flag, and another "
           "between reading the flag and reading the data; if a lock is to guard it: every thread takes it, "
           "with the same fence behind taking it and before it is given away";
  return locks ? lock : flags ? flag : "";
}

}  // namespace lab::sim
