// How labels of undefined values go from register to register. See undefined.h.
#include "common/sim/execute/undefined.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "common/sim/base/lanes.h"
#include "common/sim/base/vec.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_matrix.h"
#include "common/sim/execute/exec_sync.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

constexpr const char* kDecidesBranch = "decides a branch";
constexpr const char* kDecidesAddress = "becomes an address";
constexpr const char* kIsOutput = "";  // what every value is for: nothing to add

// "cvt.u64.s32": whole numbers on both sides move bytes.
ValueFlow flow_of_conversion(const ptx::Instruction& in) {
  const auto is_whole = [](ptx::Type one) { return one > ptx::Type::Pred && !is_float(one); };
  const ptx::Type from = last_type(in), to = made_type(in);
  if (!is_whole(from) || !is_whole(to) || has(in, "sat")) return ValueFlow::LaneWise;
  return is_signed(from) ? ValueFlow::SignedBytes : ValueFlow::Bytes;
}

// Sums and products of whole numbers, but for the upper half of a product and what is bounded.
ValueFlow flow_of_arithmetic(const ptx::Instruction& in, ValueFlow of_whole) {
  const ptx::Type type = last_type(in);
  const bool is_whole = type > ptx::Type::Pred && !is_float(type);
  return is_whole && !has(in, "hi") && !has(in, "sat") && !has(in, "cc") ? of_whole : ValueFlow::LaneWise;
}

ValueFlow flow_of_instruction(const ProgramData& program, const Inst& inst) {
  using ptx::Computes;
  const ptx::OpcodeRow& row = program.opcode(inst.pc);
  if (row.moves.unit == ptx::Unit::Matrix)
    return row.moves.direction == Direction::Write ? ValueFlow::MatrixStore : ValueFlow::MatrixLoad;
  if (row.computes == Computes::Transpose) return ValueFlow::MatrixTurn;
  if (row.loads()) return ValueFlow::Load;
  if (row.stores()) return ValueFlow::Store;
  const bool by_lists = row.moves.unit == ptx::Unit::Fragment || row.moves.unit == ptx::Unit::Texture ||
                        row.moves.unit == ptx::Unit::Surface || row.moves.unit == ptx::Unit::Hint;
  if (row.moves_bytes() && !by_lists) return ValueFlow::Update;
  const ptx::Instruction& in = program.text(inst.pc);
  switch (row.computes) {
    case Computes::Copy:
      if (inst.elem_bytes == 0) return ValueFlow::Bytes;
      return is_set(inst.dst) ? ValueFlow::Pack : ValueFlow::Unpack;
    case Computes::Convert:
      return flow_of_conversion(in);
    case Computes::And:
      return ValueFlow::And;
    case Computes::Or:
      return ValueFlow::Or;
    case Computes::Xor:
      return ValueFlow::Xor;
    case Computes::Add:
      return flow_of_arithmetic(in, ValueFlow::Sum);
    case Computes::Subtract:
      return flow_of_arithmetic(in, ValueFlow::Difference);
    case Computes::Multiply:
    case Computes::MultiplyAdd:
      return flow_of_arithmetic(in, ValueFlow::Product);
    case Computes::ShiftLeft:
      return ValueFlow::ShiftLeft;
    case Computes::ShiftRight:
      return ValueFlow::ShiftRight;
    case Computes::Permute:
      return in.modifiers.size() == 1 ? ValueFlow::Permute : ValueFlow::LaneWise;  // no mode
    case Computes::Extract:
      return is_signed(last_type(in)) ? ValueFlow::LaneWise : ValueFlow::Extract;
    case Computes::Insert:
      return ValueFlow::Insert;
    case Computes::Funnel:
      return has(in, "l") ? ValueFlow::FunnelLeft : ValueFlow::FunnelRight;
    case Computes::Select:
      return ValueFlow::Select;
    default:
      return ValueFlow::LaneWise;
  }
}

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

std::vector<ValueFlow> flows_of(const ProgramData& program) {
  std::vector<ValueFlow> flows;
  flows.reserve(program.code.size());
  for (const Inst& inst : program.code) flows.push_back(flow_of_instruction(program, inst));
  for (const ListedRows& list : program.lists)
    if (flows[list.pc] == ValueFlow::LaneWise) flows[list.pc] = ValueFlow::Rows;
  return flows;
}

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
    for (int lane = 0; lane < kWarpLanes; ++lane) set_all(w, row, lane, label);
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

// A struct may be copied with members that have no value. What tells one from an array, whose elements are
// stored one by one too: the same line stores members of several types, of which one has a value.
bool UndefinedValues::is_member(const WarpContext& w, const Inst& inst, int lane) {
  constexpr std::uint32_t kFar = 32;  // instructions
  const ProgramData& program = *w.block->launch().program;
  const ptx::Instruction& text = program.text(inst.pc);
  bool several_types = false, one_known = false;
  const auto end = std::min(inst.pc + kFar, static_cast<std::uint32_t>(program.code.size()));
  for (std::uint32_t pc = inst.pc - std::min(inst.pc, kFar); pc < end; ++pc) {
    const ptx::Instruction& other = program.text(pc);
    if (flows_[pc] != ValueFlow::Store || other.operands[0].name != text.operands[0].name) continue;
    if (other.source != text.source || other.inlined_at != text.inlined_at) continue;
    several_types |= last_type(other) != last_type(text);
    const std::vector<RowRef>& parts = program.vectors[program.code[pc].extra];
    one_known |=
        std::all_of(parts.begin(), parts.end(), [&](const RowRef& part) { return any(w, part, lane) == 0; });
  }
  return several_types && one_known;
}

// A lane whose whole value is undefined gives it away; a part of it goes along to memory as it is.
void UndefinedValues::store(WarpContext& w, const Inst& inst, Mask acting) {
  UndefinedRead& out = w.block->undefined_read;
  const std::size_t width = std::size_t{inst.elem_bytes} * inst.vector;
  out.lanes = 0;
  for (const int lane : lanes_of<int>(acting)) {
    std::uint8_t* const passed = inst.passes_argument ? argument(w, inst, lane) : nullptr;
    std::uint8_t* const bytes = out.bytes.data() + width * static_cast<std::size_t>(lane);
    std::size_t at = 0, undefined = 0;
    std::uint8_t label = 0;
    for (const RowRef& part : w.block->launch().program->vectors[inst.extra]) {
      const Lane piece = lane_of(w, part, lane);
      for (std::size_t k = 0; k < inst.elem_bytes; ++k, ++at) {
        bytes[at] = piece.at[k];
        if (passed != nullptr) passed[at] = piece.at[k];
        undefined += piece.at[k] != 0 ? 1 : 0;
        label = std::max(label, piece.at[k]);
      }
    }
    if (undefined == 0 || passed != nullptr) continue;
    const std::uint64_t base = inst.a.file == RowFile::Hoisted
                                   ? w.block->hoisted().lane(inst.a, w.place->warp, lane)
                                   : lane_value(w, inst.a, lane);
    const std::uint64_t address = base + static_cast<std::uint64_t>(inst.immediate);
    const bool windowed = address - kSharedWindow < kWindowBytes || in_local_window(address);
    const bool global = inst.space == Space::Global || (inst.space == Space::Generic && !windowed);
    if (global && undefined == width) {
      if (label != unset_ || !is_member(w, inst, lane))
        w.block->report_undefined(w, lane, label, inst.pc, kIsOutput);
      continue;
    }
    out.lanes |= Mask{1} << lane;
    out.source = &w.block->source_of(w, lane, label, inst.pc);
  }
  w.undefined = out.lanes != 0 ? &out : nullptr;
  inst.enter_masked(w, inst);
  w.undefined = nullptr;
  out.source = nullptr;
}

std::uint8_t* UndefinedValues::argument(const WarpContext& w, const Inst& inst, int lane) {
  const std::size_t at = w.local_base + static_cast<std::size_t>(inst.immediate);
  std::vector<std::uint8_t>& frame = frames_.at(static_cast<std::size_t>(lane));
  const std::size_t end = at + std::size_t{inst.elem_bytes} * inst.vector;
  if (frame.size() < end) frame.resize(end);
  return frame.data() + at;
}

void UndefinedValues::passed(Mask lanes, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  for (const int lane : lanes_of<int>(lanes)) {
    std::vector<std::uint8_t>& frame = frames_.at(static_cast<std::size_t>(lane));
    const std::size_t end = std::size_t{std::max(from, to)} + bytes;
    if (frame.size() < end) frame.resize(end);
    std::copy_n(frame.begin() + from, bytes, frame.begin() + to);
  }
}

// What it loads has values, until `loaded` says otherwise; an argument what it was passed with.
void UndefinedValues::load(WarpContext& w, const Inst& inst, Mask acting) {
  for (const int lane : lanes_of<int>(acting)) {
    const std::uint8_t* from = inst.passes_argument ? argument(w, inst, lane) : nullptr;
    for (const RowRef& row : w.block->launch().program->vectors[inst.extra]) {
      Lane piece;
      if (from != nullptr) std::copy_n(from, inst.elem_bytes, piece.at);
      if (from != nullptr) from += inst.elem_bytes;
      set(w, row, lane, piece);
    }
  }
  inst.enter_masked(w, inst);
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
  if (flow != ValueFlow::Update || program.opcode(inst.pc).moves.unit != ptx::Unit::Atomic) return;
  if (const std::uint32_t results = program.atomics[inst.extra].results; results != kNoPc)
    for (const RowRef& row : program.vectors[results]) spread(w, row, acting, {});
}

void UndefinedValues::loaded(const WarpContext& w, const Inst& inst, const UndefinedRead& read,
                             std::uint8_t label) {
  if (flows_[inst.pc] == ValueFlow::MatrixLoad) return load_matrices(w, inst, read, label);
  const std::size_t width = std::size_t{inst.elem_bytes} * inst.vector;
  for (const int lane : lanes_of<int>(read.lanes & w.mask)) {
    const std::uint8_t* from = read.bytes.data() + width * static_cast<std::size_t>(lane);
    for (const RowRef& row : w.block->launch().program->vectors[inst.extra]) {
      Lane piece;
      for (std::size_t k = 0; k < inst.elem_bytes; ++k) piece.at[k] = from[k] != 0 ? label : 0;
      for (std::size_t k = inst.elem_bytes; k < lane_bytes(row); ++k)
        piece.at[k] = inst.sign_extend ? piece.at[inst.elem_bytes - 1] : 0;
      set(w, row, lane, piece);
      from += inst.elem_bytes;
    }
  }
}

// Calls body(lane, place, byte) for each byte of a matrix that a lane's register holds.
template <class Body>
void for_matrix_bytes(bool turned, const Body& body) {
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t byte = 0; byte < 2; ++byte)
        body(lane, place_of_element(lane, half, turned), 2 * half + byte);
}

void UndefinedValues::load_matrices(const WarpContext& w, const Inst& inst, const UndefinedRead& read,
                                    std::uint8_t label) {
  std::size_t first = 0;  // lane that names a row of the matrix
  for (const RowRef& row : w.block->launch().program->vectors[inst.extra]) {
    Lane pieces[kWarpLanes];
    for_matrix_bytes(inst.sign_extend, [&](std::size_t lane, ElementPlace from, std::size_t byte) {
      const std::size_t named = first + from.row, at = kMatrixRowBytes * named + 2 * from.col + byte % 2;
      const bool is_read = (read.lanes >> named & 1u) != 0;
      pieces[lane].at[byte] = is_read && read.bytes[at] != 0 ? label : 0;
    });
    for (int lane = 0; lane < kWarpLanes; ++lane) set(w, row, lane, pieces[lane]);
    first += kMatrixSide;
  }
}

void UndefinedValues::store_matrices(WarpContext& w, const Inst& inst) {
  UndefinedRead& out = w.block->undefined_read;
  out.lanes = 0;
  std::size_t first = 0;
  for (const RowRef& row : w.block->launch().program->vectors[inst.extra]) {
    Lane pieces[kWarpLanes];
    for (int lane = 0; lane < kWarpLanes; ++lane) pieces[lane] = lane_of(w, row, lane);
    for_matrix_bytes(inst.sign_extend, [&](std::size_t lane, ElementPlace to, std::size_t byte) {
      const std::size_t named = first + to.row;
      const std::uint8_t label = pieces[lane].at[byte];
      out.bytes[kMatrixRowBytes * named + 2 * to.col + byte % 2] = label;
      if (label == 0) return;
      out.lanes |= Mask{1} << named;
      out.source = &w.block->source_of(w, static_cast<int>(lane), label, inst.pc);
    });
    first += kMatrixSide;
  }
  w.undefined = out.lanes != 0 ? &out : nullptr;
  inst.enter_masked(w, inst);
  w.undefined = nullptr;
  out.source = nullptr;
}

void UndefinedValues::turn_matrix(WarpContext& w, const Inst& inst) {
  std::uint8_t matrix[kMatrixSide][kMatrixRowBytes];
  Lane pieces[kWarpLanes];
  for (int lane = 0; lane < kWarpLanes; ++lane) pieces[lane] = lane_of(w, inst.a, lane);
  for_matrix_bytes(false, [&](std::size_t lane, ElementPlace at, std::size_t byte) {
    matrix[at.row][2 * at.col + byte % 2] = pieces[lane].at[byte];
  });
  for_matrix_bytes(true, [&](std::size_t lane, ElementPlace at, std::size_t byte) {
    pieces[lane].at[byte] = matrix[at.row][2 * at.col + byte % 2];
  });
  inst.enter_masked(w, inst);
  for (int lane = 0; lane < kWarpLanes; ++lane) set(w, inst.dst, lane, pieces[lane]);
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
  std::uint64_t worst = 0;
  for (const std::size_t lane : lanes_of<std::size_t>(x.lanes)) {
    moved.a[lane] = found[lane];
    worst = std::max<std::uint64_t>(worst, found[lane]);
  }
  const bool shuffles = x.op >= SyncOp::ShflUp && x.op <= SyncOp::ShflIdx;
  if (shuffles) perform(moved);
  for (const int lane : lanes_of<int>(x.lanes)) {
    set_all(w, inst.dst, lane, static_cast<std::uint8_t>(shuffles ? moved.result[lane] : worst));
    set_all(w, inst.dst2, lane, static_cast<std::uint8_t>(shuffles ? 0 : worst));
  }
}

}  // namespace lab::sim
