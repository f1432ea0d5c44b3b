// Atomic operations: atom returns the old value, red does not.
//
// Enters: an address row and one or two value rows. Leaves: memory updated lane by lane, lowest lane first unless
// the order is drawn, so that results are the same on every run. Programs whose blocks share memory this way run on one host
// thread.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "common/sim/base/float_bits.h"
#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {
namespace {

template <class T>
std::uint64_t bits(T value) {
  std::uint64_t out = 0;
  std::memcpy(&out, &value, sizeof value);
  return out;
}

template <class T>
T from_bits(std::uint64_t raw) {
  T out;
  std::memcpy(&out, &raw, sizeof out);
  return out;
}

template <class T>
std::uint64_t integer(AtomicOp op, std::uint64_t old_bits, std::uint64_t b, std::uint64_t c) {
  using U = std::make_unsigned_t<T>;
  const T old = from_bits<T>(old_bits);
  const T value = from_bits<T>(b);
  switch (op) {
    case AtomicOp::Add:
      return bits(static_cast<U>(static_cast<U>(old) + static_cast<U>(value)));
    case AtomicOp::Min:
      return bits(value < old ? value : old);
    case AtomicOp::Max:
      return bits(old < value ? value : old);
    case AtomicOp::And:
      return bits(static_cast<U>(static_cast<U>(old) & static_cast<U>(value)));
    case AtomicOp::Or:
      return bits(static_cast<U>(static_cast<U>(old) | static_cast<U>(value)));
    case AtomicOp::Xor:
      return bits(static_cast<U>(static_cast<U>(old) ^ static_cast<U>(value)));
    case AtomicOp::Exch:
      return bits(value);
    case AtomicOp::Cas:
      return old == value ? bits(from_bits<T>(c)) : bits(old);
    case AtomicOp::Inc:
      return bits(static_cast<U>(old) >= static_cast<U>(value) ? U{0}
                                                               : static_cast<U>(static_cast<U>(old) + 1));
    default:
      return bits(old == 0 || static_cast<U>(old) > static_cast<U>(value)
                      ? static_cast<U>(value)
                      : static_cast<U>(static_cast<U>(old) - 1));
  }
}

// In global memory the L2 cache adds: it flushes f32 denormals, and an f64 NaN there stays as it is.
template <class T>
std::uint64_t floating(AtomicOp op, std::uint64_t old_bits, std::uint64_t b, Space space) {
  const T old = from_bits<T>(old_bits);
  const T value = from_bits<T>(b);
  switch (op) {
    case AtomicOp::Add: {
      if constexpr (sizeof(T) == 4) {
        if (space == Space::Global)
          return bits(canonical(flush<true>(flush<true>(old) + flush<true>(value))));
      } else if (space == Space::Global && std::isnan(old)) {
        return old_bits;
      }
      T sum = old + value;
      if (std::isnan(sum) && sizeof(T) == 4) return 0x7fffffffu;
      return bits(sum);
    }
    case AtomicOp::Min:
      return bits(std::isnan(old) || value < old ? value : old);
    case AtomicOp::Max:
      return bits(std::isnan(old) || old < value ? value : old);
    default:
      return bits(value);
  }
}

template <class H>
std::uint16_t add16(std::uint64_t old, std::uint64_t b) {
  const H left{static_cast<std::uint16_t>(old)}, right{static_cast<std::uint16_t>(b)};
  return nearest<H>(add_to_odd<double>(to_float(left), to_float(right))).bits;
}

template <class H>
std::uint64_t reduce16(AtomicOp op, std::uint64_t old, std::uint64_t b) {
  if (op == AtomicOp::Add) return add16<H>(old, b);
  const H left{static_cast<std::uint16_t>(old)}, right{static_cast<std::uint16_t>(b)};
  const float x = to_float(left), y = to_float(right);
  if (std::isnan(x) && std::isnan(y)) return kNan16;
  const bool takes = std::isnan(x) || (op == AtomicOp::Min ? y < x : x < y);
  return takes ? right.bits : left.bits;
}

template <class H>
std::uint64_t reduce_pair(AtomicOp op, std::uint64_t old, std::uint64_t b) {
  return reduce16<H>(op, old, b) | reduce16<H>(op, old >> 16, b >> 16) << 16;
}

std::uint64_t apply(const AtomicInfo& info, std::uint64_t old, std::uint64_t b, std::uint64_t c,
                    Space space) {
  switch (info.type) {
    case ptx::Type::S16:
      return integer<std::int16_t>(info.op, old, b, c);
    case ptx::Type::B16:
    case ptx::Type::U16:
      return integer<std::uint16_t>(info.op, old, b, c);
    case ptx::Type::S32:
      return integer<std::int32_t>(info.op, old, b, c);
    case ptx::Type::S64:
      return integer<std::int64_t>(info.op, old, b, c);
    case ptx::Type::B64:
    case ptx::Type::U64:
      return integer<std::uint64_t>(info.op, old, b, c);
    case ptx::Type::F32:
      return floating<float>(info.op, old, b, space);
    case ptx::Type::F64:
      return floating<double>(info.op, old, b, space);
    case ptx::Type::F16:
      return reduce16<F16>(info.op, old, b);
    case ptx::Type::BF16:
      return reduce16<BF16>(info.op, old, b);
    case ptx::Type::F16x2:
      return reduce_pair<F16>(info.op, old, b);
    case ptx::Type::BF16x2:
      return reduce_pair<BF16>(info.op, old, b);
    default:
      return integer<std::uint32_t>(info.op, old, b, c);
  }
}

// Lanes of one instruction take their turns in no order that CUDA says: in half of the drawn orders the highest first.
template <class Act>
void in_turn(const WarpContext& w, const Act& act) {
  if ((w.block->launch().options.schedule & 2) == 0) {
    for (const int lane : lanes_of<int>(w.mask)) act(lane);
    return;
  }
  for (Mask left = w.mask; left != 0;) {
    const int lane = kWarpLanes - 1 - std::countl_zero(left);
    left ^= Mask{1} << lane;
    act(lane);
  }
}

// .v2, .v4, .v8: each element is an operation of its own.
void update_vector(WarpContext& w, const Inst& inst, const AtomicInfo& info, Space space, std::byte* at,
                   int lane) {
  const auto& vectors = w.block->launch().program->vectors;
  for (std::size_t e = 0; e < inst.vector; ++e) {
    std::uint64_t old = 0;
    std::memcpy(&old, at + e * inst.elem_bytes, inst.elem_bytes);
    const std::uint64_t next = apply(info, old, lane_value(w, vectors[info.values][e], lane), 0, space);
    std::memcpy(at + e * inst.elem_bytes, &next, inst.elem_bytes);
    if (info.results == kNoPc || !is_set(vectors[info.results][e])) continue;
    set_lane_value(w, vectors[info.results][e], lane, old);
  }
}

// One element a lane, of a constant size, so that moving and comparing it is no call. `next(old, b, c)`.
template <std::size_t kBytes, class Next>
void update_elements(WarpContext& w, const Inst& inst, HostBase base, const AddressRow& row,
                     const Next& next_of) {
  const bool returns = is_set(inst.dst), swaps = is_set(inst.c);
  const std::byte* const values = inst.b.lane_bytes == kBytes ? w.row<std::byte>(inst.b) : nullptr;
  std::uint64_t changes = 0;
  in_turn(w, [&](int k) {
    std::uint64_t old = 0, b = 0;
    std::memcpy(&old, base.at(row.at[k]), kBytes);
    if (values != nullptr) {
      std::memcpy(&b, values + kBytes * static_cast<std::size_t>(k), kBytes);
    } else {
      b = lane_value(w, inst.b, k);
    }
    const std::uint64_t next = next_of(old, b, swaps ? lane_value(w, inst.c, k) : 0);
    std::memcpy(base.at(row.at[k]), &next, kBytes);
    changes += std::memcmp(&next, &old, kBytes) != 0;
    if (returns) set_lane_value(w, inst.dst, k, old);
  });
  w.block->changes += changes;
}

// cas and exch of 16 bytes.
void update_wide(WarpContext& w, const Inst& inst, const AtomicInfo& info, HostBase base,
                 const AddressRow& row) {
  constexpr std::size_t kBytes = 16;
  using Wide = std::array<std::byte, kBytes>;
  for (const int k : lanes_of<int>(w.mask)) {
    const auto of_lane = [&](const RowRef& ref) {
      return w.row<std::byte>(ref) + kBytes * static_cast<std::size_t>(k);
    };
    Wide old, next;
    std::memcpy(old.data(), base.at(row.at[k]), kBytes);
    std::memcpy(next.data(), of_lane(inst.b), kBytes);
    const bool swaps = info.op != AtomicOp::Cas || next == old;
    if (info.op == AtomicOp::Cas) std::memcpy(next.data(), of_lane(inst.c), kBytes);
    if (swaps) std::memcpy(base.at(row.at[k]), next.data(), kBytes);
    w.block->changes += swaps && next != old ? 1 : 0;
    if (is_set(inst.dst)) std::memcpy(of_lane(inst.dst), old.data(), kBytes);
  }
}

bool counts_words(const AtomicInfo& info) {
  return info.op == AtomicOp::Add && (info.type == ptx::Type::U32 || info.type == ptx::Type::S32);
}

void update_lanes(WarpContext& w, const Inst& inst, const AtomicInfo& info, Space space, HostBase base,
                  const AddressRow& row) {
  if (inst.vector == 1) {
    const auto next = [&](std::uint64_t old, std::uint64_t b, std::uint64_t c) {
      return apply(info, old, b, c, space);
    };
    // By far the most common: no call for each lane.
    const auto sum = [](std::uint64_t old, std::uint64_t b, std::uint64_t) { return old + b; };
    if (counts_words(info)) return update_elements<4>(w, inst, base, row, sum);
    if (inst.elem_bytes == 16) return update_wide(w, inst, info, base, row);
    if (inst.elem_bytes == 2) return update_elements<2>(w, inst, base, row, next);
    if (inst.elem_bytes == 4) return update_elements<4>(w, inst, base, row, next);
    return update_elements<8>(w, inst, base, row, next);
  }
  in_turn(w, [&](int k) { update_vector(w, inst, info, space, base.at(row.at[k]), k); });
}

// `base` as `resolve` gave it.
void update(WarpContext& w, const Inst& inst, const AtomicInfo& info, Space space,
            std::optional<HostBase> base, AddressRow row) {
  const std::uint32_t width = std::uint32_t{inst.elem_bytes} * inst.vector;
  if (space == Space::Local) {
    const std::uint64_t stride = w.block->warp_of(w).local_stride;
    for (std::size_t k = 0; k < kWarpLanes; ++k) row.at[k] += k * stride;
  }
  if (base) {
    update_lanes(w, inst, info, space, *base, row);
    return;
  }
  one_by_one(w, inst, space, row, width, Direction::Update,
             [&](HostBase at, const AddressRow& single) { update_lanes(w, inst, info, space, at, single); });
}

// With the values, for observers that want them: they see the access when it is over, lane by lane, since
// lanes of one address find what the lane before has left.
[[gnu::noinline]] void update_and_show(WarpContext& w, const Inst& inst, Space space, Path path,
                                       const AddressRow& row, std::optional<HostBase> base) {
  const AtomicInfo& info = w.block->launch().program->atomics[inst.extra];
  const std::uint32_t width = std::uint32_t{inst.elem_bytes} * inst.vector;
  LaneBytes before, after;
  const Mask all = w.mask;
  in_turn(w, [&](int lane) {
    w.mask = Mask{1} << lane;
    gather_memory(w, inst, space, row, base, width, before.at, width);
    update(w, inst, info, space, base, row);
    gather_memory(w, inst, space, row, base, width, after.at, width);
  });
  w.mask = all;
  report_access(w, inst, space, path, row, width, after.at, before.at);
}

// Whether observers must see which bytes of its word a swap changes: others may have the rest.
bool changes_parts(const ProgramData& program, const Inst& inst) {
  return inst.may_be_narrow && std::min(program.smallest_shared_access_bytes,
                                        program.smallest_global_access_bytes) < inst.elem_bytes;
}

void in_space(WarpContext& w, const Inst& inst, Space space, AddressRow& row) {
  const AtomicInfo& info = w.block->launch().program->atomics[inst.extra];
  const std::uint32_t width = std::uint32_t{inst.elem_bytes} * inst.vector;
  const std::optional<HostBase> base = resolve(w, inst, space, row, width, Direction::Update);
  const Path path = path_of(space, Direction::Update);
  const bool observed = w.block->observed();
  if (base && space == Space::Global && !row.known()) {  // scattered: the cache misses, all at once
    for (const int lane : lanes_of<int>(w.mask)) __builtin_prefetch(base->at(row.at[lane]), 1);
  }
  if (observed && (w.block->values_wanted() || changes_parts(*w.block->launch().program, inst)))
    return update_and_show(w, inst, space, path, row, base);
  if (observed) report_access(w, inst, space, path, row, width, nullptr);
  update(w, inst, info, space, base, row);
}

}  // namespace

void reduce_bytes(const AtomicInfo& info, Space space, std::byte* memory, const std::byte* values,
                  std::uint32_t bytes) {
  const auto width = static_cast<std::uint32_t>(ptx::size_bytes(info.type));
  for (std::uint32_t at = 0; at + width <= bytes; at += width) {
    std::uint64_t old = 0, value = 0;
    std::memcpy(&old, memory + at, width);
    std::memcpy(&value, values + at, width);
    const std::uint64_t next = apply(info, old, value, 0, space);
    std::memcpy(memory + at, &next, width);
  }
}

void exec_atomic(WarpContext& w, const Inst& inst) {
  AddressRow row;
  compute_addresses(w, inst, row);
  in_each_space(w, inst, row, [&](Space space, AddressRow& part) { in_space(w, inst, space, part); });
}

}  // namespace lab::sim
