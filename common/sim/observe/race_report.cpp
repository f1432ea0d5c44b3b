// What the race check says: of two accesses, where each stands and what must be put between them.
//
// Enters: collisions. Leaves: findings with their sentences (race_words.h has the pieces).
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "common/sim/observe/barrier_place.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/observe/race_check.h"
#include "common/sim/observe/race_words.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

Message global_place(const Memory& memory, DeviceAddress address) {
  const Allocation* a = memory.find(address, 1);
  return a == nullptr ? "global memory" : buffer_place(*a, address);
}

// The last wait for groups of copies that stands before it, when it leaves some on their way.
struct LeavingWait {
  Message line;
  std::int64_t groups = 0;
};
std::optional<LeavingWait> wait_that_leaves(const Program& program, std::uint32_t pc) {
  for (std::uint32_t at = pc; at-- > 0;) {
    if (program.opcode(at).reader != ptx::Reader::AsyncWait) continue;
    const std::int64_t groups = program.data().code[at].immediate;
    if (groups <= 0) return std::nullopt;  // 0 and "all": none is left
    return LeavingWait{line_text(program.source(at)), groups};
  }
  return std::nullopt;
}

bool commits(const Program& program) {
  for (std::uint32_t pc = 0; pc < program.data().code.size(); ++pc)
    if (program.opcode(pc).reader == ptx::Reader::AsyncCommit) return true;
  return false;
}

// Threads that wait for one another by words: without a fence it is what is missing.
Fix::Act words_act(const Program& program) {
  const std::vector<Inst>& code = program.data().code;
  const bool fences =
      std::any_of(code.begin(), code.end(), [](const Inst& inst) { return inst.fence != Scope::None; });
  return fences ? Fix::Act::HoldLock : Fix::Act::Threadfence;
}

// Two stores of one line: a barrier would only decide which one is last.
Message one_place_text(const Message& now, const Message& before) {
  return msg(
      "{}, {}: two threads have one place, and either value may stay. Give each its own: do rows overlap, or "
      "do two indices name one element?",
      now, before);
}

// Two stores of two lines: mostly one index is wrong; a barrier decides which store is last.
void name_two_places(Fault& fault, const Message& now, const Message& before, const char* barrier,
                     const Message& put) {
  fault.about = About::OnePlace;
  fault.message =
      msg("{}, {}: two threads have one place, and either value may stay. Give each its own", now, before);
  fault.advice = msg("Where the second is to stay, put {} {}", barrier, put);
}

// "threadIdx.y * blockDim.x + threadIdx.x": a thread's number in its block, or in the grid.
std::string number_of_thread(const Dim3& block, const Dim3& grid, bool in_block) {
  std::string number = block.z > 1   ? "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x"
                       : block.y > 1 ? "threadIdx.y * blockDim.x + threadIdx.x"
                                     : "threadIdx.x";
  if (in_block || grid.count() == 1) return number;
  const char* const at = grid.z > 1   ? "((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)"
                         : grid.y > 1 ? "(blockIdx.y * gridDim.x + blockIdx.x)"
                                      : "blockIdx.x";
  const char* const threads = block.z > 1   ? "(blockDim.x * blockDim.y * blockDim.z)"
                              : block.y > 1 ? "(blockDim.x * blockDim.y)"
                                            : "blockDim.x";
  return std::string(at) + " * " + threads + " + " + number;
}

Fix by_barrier(const Fault& fault, const BarrierPlace& place, Fix::Act act) {
  return {act, fault.file, place.after, place.before, place.in_loop};
}

}  // namespace

Fix RaceCheck::own_element(const Fault& fault, bool in_block) const {
  Fix fix{Fix::Act::OwnElement, fault.file, 0, fault.line};
  fix.element = number_of_thread(launch_.block, launch_.grid, in_block);
  return fix;
}

// With what words know nothing of: the file, the buffer, an element of its own.
Fix RaceCheck::in_buffer(const Fault& fault, Fix fix) const {
  fix.file = fault.file;
  if (fix.act == Fix::Act::OwnElement) fix.element = number_of_thread(launch_.block, launch_.grid, false);
  const Allocation* const a = memory_->find(fault.address, 1);
  if (a == nullptr) return fix;
  fix.variable = a->name;
  fix.bytes = a->size_bytes;
  return fix;
}

// Threads that part and wait for one another by words in memory meet at no barrier.
bool RaceCheck::meet_by_words(std::uint32_t pc, std::uint32_t other) const {
  const Program& program = *launch_.program;
  return !by_words_.empty() && !barriers_order_one_way(program, pc, other) &&
         (in_a_branch(program, pc, other) || behind_a_wait(program, std::min(pc, other)));
}

void RaceCheck::report_shared(Slot& slot, const Access& access, Touch how, const Collision& collision) {
  const Program& program = *launch_.program;
  const std::uint32_t thread = access.place->first_thread + collision.lane;
  const bool same_warp = thread / kWarpLanes == collision.earlier_thread / kWarpLanes;
  const bool lanes_of_one_store = collision.same_instruction;
  const std::uint64_t offset = std::uint64_t{collision.granule} * launch_.smallest_shared_access_bytes;
  const bool by_words = meet_by_words(collision.earlier_pc, access.pc);
  const FaultKind kind =
      same_warp && !lanes_of_one_store && !by_words ? FaultKind::MissingSyncwarp : FaultKind::SharedRace;
  const Key key = key_of(access.pc, collision.earlier_pc, kind);
  if (seen(slot, key, access)) return;  // before any words: who polls comes here each time
  Fault fault = fault_at(kind, launch_, access, collision.lane, offset);
  const InstSource later = program.source(access.pc), earlier = program.source(collision.earlier_pc);
  name_other(fault, earlier);
  const std::string me = text_of(fault.thread, launch_.block);
  const std::string other = text_of(collision.earlier_thread, launch_.block);
  const std::string block = text_of(fault.block, launch_.grid);
  const Message place = shared_place(program, offset);
  if (lanes_of_one_store) {
    fault.about = About::OnePlace;
    fault.fix = own_element(fault, true);
    fault.message = one_instruction_text(me, other, block, place, line_text(later));
    return found(slot, key, std::move(fault));
  }
  const Message now = act_text(how, me, block, place, line_text(later));
  const Message before = earlier_act_text(collision.earlier, msg("{}", other), line_text(earlier));
  const BarrierPlace place_of_barrier = barrier_place(program, collision.earlier_pc, access.pc,
                                                      same_warp && !by_words ? Meets::Warp : Meets::Block);
  const Message& put = place_of_barrier.words;
  if (const Advice other_way = advice_without_barrier(program, access.pc, collision.earlier_pc);
      !other_way.words.empty()) {
    fault.fix = other_way.fix;
    fault.fix.file = fault.file;
    fault.kind = FaultKind::SharedRace;  // also inside a warp: no __syncwarp fixes it
    fault.message = msg("{}, {}, and nothing orders the two: {}", now, before, other_way.words);
    return found(slot, key, std::move(fault));
  }
  const bool one_place = how == Touch::Write && collision.earlier == Touch::Write && earlier.line != 0 &&
                         earlier.line == later.line && earlier.file == later.file;
  if (one_place) fault.about = About::TwoStores;
  fault.fix = one_place ? own_element(fault, true)
                        : by_barrier(fault, place_of_barrier,
                                     same_warp && !by_words ? Fix::Act::WarpBarrier : Fix::Act::BlockBarrier);
  const InstSource elected = !one_place && !same_warp && collision.earlier == Touch::Write
                                 ? arrival_for(program, collision.earlier_pc, access.pc)
                                 : InstSource{};
  if (elected.line != 0) fault.fix = {Fix::Act::WarpBarrier, fault.file, 0, elected.line};
  const bool two_stores = how == Touch::Write && collision.earlier == Touch::Write && !one_place;
  // Lanes of one warp are met first; most often the block as a whole shares the place. Not in a branch that
  // some warps may not take.
  const bool whole_block = same_warp && launch_.block.count() > kWarpLanes &&
                           !in_a_branch(program, collision.earlier_pc, access.pc);
  if (whole_block && !one_place) fault.fix.act = Fix::Act::BlockBarrier;
  if (by_words && !one_place) fault.fix = {words_act(program), fault.file, earlier.line, later.line};
  fault.message =
      one_place ? one_place_text(now, before)
      : elected.line != 0
          ? msg("{}, {}, and the arrival of {} does not cover it: it comes from another lane. Put "
                "__syncwarp() "
                "before {}, so that the lane which arrives there has seen the stores of its warp",
                now, before, line_text(elected), line_text(elected))
      : roles_ && !same_warp && in_a_branch(program, collision.earlier_pc, access.pc)
          ? msg("{}, {}, and no barrier orders the two. Where warps have roles: let those of {} arrive at a "
                "named barrier behind it (bar.arrive), and those of {} wait there before (bar.sync with the "
                "same number)",
                now, before, line_text(earlier), line_text(later))
      : by_words    ? msg("{}, {}, and nothing orders the two. {}", now, before, by_words_)
      : whole_block ? msg("{}, {}, both in one warp, and nothing between orders them: put __syncthreads() "
                          "{}; __syncwarp() is enough where no other warp touches it",
                          now, before, put)
      : same_warp
          ? msg("{}, {}, both in one warp, with no __syncwarp between: put __syncwarp() {}", now, before, put)
          : msg("{}, {}, with no barrier between: put __syncthreads() {}", now, before, put);
  if (same_warp && !one_place && !two_stores && !whole_block && !by_words &&
      launch_.block.count() > kWarpLanes)
    fault.message = msg("{}; __syncthreads() if other warps share it", fault.message);
  if (two_stores && elected.line == 0 && !by_words &&
      !(roles_ && !same_warp && in_a_branch(program, collision.earlier_pc, access.pc)))
    name_two_places(fault, now, before, same_warp && !whole_block ? "__syncwarp()" : "__syncthreads()", put);
  const bool one_line = earlier.line == later.line && earlier.line != 0 && earlier.file == later.file;
  if (one_line && !one_place && !two_stores && !by_words && elected.line == 0) {
    fault.message = msg("{}, {}, with no barrier between", now, before);
    fault.advice = msg("Put {} {}", same_warp && !whole_block ? "__syncwarp()" : "__syncthreads()", put);
  }
  // A variable that the program declared has its own place; arrays cut out of the dynamic part may not.
  if (two_stores && offset >= program.static_shared_bytes())
    fault.message = msg("{}. If these are two arrays, they overlap: compare where each begins with its size",
                        fault.message);
  found(slot, key, std::move(fault));
}

void RaceCheck::report_early(Slot& slot, const Access& access, const CopyTargets::Early& early) {
  const Key key = key_of(access.pc, early.copy_pc, FaultKind::SharedRace);
  if (seen(slot, key, access)) return;
  Fault fault = fault_at(FaultKind::SharedRace, launch_, access, early.lane, early.offset);
  const InstSource source = launch_.program->source(access.pc), copy = launch_.program->source(early.copy_pc);
  name_other(fault, copy);
  const Message act =
      act_text(touch_of(access), text_of(fault.thread, launch_.block), text_of(fault.block, launch_.grid),
               shared_place(*launch_.program, early.offset), line_text(source));
  const bool shared_by_all = launch_.block.count() > 1;
  fault.fix = {Fix::Act::Wait, fault.file, copy.line, source.line};
  const std::optional<LeavingWait> leaves = wait_that_leaves(*launch_.program, access.pc);
  const bool of_another =
      !early.arrives && early.starter != access.place->first_thread + early.lane && leaves.has_value();
  const std::string starter = text_of(early.starter, launch_.block);
  constexpr std::int64_t kNegative = 1 << 30;  // as an unsigned number
  const Message on_their_way = !leaves                       ? Message()
                               : leaves->groups >= kNegative ? Message("all of them: its number is negative")
                                                             : msg("the newest, {} of them", leaves->groups);
  fault.message =
      of_another && !early.behind_barrier
          ? msg("{}, while the asynchronous copy of {} is on its way there, which thread {} started with no "
                "barrier between: put __syncthreads() after {}, before that copy starts; or, where {} is to "
                "read it, behind the wait for it",
                act, line_text(copy), starter, line_text(source), line_text(source))
      : of_another
          ? msg("{}, while the asynchronous copy of {}, which thread {} started, is still on its way there. "
                "A wait covers the copies of its own thread alone: put __syncthreads() between the wait of "
                "{} and {}. Where one stands there, the wait leaves too many groups on their way ({}): "
                "let it leave fewer, or see that each tile is one group, committed once",
                act, line_text(copy), starter, leaves->line, line_text(source), on_their_way)
      : !early.arrives && leaves && !commits(*launch_.program)
          ? msg("{}, while the asynchronous copy of {} is still on its way there: no copy is committed, and "
                "a wait covers committed groups alone. Commit each tile as one group, behind its copies "
                "(cp.async.commit_group, __pipeline_commit)",
                act, line_text(copy))
      : !early.arrives && leaves ? msg("{}, while the asynchronous copy of {} is still on its way there: the "
                                       "wait of {} leaves groups on their way ({}), and this copy is in one "
                                       "of them. Let it leave fewer, or see that each tile is one group: "
                                       "committed once, also where nothing is copied, and not started "
                                       "earlier than the wait allows",
                                       act, line_text(copy), leaves->line, on_their_way)
      : early.arrives
          ? msg("{}, while the asynchronous copy of {} may still be on its way there: it arrives at an "
                "mbarrier, and this thread has not seen that phase over. Wait for the phase before {} "
                "(mbarrier.try_wait, the wait of the cuda::barrier, or the pipeline's consumer_wait)",
                act, line_text(copy), line_text(source))
          : msg("{}, while the asynchronous copy of {} is still on its way there: wait for it before {} "
                "(__pipeline_wait_prior, cp.async.wait_group, or the pipeline's consumer_wait){}",
                act, line_text(copy), line_text(source),
                (shared_by_all ? ", then __syncthreads() if another thread started it" : ""));
  found(slot, key, std::move(fault));
}

void RaceCheck::report_source(Slot& slot, const Access& access, const CopySources::Early& early) {
  const Key key = key_of(access.pc, early.copy_pc, FaultKind::GlobalRace);
  if (seen(slot, key, access)) return;
  Fault fault = fault_at(FaultKind::GlobalRace, launch_, access, early.lane, early.address);
  const InstSource source = launch_.program->source(access.pc), copy = launch_.program->source(early.copy_pc);
  name_other(fault, copy);
  const Allocation* const a = memory_->find(early.address, 1);
  fault.fix = {Fix::Act::Wait, fault.file, copy.line, source.line};
  fault.message =
      msg("{}, while the asynchronous copy of {} may still be reading it: wait for the copy before {} "
          "(__pipeline_wait_prior, cp.async.wait_group, or the pipeline's consumer_wait), then "
          "__syncthreads() if another thread started it",
          act_text(touch_of(access), text_of(fault.thread, launch_.block), text_of(fault.block, launch_.grid),
                   a == nullptr ? "its source" : buffer_place(*a, early.address), line_text(source)),
          line_text(copy), line_text(source));
  found(slot, key, std::move(fault));
}

void RaceCheck::report_peer(Slot& slot, const Access& access, std::uint32_t lane,
                            const PeerShadow::Touch& earlier) {
  const Key key = key_of(access.pc, earlier.pc, FaultKind::SharedRace, true);
  if (seen(slot, key, access)) return;
  const Program& program = *launch_.program;
  Fault fault = fault_at(FaultKind::SharedRace, launch_, access, lane, access.address[lane]);
  const InstSource source = program.source(access.pc), other = program.source(earlier.pc);
  name_other(fault, other);
  const Touch before = earlier.atomic ? Touch::Atomic : earlier.writes ? Touch::Write : Touch::Read;
  const BarrierPlace put = barrier_place(program, earlier.pc, access.pc);
  fault.fix = by_barrier(fault, put, Fix::Act::ClusterBarrier);
  const Message who =
      msg("{} of block {}", text_of(earlier.thread, launch_.block), text_of(earlier.block, launch_.grid));
  const Message now =
      msg("{} in the shared memory of block {}",
          act_text(touch_of(access), text_of(fault.thread, launch_.block), text_of(fault.block, launch_.grid),
                   shared_place(program, access.address[lane]), line_text(source)),
          text_of(slot.clock.block(), launch_.grid));
  const Message then = earlier_act_text(before, who, line_text(other));
  if (touch_of(access) == Touch::Write && before == Touch::Write)
    name_two_places(fault, now, then, "cluster.sync()", put.words);
  else
    fault.message =
        msg("{}, {}, with no barrier of the cluster between: put cluster.sync() {}", now, then, put.words);
  found(slot, key, std::move(fault));
}

void RaceCheck::report_global(Slot& slot, const Access& access, Touch how, const GlobalCollision& collision) {
  const Program& program = *launch_.program;
  const std::uint32_t thread = access.place->first_thread + collision.lane;
  const bool same_block = collision.earlier_block == access.place->block_index;
  const bool same_warp = same_block && thread / kWarpLanes == collision.earlier_thread / kWarpLanes;
  const bool by_words = same_block && meet_by_words(collision.earlier_pc, access.pc);
  const bool by_syncwarp = same_warp && !collision.same_instruction && !collision.non_coherent && !by_words;
  const FaultKind kind = by_syncwarp ? FaultKind::MissingSyncwarp : FaultKind::GlobalRace;
  const Key key = key_of(access.pc, collision.earlier_pc, kind, !same_block);
  if (seen(slot, key, access)) return;
  Fault fault = fault_at(kind, launch_, access, collision.lane, collision.address);
  const InstSource later = program.source(access.pc), earlier = program.source(collision.earlier_pc);
  name_other(fault, earlier);
  const std::string me = text_of(fault.thread, launch_.block);
  const std::string other = text_of(collision.earlier_thread, launch_.block);
  const std::string block = text_of(fault.block, launch_.grid);
  const Message place = global_place(*memory_, collision.address);
  if (collision.same_instruction) {
    fault.about = About::OnePlace;
    fault.fix = own_element(fault, false);
    fault.message = one_instruction_text(me, other, block, place, line_text(later));
    return found(slot, key, std::move(fault));
  }
  const Inst& earlier_inst = program.data().code[collision.earlier_pc];
  const bool earlier_atomic = earlier_inst.order.strong() && !earlier_inst.order.is_volatile;
  const Touch before_touch = earlier_atomic             ? Touch::Atomic
                             : collision.earlier_writes ? Touch::Write
                                                        : Touch::Read;
  const Message who = same_block
                          ? msg("{}", other)
                          : msg("{} of block {}", other, text_of(collision.earlier_block, launch_.grid));
  const Message now = act_text(how, me, block, place, line_text(later));
  const Message before = earlier_act_text(before_touch, who, line_text(earlier));
  const BarrierPlace place_of_barrier = barrier_place(program, collision.earlier_pc, access.pc,
                                                      same_warp && !by_words ? Meets::Warp : Meets::Block);
  const Message& put = place_of_barrier.words;
  const Advice between =
      advice_between_blocks(program, access.pc, collision.earlier_pc,
                            collision.earlier_writes && how != Touch::Read, launch_.cooperative);
  if (collision.non_coherent) {
    fault.message = stale_text(now, before, program.opcode(access.pc).moves.unit == ptx::Unit::Texture);
    return found(slot, key, std::move(fault));
  }
  if (collision.only_announced) {
    fault.fix = {Fix::Act::Threadfence, fault.file, earlier.line, later.line};
    fault.message = overtaken_text(now, before, same_block, earlier, later);
    return found(slot, key, std::move(fault));
  }
  if (const Advice other_way = advice_without_barrier(program, access.pc, collision.earlier_pc);
      !other_way.words.empty()) {
    fault.fix = in_buffer(fault, other_way.fix);
    fault.kind = FaultKind::GlobalRace;  // also inside a warp: no __syncwarp fixes it
    fault.message = msg("{}, {}, and nothing orders the two: {}", now, before, other_way.words);
    return found(slot, key, std::move(fault));
  }
  fault.message =
      by_words ? msg("{}, {}, and nothing orders the two. {}", now, before, by_words_)
      : same_warp
          ? msg("{}, {}, both in one warp, with no __syncwarp between: put __syncwarp() {}", now, before, put)
      : same_block ? msg("{}, {}, with no barrier between: put __syncthreads() {}", now, before, put)
                   : msg("{}, {}, and nothing orders the two: {}", now, before, between.words);
  if (by_words) fault.fix = {words_act(program), fault.file, earlier.line, later.line};
  if (!same_block) fault.fix = in_buffer(fault, between.fix);
  if (same_block && !by_words)
    fault.fix =
        by_barrier(fault, place_of_barrier, same_warp ? Fix::Act::WarpBarrier : Fix::Act::BlockBarrier);
  if (by_syncwarp && launch_.block.count() > kWarpLanes)
    fault.message = msg("{}; __syncthreads() if other warps share it", fault.message);
  if (same_block && !by_words && how == Touch::Write && before_touch == Touch::Write) {
    fault.about = About::OnePlace;
    const bool one_place = earlier.line != 0 && earlier.line == later.line && earlier.file == later.file;
    if (one_place) fault.fix = own_element(fault, false);
    if (one_place)
      fault.message = one_place_text(now, before);
    else
      name_two_places(fault, now, before, same_warp ? "__syncwarp()" : "__syncthreads()", put);
  }
  found(slot, key, std::move(fault));
}

Fault RaceCheck::fault_of(const BlocksMet& met) const {
  const Program& program = *launch_.program;
  const Dim3& grid = launch_.grid;
  const InstSource writer = program.source(met.writer.pc), other = program.source(met.other.pc);
  Fault fault = fault_at(FaultKind::GlobalRace, writer);
  name_other(fault, other);
  fault.block = grid.at(met.writer.block);
  fault.block_index = met.writer.block;
  fault.address = met.address;
  fault.count = met.count;
  const std::string me = text_of(fault.block, grid), them = text_of(met.other.block, grid);
  const Message place = global_place(*memory_, met.address);
  const auto [advice, fix] =
      advice_between_blocks(program, met.writer.pc, met.other.pc, met.both_write, launch_.cooperative);
  fault.fix = in_buffer(fault, fix);
  if (met.guessed) {
    const Message blocks = msg("of the blocks {} to {}", me, them);
    fault.message = met.both_write
                        ? msg("two {} write {}, at {} and {}, different values; nothing orders the two: {}",
                              blocks, place, line_text(writer), line_text(other), advice)
                        : msg("one {} writes {} at {}, which another reads at {}; nothing orders the two: {}",
                              blocks, place, line_text(writer), line_text(other), advice);
    return fault;
  }
  fault.message =
      met.both_write ? msg("block {} writes {} at {}, and so does block {} at {}, with different values; "
                           "nothing orders the two: {}",
                           me, place, line_text(writer), them, line_text(other), advice)
                     : msg("block {} writes {} at {}, which block {} reads at {}; nothing orders the two: {}",
                           me, place, line_text(writer), them, line_text(other), advice);
  return fault;
}

Fault RaceCheck::note_of(FaultKind kind, std::uint32_t test, std::uint32_t atomic) const {
  const Program& program = *launch_.program;
  const InstSource source = program.source(test);
  Fault note = fault_at(kind, source);
  name_other(note, program.source(atomic));
  note.message =
      msg("the plain read at {} tests what the atomic at {} changes in other threads; nothing is lost, since "
          "the atomic behind it decides, but a compiler may repeat or keep a plain read: read it through a "
          "volatile pointer, or with cuda::atomic_ref and cuda::memory_order_relaxed",
          line_text(source), line_text(program.source(atomic)));
  return note;
}

std::vector<Fault> RaceCheck::notes() const {
  std::vector<Fault> list;
  for (const auto& [test, atomic] : shared_tests_.all())
    list.push_back(note_of(FaultKind::SharedRace, test, atomic));
  if (global_ == nullptr) return list;
  for (const auto& [test, atomic] : global_->tests().all())
    list.push_back(note_of(FaultKind::GlobalRace, test, atomic));
  if (const std::uint64_t bytes = global_->unwatched_bytes(); bytes != 0) {
    Fault note;
    note.kind = FaultKind::GlobalRace;
    note.message =
        msg("{} KiB of global memory were not watched for races, or not to the end: what is remembered of it "
            "reached its limit. Give it more with lab run --check-memory MIB, or run a smaller case",
            big((bytes + 1023) / 1024));
    list.push_back(std::move(note));
  }
  return list;
}

}  // namespace lab::sim
