// How labels of undefined values go from register to register. See undefined.h.
#include "common/sim/execute/undefined.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "common/sim/base/lanes.h"
#include "common/sim/base/vec.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_sync.h"

namespace lab::sim {
namespace {

// The values of a lane, byte by byte; of predicates one.
struct LaneValue {
  std::uint8_t at[16] = {};
};
LaneValue value_of(const WarpContext& w, const RowRef& row, int lane) {
  LaneValue value;
  if (is_predicate(row)) {
    value.at[0] = lane_in(w.predicate(row), lane) ? 0xff : 0;
  } else {
    std::memcpy(value.at,
                w.row<std::byte>(row) + std::size_t{row.lane_bytes} * static_cast<std::size_t>(lane),
                row.lane_bytes);
  }
  return value;
}

// How many of the lowest bytes are zero.
std::size_t zeros_below(const LaneValue& value, std::size_t bytes) {
  std::size_t zeros = 0;
  while (zeros < bytes && value.at[zeros] == 0) ++zeros;
  return zeros;
}

// `bytes`: a multiple of eight.
bool all_zero(const std::uint8_t* from, std::size_t bytes) {
  std::uint64_t found = 0;
  for (std::size_t k = 0; k < bytes; k += sizeof found) {
    std::uint64_t word;
    std::memcpy(&word, from + k, sizeof word);
    found |= word;
  }
  return found == 0;
}

}  // namespace

std::size_t UndefinedValues::lane_bytes(const RowRef& row) {
  return row.file == RowFile::Predicate ? 1 : row.lane_bytes;
}

std::uint8_t* UndefinedValues::labels(const WarpContext& w, const RowRef& row) {
  if (!is_register(row)) return nullptr;
  const auto file = static_cast<std::size_t>(row.file);
  constexpr std::size_t kLanesPerByte = kWarpLanes / sizeof(Mask);  // a predicate row is one mask
  const std::size_t scale = row.file == RowFile::Predicate ? kLanesPerByte : 1;
  RowBytes& shadow = shadow_[file];
  if (shadow.size() < warp_.arena[file].size() * scale) shadow.resize(warp_.arena[file].size() * scale);
  const auto frame = static_cast<std::size_t>(w.file[file] - warp_.arena[file].data());
  return reinterpret_cast<std::uint8_t*>(shadow.data()) + (frame + row.offset_bytes) * scale;
}

UndefinedValues::Lane UndefinedValues::lane_of(const WarpContext& w, const RowRef& row, int lane) {
  Lane out;
  const std::size_t bytes = lane_bytes(row);
  if (const std::uint8_t* from = labels(w, row))
    std::memcpy(out.at, from + bytes * static_cast<std::size_t>(lane), bytes);
  return out;
}

std::uint8_t UndefinedValues::any(const WarpContext& w, const RowRef& row, int lane) {
  const Lane all = lane_of(w, row, lane);
  return *std::max_element(std::begin(all.at), std::end(all.at));
}

// The highest label of each lane, where it is higher than what was found. Mostly a row has none.
void UndefinedValues::join(const WarpContext& w, const RowRef& row, Highest& found) {
  const std::uint8_t* const from = labels(w, row);
  const std::size_t bytes = lane_bytes(row);
  if (from == nullptr || all_zero(from, bytes * kWarpLanes)) return;
  with_constant(bytes, [&](auto n) {
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      for (std::size_t k = 0; k < n; ++k) found[lane] = std::max(found[lane], from[lane * n + k]);
  });
}

UndefinedValues::Highest UndefinedValues::of_sources(const WarpContext& w, const Inst& inst) {
  Highest found{};
  for (const RowRef* row : {&inst.a, &inst.b, &inst.c, &inst.d}) join(w, *row, found);
  return found;
}

void UndefinedValues::set(const WarpContext& w, const RowRef& row, int lane, const Lane& what) {
  const std::size_t bytes = lane_bytes(row);
  if (std::uint8_t* to = labels(w, row))
    std::memcpy(to + bytes * static_cast<std::size_t>(lane), what.at, bytes);
}

void UndefinedValues::set_all(const WarpContext& w, const RowRef& row, int lane, std::uint8_t label) {
  Lane all;
  std::fill(std::begin(all.at), std::end(all.at), label);
  set(w, row, lane, all);
}

// All bytes of each lane's value get the lane's label.
void UndefinedValues::spread(const WarpContext& w, const RowRef& row, Mask lanes, const Highest& of_lane) {
  std::uint8_t* const to = labels(w, row);
  if (to == nullptr) return;
  with_constant(lane_bytes(row), [&](auto n) {
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      for (std::size_t k = 0; k < n; ++k)
        to[lane * n + k] = choose(lanes, static_cast<int>(lane), of_lane[lane], to[lane * n + k]);
  });
}

// What a lane's result is made of.
UndefinedValues::Lane UndefinedValues::result(const WarpContext& w, const Inst& inst, ValueFlow flow,
                                              int lane, std::uint8_t highest) {
  Lane out;
  const auto everywhere = [&] {
    std::fill(std::begin(out.at), std::end(out.at), highest);
    return out;
  };
  const Lane a = lane_of(w, inst.a, lane), b = lane_of(w, inst.b, lane);
  const std::size_t bytes = lane_bytes(inst.dst), from_bytes = lane_bytes(inst.a);
  const bool b_known = any(w, inst.b, lane) == 0;
  // What both sides of a difference have of registers without a value may go away again, as in (x + u) - u. Of memory
  // it is not believed: 4 m - m is three times m.
  const auto cancels = [&](std::uint8_t one, std::uint8_t other) {
    return one == other && (one == 0 || one == unset_);
  };
  switch (flow) {
    case ValueFlow::Bytes:
    case ValueFlow::SignedBytes:
      for (std::size_t k = 0; k < bytes; ++k)
        out.at[k] = k < from_bytes ? a.at[k] : flow == ValueFlow::SignedBytes ? a.at[from_bytes - 1] : 0;
      return out;
    case ValueFlow::And:
    case ValueFlow::Or: {
      // A side that decides alone: zeros of an `and`, ones of an `or`.
      const std::uint8_t settles = flow == ValueFlow::And ? 0 : 0xff;
      const LaneValue x = value_of(w, inst.a, lane), y = value_of(w, inst.b, lane);
      for (std::size_t k = 0; k < bytes; ++k) {
        const bool settled = (a.at[k] == 0 && x.at[k] == settles) || (b.at[k] == 0 && y.at[k] == settles);
        out.at[k] = settled ? 0 : std::max(a.at[k], b.at[k]);
      }
      return out;
    }
    case ValueFlow::Xor:
      for (std::size_t k = 0; k < bytes; ++k)
        out.at[k] = cancels(a.at[k], b.at[k]) ? 0 : std::max(a.at[k], b.at[k]);
      return out;
    case ValueFlow::Difference:
      if (cancels(any(w, inst.a, lane), any(w, inst.b, lane))) return out;
      [[fallthrough]];
    case ValueFlow::Sum:
    case ValueFlow::Product: {
      // A word of memory without some of its bytes is used whole where something is computed of it.
      if (highest != unset_) return everywhere();
      const bool multiplies = flow == ValueFlow::Product;
      // A factor of 256 moves what it multiplies up by a byte.
      const auto up = [&](const RowRef& factor) {
        if (!multiplies || any(w, factor, lane) != 0) return std::size_t{0};
        const std::size_t zeros = zeros_below(value_of(w, factor, lane), from_bytes);
        return zeros == from_bytes ? bytes : zeros;  // nothing is left of a product with zero
      };
      const std::size_t up_a = up(inst.b), up_b = up(inst.a);
      const Lane c = lane_of(w, inst.c, lane);
      std::uint8_t below = 0;
      for (std::size_t k = 0; k < bytes; ++k) {
        if (k >= up_a) below = std::max(below, a.at[k - up_a]);
        if (k >= up_b) below = std::max(below, b.at[k - up_b]);
        if (multiplies) below = std::max(below, c.at[k]);
        out.at[k] = below;
      }
      return out;
    }
    case ValueFlow::ShiftLeft:
    case ValueFlow::ShiftRight: {
      const std::size_t by = value_of(w, inst.b, lane).at[0];
      if (!b_known || by % 8 != 0) return everywhere();
      const auto step = static_cast<std::ptrdiff_t>(by / 8) * (flow == ValueFlow::ShiftLeft ? -1 : 1);
      for (std::size_t k = 0; k < bytes; ++k) {
        const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(k) + step;
        const bool inside = from >= 0 && from < static_cast<std::ptrdiff_t>(bytes);
        out.at[k] = inside ? a.at[from] : 0;
      }
      return out;
    }
    case ValueFlow::Permute: {
      if (any(w, inst.c, lane) != 0) return everywhere();
      const LaneValue selector = value_of(w, inst.c, lane);
      for (std::size_t k = 0; k < 4; ++k) {
        const unsigned chosen = selector.at[k / 2] >> (k % 2 * 4) & 7u;
        out.at[k] = chosen < 4 ? a.at[chosen] : b.at[chosen - 4];
      }
      return out;
    }
    case ValueFlow::Extract:
    case ValueFlow::Insert: {
      const bool inserts = flow == ValueFlow::Insert;
      const RowRef &first = inserts ? inst.c : inst.b, &count = inserts ? inst.d : inst.c;
      const std::size_t begin = value_of(w, first, lane).at[0], length = value_of(w, count, lane).at[0];
      const bool by_bytes = any(w, first, lane) == 0 && any(w, count, lane) == 0 && (begin | length) % 8 == 0;
      if (!by_bytes) return everywhere();
      for (std::size_t k = 0; k < bytes; ++k) {
        const std::size_t from =
            inserts ? k - begin / 8 : k + begin / 8;  // below the field: beyond all bytes
        const bool inside = from < bytes && (inserts ? from : k) < length / 8;
        out.at[k] = inside ? a.at[from] : inserts ? b.at[k] : 0;
      }
      return out;
    }
    case ValueFlow::FunnelLeft:
    case ValueFlow::FunnelRight: {
      std::uint32_t by;
      std::memcpy(&by, value_of(w, inst.c, lane).at, sizeof by);
      if (any(w, inst.c, lane) != 0 || by % 8 != 0 || by >= 32) return everywhere();
      const std::size_t first =
          flow == ValueFlow::FunnelRight ? by / 8 : bytes - by / 8;  // `a` is the lower word
      for (std::size_t k = 0; k < bytes; ++k)
        out.at[k] = first + k < bytes ? a.at[first + k] : b.at[first + k - bytes];
      return out;
    }
    case ValueFlow::Select:
      if (any(w, inst.c, lane) != 0) return everywhere();
      return value_of(w, inst.c, lane).at[0] != 0 ? a : b;
    default:
      return everywhere();
  }
}

void UndefinedValues::decides(const WarpContext& w, const Inst& inst, const RowRef& row, const char* what) {
  Highest found{};
  join(w, row, found);
  for (const std::size_t lane : lanes_of<std::size_t>(w.mask))
    if (found[lane] != 0) w.block->report_undefined(w, static_cast<int>(lane), found[lane], inst.pc, what);
}

void UndefinedValues::lane_wise(WarpContext& w, const Inst& inst, ValueFlow flow, Mask acting) {
  const Highest highest = flow == ValueFlow::Pack ? Highest{} : of_sources(w, inst);
  const bool all_known = flow != ValueFlow::Pack && all_zero(highest.data(), highest.size());
  if (flow == ValueFlow::LaneWise || all_known) {
    inst.enter_masked(w, inst);
    spread(w, inst.dst, acting, highest);
    return spread(w, inst.dst2, acting, highest);
  }
  Lane results[kWarpLanes];
  for (const int lane : lanes_of<int>(acting)) {
    Lane& out = results[lane];
    if (flow != ValueFlow::Pack) {
      out = result(w, inst, flow, lane, highest[static_cast<std::size_t>(lane)]);
      continue;
    }
    std::size_t at = 0;
    for (const RowRef& part : w.block->launch().program->vectors[inst.extra]) {
      const Lane piece = lane_of(w, part, lane);
      for (std::size_t k = 0; k < inst.elem_bytes && at < kMostBytes; ++k) out.at[at++] = piece.at[k];
    }
  }
  inst.enter_masked(w, inst);
  for (const int lane : lanes_of<int>(acting)) {
    set(w, inst.dst, lane, results[lane]);
    set_all(w, inst.dst2, lane, results[lane].at[0]);
  }
}

void UndefinedValues::begin(const WarpContext& w, const std::vector<RowRef>& unset, std::uint8_t label) {
  unset_ = label;
  for (const RowRef& row : unset)
    for (const int lane : lanes_of<int>(warp_.started)) set_all(w, row, lane, label);
  begin_at(kNoPc);
}

void UndefinedValues::begin_at(std::uint32_t begin) {
  if (std::find(begun_.begin(), begun_.end(), begin) != begun_.end()) return;
  begun_.push_back(begin);
  if (asked_ >= long_) add_reached(begin);
}

void UndefinedValues::add_reached(std::uint32_t begin) {
  const std::vector<bool>& more = reached_from(*warp_.context.block->launch().program, all_flows_, begin);
  std::transform(more.begin(), more.end(), reached_.begin(), reached_.begin(), std::logical_or<>());
}

bool UndefinedValues::is_over() {
  if (!std::has_single_bit(++asked_)) return false;
  if (asked_ == long_) {
    reached_.assign(reached_.size(), false);
    for (const std::uint32_t begin : begun_) add_reached(begin);
  }
  const auto none = [](const auto& labels) {
    return std::all_of(labels.begin(), labels.end(), [](auto label) { return label == decltype(label){}; });
  };
  return std::all_of(frames_.begin(), frames_.end(), none) &&
         std::all_of(std::begin(shadow_), std::end(shadow_), [](const RowBytes& rows) {
           return all_zero(reinterpret_cast<const std::uint8_t*>(rows.data()), rows.size());
         });
}

template <class Act>
void UndefinedValues::for_lists(const WarpContext& w, const Inst& inst, bool sources, const Act& act) const {
  const ProgramData& program = *w.block->launch().program;
  auto list = std::lower_bound(program.lists.begin(), program.lists.end(), inst.pc,
                               [](const ListedRows& one, std::uint32_t pc) { return one.pc < pc; });
  for (; list != program.lists.end() && list->pc == inst.pc; ++list)
    if (list->are_sources == sources) act(program.vectors[list->list]);
}

// What an instruction writes by lists has values; but the sums of a product go on from the accumulators, its last sources, each in its
// place. Factors mix over lanes: rows that are beyond the matrix may have none, and are not looked at.
void UndefinedValues::rows(WarpContext& w, const Inst& inst, Mask acting) {
  const bool adds = w.block->launch().program->opcode(inst.pc).sees == ptx::Sees::Lanes;
  std::vector<std::array<Lane, kWarpLanes>> sums;
  if (adds)
    for_lists(w, inst, true, [&](const std::vector<RowRef>& sources) {
      for (const RowRef& row : sources) {
        sums.emplace_back();
        for (const int lane : lanes_of<int>(acting))
          sums.back()[static_cast<std::size_t>(lane)] = lane_of(w, row, lane);
      }
    });
  inst.enter_masked(w, inst);
  settle(w, inst);
  for_lists(w, inst, false, [&](const std::vector<RowRef>& results) {
    if (sums.size() < results.size()) return;
    for (std::size_t k = 0; k < results.size(); ++k)
      for (const int lane : lanes_of<int>(acting))
        set(w, results[k], lane, sums[sums.size() - results.size() + k][static_cast<std::size_t>(lane)]);
  });
}

// All that it writes has values.
void UndefinedValues::settle(const WarpContext& w, const Inst& inst) {
  const Mask acting = acting_lanes(w, inst);
  const auto clear = [&](const RowRef& row) { spread(w, row, acting, {}); };
  for (const RowRef* row : {&inst.dst, &inst.dst2}) clear(*row);
  for_lists(w, inst, false, [&](const std::vector<RowRef>& rows) {
    for (const RowRef& row : rows) clear(row);
  });
}

void UndefinedValues::unpack(WarpContext& w, const Inst& inst, Mask acting) {
  Lane whole[kWarpLanes];
  for (const int lane : lanes_of<int>(acting)) whole[lane] = lane_of(w, inst.a, lane);
  inst.enter_masked(w, inst);
  for (const int lane : lanes_of<int>(acting)) {
    std::size_t at = 0;
    for (const RowRef& part : w.block->launch().program->vectors[inst.extra]) {
      Lane piece;
      for (std::size_t k = 0; k < inst.elem_bytes; ++k) piece.at[k] = whole[lane].at[at++];
      set(w, part, lane, piece);
    }
  }
}

void UndefinedValues::execute(WarpContext& w, const Inst& inst) {
  const Mask all = w.mask, acting = acting_lanes(w, inst);
  if (inst.has_guard) decides(w, inst, inst.guard, kDecidesBranch);
  const ValueFlow flow = flows_[inst.pc];
  w.mask = acting;
  const bool loads = flow == ValueFlow::Load || flow == ValueFlow::MatrixLoad,
             stores = flow == ValueFlow::Store || flow == ValueFlow::MatrixStore;
  if (loads || stores) decides(w, inst, inst.a, kDecidesAddress);
  if (flow == ValueFlow::Update) {
    for (const RowRef* row : {&inst.a, &inst.b, &inst.c, &inst.d}) decides(w, inst, *row, kIsOutput);
  }
  w.mask = all;
  if (flow == ValueFlow::Store) return store(w, inst, acting);
  if (flow == ValueFlow::Unpack) return unpack(w, inst, acting);
  if (loads) return load(w, inst, acting);
  if (flow == ValueFlow::MatrixStore) return store_matrices(w, inst);
  if (flow == ValueFlow::MatrixTurn) return turn_matrix(w, inst);
  if (flow == ValueFlow::Rows) return rows(w, inst, acting);
  lane_wise(w, inst, flow, acting);
  const ProgramData& program = *w.block->launch().program;
  if (const AtomicInfo* const atomic = program.atomic_of(inst); atomic != nullptr && atomic->results != kNoPc)
    for (const RowRef& row : program.vectors[atomic->results]) spread(w, row, acting, {});
}

void UndefinedValues::follow(const WarpContext& w, const Inst& inst) {
  if (inst.has_guard) decides(w, inst, inst.guard, kDecidesBranch);
  if (inst.control == Control::BranchIndirect) decides(w, inst, inst.a, kDecidesBranch);
  // Lanes that exchange values hand labels on (`exchanged`). A product of a warpgroup that adds goes on from what its results held.
  const bool adds = inst.control == Control::Product && (w.mask & w.predicate(inst.c)) != 0;
  if (inst.control == Control::Barrier || (inst.control == Control::Product && !adds)) settle(w, inst);
}

// A shuffle hands labels on as it does values; votes, matches and reductions look at every lane.
void UndefinedValues::exchanged(const WarpContext& w, const Inst& inst, const Exchange& x) {
  Exchange moved = x;
  Highest found{};
  join(w, inst.a, found);
  std::copy(found.begin(), found.end(), std::begin(moved.a));  // also of lanes that take no part and are read
  std::uint64_t worst = 0;
  for (const std::size_t lane : lanes_of<std::size_t>(x.lanes)) worst = std::max(worst, moved.a[lane]);
  const bool shuffles = x.op >= SyncOp::ShflUp && x.op <= SyncOp::ShflIdx;
  if (shuffles) perform(moved);
  for (const int lane : lanes_of<int>(x.lanes)) {
    set_all(w, inst.dst, lane, static_cast<std::uint8_t>(shuffles ? moved.result[lane] : worst));
    set_all(w, inst.dst2, lane, static_cast<std::uint8_t>(shuffles ? 0 : worst));
  }
}

}  // namespace lab::sim
