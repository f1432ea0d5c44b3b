// What a copy or a fill does. See copy.h.
#include "common/run/cudart/copy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "common/run/cudart/capture.h"
#include "common/run/cudart/host_life.h"
#include "common/run/cudart/host_room.h"
#include "common/run/cudart/modules.h"
#include "common/run/cudart/padding.h"
#include "common/run/cudart/textures.h"
#include "common/sim/base/kernel_name.h"
#include "common/sim/memory/memory.h"

namespace lab::cudart {
namespace {

// Memory that the simulator knows under this address; other pointers are the host's own.
bool on_device(const Context& c, const void* pointer) {
  return c.memory.find(address_of(pointer), 1) != nullptr;
}

bool must_be_device(const void* pointer) {
  const sim::DeviceAddress at = address_of(pointer);
  return at >= sim::kGlobalBase && at < sim::kVisibleBase;
}

void check_kind(CopyKind kind) {
  if (kind < CopyKind::HostToHost || kind > CopyKind::Default)
    throw ApiError{Error::InvalidMemcpyDirection, "the last argument is no copy direction."};
}

// What the direction says about each side, against what the pointers are.
void check_direction(const Context& c, const Side& to, const Side& from, CopyKind kind) {
  check_kind(kind);
  const auto not_null = [](const Side& side, const char* name) {
    if (side.pointer == nullptr) throw ApiError{Error::InvalidValue, msg("{} is a null pointer.", name)};
  };
  not_null(to, "the destination");
  not_null(from, "the source");
  // A side that the direction calls the host's may be a GPU's all the same: with one address space for both, a GPU copies.
  const auto check = [&](const Side& side, bool says_device, const char* name, const char* direction) {
    if (!says_device || on_device(c, side.pointer) || must_be_device(side.pointer)) return;
    throw ApiError{
        Error::InvalidValue,
        msg("{} must be a device pointer for {}, and it is one of the host. Are the arguments in the right "
            "order (destination first)?",
            name, direction)};
  };
  static constexpr const char* kNames[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                           "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
  if (kind == CopyKind::Default) return;
  const char* direction = kNames[static_cast<int>(kind)];
  check(to, kind == CopyKind::HostToDevice || kind == CopyKind::DeviceToDevice, "the destination", direction);
  check(from, kind == CopyKind::DeviceToHost || kind == CopyKind::DeviceToDevice, "the source", direction);
}

// What is copied or filled in goes through the second level, and the last of it stays: a kernel that reads
// 4 MiB which the host has just copied costs an H200 a fortieth of them in DRAM (tests/golden/blind.csv).
void leave_in_cache(Context& c, sim::DeviceAddress to, std::uint64_t bytes) {
  if (!c.records.wants_time()) return;
  constexpr std::uint64_t kPiece = model::L2Cache::kPieceBytes;
  model::L2Cache& cache = c.device().cache(c.gpu.l2_bytes);
  const std::uint64_t end = (to + bytes) / kPiece;
  for (std::uint64_t at =
           std::max(to, to + bytes - std::min<std::uint64_t>(bytes, 2 * c.gpu.l2_bytes)) / kPiece;
       at < end; ++at)
    cache.read(at, ~std::uint64_t{0});
  static_cast<void>(cache.take());  // no kernel's doing
}

void copy_row(Context& c, std::byte* to, const std::byte* from, std::size_t bytes) {
  const bool to_device = on_device(c, to) || must_be_device(to);
  const bool from_device = on_device(c, from) || must_be_device(from);
  if (to_device && from_device) {
    c.memory.copy(address_of(to), address_of(from), bytes);
    leave_in_cache(c, address_of(to), bytes);
  } else if (to_device) {
    c.memory.write(address_of(to), {from, bytes});
    leave_in_cache(c, address_of(to), bytes);
  } else if (from_device) {
    c.memory.read(address_of(from), {to, bytes});
  } else {
    std::memmove(to, from, bytes);
  }
}

// A copy from one GPU to another: -1 and -1 when it is none.
struct Crossing {
  int from = -1, to = -1;
  bool linked = false;  // else it goes through the host
};

Crossing crossing_of(Context& c, const Side& to, const Side& from) {
  const Crossing found{c.owner(from.pointer), c.owner(to.pointer), false};
  if (found.from < 0 || found.to < 0 || found.from == found.to) return {};
  return {found.from, found.to,
          c.device(found.from).peers.contains(found.to) || c.device(found.to).peers.contains(found.from)};
}

// The copy itself, and how long it takes. In a default stream it is ordered with all work of both GPUs.
void copy_across(Context& c, Stream& on, const Crossing& crossing, std::uint64_t bytes) {
  const int ends[] = {crossing.from, crossing.to};
  for (const int device : ends)
    if (on.legacy) c.timeline.wait_for_device(on.clock, device);
  c.timeline.add(
      on.clock, on.legacy,
      c.timeline.copy_seconds(bytes, crossing.linked ? Timeline::Road::Link : Timeline::Road::Bus));
  for (const int device : ends)
    if (on.legacy) c.timeline.hold_device(on.clock, device);
  c.records.note(crossing.linked ? RunNote::Link : RunNote::Staged, "",
                 {static_cast<std::uint64_t>(crossing.from), static_cast<std::uint64_t>(crossing.to), bytes});
}

void copy_all(Context& c, const Side& to, const Side& from, const CopyShape& shape) {
  auto* const target = static_cast<std::byte*>(const_cast<void*>(to.pointer));
  const auto* const source = static_cast<const std::byte*>(from.pointer);
  for (std::size_t z = 0; z < shape.depth; ++z) {
    for (std::size_t y = 0; y < shape.height; ++y) {
      copy_row(c, target + z * to.plane_bytes + y * to.pitch_bytes,
               source + z * from.plane_bytes + y * from.pitch_bytes, shape.width_bytes);
    }
  }
}

Touched range_of(const Side& side, const CopyShape& shape, bool writes) {
  const sim::DeviceAddress low = address_of(side.pointer);
  if (shape.depth == 1) return touched_rows(low, shape.width_bytes, side.pitch_bytes, shape.height, writes);
  const std::uint64_t size =
      (shape.depth - 1) * side.plane_bytes + (shape.height - 1) * side.pitch_bytes + shape.width_bytes;
  const auto bytes = std::make_shared<ByteSet>();
  for (std::uint64_t z = 0; z < shape.depth; ++z)
    for (std::uint64_t y = 0; y < shape.height; ++y)
      bytes->add(low + z * side.plane_bytes + y * side.pitch_bytes, shape.width_bytes);
  return {low, low + size, writes, bytes};
}

// What goes to the host and was never written.
void report_uninitialised(Context& c, const Side& to, const Side& from, const CopyShape& shape) {
  if (!checks_run() || on_device(c, to.pointer)) return;
  for (std::size_t z = 0; z < shape.depth; ++z) {
    for (std::size_t y = 0; y < shape.height; ++y) {
      const sim::DeviceAddress at = address_of(from.pointer) + z * from.plane_bytes + y * from.pitch_bytes;
      const sim::Allocation* a = c.memory.find(at, shape.width_bytes);
      if (a == nullptr || a->written == nullptr) continue;
      const std::uint8_t* const marks = a->written + (at - a->base);
      const std::size_t first = first_unwritten({marks, shape.width_bytes}, at - a->base, a->widest_store());
      if (first == shape.width_bytes) continue;
      if (marks[first] == sim::Allocation::kValueless) {
        c.found("uninitialised-copy",
                msg("a copy of {} bytes to the host takes a value that a kernel had read from memory which "
                    "was never written, at {}. Look for where that kernel got it from, and write that first.",
                    big(shape.bytes()), c.memory.describe(at + first, 1)));
        return;
      }
      c.found("uninitialised-copy",
              msg("a copy of {} bytes to the host takes what was never written, from {} on. "
                  "Write all that is read back, in the kernel or by cudaMemset, or copy less.",
                  big(shape.bytes()), c.memory.describe(at + first, 1)));
      return;
    }
  }
}

// A buffer of the host that ends before the copy does. The copy goes on, as it would: what follows is the
// program's.
void report_too_small(Context& c, const Side& to, const Side& from, const CopyShape& shape) {
  constexpr std::size_t kUnknown = ~std::size_t{0};
  for (const auto& [side, writes] : {std::pair{&to, true}, std::pair{&from, false}}) {
    if (!checks_run() || on_device(c, side->pointer) || must_be_device(side->pointer)) continue;
    const Touched range = range_of(*side, shape, writes);
    const std::optional<HostVariable> variable = host_variable(side->pointer);
    const std::size_t room = variable ? kUnknown : host_room(side->pointer).value_or(kUnknown);
    const bool on_stack = !variable && room == kUnknown;
    const std::optional<Frame> around = on_stack ? frame_of(side->pointer) : std::nullopt;
    const std::size_t frame = around ? around->end - address_of(side->pointer) : kUnknown;
    const std::size_t bytes = range.high - range.low;
    const std::string way = writes ? "to" : "from";
    if (variable && bytes > variable->room_bytes) {
      c.found(
          "host-buffer",
          msg("a copy {} the host takes {} bytes, and `{}` has only {} bytes from there on. "
              "Make the array larger, or copy less: the size of a copy is in bytes, elements times sizeof.",
              way, big(bytes), sim::short_name(variable->symbol), big(variable->room_bytes)));
    } else if (bytes > room) {
      c.found("host-buffer",
              msg("a copy {} the host takes {} bytes, and the buffer of the host there has {}. Make "
                  "it larger, or copy less: the size of a copy is in bytes, elements times sizeof.",
                  way, big(bytes), big(room)));
    } else if (bytes > frame) {
      c.found("host-buffer",
              msg("a copy {} the host takes {} bytes, and the function whose variable lies there "
                  "has only {} bytes of stack from it on. Make the array larger, or copy less: the size of a "
                  "copy is in bytes, elements times sizeof.",
                  way, big(bytes), big(frame)));
    }
  }
}

// Both sides in a GPU's memory. The bytes arrive here as memmove would have them; a GPU promises nothing.
void report_overlap(Context& c, const Side& to, const Side& from, const CopyShape& shape) {
  if (!checks_run() || to.pointer == from.pointer || !on_device(c, to.pointer) || !on_device(c, from.pointer))
    return;
  if (!overlap(range_of(to, shape, true), range_of(from, shape, false))) return;
  c.found(
      "overlapping-copy",
      msg("a copy of {} bytes reads from {} on and writes from {} on, and the two overlap: "
          "which bytes arrive is undefined. Copy by way of a second buffer, or in a kernel that reads all "
          "before it writes.",
          big(shape.bytes()), c.memory.describe(address_of(from.pointer), 1),
          c.memory.describe(address_of(to.pointer), 1)));
}

void fill_row(Context& c, sim::DeviceAddress to, std::uint32_t value, std::size_t elem_bytes,
              std::size_t bytes) {
  leave_in_cache(c, to, bytes);
  if (elem_bytes == 1) return c.memory.fill(to, static_cast<std::byte>(value), bytes);
  std::vector<std::byte> row(bytes);
  for (std::size_t at = 0; at + elem_bytes <= bytes; at += elem_bytes)
    std::memcpy(row.data() + at, &value, elem_bytes);
  c.memory.write(to, row);
}

}  // namespace

CopyKind directed(CopyKind kind, bool to_device, std::uint64_t bytes) {
  const CopyKind outward = to_device ? CopyKind::HostToDevice : CopyKind::DeviceToHost;
  if (bytes == 0 || kind == outward || kind == CopyKind::DeviceToDevice || kind == CopyKind::Default)
    return kind;
  throw ApiError{Error::InvalidMemcpyDirection,
                 "a variable or an array lies in the GPU's memory: the direction says otherwise."};
}

void check_pitch(const Side& side, const CopyShape& shape) {
  if (shape.height > 1 && side.pitch_bytes < shape.width_bytes)
    throw ApiError{Error::InvalidPitchValue,
                   msg("a pitch is smaller than the width of a row, {} bytes.", big(shape.width_bytes))};
}

Side side_of(const PitchedPointer& p, const Position& at) {
  return {static_cast<const std::byte*>(p.pointer) + at.x + p.pitch_bytes * (at.y + p.height * at.z),
          p.pitch_bytes, p.pitch_bytes * p.height};
}

Work copy_work(const Context& c, const Side& to, const Side& from, const CopyShape& shape, CopyKind kind,
               bool returns_early) {
  if (shape.bytes() == 0) return [](Context&, Stream&) { return Error::Success; };
  check_direction(c, to, from, kind);
  check_pitch(to, shape);
  check_pitch(from, shape);
  const auto road = must_be_device(to.pointer) != must_be_device(from.pointer) ? Timeline::Road::Bus
                                                                               : Timeline::Road::Memory;
  return [=](Context& now, Stream& on) {
    if (now.memory.visible()) now.memory.see_host_writes();
    report_uninitialised(now, to, from, shape);
    report_too_small(now, to, from, shape);
    report_overlap(now, to, from, shape);
    copy_all(now, to, from, shape);
    const Crossing crossing = crossing_of(now, to, from);
    const bool ordered = crossing.from >= 0 && on.legacy;
    if (ordered) work_order().behind_device(on, crossing.from);
    if (ordered) work_order().behind_device(on, crossing.to);
    Touched written = range_of(to, shape, true);
    written.to_host = returns_early;
    work_order().touches(
        now, on, {std::move(written), range_of(from, shape, false)},
        returns_early
            ? /* message */ "cudaMemcpy from pageable memory, which may return before the data has arrived,"
            : /* message */ "a copy");
    if (ordered) work_order().before_device(on, crossing.from);
    if (ordered) work_order().before_device(on, crossing.to);
    if (crossing.from >= 0) {
      copy_across(now, on, crossing, shape.bytes());
    } else {
      now.timeline.add(on.clock, on.legacy, now.timeline.copy_seconds(shape.bytes(), road));
    }
    return Error::Success;
  };
}

Work copy_work(const Context& c, const Copy3D& p) {
  // With an array on either side the extent counts its elements, else bytes.
  std::size_t texel_bytes = 1;
  for (const void* const array : {p.from_array, p.to_array})
    if (array != nullptr) texel_bytes = array_at(array).image.texel_bytes();
  const CopyShape shape{p.extent.width * texel_bytes, p.extent.height, p.extent.depth};
  const auto side = [&](const void* array, const PitchedPointer& pointer, const Position& at) {
    if (array == nullptr) return side_of(pointer, at);
    const std::size_t own_bytes = array_at(array).image.texel_bytes();
    if (own_bytes != texel_bytes)
      throw ApiError{Error::InvalidValue, "the elements of the two arrays differ in size."};
    return side_of(array_at(array), at.x * own_bytes, at.y, at.z, shape);
  };
  return copy_work(c, side(p.to_array, p.to, p.to_position), side(p.from_array, p.from, p.from_position),
                   shape, p.kind);
}

Work fill_work(const Context& c, const Side& to, std::uint32_t value, std::size_t elem_bytes,
               const CopyShape& shape) {
  if (shape.bytes() == 0) return [](Context&, Stream&) { return Error::Success; };
  if (!on_device(c, to.pointer)) {
    throw ApiError{Error::InvalidValue, msg("the first argument is no device memory: it is {}.",
                                            c.memory.describe(address_of(to.pointer), 1))};
  }
  if (shape.height > 1 && to.pitch_bytes < shape.width_bytes)
    throw ApiError{Error::InvalidValue,
                   msg("the pitch is smaller than the width of a row, {} bytes.", big(shape.width_bytes))};
  return [=](Context& now, Stream& on) {
    const sim::DeviceAddress base = address_of(to.pointer);
    for (std::size_t z = 0; z < shape.depth; ++z) {
      for (std::size_t y = 0; y < shape.height; ++y) {
        fill_row(now, base + z * to.plane_bytes + y * to.pitch_bytes, value, elem_bytes, shape.width_bytes);
      }
    }
    work_order().touches(now, on, {range_of(to, shape, true)}, "a fill (cudaMemset)");
    now.timeline.add(on.clock, on.legacy,
                     now.timeline.copy_seconds(shape.bytes() / 2, Timeline::Road::Memory));
    return Error::Success;
  };
}

Copy3D parameters_of(const Side& to, const Side& from, const CopyShape& shape, CopyKind kind) {
  const auto pitched = [&](const Side& side) {
    const std::size_t pitch = side.pitch_bytes == 0 ? shape.width_bytes : side.pitch_bytes;
    const std::size_t rows = pitch == 0 || side.plane_bytes == 0 ? shape.height : side.plane_bytes / pitch;
    return PitchedPointer{const_cast<void*>(side.pointer), pitch, shape.width_bytes, rows};
  };
  return {
      nullptr, {}, pitched(from), nullptr, {}, pitched(to), {shape.width_bytes, shape.height, shape.depth},
      kind};
}

namespace {

// The bytes of a side, row behind row.
std::vector<std::byte> gathered(const Side& side, const CopyShape& shape) {
  std::vector<std::byte> all(shape.bytes());
  std::byte* to = all.data();
  for (std::size_t z = 0; z < shape.depth; ++z) {
    for (std::size_t y = 0; y < shape.height; ++y, to += shape.width_bytes)
      std::memcpy(to,
                  static_cast<const std::byte*>(side.pointer) + z * side.plane_bytes + y * side.pitch_bytes,
                  shape.width_bytes);
  }
  return all;
}

// A pageable source is read when the copy is handed over, not when its turn comes: whole up to 2 MiB; of a larger one the first part,
// and the rest in its turn (measured on an H200). Where a function of the host that is still on its way fills it, the copy takes what was
// there before.
Work staged(Work work, const Side& to, const Side& from, const CopyShape& shape) {
  constexpr std::size_t kStagedBytes = 2 << 20;
  const CopyShape first =
      shape.bytes() <= kStagedBytes ? shape
      : shape.height == 1 && shape.depth == 1
          ? CopyShape{kStagedBytes}
          : CopyShape{shape.width_bytes,
                      std::clamp<std::size_t>(kStagedBytes / shape.width_bytes, 1, shape.height)};
  auto before = std::make_shared<const std::vector<std::byte>>(gathered(from, first));
  return [=, work = std::move(work)](Context& now, Stream& on) {
    const Error result = work(now, on);
    if (result != Error::Success || *before == gathered(from, first)) return result;
    now.found(
        "host-race",
        "the source of an asynchronous copy is pageable memory, and a function of the host "
        "(cudaLaunchHostFunc) that the stream has before the copy fills it: the copy read it when it was "
        "handed over, before that function ran. Fill it before the call, or use pinned memory "
        "(cudaMallocHost), which is read in the stream's order.");
    copy_all(now, to, {before->data(), first.width_bytes, first.width_bytes * first.height}, first);
    return result;
  };
}

}  // namespace

Error submit_copy(Context& c, StreamHandle stream, bool waits, const Side& to, const Side& from,
                  const CopyShape& shape, CopyKind kind) {
  if (shape.bytes() == 0) return Error::Success;
  check_kind(kind);
  c.reach_gpu();
  const Stream& on = usable(stream);
  // Pageable memory is read into a buffer of the driver's: the call returns before that has arrived.
  const bool returns_early = waits && !on_device(c, from.pointer) && on_device(c, to.pointer);
  Work work = copy_work(c, to, from, shape, kind, returns_early);
  if (on.capture != nullptr)
    work = while_host_lives(std::move(work), {to.pointer, from.pointer});
  else if (!waits && !on_device(c, from.pointer) && on_device(c, to.pointer) &&
           !streams().tasks_before(on).empty())
    work = staged(std::move(work), to, from, shape);
  const Error result = submit(c, stream, std::move(work), kCopyNode,
                              [&] { return std::make_shared<Copy3D>(parameters_of(to, from, shape, kind)); });
  if (waits) wait_for_stream(c, streams().find(stream), returns_early && result == Error::Success);
  return result;
}

Error submit_copy(Context& c, StreamHandle stream, bool waits, const Copy3D& parameters) {
  c.reach_gpu();
  Work work = copy_work(c, parameters);
  if (usable(stream).capture != nullptr)
    work = while_host_lives(std::move(work), {parameters.to.pointer, parameters.from.pointer});
  const Error result =
      submit(c, stream, std::move(work), kCopyNode, [&] { return std::make_shared<Copy3D>(parameters); });
  if (waits) wait_for_stream(c, streams().find(stream));
  return result;
}

Error submit_fill(Context& c, StreamHandle stream, bool waits, const Side& to, std::uint32_t value,
                  std::size_t elem_bytes, const CopyShape& shape) {
  if (shape.bytes() == 0) return Error::Success;
  c.reach_gpu();
  const bool captured = usable(stream).capture != nullptr;  // its word comes before that of the arguments
  const auto keep = [&] {
    return std::make_shared<FillNode>(FillNode{const_cast<void*>(to.pointer), to.pitch_bytes, value,
                                               static_cast<unsigned>(elem_bytes),
                                               shape.width_bytes / elem_bytes, shape.height});
  };
  // A capture records a fill of no address at all; only its graph is refused (measured on an H200).
  constexpr sim::DeviceAddress kFirstPage = 4096;
  const bool nowhere = address_of(to.pointer) < kFirstPage;
  const auto later = [=](Context& now, Stream& on) {
    return fill_work(now, to, value, elem_bytes, shape)(now, on);
  };
  Work work = captured && nowhere ? Work(later) : fill_work(c, to, value, elem_bytes, shape);
  const Error result = submit(c, stream, std::move(work), kFillNode, keep);
  if (waits && host_can_reach(address_of(to.pointer))) wait_for_stream(c, streams().find(stream));
  return result;
}

void* in_variable(Context& c, const void* symbol, std::size_t count, std::size_t offset) {
  Variable* variable = modules().variable(symbol);
  if (variable == nullptr) {
    throw ApiError{
        Error::InvalidSymbol,
        "no __device__ or __constant__ variable is registered there. Pass the variable itself, not its "
        "name in quotes and not its address."};
  }
  if (offset > variable->size_bytes || count > variable->size_bytes - offset) {
    throw ApiError{Error::InvalidValue,
                   msg("`{}` has {} bytes; the copy ends at byte {}.", sim::short_name(variable->name),
                       big(variable->size_bytes), offset + count)};
  }
  return static_cast<std::byte*>(pointer_to(Modules::address(c, *variable))) + offset;
}

}  // namespace lab::cudart
