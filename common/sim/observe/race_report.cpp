// What the race check says: of two accesses, where each stands and what must be put between them.
//
// Enters: collisions. Leaves: findings with their sentences (race_words.h has the pieces).
#include <algorithm>
#include <string>
#include <vector>

#include "common/sim/observe/barrier_place.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/observe/race_check.h"
#include "common/sim/observe/race_words.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

std::string global_place(const Memory& memory, DeviceAddress address) {
  const Allocation* a = memory.find(address, 1);
  return a == nullptr ? "global memory" : buffer_place(*a, address);
}

}  // namespace

// Threads that part and wait for one another by words in memory meet at no barrier.
bool RaceCheck::meet_by_words(std::uint32_t pc, std::uint32_t other) const {
  const Program& program = *launch_.program;
  return !by_words_.empty() &&
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
  Fault fault = fault_at(kind, launch_, access, collision.lane, offset);
  const InstSource later = program.source(access.pc), earlier = program.source(collision.earlier_pc);
  name_other(fault, program, earlier);
  const std::string me = text_of(fault.thread, launch_.block);
  const std::string other = text_of(collision.earlier_thread, launch_.block);
  const std::string block = text_of(fault.block, launch_.grid);
  const Key key = key_of(access.pc, collision.earlier_pc, kind);
  if (seen(slot, key, access)) return;
  const std::string place = shared_place(fault, program, offset);
  if (lanes_of_one_store) {
    fault.message = one_instruction_text(me, other, block, place, line_text(later));
    return found(slot, key, std::move(fault));
  }
  const std::string now = act_text(how, me, block, place, line_text(later));
  const std::string before = earlier_act_text(collision.earlier, other, line_text(earlier));
  const std::string put = barrier_place(program, collision.earlier_pc, access.pc);
  if (const std::string other_way = advice_without_barrier(program, access.pc, collision.earlier_pc);
      !other_way.empty()) {
    fault.kind = FaultKind::SharedRace;  // also inside a warp: no __syncwarp mends it
    fault.message = now + ", " + before + ", and nothing orders the two: " + other_way;
    return found(slot, key, std::move(fault));
  }
  // Two stores of one line: a barrier would only decide who is last.
  const bool one_place = how == Touch::Write && collision.earlier == Touch::Write && earlier.line != 0 &&
                         earlier.line == later.line && earlier.file == later.file;
  if (one_place) fault.about = About::TwoStores;
  const bool two_stores = how == Touch::Write && collision.earlier == Touch::Write && !one_place;
  // Lanes of one warp are met first; most often the block as a whole shares the place. Not in a branch that
  // some warps may not take.
  const bool whole_block = same_warp && launch_.block.count() > kWarpLanes &&
                           !in_a_branch(program, collision.earlier_pc, access.pc);
  fault.message =
      one_place ? now + ", " + before +
                      ": two threads have one place, and nobody knows which value stays. Give "
                      "each its own: do rows overlap, or do two indices name one element?"
      : roles_ && !same_warp && in_a_branch(program, collision.earlier_pc, access.pc)
          ? now + ", " + before + ", and no barrier orders the two. Where warps have roles: let those of " +
                line_text(earlier) + " arrive at a named barrier behind it (bar.arrive), and those of " +
                line_text(later) + " wait there before (bar.sync with the same number)"
      : by_words    ? now + ", " + before + ", and nothing orders the two. " + by_words_
      : whole_block ? now + ", " + before +
                          ", both in one warp, and nothing between orders them: put __syncthreads() " + put +
                          "; __syncwarp() is enough where no other warp touches it"
      : same_warp
          ? now + ", " + before + ", both in one warp, with no __syncwarp between: put __syncwarp() " + put
          : now + ", " + before + ", with no barrier between: put __syncthreads() " + put;
  if (same_warp && !one_place && !whole_block && !by_words && launch_.block.count() > kWarpLanes)
    fault.message = fault.message + "; __syncthreads() if other warps share it";
  // A variable that the program declared has its own place; arrays cut out of the dynamic part may not.
  if (two_stores && place.starts_with("dynamic"))
    fault.message =
        fault.message + ". If these are two arrays, they overlap: compare where each begins with its size";
  found(slot, key, std::move(fault));
}

void RaceCheck::report_early(Slot& slot, const Access& access, const CopyTargets::Early& early) {
  const Key key = key_of(access.pc, early.copy_pc, FaultKind::SharedRace);
  if (seen(slot, key, access)) return;
  Fault fault = fault_at(FaultKind::SharedRace, launch_, access, early.lane, early.offset);
  const InstSource source = launch_.program->source(access.pc), copy = launch_.program->source(early.copy_pc);
  name_other(fault, *launch_.program, copy);
  const std::string act =
      act_text(touch_of(access), text_of(fault.thread, launch_.block), text_of(fault.block, launch_.grid),
               shared_place(fault, *launch_.program, early.offset), line_text(source));
  const bool shared_by_all = launch_.block.count() > 1;
  fault.message =
      early.arrives
          ? act + ", while the asynchronous copy of " + line_text(copy) +
                " may still be on its way there: it arrives at an mbarrier, and this thread has not seen "
                "that phase over. Wait for the phase before " +
                line_text(source) +
                " (mbarrier.try_wait, the wait of the cuda::barrier, or the pipeline's consumer_wait)"
          : act + ", while the asynchronous copy of " + line_text(copy) +
                " is still on its way there: wait for it before " + line_text(source) +
                " (__pipeline_wait_prior, cp.async.wait_group, or the pipeline's consumer_wait)" +
                (shared_by_all ? ", then __syncthreads() if another thread started it" : "");
  found(slot, key, std::move(fault));
}

void RaceCheck::report_source(Slot& slot, const Access& access, const CopySources::Early& early) {
  const Key key = key_of(access.pc, early.copy_pc, FaultKind::GlobalRace);
  if (seen(slot, key, access)) return;
  Fault fault = fault_at(FaultKind::GlobalRace, launch_, access, early.lane, early.address);
  const InstSource source = launch_.program->source(access.pc), copy = launch_.program->source(early.copy_pc);
  name_other(fault, *launch_.program, copy);
  const Allocation* const a = memory_->find(early.address, 1);
  fault.message =
      act_text(touch_of(access), text_of(fault.thread, launch_.block), text_of(fault.block, launch_.grid),
               a == nullptr ? "its source" : buffer_place(*a, early.address), line_text(source)) +
      ", while the asynchronous copy of " + line_text(copy) +
      " may still be reading it: wait for the copy before " + line_text(source) +
      " (__pipeline_wait_prior, cp.async.wait_group, or the pipeline's consumer_wait), then __syncthreads() "
      "if "
      "another thread started it";
  found(slot, key, std::move(fault));
}

void RaceCheck::report_peer(Slot& slot, const Access& access, std::uint32_t lane,
                            const PeerShadow::Touch& earlier) {
  const Key key = key_of(access.pc, earlier.pc, FaultKind::SharedRace, true);
  if (seen(slot, key, access)) return;
  const Program& program = *launch_.program;
  Fault fault = fault_at(FaultKind::SharedRace, launch_, access, lane, access.address[lane]);
  const InstSource source = program.source(access.pc), other = program.source(earlier.pc);
  name_other(fault, program, other);
  const Touch before = earlier.atomic ? Touch::Atomic : earlier.writes ? Touch::Write : Touch::Read;
  std::string who = text_of(earlier.thread, launch_.block);
  who += " of block " + text_of(earlier.block, launch_.grid);
  fault.message =
      act_text(touch_of(access), text_of(fault.thread, launch_.block), text_of(fault.block, launch_.grid),
               shared_place(fault, program, access.address[lane]), line_text(source)) +
      " in the shared memory of block " + text_of(slot.clock.block(), launch_.grid) + ", " +
      earlier_act_text(before, who, line_text(other)) +
      ", with no barrier of the cluster between: put cluster.sync() " +
      barrier_place(program, earlier.pc, access.pc);
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
  Fault fault = fault_at(kind, launch_, access, collision.lane, collision.address);
  const InstSource later = program.source(access.pc), earlier = program.source(collision.earlier_pc);
  name_other(fault, program, earlier);
  const std::string me = text_of(fault.thread, launch_.block);
  std::string other = text_of(collision.earlier_thread, launch_.block);
  const std::string block = text_of(fault.block, launch_.grid);
  const std::string place = global_place(*memory_, collision.address);
  const Key key = key_of(access.pc, collision.earlier_pc, kind, !same_block);
  if (seen(slot, key, access)) return;
  if (collision.same_instruction) {
    fault.message = one_instruction_text(me, other, block, place, line_text(later));
    return found(slot, key, std::move(fault));
  }
  const Inst& earlier_inst = program.data().code[collision.earlier_pc];
  const bool earlier_atomic = earlier_inst.order.strong() && !earlier_inst.order.is_volatile;
  const Touch before_touch = earlier_atomic             ? Touch::Atomic
                             : collision.earlier_writes ? Touch::Write
                                                        : Touch::Read;
  if (!same_block) other += " of block " + text_of(collision.earlier_block, launch_.grid);
  const std::string now = act_text(how, me, block, place, line_text(later));
  const std::string before = earlier_act_text(before_touch, other, line_text(earlier));
  const std::string put = barrier_place(program, collision.earlier_pc, access.pc);
  const std::string between =
      advice_between_blocks(program, access.pc, collision.earlier_pc,
                            collision.earlier_writes && how != Touch::Read, launch_.cooperative);
  if (collision.non_coherent) {
    fault.message = stale_text(now, before, program.opcode(access.pc).moves.unit == ptx::Unit::Texture);
    return found(slot, key, std::move(fault));
  }
  if (collision.only_heard) {
    fault.message = overtaken_text(now, before, same_block, earlier, later);
    return found(slot, key, std::move(fault));
  }
  if (const std::string other_way = advice_without_barrier(program, access.pc, collision.earlier_pc);
      !other_way.empty()) {
    fault.kind = FaultKind::GlobalRace;  // also inside a warp: no __syncwarp mends it
    fault.message = now + ", " + before + ", and nothing orders the two: " + other_way;
    return found(slot, key, std::move(fault));
  }
  fault.message = by_words    ? now + ", " + before + ", and nothing orders the two. " + by_words_
                  : same_warp ? now + ", " + before +
                                    ", both in one warp, with no __syncwarp between: put __syncwarp() " + put
                  : same_block ? now + ", " + before + ", with no barrier between: put __syncthreads() " + put
                               : now + ", " + before + ", and nothing orders the two: " + between;
  if (by_syncwarp && launch_.block.count() > kWarpLanes)
    fault.message = fault.message + "; __syncthreads() if other warps share it";
  found(slot, key, std::move(fault));
}

Fault RaceCheck::fault_of(const BlocksMet& met) const {
  const Program& program = *launch_.program;
  const Dim3& grid = launch_.grid;
  const InstSource writer = program.source(met.writer.pc), other = program.source(met.other.pc);
  Fault fault;
  fault.kind = FaultKind::GlobalRace;
  fault.file = program.file_name(writer.file);
  fault.line = writer.line;
  name_other(fault, program, other);
  fault.block = grid.at(met.writer.block);
  fault.block_index = met.writer.block;
  fault.address = met.address;
  fault.count = met.count;
  const std::string me = text_of(fault.block, grid), them = text_of(met.other.block, grid);
  const std::string place = global_place(*memory_, met.address);
  const std::string advice =
      advice_between_blocks(program, met.writer.pc, met.other.pc, met.both_write, launch_.cooperative);
  if (met.guessed) {
    const std::string blocks = "of the blocks " + me + " to " + them;
    fault.message = met.both_write
                        ? "two " + blocks + " write " + place + ", at " + line_text(writer) + " and " +
                              line_text(other) + ", different values; nothing orders the two: " + advice
                        : "one " + blocks + " writes " + place + " at " + line_text(writer) +
                              ", which another reads at " + line_text(other) +
                              "; nothing orders the two: " + advice;
    return fault;
  }
  fault.message = met.both_write
                      ? "block " + me + " writes " + place + " at " + line_text(writer) +
                            ", and so does block " + them + " at " + line_text(other) +
                            ", with different values; nothing orders the two: " + advice
                      : "block " + me + " writes " + place + " at " + line_text(writer) + ", which block " +
                            them + " reads at " + line_text(other) + "; nothing orders the two: " + advice;
  return fault;
}

Fault RaceCheck::note_of(FaultKind kind, std::uint32_t test, std::uint32_t atomic) const {
  const Program& program = *launch_.program;
  const InstSource source = program.source(test);
  Fault note;
  note.kind = kind;
  note.file = program.file_name(source.file);
  note.line = source.line;
  name_other(note, program, program.source(atomic));
  note.message = "the plain read at " + line_text(source) + " tests what the atomic at " +
                 line_text(program.source(atomic)) +
                 " changes in other threads; nothing is lost, since the atomic behind it decides, but a "
                 "compiler may repeat or keep a plain read: read it through a volatile pointer, or with "
                 "cuda::atomic_ref and cuda::memory_order_relaxed";
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
        grouped((bytes + 1023) / 1024) +
        " KiB of global memory were not watched for races, or not to the end: what is remembered of "
        "it reached its limit. Give it more with lab run --check-memory MIB, or run a smaller case";
    list.push_back(std::move(note));
  }
  return list;
}

}  // namespace lab::sim
