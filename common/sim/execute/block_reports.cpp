// What is said when a block is stopped: who, where, and which loop it stood in; and what its clock says.
//
// Enters: a warp, an instruction, a message. Leaves: a FaultError.
#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/mbarrier.h"
#include "common/sim/observe/place_text.h"

namespace lab::sim {
namespace {

// A loop's head often carries no line of its own; the first instruction behind it that has one names it.
std::uint32_t with_a_line(const Program& program, std::uint32_t pc) {
  while (pc + 1 < program.data().code.size() && program.source(pc).line == 0) ++pc;
  return pc;
}

// A function that was inlined into a loop's body may stand first in it: what the loop has outside of it names the loop.
// For a loop within an inlined function these are lines with its call, which stands outside of the loop: what the kernel
// computed before it may have been moved in.
std::uint32_t line_of_loop(const Program& program, std::uint32_t target) {
  const auto& code = program.data().code;
  std::uint32_t end = target;  // behind the last branch back
  for (std::uint32_t pc = target; pc < code.size(); ++pc)
    if (code[pc].target == target) end = pc + 1;
  const auto first_at = [&](int call_line) {
    for (std::uint32_t pc = target; pc < end; ++pc)
      if (const InstSource source = program.source(pc); source.line != 0 && source.call_line == call_line)
        return pc;
    return end;
  };
  const std::uint32_t own = first_at(0);
  const int call = end == target ? 0 : program.source(end - 1).call_line;
  int last = 0;  // line of the kernel's own in the loop
  for (std::uint32_t pc = own; pc < end; ++pc)
    if (program.source(pc).call_line == 0) last = std::max(last, program.source(pc).line);
  const bool called = call != 0 && own != end && (call > last || call < program.source(own).line);
  if (const std::uint32_t within = called ? first_at(call) : own; within != end) return within;
  return with_a_line(program, target);
}

// Where a loop stands all of whose instructions are those of functions that it calls: the line of the outermost call;
// 0: it has instructions of its own.
int call_of_loop(const Program& program, std::uint32_t target) {
  const auto& code = program.data().code;
  std::set<int> lines, calls;
  std::uint32_t end = target;
  for (std::uint32_t pc = target; pc < code.size(); ++pc)
    if (code[pc].target == target) end = pc + 1;
  for (std::uint32_t pc = target; pc < end; ++pc) {
    const InstSource source = program.source(pc);
    if (source.line != 0 && source.call_line == 0) return 0;
    lines.insert(source.line), calls.insert(source.call_line);
  }
  const auto outer =
      std::find_if(calls.begin(), calls.end(), [&](int line) { return !lines.contains(line); });
  return outer == calls.end() ? 0 : *outer;
}

}  // namespace

Message BlockRun::thread_name(const WarpContext& w, int lane) const {
  const Dim3 block = launch_.config.block;
  const std::uint32_t t = w.place->first_thread + static_cast<std::uint32_t>(lane);
  return msg("thread {} of block {}", text_of(t, block), text_of(w.place->block, launch_.config.grid));
}

Message BlockRun::line_name(std::uint32_t pc) const { return line_text(launch_.handle->source(pc)); }

void BlockRun::fault(FaultKind kind, const WarpContext& w, std::uint32_t pc, int lane, std::uint64_t address,
                     const Message& message, Fix::Act act) const {
  Fault fault = fault_at(kind, w, pc, lane, address, message);
  if (act != Fix::Act::None) fault.fix = {act, fault.file, 0, fault.line};
  const auto hottest = std::max_element(back_edges_.begin(), back_edges_.end());
  if (kind == FaultKind::BudgetExceeded && hottest != back_edges_.end())
    fault.other_line =
        call_of_loop(*launch_.handle, static_cast<std::uint32_t>(hottest - back_edges_.begin()));
  throw FaultError(std::move(fault));
}

void BlockRun::forbid(FaultKind kind, const WarpContext& w, std::uint32_t pc, int lane,
                      const Message& message, Fix::Act act) {
  Fault fault = fault_at(kind, w, pc, lane, 0, message);
  if (act != Fix::Act::None) fault.fix = {act, fault.file, 0, fault.line};
  forbid(pc, std::move(fault));
}

void BlockRun::forbid(std::uint32_t pc, Fault fault) {
  if (launch_.options.checks_stop) throw FaultError(std::move(fault));
  const FaultKind kind = fault.kind;
  const auto [at, fresh] = findings.try_emplace({pc, kind}, std::move(fault));
  if (!fresh) at->second.count += 1;
}

void BlockRun::carry_undefined(WarpContext& w, const Inst& inst) {
  constexpr std::size_t kMostLabels = 255;
  auto origin = std::find_if(undefined_reads_.begin(), undefined_reads_.end(),
                             [&](const UndefinedOrigin& o) { return o.pc == inst.pc; });
  if (origin == undefined_reads_.end()) {
    if (undefined_reads_.size() == kMostLabels) return;
    origin = undefined_reads_.insert(origin, {inst.pc, undefined_read.fault.value_or(Fault{}), false});
    undefined_read.fault.reset();
  }
  if (origin->reported) return;
  Warp& warp = warp_of(w);
  if (warp.undefined == nullptr) {
    if (flows_.flow.empty()) flows_ = flows_of(program_);
    warp.undefined = std::make_unique<UndefinedValues>(warp, flows_);
    w.run_stop = &inst + 1;
  }
  warp.undefined->loaded(w, inst, undefined_read,
                         static_cast<std::uint8_t>(origin - undefined_reads_.begin() + 1));
}

void BlockRun::begin_unset() {
  if (flows_.flow.empty()) flows_ = flows_of(program_);
  undefined_reads_.push_back({kNoPc, {}, false});
  for (Warp& warp : warps_) {
    warp.has_unset = true;
    if (program_.shortcuts == Shortcuts::Off) follow_unset(warp);
  }
}

void BlockRun::follow_unset(Warp& warp) {
  warp.has_unset = false;
  WarpContext entry = warp.context;
  for (int f = 0; f < kRowFiles; ++f) entry.file[f] = warp.arena[f].data();
  if (warp.undefined == nullptr) warp.undefined = std::make_unique<UndefinedValues>(warp, flows_);
  warp.undefined->begin(entry, program_.unset, 1);
}

Fault BlockRun::unset_fault(const WarpContext& w, int lane, std::uint32_t pc, const char* what) const {
  const Message thread = thread_name(w, lane), at = line_name(pc);
  Fault fault = fault_at(FaultKind::UninitialisedLocal, w, pc, lane, 0, {});
  fault.message = *what == '\0'
                      ? msg("{} stores at {} a variable that has no value: nothing has set it on the way "
                            "there, so the register holds "
                            "whatever was in it before. Give the variable a value where it is declared",
                            thread, at)
                      : msg("{} uses at {} a variable that has no value: nothing has set it on the way "
                            "there, so the register holds "
                            "whatever was in it before. Give the variable a value where it is declared",
                            thread, at);
  if (*what != '\0') fault.decides = msg("Its value {} at {}.", what, at);
  fault.fix = {Fix::Act::Initialise, fault.file, 0, fault.line};
  return fault;
}

const Fault& BlockRun::source_of(const WarpContext& w, int lane, std::uint8_t label, std::uint32_t pc) {
  const UndefinedOrigin& origin = undefined_reads_[label - 1u];
  if (origin.pc != kNoPc) return origin.fault;
  return unset_source_ = unset_fault(w, lane, pc, "");
}

void BlockRun::report_undefined(const WarpContext& w, int lane, std::uint8_t label, std::uint32_t pc,
                                const char* what) {
  UndefinedOrigin& origin = undefined_reads_[label - 1u];
  if (origin.pc == kNoPc) {
    // A loop asks millions of times, and the sentence costs more than the instruction.
    const auto known = findings.find({pc, FaultKind::UninitialisedLocal});
    if (known == findings.end()) return forbid(pc, unset_fault(w, lane, pc, what));
    known->second.count += 1;
    return;
  }
  if (std::exchange(origin.reported, true)) return;
  Fault& fault = origin.fault;
  if (*what != '\0') fault.decides = msg("Its value {} at {}.", what, line_name(pc));
  if (launch_.options.checks_stop) throw FaultError(std::move(fault));
  const auto [at, fresh] = findings.try_emplace({origin.pc, fault.kind}, fault);
  if (!fresh) at->second.count += 1;
}

void BlockRun::read_clock(WarpContext& w, const Inst& inst) const {
  // A clock that counts this block's own work: monotonic, and the same on every machine. The straight run
  // that reads it is counted when it ends, so its first instructions are added here.
  const std::uint64_t instructions =
      warp_instructions - block_start_instructions_ + static_cast<std::uint64_t>(&inst - w.run_first) + 1;
  std::uint64_t drawn = launch_.options.numbers;  // no program can know when a clock began
  const std::uint64_t begins = drawn == 0 ? 0 : draw(drawn) >> 1;
  // Nor how fast it runs: a GPU may stop a block for milliseconds. Who sleeps by the clock sleeps longer then, so that
  // no launch that is counted has it.
  const bool fast = drawn != 0 && launch_.options.schedule != 0 && !launch_.options.count;
  const std::uint64_t doublings = fast ? draw(drawn) % 20 : 0;
  const std::uint64_t passed = 4 * instructions + waited_ticks_ + clock_.ticks();
  const std::uint64_t now = (begins + (passed << doublings)) >> inst.immediate;
  for (const int k : lanes_of<int>(w.mask)) set_lane_value(w, inst.dst, k, now);
}

Fault BlockRun::fault_at(FaultKind kind, const WarpContext& w, std::uint32_t pc, int lane,
                         std::uint64_t address, const Message& message) const {
  Fault f = sim::fault_at(kind, launch_.handle->source(pc), *w.place, launch_.config.block,
                          static_cast<std::uint32_t>(std::max(lane, 0)), address);
  f.message = message;
  if (kind == FaultKind::OutOfBounds || kind == FaultKind::Misaligned)
    note_shared_variable(f, *launch_.handle, address);
  return f;
}

// A kernel that asks for the barrier of the grid finds none in an ordinary launch, and traps.
Message BlockRun::why_trapped(std::uint32_t pc) const {
  const std::uint32_t grid_row = static_cast<std::uint32_t>(BlockRow::EnvReg1) * row_bytes(4);
  const auto asks = [&](const RowRef& row) {
    return row.file == RowFile::BlockSpecial && row.lane_bytes != 0 && row.offset_bytes == grid_row;
  };
  const bool needs_grid = std::any_of(program_.code.begin(), program_.code.end(),
                                      [&](const Inst& inst) { return asks(inst.a) || asks(inst.b); });
  if (needs_grid && launch_.grid_barrier == 0)
    return "grid.sync() needs all blocks at once. Start the kernel with cudaLaunchCooperativeKernel.";
  if (launch_.handle->source(pc).line == 0)
    return "the compiler put it where code cannot be right, such as a write to __constant__ memory, or an "
           "atomic on an array of one thread (is __shared__ missing in front of it?). Read its warnings.";
  return "an assertion of the program failed.";
}

// No warp can go on but by asking an mbarrier again.
bool BlockRun::only_waits_in_vain() const {
  bool any = false;
  for (const Warp& warp : warps_) {
    if (warp.live == 0) continue;
    for (const Split& s : warp.splits) {
      if (s.state == SplitState::Ready && !warp.waited_in_vain) return false;
    }
    any |= warp.waited_in_vain;
  }
  return any;
}

// ", a barrier in shared memory (`full` + 0 bytes): …", when an mbarrier is what a thread asked last.
Message BlockRun::what_it_waits_for() const {
  const auto log = mbarriers.find(vain_wait.offset);
  if (log == mbarriers.end()) return "";
  std::uint64_t bits = 0;
  std::memcpy(&bits, shared.data() + vain_wait.offset, sizeof bits);
  const auto state = MbarrierState::decoded(bits);
  if (!state) return "";
  const MbarrierLog& phase = log->second;
  Message text =
      msg(" It is phase {} of the barrier {}: {} of {} arrivals are missing, {} bytes were expected and {} "
          "were copied.",
          phase.phase, shared_place(*launch_.handle, vain_wait.offset), state->pending, state->expected,
          big(phase.expected_bytes), big(phase.landed_bytes));
  if (state->pending == 0 && phase.expected_bytes != phase.landed_bytes)
    text += " Expect as many bytes as the copies write.";
  if (state->pending != 0 && state->pending != state->expected)
    text += " Initialise it for as many arrivals as come, or let the others arrive.";
  if (state->pending != 0 && phase.expected_bytes == 0 && phase.landed_bytes != 0)
    text += " One thread arrives and says how many bytes it expects.";
  if (vain_wait.by_parity && phase.phase != 0 && phase.expected_bytes == 0 &&
      state->pending == state->expected && (vain_wait.asked & 1) == (phase.phase & 1))
    text += msg(" The phase before is over, and its parity is {}: does the wait ask for the right one ({})?",
                (phase.phase & 1) ^ 1, vain_wait.asked);
  return text;
}

void BlockRun::report_if_in_vain() const {
  if (!only_waits_in_vain()) return;
  const VainWait& v = vain_wait;
  const Warp* warp = nullptr;
  for (const Warp& w : warps_) {
    if (w.live != 0 && w.waited_in_vain && (warp == nullptr || w.place.warp == v.warp)) warp = &w;
  }
  fault(FaultKind::Deadlock, warp->context, v.pc, v.lane, v.offset,
        msg("{} waits at {} for a barrier in shared memory (mbarrier) whose phase never ends.{}",
            thread_name(warp->context, v.lane), line_name(v.pc), what_it_waits_for()));
}

// The loop around this instruction reads where grid.sync() counts the blocks.
bool BlockRun::waits_for_grid(std::uint32_t pc) const {
  const Allocation* barrier =
      launch_.grid_barrier == 0 ? nullptr : launch_.memory->find(launch_.grid_barrier, 1);
  if (barrier == nullptr) return false;
  std::uint32_t back = pc;
  const auto leads_back = [&](const Inst& inst) {
    return inst.control == Control::Branch && inst.target <= pc && inst.pc >= pc;
  };
  while (back < program_.code.size() && !leads_back(program_.code[back])) ++back;
  if (back == program_.code.size()) return false;
  for (std::uint32_t at = program_.code[back].target; at < back; ++at)
    if (last_touch[at].allocation == barrier) return true;
  return false;
}

void BlockRun::report_waiting() const {
  report_if_in_vain();
  for (const Warp& warp : warps_) {
    for (const Split& s : warp.splits) {
      if (s.state != SplitState::Ready || warp.live == 0) continue;
      const std::uint32_t named = with_a_line(*launch_.handle, s.pc);
      const int lane = std::countr_zero(s.mask);
      if (waits_for_grid(s.pc))
        fault(FaultKind::Deadlock, warp.context, named, lane, 0,
              msg("{} waits at {} at the barrier of the grid (grid.sync()) for blocks that never come. Every "
                  "thread of every block must reach it, equally often.",
                  thread_name(warp.context, lane), line_name(named)));
      fault(
          FaultKind::Deadlock, warp.context, named, lane, 0,
          msg("every thread that runs waits in a loop for another one; {} waits at {}. Who should write the "
              "value that ends the loop? A lock that is taken must be given back (atomicExch(&lock, 0)).",
              thread_name(warp.context, lane), line_name(named)),
          Fix::Act::Release);
    }
  }
  fault(FaultKind::Deadlock, warps_[0].context, 0, 0, 0, "every block that runs waits for another one.");
}

BlockRun::Loop BlockRun::hottest_loop() const {
  const auto hottest = std::max_element(back_edges_.begin(), back_edges_.end());
  if (hottest == back_edges_.end()) return {};
  const auto pc = static_cast<std::uint32_t>(hottest - back_edges_.begin());
  return {line_of_loop(*launch_.handle, pc), *hottest};
}

void BlockRun::report_budget(const Warp& warp) {
  if (vain_rounds_ != 0) report_if_in_vain();
  const auto [named, times] = hottest_loop();
  fault(FaultKind::BudgetExceeded, warp.context, named, std::countr_zero(warp.live), 0,
        msg("the block ran more than {} warp instructions and is not done; its hottest loop is at {}, "
            "entered again {} times. Does the loop's condition ever become false?",
            launch_.options.most_of_a_block(), line_name(named), times));
}

void BlockRun::report_spent() const {
  const auto [named, times] = hottest_loop();
  const Warp& warp = warps_[0];
  fault(FaultKind::BudgetExceeded, warp.context, named, std::countr_zero(warp.live) % kWarpLanes, 0,
        msg("the blocks of the launch spent its budget together and are not done; the hottest loop of this "
            "one is at {}, entered again {} times. Does the loop's condition ever become false?",
            line_name(named), times));
}

void BlockRun::report_work(const Warp& warp, std::uint32_t pc) {
  if (vain_rounds_ != 0) report_if_in_vain();
  const auto [named, times] = hottest_loop();
  const std::string budget = grouped(launch_.options.budget_work);
  const int lane = std::countr_zero(warp.live);
  if (times == 0) {
    fault(FaultKind::BudgetExceeded, warp.context, pc, lane, 0,
          msg("the block did more than {} units of work (an instruction is one; memory, printing and copying "
              "count more) and stands at {}. What is printed, copied or allocated there?",
              budget, line_name(pc)));
  }
  fault(FaultKind::BudgetExceeded, warp.context, named, lane, 0,
        msg("the block did more than {} units of work (an instruction is one; memory, printing and copying "
            "count more) and is not done; its hottest loop is at {}, entered again {} times. Does the loop's "
            "condition ever become false?",
            budget, line_name(named), times));
}

}  // namespace lab::sim
