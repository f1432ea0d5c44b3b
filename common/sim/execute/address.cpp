// From the address row of an access to host memory, with every check on the way.
//
// Enters: addresses as the program computed them. Leaves: a host pointer, or a fault with the lane, the
// address and what is near. The common case, all lanes inside the allocation that this instruction touched
// last, costs a few comparisons.
#include <bit>

#include "common/sim/base/kernel_name.h"
#include "common/sim/base/lanes.h"
#include "common/sim/execute/cluster.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/program/work.h"

namespace lab::sim {
namespace {

int first_lane(Mask mask) { return std::countr_zero(mask) & (kWarpLanes - 1); }  // mask is never 0

// The first lane for which `bad` holds; all faults blame that one.
template <class Bad>
int find_lane(const AddressRow& row, Mask mask, Bad bad) {
  for (int k = 0; k < kWarpLanes; ++k) {
    if (lane_in(mask, k) && bad(row.at[k])) return k;
  }
  return first_lane(mask);
}

// "thread (0,0,0) of block (1,0,0) reads 4 bytes of global memory". The address says nothing more: it is the
// host's matter, and what lies near is reported.
Message act_on_global(const WarpContext& w, int lane, Direction direction, std::uint32_t width_bytes,
                      const Message& near) {
  const Message who = w.block->thread_name(w, lane);
  if (direction == Direction::Read)
    return msg("{} reads {} bytes of global memory: {}", who, width_bytes, near);
  return direction == Direction::Write
             ? msg("{} writes {} bytes of global memory: {}", who, width_bytes, near)
             : msg("{} updates {} bytes of global memory: {}", who, width_bytes, near);
}

// "thread (0,0,0) of block (1,0,0) reads 4 bytes at shared memory offset 128".
Message act(const WarpContext& w, int lane, Direction direction, std::uint32_t width_bytes,
            const Message& at) {
  const Message who = w.block->thread_name(w, lane);
  if (direction == Direction::Read) return msg("{} reads {} bytes at {}", who, width_bytes, at);
  return direction == Direction::Write ? msg("{} writes {} bytes at {}", who, width_bytes, at)
                                       : msg("{} updates {} bytes at {}", who, width_bytes, at);
}

// An unsigned index below zero, times the size of an element: near a multiple of 2^32.
bool is_wrapped(std::uint64_t at) {
  constexpr std::int32_t kFar = 1 << 20;
  const auto low = static_cast<std::int32_t>(at);
  return at > 0xffffffffu && at >> 37 == 0 && low < kFar && low > -kFar;
}

// "shared memory offset -4": 32-bit addresses that wrapped are negative offsets.
std::int64_t signed_offset(std::uint64_t at) {
  return at <= 0xffffffffu || is_wrapped(at) ? static_cast<std::int32_t>(at) : static_cast<std::int64_t>(at);
}

[[noreturn]] void out_of_window(WarpContext& w, const Inst& inst, const AddressRow& row,
                                std::uint32_t width_bytes, Direction direction, std::uint64_t size_bytes,
                                const char* window) {
  const int lane =
      find_lane(row, w.mask, [&](std::uint64_t a) { return a + width_bytes > size_bytes || a > size_bytes; });
  const std::uint64_t at = row.at[lane];
  const Message where = msg("{} offset {}", window, signed_offset(at));
  w.block->fault(FaultKind::OutOfBounds, w, inst.pc, lane, at,
                 msg("{}, but there are only {} bytes. Check the index and the size of the array.",
                     act(w, lane, direction, width_bytes, where), big(size_bytes)));
}

[[noreturn]] void out_of_shared(WarpContext& w, const Inst& inst, const AddressRow& row,
                                std::uint32_t width_bytes, Direction direction) {
  const LaunchContext& launch = w.block->launch();
  const int lane = find_lane(row, w.mask, [&](std::uint64_t a) {
    return a + width_bytes > launch.shared_bytes || a > launch.shared_bytes;
  });
  const std::uint64_t at = row.at[lane];
  const std::uint32_t dynamic = launch.config.dynamic_shared_bytes;
  const Message where =
      msg("shared memory offset {}{}", signed_offset(at), behind_shared_variable(*launch.handle, at));
  const Message said = act(w, lane, direction, width_bytes, where);
  Fault fault = w.block->fault_at(
      FaultKind::OutOfBounds, w, inst.pc, lane, at,
      is_wrapped(at)
          ? msg("{}: an unsigned index went below zero. Where can that be: a minus, or a ~ that keeps no "
                "bits of the row?",
                said)
          : msg("{}, but the block has only {} bytes ({} static, {} dynamic). Check the index and the size "
                "of the array.",
                said, big(launch.shared_bytes), big(launch.shared_bytes - dynamic), big(dynamic)));
  fault.about = About::SharedOffset;
  fault.access_bytes = width_bytes;
  Fault left;  // the array that is left
  note_shared_variable(left, *launch.handle, at);
  if (!left.array_name.empty())
    fault.fix = {Fix::Act::Guard, fault.file, 0, fault.line, false, short_name(left.array_name),
                 left.array_bytes};
  throw FaultError(std::move(fault));
}

// What a misaligned address is in words of the program: "`in` + 4 bytes".
Message place_of(const WarpContext& w, Space space, std::uint64_t at) {
  if (space == Space::Cluster) return msg("shared memory of a peer + {} bytes", at & 0xffffff);
  if (space == Space::Local) return msg("local memory + {} bytes", at);
  const Allocation* a = w.block->launch().memory->find(at, 1);
  if (a == nullptr) return msg("an address ({})", w.block->launch().memory->describe(at, 1));
  return buffer_place(*a, at);
}

[[noreturn]] void misaligned(WarpContext& w, const Inst& inst, Space space, const AddressRow& row,
                             std::uint32_t width_bytes, Direction direction) {
  const int lane = find_lane(row, w.mask, [&](std::uint64_t a) { return a % width_bytes != 0; });
  const std::uint64_t at = row.at[lane];
  Fault fault = w.block->fault_at(FaultKind::Misaligned, w, inst.pc, lane, at, {});
  const Message place =
      space == Space::Shared ? shared_place(*w.block->launch().handle, at) : place_of(w, space, at);
  fault.access_bytes = width_bytes;
  fault.fix = {Fix::Act::Align, fault.file, 0, fault.line};
  const Message said = act(w, lane, direction, width_bytes, place);
  const Memory& memory = *w.block->launch().memory;
  const bool in_no_buffer = space == Space::Global && memory.find(at, 1) == nullptr &&
                            memory.nearby(at, width_bytes).where != Nearby::Where::Edge;
  fault.message =
      in_no_buffer
          ? msg("{}, which is not a multiple of {}. Check where this pointer comes from and how the index is "
                "computed.",
                said, width_bytes)
          : msg("{}, which is not a multiple of {}. A wide access must start at a multiple of its own size: "
                "check the row length and the first column.",
                said, width_bytes);
  throw FaultError(std::move(fault));
}

constexpr std::uint64_t kWorkOfTornLane = 16;  // program/work.h; each lane is translated by itself

// Whether this GPU may use the memory so.
[[gnu::always_inline]] inline void check_open(WarpContext& w, const Inst& inst, const AddressRow& row,
                                              const Allocation& there, std::uint32_t width_bytes,
                                              Direction direction) {
  const Memory& memory = *w.block->launch().memory;
  if (!memory.reaches(there)) {
    const int lane = first_lane(w.mask);
    w.block->fault(FaultKind::NoPeerAccess, w, inst.pc, lane, row.at[lane],
                   act_on_global(w, lane, direction, width_bytes, memory.no_access(there)));
  }
  if (direction != Direction::Read && there.read_only) {
    const int lane = first_lane(w.mask);
    w.block->fault(FaultKind::WriteToConst, w, inst.pc, lane, row.at[lane],
                   msg("{} writes to `{}`, which kernels may only read: it is an input, or constant memory. "
                       "Write to another buffer.",
                       w.block->thread_name(w, lane), there.name));
  }
}

const char* advice_for(Nearby::Where where) {
  switch (where) {
    case Nearby::Where::Freed:
      return "It was freed before: free it behind its last use.";
    case Nearby::Where::Edge:
      return "Compare the index with the number of elements before the access.";
    default:
      return "Check where this pointer comes from and how the index is computed.";
  }
}

// What the lanes are about to read comes into being.
void lay_out(const WarpContext& w, const AddressRow& row, const Allocation& there,
             std::uint32_t width_bytes) {
  const Memory& memory = *w.block->launch().memory;
  const std::uint64_t span = row.high - row.low + width_bytes;
  if (span <= std::uint64_t{2} * kWarpLanes * width_bytes) return memory.lay_out(there, row.low, span);
  for (const int lane : lanes_of<int>(w.mask)) memory.lay_out(there, row.at[lane], width_bytes);
}

// A library's atomic on a byte or a half, as far as lines say: PTX swaps the word around it.
bool may_be_narrow_swap(const WarpContext& w, const Inst& inst) {
  return inst.may_be_narrow && (inst.of_header || w.block->launch().handle->source(inst.pc).line == 0);
}

std::optional<HostBase> resolve_global(WarpContext& w, const Inst& inst, const AddressRow& row,
                                       std::uint32_t width_bytes, Direction direction) {
  Memory& memory = *w.block->launch().memory;
  BlockRun::LastTouch& touch = w.block->last_touch[inst.pc];
  const std::uint64_t span = row.high - row.low + width_bytes;
  const int lanes = std::popcount(w.mask);
  if (w.block->launch().options.check_global_races)
    w.block->extra_work += work_of_watching(lanes, width_bytes, row.affine);
  const Allocation* there = touch.allocation;
  if (there == nullptr || row.low < there->base || row.low - there->base + span > there->size_bytes)
    there = memory.find(row.low, span);
  if (there == nullptr) {  // the window stays that of the last access that was inside of an array
    const bool one = std::popcount(w.mask) == 1, may_go_on = w.block->launch().options.go_on;
    const Allocation* beyond = nullptr;
    w.block->extra_work += kWorkOfTornLane * static_cast<std::uint64_t>(lanes);
    for (const int k : lanes_of<int>(w.mask)) {
      if (const Allocation* const own = memory.find(row.at[k], width_bytes); own != nullptr) {
        memory.lay_out(*own, row.at[k], width_bytes);  // observers look before lanes act one by one
        continue;
      }
      // The library's atomics on halves and bytes swap the word around: allocations end at whole words.
      beyond = may_be_narrow_swap(w, inst) ? memory.find(row.at[k], 1) : nullptr;
      if (beyond != nullptr) continue;
      const Nearby near = memory.nearby(row.at[k], width_bytes);
      Fault fault = w.block->fault_at(FaultKind::OutOfBounds, w, inst.pc, k, row.at[k],
                                      msg("{}.", act_on_global(w, k, direction, width_bytes, near.words)));
      fault.advice = advice_for(near.where);
      fault.access_bytes = width_bytes;
      if (near.where == Nearby::Where::Edge) {
        fault.about = About::BufferEdge;
        fault.buffer = near.buffer;
        fault.fix = {Fix::Act::Guard, fault.file, 0, fault.line, false, near.buffer, near.size_bytes};
      }
      if (may_go_on && direction == Direction::Read) beyond = memory.find_beyond(row.at[k], width_bytes);
      if (beyond == nullptr) throw FaultError(std::move(fault));
      if (one) w.block->forbid(inst.pc, std::move(fault));  // several come one by one
    }
    if (beyond == nullptr || !one) return std::nullopt;
    check_open(w, inst, row, *beyond, width_bytes, direction);
    memory.lay_out(*beyond, row.low, width_bytes);
    return HostBase(beyond->host, beyond->base);
  }
  touch.allocation = there;
  check_open(w, inst, row, *there, width_bytes, direction);
  if (there->laid_out != nullptr) [[unlikely]]
    lay_out(w, row, *there, width_bytes);
  fetch_ahead(*there, row.low + (row.low - touch.low), span);
  touch.low = row.low;
  return HostBase(there->host, there->base);
}

}  // namespace

std::optional<HostBase> resolve(WarpContext& w, const Inst& inst, Space space, const AddressRow& row,
                                std::uint32_t width_bytes, Direction direction) {
  if (inst.watches_memory) w.block->warp_of(w).polled_memory = true;
  if (width_bytes > 1) {
    std::uint64_t low_bits = 0;
    if (row.affine) low_bits = (row.low | static_cast<std::uint64_t>(row.stride_bytes)) & (width_bytes - 1);
    if (!row.affine || low_bits != 0) {  // lanes with gaps between them may step by less than the width
      low_bits = address_bits(row, w.mask) & (width_bytes - 1);
    }
    if (low_bits != 0) misaligned(w, inst, space, row, width_bytes, direction);
  }
  const auto inside = [&](std::uint64_t size) { return row.high < size && row.high + width_bytes <= size; };
  switch (space) {
    case Space::Shared:
      if (!inside(w.block->launch().shared_bytes)) {
        const std::uint32_t reserved = w.block->launch().reserved_at;
        if (reserved != 0 && row.low >= reserved && inside(reserved + kReservedSharedBytes))
          return HostBase(w.block->shared.data());
        const bool around = row.high < w.block->launch().shared_bytes && may_be_narrow_swap(w, inst);
        if (!around) out_of_shared(w, inst, row, width_bytes, direction);
      }
      return HostBase(w.block->shared.data());
    case Space::Cluster: {  // all of one peer: split_spaces
      for (const int k : lanes_of<int>(w.mask)) {
        static_cast<void>(peer_place(w, inst, k, row.at[k], width_bytes));
      }
      const PeerPlace place =
          peer_place(w, inst, first_lane(w.mask), row.at[first_lane(w.mask)], width_bytes);
      const std::uint64_t base = row.at[first_lane(w.mask)] - place.offset;
      return HostBase(place.block->shared.data(), base);
    }
    case Space::Local: {
      Warp& warp = w.block->warp_of(w);
      if (!inside(warp.local_stride)) {
        out_of_window(w, inst, row, width_bytes, direction, warp.local_stride, "local memory");
      }
      return HostBase(warp.local.data());
    }
    case Space::Param: {
      const auto parameters = w.block->launch().parameters;
      if (direction != Direction::Read) {
        w.block->fault(FaultKind::WriteToConst, w, inst.pc, first_lane(w.mask), row.low,
                       msg("{} writes to a kernel parameter; copy it first.",
                           w.block->thread_name(w, first_lane(w.mask))));
      }
      if (!inside(parameters.size())) {
        out_of_window(w, inst, row, width_bytes, direction, parameters.size(), "parameter");
      }
      return HostBase(parameters.data());
    }
    default:
      return resolve_global(w, inst, row, width_bytes, direction);
  }
}

bool beyond_own(const Inst& inst, const AddressRow& row) {
  return inst.space == Space::Generic ||
         (inst.space == Space::Shared && row.high >> kPeerShift != 0 && row.high <= 0xffffffffu);
}

namespace {

// The offset in the lane's own local memory, which is what a GPU reaches; another thread's variable is not.
std::uint64_t own_local(const WarpContext& w, const Inst& inst, int lane, std::uint64_t at) {
  const std::uint32_t thread = w.place->first_thread + static_cast<std::uint32_t>(lane);
  if (!is_own_local(at, thread)) {
    const Dim3& block = w.block->launch().config.block;
    const Dim3 owner = block.at((at - kLocalWindow) / kLocalThreadBytes);
    w.block->forbid(
        FaultKind::OutOfBounds, w, inst.pc, lane,
        msg("{} uses the address of a local variable of thread ({},{}), and reaches what lies at this place "
            "in its own local memory: threads cannot reach each other's. Pass the value by a shuffle, or "
            "keep the variable in shared or global memory.",
            w.block->thread_name(w, lane), owner.x, owner.y));
  }
  return local_offset(at, thread);
}

}  // namespace

int split_spaces(const WarpContext& w, const Inst& inst, AddressRow& row, SpacePart (&parts)[kMostParts],
                 bool generic) {
  constexpr int kLocal = 2;
  constexpr Space spaces[4] = {Space::Global, Space::Shared, Space::Local, Space::Param};
  constexpr std::uint64_t windows[4] = {0, kSharedWindow, kLocalWindow, kParamWindow};
  Mask masks[4] = {};
  Mask peers[kMostPeers] = {};
  for (const int k : lanes_of<int>(w.mask)) {
    int part = generic ? 0 : 1;
    for (int p = 1; generic && p < 4; ++p) {
      if (p == kLocal ? in_local_window(row.at[k]) : row.at[k] - windows[p] < kWindowBytes) part = p;
    }
    if (generic) row.at[k] = part == kLocal ? own_local(w, inst, k, row.at[k]) : row.at[k] - windows[part];
    const std::uint64_t peer = part == 1 ? row.at[k] >> kPeerShift : 0;
    if (peer != 0 && peer <= kMostPeers) {
      peers[peer - 1] |= 1u << k;
    } else {
      masks[part] |= 1u << k;
    }
  }
  int count = 0;
  for (int p = 0; p < 4; ++p) {
    if (masks[p] != 0) parts[count++] = {spaces[p], masks[p]};
  }
  for (const Mask lanes : peers) {
    if (lanes != 0) parts[count++] = {Space::Cluster, lanes};
  }
  return count;
}

namespace {

// An access to peers, each reported in its own slot, with offsets in its memory.
void report_to_peers(WarpContext& w, Access access) {
  AddressRow offsets;
  for (Mask left = access.mask; left != 0;) {
    const std::uint64_t number = access.address[first_lane(left)] >> kPeerShift;
    Mask lanes = 0;
    for (const int k : lanes_of<int>(left)) {
      if (access.address[k] >> kPeerShift != number) continue;
      lanes |= 1u << k;
      offsets.at[k] = access.address[k] & ((1u << kPeerShift) - 1);
    }
    left &= ~lanes;
    Access part = access;
    part.mask = lanes;
    part.address = offsets.at;
    describe_row(offsets, lanes);
    part.ramps() = offsets.ramps();
    (number == 0 ? *w.block : w.block->cluster().block(static_cast<std::uint32_t>(number - 1))).report(part);
  }
}

}  // namespace

Access access_of(const WarpContext& w, const Inst& inst, Space space, Path path, const AddressRow& row,
                 std::uint32_t width_bytes, const std::byte* value, const std::byte* old_value) {
  Access access;
  access.pc = inst.pc;
  access.space = space;
  access.path = path;
  access.width_bytes = static_cast<std::uint8_t>(width_bytes);
  access.mask = w.mask;
  access.ramps() = row.ramps();
  access.address = row.at;
  access.value = value;
  access.old_value = old_value;
  access.place = w.place;
  access.undefined = w.undefined;
  return access;
}

void report_access(WarpContext& w, const Inst& inst, Space space, Path path, const AddressRow& row,
                   std::uint32_t width_bytes, const std::byte* value, const std::byte* old_value) {
  const Access access = access_of(w, inst, space, path, row, width_bytes, value, old_value);
  if (space == Space::Cluster) return report_to_peers(w, access);
  w.block->report(access);
}

void gather_memory(WarpContext& w, const Inst& inst, Space space, const AddressRow& row,
                   std::optional<HostBase> base, std::uint32_t width_bytes, std::byte* into,
                   std::size_t step) {
  const std::uint64_t stride = space == Space::Local ? w.block->warp_of(w).local_stride : 0;
  const auto gather = [&](HostBase from, const AddressRow&) {
    for (const std::size_t k : lanes_of<std::size_t>(w.mask))
      std::memcpy(into + k * step, from.at(row.at[k] + k * stride), width_bytes);
  };
  if (base) return gather(*base, row);
  one_by_one(w, inst, space, row, width_bytes, Direction::Read, gather);
}

void report_read(WarpContext& w, const Inst& inst, Space space, Path path, const AddressRow& row,
                 std::optional<HostBase> base, std::uint32_t width_bytes) {
  LaneBytes values;
  const bool wanted = w.block->values_wanted();
  if (wanted) gather_memory(w, inst, space, row, base, width_bytes, values.at, width_bytes);
  report_access(w, inst, space, path, row, width_bytes, wanted ? values.at : nullptr);
}

}  // namespace lab::sim
