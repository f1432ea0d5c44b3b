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
  fault.message =
      "shared memory " + shared_place(fault, *launch_.program, offset) + " of block " +
      text_of(fault.block, launch_.grid) + " is read by the product (wgmma) at " + line_of(access.pc) +
      ", and " + name_of(touch.thread()) + " wrote it at " + line_of(touch.pc()) +
      " with no fence.proxy.async between: the tensor cores may not see what was written. Let each "
      "writing thread execute fence.proxy.async.shared::cta before the barrier";
  throw FaultError(std::move(fault));
}

void EngineCheck::report_unfenced(const Running& copy, const Touch& touch, std::uint32_t offset,
                                  const EngineEvent& event) const {
  report_start(FaultKind::ProxyFence, event, offset,
               " is read by the copy at " + line_of(copy.pc) + ", and " + name_of(touch.thread()) +
                   " wrote it at " + line_of(touch.pc()) +
                   " with no fence.proxy.async between: the TMA unit may not see what was written. Let "
                   "each writing "
                   "thread execute fence.proxy.async.shared::cta before the barrier");
}

void EngineCheck::report_overlap(const Running& copy, const Running& other, const EngineEvent& event) const {
  const std::string did = copy.writes ? " is written" : " is read", here = line_of(copy.pc);
  const std::uint32_t where = std::max(copy.low, other.low);
  if (other.by_warpgroup)
    report_start(
        FaultKind::AsyncEarly, event, where,
        did + " by the copy at " + here + " while the product (wgmma) at " + line_of(other.pc) +
            " may still read it. Put wgmma.wait_group behind the product, and let its threads arrive "
            "at an mbarrier that the copying thread waits for");
  const std::string wait =
      other.writes ? "Wait for the barrier of that copy first"
                   : "Put cp.async.bulk.wait_group.read 0 before, and a barrier if another thread waits";
  report_start(FaultKind::AsyncEarly, event, where,
               did + " by the copy at " + here + " while the copy at " + line_of(other.pc) +
                   (other.writes ? " still writes it. " : " may still read it. ") + wait);
}

void EngineCheck::report_race(const Running& copy, const Touch& touch, bool wrote, std::uint32_t offset,
                              const EngineEvent& event) const {
  const char* const did = wrote ? " wrote it at " : " read it at ";
  report_start(FaultKind::SharedRace, event, offset,
               std::string(copy.writes ? " is written" : " is read") + " by the copy that " +
                   name_of(copy.thread) + " starts at " + line_of(copy.pc) + ", and " +
                   name_of(touch.thread()) + did + line_of(touch.pc()) +
                   " with no barrier between: put __syncthreads() between, or let the threads arrive at "
                   "an mbarrier "
                   "that the copying thread waits for");
}

void EngineCheck::report_unwaited(const Running& copy, const WarpPlace& place) const {
  EngineEvent event;
  event.pc = copy.pc;
  event.place = &place;
  event.lanes = 1;
  report_start(
      FaultKind::AsyncEarly, event, copy.low,
      copy.writes ? " is written by the copy at " + line_of(copy.pc) +
                        ", and the block ends with nobody having waited for it: the memory may be gone. Wait "
                        "for its barrier before the block returns"
      : copy.by_warpgroup
          ? " is read by the product (wgmma) at " + line_of(copy.pc) +
                ", and the block ends without waiting: its results may not be there yet. Put "
                "wgmma.commit_group.sync.aligned behind the last product and wgmma.wait_group.sync.aligned "
                "0 "
                "behind that"
          : " is read by the copy at " + line_of(copy.pc) +
                ", and the block ends without waiting: the memory may be gone before it was read. Put "
                "cp.async.bulk.commit_group behind the last copy and cp.async.bulk.wait_group.read 0 "
                "behind that");
}

void EngineCheck::report_unwritten(const Access& access, std::uint32_t lane, std::uint32_t copy_pc) const {
  Fault fault = fault_at(FaultKind::AsyncEarly, launch_, access, lane, access.address[lane]);
  const std::string thread = text_of(fault.thread, launch_.block), block = text_of(fault.block, launch_.grid),
                    line = line_text(launch_.program->source(access.pc));
  const std::string act = sim::writes(access.path)
                              ? "thread " + thread + " of block " + block + " writes global memory at " + line
                              : "thread " + thread + " of block " + block + " reads global memory at " + line;
  fault.message = act + ", which the copy at " + line_of(copy_pc) +
                  " may still write: let the thread that copies wait for all of it before "
                  "(cp.async.bulk.wait_group 0; with .read it waits for the source alone), then put "
                  "__syncthreads() if another thread touches it";
  throw FaultError(std::move(fault));
}

void EngineCheck::report_early(const Access& access, std::uint32_t lane, const Running& copy) const {
  const auto offset = static_cast<std::uint32_t>(access.address[lane]);
  Fault fault = fault_at(FaultKind::AsyncEarly, launch_, access, lane, offset);
  const std::string did = sim::writes(access.path) ? " writes " : " reads ";
  fault.message = "thread " + text_of(fault.thread, launch_.block) + " of block " +
                  text_of(fault.block, launch_.grid) + did + shared_place(fault, *launch_.program, offset) +
                  " at " + line_text(launch_.program->source(access.pc));
  if (copy.writes) {
    fault.message +=
        copy.landed ? ", which the copy at " + line_of(copy.pc) +
                          " wrote, and this thread has not waited for its barrier: wait for the phase "
                          "(mbarrier.try_wait) before the tile is touched, or put __syncthreads() behind the "
                          "wait of another thread"
                    : ", which the copy at " + line_of(copy.pc) +
                          " still writes: wait for the phase of its barrier (mbarrier.try_wait, with the "
                          "parity of that phase: 0 for the first) before the tile is touched";
  } else if (copy.by_warpgroup) {
    fault.message +=
        ", which the product (wgmma) at " + line_of(copy.pc) +
        " may still read: let its warps wait (wgmma.wait_group), then put a barrier before the tile is "
        "written again";
  } else {
    fault.message +=
        ", which the copy at " + line_of(copy.pc) +
        " may still read: let the thread that copies wait (cp.async.bulk.wait_group.read 0), then put "
        "__syncthreads() before the tile is written again";
  }
  throw FaultError(std::move(fault));
}

void EngineCheck::report_start(FaultKind kind, const EngineEvent& event, std::uint32_t offset,
                               const std::string& message) const {
  Access access;
  access.pc = event.pc;
  access.place = event.place;
  Fault fault =
      fault_at(kind, launch_, access, static_cast<std::uint32_t>(std::countr_zero(event.lanes)), offset);
  fault.message = "shared memory " + shared_place(fault, *launch_.program, offset) + " of block " +
                  text_of(fault.block, launch_.grid) + message;
  throw FaultError(std::move(fault));
}

std::string EngineCheck::line_of(std::uint32_t pc) const { return line_text(launch_.program->source(pc)); }

std::string EngineCheck::name_of(std::uint32_t thread) const {
  return "thread " + text_of(thread, launch_.block);
}

}  // namespace lab::sim
