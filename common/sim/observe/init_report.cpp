// What the check of uninitialised reads says: who reads what, where its value should have come from.
//
// Enters: marks of a lane, at least one of them missing. Leaves: faults with their sentences.
#include <algorithm>
#include <string>
#include <string_view>

#include "common/sim/observe/init_check.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

constexpr std::string_view kWentInto = ". What it read went into ";

// Of a chain of such reads the first one is told, and this one, which finds its value in `place`.
Fault first_of_chain(Fault source, int line, const std::string& place, const std::string& thread,
                     const std::string& at) {
  source.other_line = line;
  source.message.resize(std::min(source.message.size(), source.message.find(kWentInto)));
  if (source.message.ends_with('.')) source.message.pop_back();
  source.message =
      source.message + ". What it read went into " + place + ", which thread " + thread + " reads at " + at;
  return source;
}

std::string reader(const Fault& fault, const LaunchInfo& launch, const InstSource& source,
                   const std::string& place) {
  return "thread " + text_of(fault.thread, launch.block) + " of block " + text_of(fault.block, launch.grid) +
         " at " + line_text(source) + " reads " + place;
}

}  // namespace

Fault InitCheck::local_fault(const Access& access, std::uint32_t lane) const {
  Fault fault = fault_at(FaultKind::UninitialisedLocal, launch_, access, lane, access.address[lane]);
  fault.message = reader(fault, launch_, launch_.program->source(access.pc),
                         "byte " + std::to_string(access.address[lane]) + " of its own variables") +
                  ", which it has not written: an array of a thread starts with no value, so write every "
                  "element that is read";
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
    return first_of_chain(*at->second, fault.line, shared_place(fault, *launch_.program, offset_bytes),
                          text_of(fault.thread, launch_.block),
                          line_text(launch_.program->source(access.pc)));
  }
  fault.message = reader(fault, launch_, launch_.program->source(access.pc),
                         shared_place(fault, *launch_.program, offset_bytes)) +
                  ", which no thread has written since the block began";
  const std::string written = written_so_far(fault, slot);
  if (!written.empty()) fault.message = fault.message + "; written so far: " + written;
  fault.message += ". ";
  if (written.empty()) {
    fault.message += "Shared memory starts with no value: store to it before you read.";
    if (launch_.program->data().names_peers)
      fault.message +=
          " Where a thread of another block of the cluster stores it, put cluster.sync() before this read, "
          "or "
          "wait for a barrier at which that thread arrives behind its store.";
    else if (launch_.block.count() > 1)
      fault.message += " Where another thread stores it, put __syncthreads() before this read.";
  } else if (!slot.synchronised && launch_.block.count() > 1) {
    fault.message += "No barrier came before: put __syncthreads() between the stores and this read.";
  } else {
    fault.message += "Compare the index of the store with the index of this read, and their guards.";
  }
  return fault;
}

// "`tile` + 0 bytes to `tile` + 124 bytes, `tile` + 512 bytes, …": the first runs of neighbours in the
// variable of the fault; "" when nothing of it is written.
std::string InitCheck::written_so_far(Fault& fault, const Slot& slot) const {
  constexpr int kMostRuns = 3;
  const std::uint64_t end =
      fault.array_bytes != 0 ? (std::uint64_t{fault.array_offset_bytes} + fault.array_bytes) >> granule_shift_
                             : slot.written_by.size();
  const auto written = [&](std::uint64_t g) { return slot.written_by[g] == slot.block; };
  std::string text;
  int runs = 0;
  for (std::uint64_t g = fault.array_offset_bytes >> granule_shift_; g < end; ++g) {
    if (!written(g)) continue;
    const std::uint64_t first = g;
    while (g + 1 < end && written(g + 1)) ++g;
    if (runs++ == kMostRuns) return text + ", …";
    if (!text.empty()) text += ", ";
    const std::string from = shared_place(fault, *launch_.program, first << granule_shift_);
    const std::string to = shared_place(fault, *launch_.program, g << granule_shift_);
    text += from == to ? from : from + "–" + to;
  }
  return text;
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
  const std::string place = buffer_place(allocation, fault.address);
  const bool valueless = *marks == Allocation::kValueless;
  const auto at = slot.passed_on_global.find(fault.address);
  if (valueless && at != slot.passed_on_global.end())
    return first_of_chain(*at->second, fault.line, place, text_of(fault.thread, launch_.block),
                          line_text(source));
  const std::string reads = reader(fault, launch_, source, place);
  if (valueless) {
    fault.message = reads +
                    ", where a kernel stored what has no value: it had read it from memory that nobody has "
                    "written. Look for where that kernel got it from, and write that first";
  } else {
    fault.message = reads +
                    ", which nobody has written: new device memory has no value, "
                    "so write it, in the kernel or by a copy, before it is read";
  }
  return fault;
}

}  // namespace lab::sim
