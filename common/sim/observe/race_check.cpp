// The race check as an observer: which touch an access is, and the words for a collision.
//
// Enters: accesses to shared memory. Leaves: FaultError.
#include "common/sim/observe/race_check.h"

#include <string>
#include <string_view>

#include "common/sim/observe/place_text.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

// "thread (3,4) of block (0,0) writes `tile` + 4 bytes at line 21".
std::string act(Touch touch, const std::string& thread, const std::string& block, const std::string& place,
                const std::string& line) {
  if (touch == Touch::Read)
    return "thread " + thread + " of block " + block + " reads " + place + " at " + line;
  return touch == Touch::Write
             ? "thread " + thread + " of block " + block + " writes " + place + " at " + line
             : "thread " + thread + " of block " + block + " changes atomically " + place + " at " + line;
}

// "which thread (1,2) read at line 27".
std::string earlier_act(Touch touch, const std::string& who, const std::string& line) {
  if (touch == Touch::Read) return "which thread " + who + " read at " + line;
  return touch == Touch::Write ? "which thread " + who + " wrote at " + line
                               : "which thread " + who + " changed atomically at " + line;
}

// "between line 21 and line 27"; or, when the later access stands above the earlier one, in a loop.
std::string where_to_put(const InstSource& earlier, const InstSource& later) {
  if (earlier.line != 0 && earlier.line == later.line && earlier.file == later.file) {
    return "between one run of " + line_text(earlier) +
           " and the next; if several threads change one element there, it needs an atomic (atomicAdd)";
  }
  if (earlier.line > later.line && later.line != 0 && earlier.file == later.file) {
    return "after " + line_text(earlier) + ", before " + line_text(later) + " runs again";
  }
  return "between " + line_text(earlier) + " and " + line_text(later);
}

}  // namespace

std::unique_ptr<Observer> RaceCheck::clone() const { return std::make_unique<RaceCheck>(); }

void RaceCheck::launch_begin(const LaunchInfo& info) {
  launch_ = info;
  if (launch_.smallest_shared_access_bytes == 0) launch_.smallest_shared_access_bytes = 1;
  sites_.assign(info.program->instruction_count(), Site{});
  site_count_ = 0;
  slots_.clear();
}

void RaceCheck::block_begin(std::uint32_t slot, const WarpPlace& /*place*/) {
  if (launch_.shared_bytes == 0) return;
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  if (slots_[slot] == nullptr) {
    slots_[slot] =
        std::make_unique<RaceShadow>(launch_.shared_bytes, launch_.smallest_shared_access_bytes, site_count_);
  }
  slots_[slot]->barrier();  // nothing of the block before matters any more
}

void RaceCheck::barrier(std::uint32_t slot) {
  if (slot < slots_.size()) slots_[slot]->barrier();
}

void RaceCheck::warp_sync(std::uint32_t slot, std::uint32_t warp, Mask mask) {
  if (slot < slots_.size()) slots_[slot]->warp_sync(warp, mask);
}

RaceCheck::Site& RaceCheck::site_of(std::uint32_t pc) {
  Site& site = sites_[pc];
  if (site.number != 0) return site;
  site.number = ++site_count_;
  const std::string text = launch_.program->source(pc).text;
  site.strong = launch_.program->data().code[pc].checked_by_cas;
  for (const std::string_view word : {".relaxed", ".acquire", ".release"}) {
    site.strong = site.strong || text.find(word) != std::string::npos;
  }
  for (auto& slot : slots_) {
    if (slot != nullptr) slot->add_sites(site_count_);
  }
  return site;
}

void RaceCheck::access(std::uint32_t slot, const Access& access) {
  if (access.space != Space::Shared) return;
  const Site& site = site_of(access.pc);
  const Direction direction = info(access.path).direction;
  const bool atomic = site.strong || direction == Direction::Update;
  const Touch how = atomic ? Touch::Atomic : direction == Direction::Read ? Touch::Read : Touch::Write;
  Collision collision;
  if (slots_[slot]->touch(access, how, site.number - 1, collision)) report(access, how, collision);
}

void RaceCheck::report(const Access& access, Touch how, const Collision& collision) const {
  const Program& program = *launch_.program;
  const std::uint32_t thread = access.place->first_thread + collision.lane;
  const bool same_warp = thread / kWarpLanes == collision.earlier_thread / kWarpLanes;
  const bool lanes_of_one_store = collision.same_instruction;
  const std::uint64_t offset = std::uint64_t{collision.granule} * launch_.smallest_shared_access_bytes;
  const FaultKind kind =
      same_warp && !lanes_of_one_store ? FaultKind::MissingSyncwarp : FaultKind::SharedRace;
  Fault fault = fault_at(kind, launch_, access, collision.lane, offset);
  const InstSource later = program.source(access.pc), earlier = program.source(collision.earlier_pc);
  const std::string me = text_of(fault.thread, launch_.block);
  const std::string other = text_of(thread_at(collision.earlier_thread, launch_.block), launch_.block);
  const std::string block = text_of(fault.block, launch_.grid);
  const std::string place = shared_place(program, offset);
  if (lanes_of_one_store) {
    fault.message = "threads " + me + " and " + other + " of block " + block + " write different values to " +
                    place + " at " + line_text(later) +
                    " in one instruction, and nobody knows which one stays: let one thread " +
                    "write, or give each its own place";
    throw FaultError(std::move(fault));
  }
  const std::string now = act(how, me, block, place, line_text(later));
  const std::string before = earlier_act(collision.earlier, other, line_text(earlier));
  const std::string put = where_to_put(earlier, later);
  // Two stores of one line: a barrier would only decide who is last.
  const bool one_place = how == Touch::Write && collision.earlier == Touch::Write && earlier.line != 0 &&
                         earlier.line == later.line && earlier.file == later.file;
  // Lanes of one warp are met first; most often the block as a whole shares the place.
  const bool alone = launch_.block.count() <= kWarpLanes;
  fault.message = one_place ? now + ", " + before +
                                  ": two threads have one place, and nobody knows which value stays. Give "
                                  "each its own: do rows overlap, or do two indices name one element?"
                  : !same_warp ? now + ", " + before + ", with no barrier between: put __syncthreads() " + put
                  : alone      ? now + ", " + before +
                                ", both in one warp, with no __syncwarp between: put __syncwarp() " + put
                          : now + ", " + before +
                                ", both in one warp, and nothing between orders them: put __syncthreads() " +
                                put + "; __syncwarp() is enough where no other warp touches it";
  throw FaultError(std::move(fault));
}

}  // namespace lab::sim
