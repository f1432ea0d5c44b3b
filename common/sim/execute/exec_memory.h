// Loads, stores and atomics of a warp.
//
// Enters: an instruction with its address row. Leaves: moved bytes, and one Access reported per space
// touched.
#pragma once

#include <cstdint>
#include <optional>

#include "common/sim/base/lanes.h"
#include "common/sim/base/observer.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

// The 32 addresses of one access, and what is known of them without looking at each.
struct AddressRow : LaneRamps {
  alignas(64) std::uint64_t at[kWarpLanes];
  std::uint64_t start = 0;  // affine: lane k, if it acts, stands at start + k * stride; halves: lane 0
  std::uint64_t low = 0, high = 0;  // over the active lanes, first bytes
  std::uint64_t bits = 0;           // address_bits, where they are known; else 0
};

void compute_addresses(const WarpContext& w, const Inst& inst, AddressRow& out);
// The same, but for `at` of a row that is known to be affine without it: fill_lanes. True: it is filled.
bool describe_addresses(const WarpContext& w, const Inst& inst, AddressRow& out);
void fill_lanes(AddressRow& row);
// Rows of a matrix lie a page or more apart, where the host's own prefetcher does not follow. Two lines of
// the row that the next warp will want, if it goes on as this one did.
inline void fetch_ahead(const Allocation& allocation, DeviceAddress next, std::uint64_t span) {
  if (next - allocation.base >= allocation.size_bytes) return;
  const std::byte* at = allocation.host + (next - allocation.base);
  __builtin_prefetch(at);
  if (span > 64) __builtin_prefetch(at + 64);
}
// Where the row lies and its listeners, when it lies in the window of its instruction. Null: ask `resolve`.
const BlockRun::LastTouch* in_window(WarpContext& w, const Inst& inst, const AddressRow& row,
                                     std::uint32_t width_bytes);
// Whether an access there costs what the last one did that the window's counter has; then it has counted it.
bool costs_as_before(const WarpContext& w, const BlockRun::LastTouch& window, const AddressRow& row,
                     Space space);
// Whether no observer needs to be notified of an access in its window: it has no listener, and a counter that counted
// the same last.
bool goes_unseen(const WarpContext& w, const BlockRun::LastTouch& window, const AddressRow& row, Space space);
// Notifies the listeners of an access in its window, the counter last: what a check stops at is not counted.
void report_in_window(WarpContext& w, const Inst& inst, const BlockRun::LastTouch& window,
                      Direction direction, AddressRow& row, std::uint32_t width_bytes,
                      const std::byte* values);
void describe_row(AddressRow& row, Mask mask);  // fills all but `at`
// The bits of all addresses of these lanes, put together.
[[nodiscard]] std::uint64_t address_bits(const AddressRow& row, Mask mask);

// What turns a kernel's addresses into those of this process: zero in a program that lends its own memory. It
// is no pointer, as it may lie anywhere; nor is what an idle lane would name.
class HostBase {
 public:
  // `start` is where the kernel's address `from` lies.
  explicit HostBase(const void* start, std::uint64_t from = 0)
      : bits_(reinterpret_cast<std::uintptr_t>(start) - static_cast<std::uintptr_t>(from)) {}
  [[nodiscard]] std::byte* at(std::uint64_t address) const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<std::byte*>(bits_ + static_cast<std::uintptr_t>(address));
  }
  [[nodiscard]] HostBase plus(std::uint64_t bytes) const { return HostBase(at(bytes)); }

 private:
  std::uintptr_t bits_;
};

[[nodiscard]] inline HostBase host_of(const BlockRun::LastTouch& window) {
  return HostBase(nullptr).plus(window.host);
}

// The byte of lane k stands at(row.at[k]) (local memory: + k * local_stride), or it is a fault. All active lanes
// lie in `space`. Nothing: they lie in several allocations, take them one by one.
std::optional<HostBase> resolve(WarpContext& w, const Inst& inst, Space space, const AddressRow& row,
                                std::uint32_t width_bytes, Direction direction);

// An address row, cut into the spaces that it touches, and peers of the cluster one by one; addresses count
// inside their space, those of peers with the peer's base (cluster.h). `generic`: else they are shared
// addresses.
inline constexpr int kMostPeers = 16, kMostParts = 4 + kMostPeers;
struct SpacePart {
  Space space = Space::Global;
  Mask mask = 0;
};
// Returns how many parts; subtracts the window from each lane's address.
int split_spaces(const WarpContext& w, const Inst& inst, AddressRow& row, SpacePart (&parts)[kMostParts],
                 bool generic = true);
// Lanes of a shared access that may lie in a peer.
[[nodiscard]] bool beyond_own(const Inst& inst, const AddressRow& row);
// Calls act(space, row) for each part, with the lanes of that part alone.
template <class Act>
void in_each_space(WarpContext& w, const Inst& inst, AddressRow& row, const Act& act) {
  if (!beyond_own(inst, row)) {
    act(inst.space, row);
    return;
  }
  SpacePart parts[kMostParts];
  const int count = split_spaces(w, inst, row, parts, inst.space == Space::Generic);
  const Mask all = w.mask;
  for (int p = 0; p < count; ++p) {
    w.mask = parts[p].mask;
    AddressRow part = row;
    describe_row(part, w.mask);
    act(parts[p].space, part);
  }
  w.mask = all;
}

// The one Access of what the lanes of w.mask do. Values as in Access.
[[nodiscard]] Access access_of(const WarpContext& w, const Inst& inst, Space space, Path path,
                               const AddressRow& row, std::uint32_t width_bytes, const std::byte* value,
                               const std::byte* old_value = nullptr);
// Makes it, and hands it to the observers.
void report_access(WarpContext& w, const Inst& inst, Space space, Path path, const AddressRow& row,
                   std::uint32_t width_bytes, const std::byte* value, const std::byte* old_value = nullptr);

// Lanes that have no base in common (`resolve`): each for itself.
template <class Act>
void one_by_one(WarpContext& w, const Inst& inst, Space space, const AddressRow& row,
                std::uint32_t width_bytes, Direction direction, const Act& act) {
  const Mask all = w.mask;
  for (const std::size_t lane : lanes_of<std::size_t>(all)) {
    w.mask = Mask{1} << lane;
    AddressRow single = row;
    describe_row(single, w.mask);
    act(resolve(w, inst, space, single, width_bytes, direction).value(), single);
  }
  w.mask = all;
}

inline constexpr std::size_t kMostLaneBytes = 64;
struct LaneBytes {
  alignas(64) std::byte at[kWarpLanes * kMostLaneBytes];
};
// The bytes of each lane, `step` apart. `base` as `resolve` gave it; local addresses are offsets in the
// window.
void gather_memory(WarpContext& w, const Inst& inst, Space space, const AddressRow& row,
                   std::optional<HostBase> base, std::uint32_t width_bytes, std::byte* into,
                   std::size_t step);
// A read, with its values where an observer wants them.
void report_read(WarpContext& w, const Inst& inst, Space space, Path path, const AddressRow& row,
                 std::optional<HostBase> base, std::uint32_t width_bytes);

// Handlers by the size of one element in memory and of its register (lane_bytes); null when there is none.
// `parameter`: of the kernel, inst.immediate bytes into them, aligned and inside.
[[nodiscard]] Exec load_handler(std::uint32_t memory_bytes, std::uint32_t register_bytes, bool sign_extend,
                                bool parameter);
[[nodiscard]] Exec store_handler(std::uint32_t memory_bytes, std::uint32_t register_bytes);

// Stores as many zeros as Inst::b says, 8 bytes at a time.
void exec_fill(WarpContext& w, const Inst& inst);
// Takes away what 128 bytes of global memory of each lane hold.
void exec_discard(WarpContext& w, const Inst& inst);

// Applies a reduction to neighbouring elements in memory.
void reduce_bytes(const AtomicInfo& info, Space space, std::byte* memory, const std::byte* values,
                  std::uint32_t bytes);
// exec_atomic.cpp: atom and red; inst.extra indexes ProgramData::atomics.
void exec_atomic(WarpContext& w, const Inst& inst);

// exec_async.cpp: cp.async; inst.extra indexes ProgramData::async_copies. A wait's inst.immediate is how many
// of the newest groups may still be on their way.
inline constexpr std::int64_t kWaitForAll = -1;
void exec_async_copy(WarpContext& w, const Inst& inst);
void exec_async_commit(WarpContext& w, const Inst& inst);
void exec_async_wait(WarpContext& w, const Inst& inst);

}  // namespace lab::sim
