// The messages of the check of uninitialised reads: the reader, the place, the store that is missing.
//
// Enters: marks of a lane, at least one of them missing. Leaves: faults with their sentences.
#include <string>

#include "common/sim/base/kernel_name.h"
#include "common/sim/observe/barrier_place.h"
#include "common/sim/observe/init_check.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

// Such reads come in chains: the first one is reported, and this one, which finds its value in `place`.
Fault first_of_chain(Fault source, int line, const Message& place, const std::string& thread,
                     const Message& at) {
  source.other_line = line;
  source.went_into = msg("What it read went into {}, which thread {} reads at {}", place, thread, at);
  return source;
}

Message reader(const Fault& fault, const LaunchInfo& launch, const InstSource& source, const Message& place) {
  return msg("thread {} of block {} at {} reads {}", text_of(fault.thread, launch.block),
             text_of(fault.block, launch.grid), line_text(source), place);
}

}  // namespace

Fault InitCheck::local_fault(const Access& access, std::uint32_t lane) const {
  Fault fault = fault_at(FaultKind::UninitialisedLocal, launch_, access, lane, access.address[lane]);
  fault.fix = {Fix::Act::Initialise, fault.file, 0, fault.line};
  fault.message =
      msg("{}, which it has not written: an array of a thread starts with no value, so write every element "
          "that is read",
          reader(fault, launch_, launch_.program->source(access.pc),
                 msg("byte {} of its own variables", access.address[lane])));
  return fault;
}

void InitCheck::report_shared(const Access& access, std::uint32_t lane, const std::uint8_t* marks,
                              const Slot& slot) const {
  throw FaultError(shared_fault(access, lane, marks, slot));
}

Fault InitCheck::shared_fault(const Access& access, std::uint32_t lane, const std::uint8_t* marks,
                              const Slot& slot) const {
  while (*marks == slot.block) ++marks;
  const std::uint64_t offset_bytes = static_cast<std::uint64_t>(marks - slot.written_by.data())
                                     << granule_shift_;
  Fault fault = fault_at(FaultKind::UninitialisedShared, launch_, access, lane, offset_bytes);
  if (const auto at = slot.passed_on.find(offset_bytes >> granule_shift_); at != slot.passed_on.end()) {
    return first_of_chain(*at->second, fault.line, shared_place(*launch_.program, offset_bytes),
                          text_of(fault.thread, launch_.block),
                          line_text(launch_.program->source(access.pc)));
  }
  fault.message = msg("{}, which no thread has written since the block began",
                      reader(fault, launch_, launch_.program->source(access.pc),
                             shared_place(*launch_.program, offset_bytes)));
  const Message written = written_so_far(fault, slot);
  const bool others = launch_.block.count() > 1;
  // Another thread's store stands right before it, or should have come before any barrier.
  const InstSource store =
      others ? store_without_barrier(*launch_.program, access.pc,
                                     launch_.block.count() <= kWarpLanes ? Meets::Warp : Meets::Block)
             : InstSource{};
  const bool by_barrier = store.line != 0 || !(written.empty() || slot.synchronised);
  fault.fix = {by_barrier ? Fix::Act::BlockBarrier : Fix::Act::Initialise,
               fault.file,
               store.line,
               fault.line,
               false,
               short_name(fault.array_name)};
  if (!written.empty()) fault.message = msg("{}; written so far: {}", fault.message, written);
  if (written.empty()) {
    fault.message.then("Shared memory starts with no value: store to it before you read.");
    if (launch_.program->data().names_peers)
      fault.message.then(
          "Where a thread of another block of the cluster stores it, put cluster.sync() before this read, or "
          "wait for a barrier at which that thread arrives behind its store.");
    else if (others)
      fault.message.then("Where another thread stores it, put __syncthreads() before this read.");
  } else if (!slot.synchronised && others) {
    fault.message.then("No barrier came before: put __syncthreads() between the stores and this read.");
  } else if (store.line != 0) {
    fault.message.then(
        msg("Where {} is to store it, put __syncthreads() between that and {}; else compare "
            "the index of the store with the index of this read, and their guards.",
            line_text(store), line_text(launch_.program->source(access.pc))));
  } else if (const InstSource only = only_shared_store(*launch_.program); only.line != 0) {
    fault.message.then(
        msg("Compare the index of the store at {} with the index of this read, and their guards.",
            line_text(only)));
  } else {
    fault.message.then("Compare the index of the store with the index of this read, and their guards.");
  }
  return fault;
}

// "`tile` + 0 bytes to `tile` + 124 bytes, `tile` + 512 bytes, …, `tile` + 4 bytes": the first runs of neighbours in the
// variable of the fault, and the last; "" when nothing of it is written.
Message InitCheck::written_so_far(const Fault& fault, const Slot& slot) const {
  constexpr int kMostRuns = 3;
  const std::uint64_t end =
      fault.array_bytes != 0 ? (std::uint64_t{fault.array_offset_bytes} + fault.array_bytes) >> granule_shift_
                             : slot.written_by.size();
  const auto written = [&](std::uint64_t g) { return slot.written_by[g] == slot.block; };
  Message text, last;
  int runs = 0;
  for (std::uint64_t g = fault.array_offset_bytes >> granule_shift_; g < end; ++g) {
    if (!written(g)) continue;
    const std::uint64_t first = g;
    while (g + 1 < end && written(g + 1)) ++g;
    last = shared_places(*launch_.program, first << granule_shift_, g << granule_shift_);
    if (++runs <= kMostRuns) text = text.empty() ? last : msg("{}, {}", text, last);
  }
  return runs <= kMostRuns       ? text
         : runs == kMostRuns + 1 ? msg("{}, {}", text, last)
                                 : msg("{}, …, {}", text, last);
}

void InitCheck::report_global(const Access& access, std::uint32_t lane, const Allocation& allocation,
                              const std::uint8_t* marks, const Slot& slot) const {
  throw FaultError(global_fault(access, lane, allocation, marks, slot));
}

Fault InitCheck::global_fault(const Access& access, std::uint32_t lane, const Allocation& allocation,
                              const std::uint8_t* marks, const Slot& slot) const {
  while (*marks == Allocation::kWritten) ++marks;
  const auto offset_bytes = static_cast<std::uint64_t>(marks - allocation.written);
  const InstSource& source = launch_.program->source(access.pc);
  Fault fault = fault_at(FaultKind::PoisonedGlobal, launch_, access, lane, allocation.base + offset_bytes);
  const Message place = buffer_place(allocation, fault.address);
  const bool valueless = *marks == Allocation::kValueless;
  const auto at = slot.passed_on_global.find(fault.address);
  if (valueless && at != slot.passed_on_global.end())
    return first_of_chain(*at->second, fault.line, place, text_of(fault.thread, launch_.block),
                          line_text(source));
  const Message reads = reader(fault, launch_, source, place);
  if (valueless) {
    fault.message =
        msg("{}, where a kernel stored what has no value: it had read it from memory that was never written. "
            "Look for where that kernel got it from, and write that first",
            reads);
  } else {
    fault.message =
        msg("{}, which was never written: new device memory has no value, so write it, in the kernel or by "
            "a copy, before it is read",
            reads);
  }
  return fault;
}

}  // namespace lab::sim
