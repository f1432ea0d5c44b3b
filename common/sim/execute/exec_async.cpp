// cp.async: copies from global to shared memory that land when the thread waits for them.
//
// Enters: an address in each memory. Leaves: the global bytes read and checked at once, kept in the warp,
// and written to shared memory by the wait. A GPU may let a copy land at any time from its start on; landing
// as late as possible shows a missing wait: a read before it finds no value. Observers see the
// global side at the start and the shared side when it lands, both (paths GlobalAsync and SharedAsync). What
// a thread never waits for never lands.
#include <algorithm>
#include <bit>
#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/mbarrier.h"
#include "common/sim/program/work.h"

namespace lab::sim {
namespace {

// A loop that starts copies and never waits must not fill the host's memory: the oldest land, as they may.
constexpr std::size_t kMostOnTheWay = 1024;

// How many bytes the lane reads; the rest of its copy is zeros.
std::uint32_t source_bytes(const WarpContext& w, const Inst& inst, const AsyncCopyInfo& info, int lane) {
  if (info.has_ignore && ((w.predicate(info.ignore) >> lane) & 1u) != 0) return 0;
  if (!is_set(info.source_bytes)) return inst.elem_bytes;
  const std::uint64_t bytes = lane_value(w, info.source_bytes, lane);
  if (bytes > inst.elem_bytes) {
    w.block->fault(FaultKind::OutOfBounds, w, inst.pc, lane, 0,
                   msg("{} copies {} bytes and asks for {} of them from the source. Ask for no more than the "
                       "copy holds.",
                       w.block->thread_name(w, lane), inst.elem_bytes, bytes));
  }
  return static_cast<std::uint32_t>(bytes);
}

// Reads `width` bytes for every lane of w.mask, and says so to the observers.
void fetch(WarpContext& w, const Inst& inst, AddressRow& row, std::uint32_t width, std::byte* to,
           std::size_t step) {
  describe_row(row, w.mask);
  w.block->extra_work += work_of_access(std::popcount(w.mask), width, row.affine);
  const std::optional<HostBase> base = resolve(w, inst, Space::Global, row, width, Direction::Read);
  if (w.block->observed()) report_read(w, inst, Space::Global, Path::GlobalAsync, row, base, width);
  gather_memory(w, inst, Space::Global, row, base, width, to, step);
}

void read_source(WarpContext& w, const Inst& inst, AsyncCopy& copy) {
  const AsyncCopyInfo& info = w.block->launch().program->async_copies[inst.extra];
  Inst source = inst;
  source.a = info.from;
  source.immediate = info.from_offset;
  AddressRow from;
  compute_addresses(w, source, from);
  const Mask all = w.mask;
  std::uint32_t bytes[kWarpLanes] = {};
  Copy event{.pc = inst.pc, .width_bytes = inst.elem_bytes, .bypass = info.bypass, .mask = all};
  for (const int k : lanes_of<int>(all)) {
    bytes[k] = source_bytes(w, inst, info, k);
    if (bytes[k] != 0) event.reads |= 1u << k;
    if (bytes[k] == inst.elem_bytes) event.whole |= 1u << k;
    event.read_bytes += bytes[k];
  }
  event.from = from.at;
  event.to = copy.to.data();
  event.place = w.place;
  if (w.block->observed()) w.block->report(event);
  const Mask whole = event.whole;
  if (whole != 0) {
    w.mask = whole;
    fetch(w, inst, from, inst.elem_bytes, copy.data.data(), inst.elem_bytes);
  }
  for (const std::size_t k : lanes_of<std::size_t>(all & ~whole)) {
    w.mask = Mask{1} << k;
    AddressRow row = from;
    for (std::uint32_t b = 0; b < bytes[k]; ++b, ++row.at[k]) {
      fetch(w, inst, row, 1, copy.data.data() + b, inst.elem_bytes);
    }
  }
  w.mask = all;
}

// Writes the lanes of one copy to shared memory.
void land(WarpContext& w, AsyncCopy& copy, Mask lanes) {
  const Mask before = w.mask;
  const Inst& inst = w.block->launch().program->code[copy.pc];
  AddressRow row;
  std::copy(copy.to.begin(), copy.to.end(), row.at);
  w.mask = lanes;
  describe_row(row, lanes);
  if (w.block->observed()) {
    report_access(w, inst, Space::Shared, Path::SharedAsync, row, inst.elem_bytes, copy.data.data());
  }
  for (const std::size_t k : lanes_of<std::size_t>(lanes)) {
    std::memcpy(w.block->shared.data() + copy.to[k], copy.data.data() + k * inst.elem_bytes, inst.elem_bytes);
  }
  copy.lanes &= ~lanes;
  w.mask = before;
}

}  // namespace

void exec_async_copy(WarpContext& w, const Inst& inst) {
  Warp& warp = w.block->warp_of(w);
  AddressRow to;
  compute_addresses(w, inst, to);
  resolve(w, inst, Space::Shared, to, inst.elem_bytes, Direction::Write);
  if (warp.copies.size() == kMostOnTheWay) {
    w.block->extra_work += kMostOnTheWay;  // all of them move up
    land(w, warp.copies.front(), warp.copies.front().lanes);
    warp.copies.erase(warp.copies.begin());
  }
  AsyncCopy& copy = warp.copies.emplace_back();
  copy.pc = inst.pc;
  copy.lanes = w.mask;
  copy.group = warp.copy_groups;
  std::copy(std::begin(to.at), std::end(to.at), copy.to.begin());
  read_source(w, inst, copy);
}

void exec_async_commit(WarpContext& w, const Inst& /*inst*/) {
  Warp& warp = w.block->warp_of(w);
  for (const std::size_t lane : lanes_of<std::size_t>(w.mask)) {
    ++warp.copy_groups[lane];
  }
}

// The barrier may let others go when the copies are there: here they are there at once. Without .noinc one
// more arrival is expected and comes, which changes nothing.
void exec_async_arrive(WarpContext& w, const Inst& inst) {
  AddressRow barrier;
  shared_addresses(w, inst, barrier, 8);
  Warp& warp = w.block->warp_of(w);
  for (const int lane : lanes_of<int>(w.mask)) {
    w.block->notify<&Observer::copies_arrive>(w.place->warp, Mask{1} << lane, kInShared + barrier.at[lane]);
    let_copies_be_late(*w.block, static_cast<std::uint32_t>(barrier.at[lane]));
  }
  for (AsyncCopy& copy : warp.copies) {
    if (const Mask lanes = copy.lanes & w.mask; lanes != 0) land(w, copy, lanes);
  }
  std::erase_if(warp.copies, [](const AsyncCopy& copy) { return copy.lanes == 0; });
  if (inst.extra == 0) return;
  for (const int lane : lanes_of<int>(w.mask)) {
    mbarrier_arrive(w, inst, lane, barrier.at[lane]);
  }
}

void exec_async_wait(WarpContext& w, const Inst& inst) {
  Warp& warp = w.block->warp_of(w);
  w.block->notify<&Observer::copies_waited>(w.place->warp, w.mask);
  for (AsyncCopy& copy : warp.copies) {
    Mask done = 0;
    for (const std::size_t k : lanes_of<std::size_t>(copy.lanes & w.mask)) {
      const std::uint64_t newest = copy.group[k] + static_cast<std::uint64_t>(inst.immediate);
      if (inst.immediate == kWaitForAll || newest < warp.copy_groups[k]) done |= Mask{1} << k;
    }
    if (done != 0) land(w, copy, done);
  }
  std::erase_if(warp.copies, [](const AsyncCopy& copy) { return copy.lanes == 0; });
}

}  // namespace lab::sim
