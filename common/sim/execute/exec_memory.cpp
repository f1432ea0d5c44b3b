// The handlers of ld and st: one template for every pair of memory type and register width.
//
// Enters: a WarpContext. Leaves: bytes moved between rows and memory, after the observers have seen the
// access.
#include "common/sim/execute/exec_memory.h"

#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/abreast.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/lane_copy.h"
#include "common/sim/observe/access_analysis.h"

namespace lab::sim {
namespace {

// One access to one space: checked, reported, then `act(base, row)` moves the bytes; lane by lane where the
// lanes lie in several allocations.
template <class Values, class Act>
void in_one_space(WarpContext& w, const Inst& inst, Space space, AddressRow& row, Direction direction,
                  const Values& values, const Act& act) {
  const std::uint32_t width = inst.elem_bytes * std::uint32_t{inst.vector};
  const std::optional<HostBase> base = resolve(w, inst, space, row, width, direction);
  if (space == Space::Param) {
    w.block->count_parameters(w.mask, 1, width);
  } else if (w.block->observed() && !inst.passes_argument) {
    const Path path = path_of(space, direction);
    if (direction == Direction::Read) {
      report_read(w, inst, space, path, row, base, width);
    } else {
      report_access(w, inst, space, path, row, width, values(space));
    }
  }
  if (space == Space::Local) {
    const std::uint64_t stride = w.block->warp_of(w).local_stride;
    if (row.affine) {
      row.stride_bytes += static_cast<std::int64_t>(stride);
    } else {
      for (std::size_t k = 0; k < kWarpLanes; ++k) row.at[k] += k * stride;
      row.ramps() = {};
    }
  }
  if (base) {
    act(*base, row);
    if (space == inst.space && w.block->last_touch[inst.pc].listeners == nullptr)
      w.block->open_window(inst, width, row.low);
    return;
  }
  one_by_one(w, inst, space, row, width, direction, act);
}

// Loads of the warps that go abreast, one after the other.
template <class Mem, class Reg>
void load_abreast(const Abreast::Row& all, const Inst& inst, BlockRun& block) {
  const HostBase base = host_of(block.last_touch[inst.pc]);
  const auto& rows = block.launch().program->vectors[inst.extra];
  AddressRow row;
  row.affine = true;
  for (Warp& warp : block.warps()) {
    const Mask mask = all.masks[warp.place.warp];
    row.stride_bytes = static_cast<std::int64_t>(all.ramps[warp.place.warp].step);
    row.start = all.start(warp.place.warp);
    for (std::size_t e = 0; mask != 0 && e < rows.size(); ++e)
      if (is_set(rows[e]))
        load_ramp<Mem, Reg>(base.plus(e * sizeof(Mem)), row, mask, warp.context.row<Reg>(rows[e]));
  }
}

template <class Mem, class Reg>
void exec_load(WarpContext& w, const Inst& inst) {
  if (w.abreast != nullptr) return load_abreast<Mem, Reg>(w.abreast->row(), inst, *w.block);
  AddressRow all;
  const bool filled = describe_addresses(w, inst, all);
  const std::uint32_t width = sizeof(Mem) * std::uint32_t{inst.vector};
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  const auto no_values = [](Space) -> const std::byte* { return nullptr; };
  const auto move = [&](HostBase base, const AddressRow& row) {
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (!is_set(rows[e])) continue;
      Reg* to = w.row<Reg>(rows[e]);
      load_lanes<Mem, Reg>(base.plus(e * sizeof(Mem)), row, w.mask, to);
    }
  };
  const BlockRun::LastTouch* const window = in_window(w, inst, all, width);
  if (window != nullptr && goes_unseen(w, *window, all, inst.space)) return move(host_of(*window), all);
  if (!filled) fill_lanes(all);
  UndefinedRead& undefined = w.block->undefined_read;
  undefined.lanes = 0;
  w.undefined = &undefined;
  if (window != nullptr) {
    LaneBytes found;
    const bool wanted = w.block->values_wanted();
    if (wanted) gather_memory(w, inst, inst.space, all, host_of(*window), width, found.at, width);
    move(host_of(*window), all);  // first: counting takes no longer than memory does
    report_in_window(w, inst, *window, Direction::Read, all, width, wanted ? found.at : nullptr);
  } else {
    in_each_space(w, inst, all, [&](Space space, AddressRow& part) {
      in_one_space(w, inst, space, part, Direction::Read, no_values, move);
    });
  }
  w.undefined = nullptr;
  if (undefined.lanes != 0) [[unlikely]]
    w.block->carry_undefined(w, inst);
}

// A kernel parameter at a place that the decoder has checked: one value for all lanes. It weighs nothing, so
// the block counts it by itself.
template <class Mem, class Reg>
void exec_load_parameter(WarpContext& w, const Inst& inst) {
  const LaunchContext& launch = w.block->launch();
  const std::byte* from = launch.parameters.data() + inst.immediate;
  w.block->count_parameters(w.mask, 1, sizeof(Mem) * std::uint32_t{inst.vector});
  for (const RowRef& row : launch.program->vectors[inst.extra]) {
    const Reg value = load_lane<Mem, Reg>(from);
    from += sizeof(Mem);
    if (!is_set(row)) continue;
    Reg* to = w.row<Reg>(row);
    if (w.mask == kFullMask) {
      for (int k = 0; k < kWarpLanes; ++k) to[k] = value;
    } else {
      LAB_LANES
      for (int k = 0; k < kWarpLanes; ++k) to[k] = choose(w.mask, k, value, to[k]);
    }
  }
}

// The values of a store, lane by lane, as observers want them.
template <class Mem, class Reg>
const std::byte* gather_values(const WarpContext& w, const std::vector<RowRef>& rows, std::byte* into) {
  if (rows.size() == 1 && sizeof(Mem) == sizeof(Reg)) return w.row<std::byte>(rows[0]);
  const std::size_t width = rows.size() * sizeof(Mem);
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const std::byte* from = w.row<std::byte>(rows[e]);
    for (std::size_t k = 0; k < kWarpLanes; ++k) {
      std::memcpy(into + k * width + e * sizeof(Mem), from + k * sizeof(Reg), sizeof(Mem));
    }
  }
  return into;
}

// Stores of the warps that go abreast: kept until it is known that they may be done.
template <class Mem, class Reg>
void keep_abreast(Abreast::Row& all, const Inst& inst, BlockRun& block) {
  const auto& rows = block.launch().program->vectors[inst.extra];
  std::byte* kept = all.values.data();
  for (const Warp& warp : block.warps()) {
    const std::byte* const from = gather_values<Mem, Reg>(warp.context, rows, kept);
    if (from != kept) std::memcpy(kept, from, sizeof(Mem) * kWarpLanes);
    kept += rows.size() * sizeof(Mem) * kWarpLanes;
  }
}

template <class Mem, class Reg>
void exec_store(WarpContext& w, const Inst& inst) {
  if (w.abreast != nullptr) return keep_abreast<Mem, Reg>(w.abreast->row(), inst, *w.block);
  AddressRow all;
  const bool filled = describe_addresses(w, inst, all);
  const std::uint32_t width = sizeof(Mem) * std::uint32_t{inst.vector};
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  const auto move = [&](HostBase base, const AddressRow& row) {
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const Reg* from = w.row<Reg>(rows[e]);
      store_lanes<Mem, Reg>(base.plus(e * sizeof(Mem)), row, w.mask, from);
    }
  };
  // A store of what has no value changes what the window rests upon.
  const BlockRun::LastTouch* const window = w.undefined == nullptr ? in_window(w, inst, all, width) : nullptr;
  if (window != nullptr && goes_unseen(w, *window, all, inst.space)) return move(host_of(*window), all);
  if (!filled) fill_lanes(all);
  alignas(64) std::byte buffer[kWarpLanes * 64];
  const auto values = [&](Space space) {
    const bool wanted = space == Space::Shared || space == Space::Global || w.block->values_wanted();
    return wanted ? gather_values<Mem, Reg>(w, rows, buffer) : nullptr;
  };
  if (window != nullptr) {
    report_in_window(w, inst, *window, Direction::Write, all, width, values(inst.space));
    return move(host_of(*window), all);
  }
  in_each_space(w, inst, all, [&](Space space, AddressRow& part) {
    in_one_space(w, inst, space, part, Direction::Write, values, move);
  });
}

template <class Mem, class Reg>
Exec load_of(bool parameter) {
  return parameter ? exec_load_parameter<Mem, Reg> : exec_load<Mem, Reg>;
}

template <class Mem>
Exec load_into(std::uint32_t register_bytes, bool parameter) {
  if constexpr (sizeof(Mem) <= 2) {
    if (register_bytes == 2) return load_of<Mem, std::uint16_t>(parameter);
  }
  if constexpr (sizeof(Mem) <= 4) {
    if (register_bytes == 4) return load_of<Mem, std::uint32_t>(parameter);
  }
  return register_bytes == 8 ? load_of<Mem, std::uint64_t>(parameter) : nullptr;
}

template <class Mem>
Exec store_from(std::uint32_t register_bytes) {
  if constexpr (sizeof(Mem) <= 2) {
    if (register_bytes == 2) return exec_store<Mem, std::uint16_t>;
  }
  if constexpr (sizeof(Mem) <= 4) {
    if (register_bytes == 4) return exec_store<Mem, std::uint32_t>;
  }
  return register_bytes == 8 ? exec_store<Mem, std::uint64_t> : nullptr;
}

}  // namespace

// A GPU may lose what its second-level cache holds of them, or may not; here they are lost. A read of them is
// one of unwritten memory, and a comparison finds another value.
void exec_discard(WarpContext& w, const Inst& inst) {
  constexpr std::uint32_t kBytes = 128;
  constexpr int kLost = 0xdb;
  AddressRow row;
  if (!describe_addresses(w, inst, row)) fill_lanes(row);
  static_cast<void>(resolve(w, inst, Space::Global, row, kBytes, Direction::Write));
  const Memory& memory = *w.block->launch().memory;
  for (const int lane : lanes_of<int>(w.mask)) {
    const DeviceAddress at = row.at[lane];
    const Allocation* const a = memory.find(at, kBytes);
    if (a == nullptr) continue;  // resolve has said so
    std::memset(a->host + (at - a->base), kLost, kBytes);
    if (a->written == nullptr) continue;
    std::memset(a->written + (at - a->base), Allocation::kUnwritten, kBytes);
    a->whole() = 0;
  }
}

void exec_fill(WarpContext& w, const Inst& inst) {
  const std::uint64_t* const size = w.row<std::uint64_t>(inst.b);
  const Mask all = w.mask;
  Inst step = inst;
  for (std::uint64_t done = 0;; done += inst.elem_bytes, step.immediate += inst.elem_bytes) {
    w.mask = 0;
    for (const int lane : lanes_of<int>(all)) w.mask |= Mask{size[lane] > done} << lane;
    if (w.mask == 0) break;
    w.block->charge(w, inst, 1);
    exec_store<std::uint64_t, std::uint64_t>(w, step);
  }
  w.mask = all;
}

Exec load_handler(std::uint32_t memory_bytes, std::uint32_t register_bytes, bool sign_extend,
                  bool parameter) {
  const auto of = [&]<class Signed, class Unsigned>() {
    return sign_extend ? load_into<Signed>(register_bytes, parameter)
                       : load_into<Unsigned>(register_bytes, parameter);
  };
  switch (memory_bytes) {
    case 1:
      return of.operator()<std::int8_t, std::uint8_t>();
    case 2:
      return of.operator()<std::int16_t, std::uint16_t>();
    case 4:
      return of.operator()<std::int32_t, std::uint32_t>();
    case 8:
      return load_into<std::uint64_t>(register_bytes, parameter);
    case 16:
      return register_bytes == 16 ? load_of<Wide, Wide>(parameter) : nullptr;
    default:
      return nullptr;
  }
}

Exec store_handler(std::uint32_t memory_bytes, std::uint32_t register_bytes) {
  switch (memory_bytes) {
    case 1:
      return store_from<std::uint8_t>(register_bytes);
    case 2:
      return store_from<std::uint16_t>(register_bytes);
    case 4:
      return store_from<std::uint32_t>(register_bytes);
    case 8:
      return store_from<std::uint64_t>(register_bytes);
    case 16:
      return register_bytes == 16 ? exec_store<Wide, Wide> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace lab::sim
