// What the check of the TMA unit says: which copy and which thread meet, and what is missing between them.
//
// Enters: accesses and copies that nothing orders. Leaves: FaultError with its sentence.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "common/sim/observe/engine_check.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/program/program.h"

namespace lab::sim {

void EngineCheck::report_unfenced(const Access& access, std::uint32_t lane, std::uint32_t offset,
                                  const Touch& touch) const {
  Fault fault = fault_at(FaultKind::ProxyFence, launch_, access, lane, offset);
  fault.fix = {Fix::Act::Fence, fault.file, launch_.program->source(touch.pc()).line, fault.line};
  fault.message =
      msg("shared memory {} of block {} is read by the product (wgmma) at {}, and {} wrote it at {} with no "
          "fence.proxy.async between: the tensor cores may not see what was written. Let each writing thread "
          "execute fence.proxy.async.shared::cta before the barrier",
          shared_place(*launch_.program, offset), text_of(fault.block, launch_.grid), line_of(access.pc),
          name_of(touch.thread()), line_of(touch.pc()));
  throw FaultError(std::move(fault));
}

void EngineCheck::report_unfenced(const Running& copy, const Touch& touch, std::uint32_t offset,
                                  const EngineEvent& event) const {
  report_start(FaultKind::ProxyFence, event, offset,
               msg(" is read by the copy at {}, and {} wrote it at {} with no fence.proxy.async between: the "
                   "TMA unit may not see what was written. Let each writing thread execute "
                   "fence.proxy.async.shared::cta before the barrier",
                   line_of(copy.pc), name_of(touch.thread()), line_of(touch.pc())));
}

void EngineCheck::report_overlap(const Running& copy, const Running& other, const EngineEvent& event) const {
  const Message did = copy.writes ? " is written" : " is read", here = line_of(copy.pc);
  const std::uint32_t where = std::max(copy.low, other.low);
  if (other.by_warpgroup)
    report_start(
        FaultKind::AsyncEarly, event, where,
        msg("{} by the copy at {} while the product (wgmma) at {} may still read it. Put wgmma.wait_group "
            "behind the product, and let its threads arrive at an mbarrier that the copying thread waits for",
            did, here, line_of(other.pc)));
  if (copy.writes && other.writes && copy.pc == other.pc && copy.low == other.low &&
      copy.thread != other.thread)
    report_start(
        FaultKind::AsyncEarly, event, where,
        msg(" is written by the copy at {}, which {} and {} both start. Let one thread of the block start "
            "it: where a block has rows of threads, compare threadIdx.x and threadIdx.y with 0",
            here, name_of(other.thread), name_of(copy.thread)),
        About::OnePlace);
  const Message wait =
      other.writes ? "Wait for the barrier of that copy first"
                   : "Put cp.async.bulk.wait_group.read 0 before, and a barrier if another thread waits";
  report_start(FaultKind::AsyncEarly, event, where,
               msg("{} by the copy at {} while the copy at {}{}{}", did, here, line_of(other.pc),
                   other.writes ? " still writes it. " : " may still read it. ", wait));
}

void EngineCheck::report_race(const Running& copy, const Touch& touch, bool wrote, std::uint32_t offset,
                              const EngineEvent& event) const {
  const char* const did = wrote ? " wrote it at " : " read it at ";
  report_start(
      FaultKind::SharedRace, event, offset,
      msg("{} by the copy that {} starts at {}, and {}{}{} with no barrier between: put __syncthreads() "
          "between, or let the threads arrive at an mbarrier that the copying thread waits for",
          copy.writes ? " is written" : " is read", name_of(copy.thread), line_of(copy.pc),
          name_of(touch.thread()), did, line_of(touch.pc())));
}

void EngineCheck::report_unwaited(const Running& copy, const WarpPlace& place) const {
  EngineEvent event;
  event.pc = copy.pc;
  event.place = &place;
  event.lanes = 1;
  report_start(
      FaultKind::AsyncEarly, event, copy.low,
      copy.writes ? msg(" is written by the copy at {}, and the block ends without having waited for it: "
                        "the memory may be gone. Wait for its barrier before the block returns",
                        line_of(copy.pc))
      : copy.by_warpgroup ? msg(" is read by the product (wgmma) at {}, and the block ends without waiting: "
                                "its results may not be there yet. Put wgmma.commit_group.sync.aligned "
                                "behind the last product and wgmma.wait_group.sync.aligned 0 behind that",
                                line_of(copy.pc))
                          : msg(" is read by the copy at {}, and the block ends without waiting: the memory "
                                "may be gone before it was read. Put cp.async.bulk.commit_group behind the "
                                "last copy and cp.async.bulk.wait_group.read 0 behind that",
                                line_of(copy.pc)));
}

void EngineCheck::report_unwritten(const Access& access, std::uint32_t lane, std::uint32_t copy_pc) const {
  Fault fault = fault_at(FaultKind::AsyncEarly, launch_, access, lane, access.address[lane]);
  const std::string thread = text_of(fault.thread, launch_.block), block = text_of(fault.block, launch_.grid);
  const Message line = line_text(launch_.program->source(access.pc));
  const Message act = sim::writes(access.path)
                          ? msg("thread {} of block {} writes global memory at {}", thread, block, line)
                          : msg("thread {} of block {} reads global memory at {}", thread, block, line);
  fault.fix = {Fix::Act::BulkWait, fault.file, launch_.program->source(copy_pc).line, fault.line};
  fault.message =
      msg("{}, which the copy at {} may still write: let the thread that copies wait for all of it before "
          "(cp.async.bulk.wait_group 0; with .read it waits for the source alone), then put __syncthreads() "
          "if another thread touches it",
          act, line_of(copy_pc));
  throw FaultError(std::move(fault));
}

void EngineCheck::report_early(const Access& access, std::uint32_t lane, const Running& copy) const {
  const auto offset = static_cast<std::uint32_t>(access.address[lane]);
  Fault fault = fault_at(FaultKind::AsyncEarly, launch_, access, lane, offset);
  const char* const did = sim::writes(access.path) ? " writes " : " reads ";
  fault.message = msg("thread {} of block {}{}{} at {}", text_of(fault.thread, launch_.block),
                      text_of(fault.block, launch_.grid), did, shared_place(*launch_.program, offset),
                      line_text(launch_.program->source(access.pc)));
  if (copy.writes) {
    fault.about = About::CopyInto;
    fault.message += copy.landed ? msg(", which the copy at {} wrote, and this thread has not waited for its "
                                       "barrier: wait for the phase (mbarrier.try_wait) before the tile is "
                                       "touched, or put __syncthreads() behind the wait of another thread",
                                       line_of(copy.pc))
                                 : msg(", which the copy at {} still writes: wait for the phase of its "
                                       "barrier (mbarrier.try_wait, with the parity of that phase: 0 for the "
                                       "first) before the tile is touched",
                                       line_of(copy.pc));
  } else if (copy.by_warpgroup) {
    fault.message +=
        msg(", which the product (wgmma) at {} may still read: let its warps wait (wgmma.wait_group), then "
            "put a barrier before the tile is written again",
            line_of(copy.pc));
  } else {
    fault.message +=
        msg(", which the copy at {} may still read: let the thread that copies wait "
            "(cp.async.bulk.wait_group.read 0), then put __syncthreads() before the tile is written again",
            line_of(copy.pc));
  }
  throw FaultError(std::move(fault));
}

void EngineCheck::report_start(FaultKind kind, const EngineEvent& event, std::uint32_t offset,
                               const Message& message, About about) const {
  Access access;
  access.pc = event.pc;
  access.place = event.place;
  Fault fault =
      fault_at(kind, launch_, access, static_cast<std::uint32_t>(std::countr_zero(event.lanes)), offset);
  fault.message = msg("shared memory {} of block {}{}", shared_place(*launch_.program, offset),
                      text_of(fault.block, launch_.grid), message);
  fault.about = about;
  throw FaultError(std::move(fault));
}

Message EngineCheck::line_of(std::uint32_t pc) const { return line_text(launch_.program->source(pc)); }

Message EngineCheck::name_of(std::uint32_t thread) const {
  return msg("thread {}", text_of(thread, launch_.block));
}

}  // namespace lab::sim
