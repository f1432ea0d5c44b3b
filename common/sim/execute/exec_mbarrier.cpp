// Executes mbarrier instructions: arriving at, and asking for, barriers that lie in shared memory.
//
// Enters: the address of an object and a count, a state or a parity. Leaves: the object changed, lowest lane
// first. Whoever waits asks again and again, in a loop of the program, as on a GPU. For the observers threads
// meet at the object (order.h): who arrives, the end of its phase, who was told that it is over.
#include "common/sim/execute/mbarrier.h"

#include <bit>
#include <cstring>
#include <string>

#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {
namespace {

// A lane's view of its object: read when made, written by `store`.
class Object {
 public:
  Object(WarpContext& w, const Inst& inst, int lane, std::uint64_t at)
      : w_(w), inst_(inst), lane_(lane), at_(at) {}
  [[noreturn]] void fail(const std::string& what) const {
    w_.block->fault(FaultKind::BarrierDivergence, w_, inst_.pc, lane_, at_, what);
  }
  [[nodiscard]] std::string who() const { return w_.block->thread_name(w_, lane_); }
  [[nodiscard]] std::uint64_t bits() const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, w_.block->shared.data() + at_, sizeof bits);
    return bits;
  }
  [[nodiscard]] MbarrierState load() const {
    const auto state = MbarrierState::decoded(bits());
    if (!state)
      fail(who() +
           " uses a barrier in shared memory (mbarrier) that nobody has initialised. Let one thread call "
           "init(), "
           "then __syncthreads(), before anybody arrives.");
    return *state;
  }
  void store(std::uint64_t bits) const { std::memcpy(w_.block->shared.data() + at_, &bits, sizeof bits); }
  void settle_and_store(MbarrierState state) const {
    const bool ended = state.settle();
    store(state.encoded());
    if (ended) w_.block->meet(Meeting::Act::Turn, kInShared + at_, w_.place->warp, 0);
  }

 private:
  WarpContext& w_;
  const Inst& inst_;
  int lane_;
  std::uint64_t at_;
};

void set_lane_predicate(const WarpContext& w, const RowRef& row, int lane, bool value) {
  Mask& bits = *w.row<Mask>(row);
  bits = (bits & ~(Mask{1} << lane)) | Mask{value} << lane;
}

void init(const Object& object, std::uint64_t count) {
  if (count == 0 || count > kMostArrivals)
    object.fail(object.who() + " initialises a barrier in shared memory (mbarrier) for " +
                std::to_string(count) + " arrivals. It takes 1 to 1048575.");
  const auto arrivals = static_cast<std::uint32_t>(count);
  object.store(MbarrierState{arrivals, arrivals, 0, false}.encoded());
}

void add_bytes(const Object& object, MbarrierState& state, std::int64_t bytes) {
  const std::int64_t sum = state.bytes + bytes;
  if (sum > std::int64_t{kMostArrivals} || sum < -std::int64_t{kMostArrivals})
    object.fail(object.who() +
                " expects more bytes at a barrier in shared memory (mbarrier) than it can count (1048575).");
  state.bytes = static_cast<std::int32_t>(sum);
}

void arrive(const Object& object, MbarrierState& state, std::uint64_t count, MbarrierFlags flags) {
  if (count == 0 || count > state.pending)
    object.fail(object.who() + " arrives " + std::to_string(count) +
                " times at a barrier in shared memory (mbarrier) that waits for " +
                std::to_string(state.pending) +
                " more. Is it initialised for the number of threads that arrive?");
  state.pending -= static_cast<std::uint32_t>(count);
  if (flags.op == MbarrierOp::ArriveDrop) state.expected -= static_cast<std::uint32_t>(count);
  if (flags.no_complete && state.pending == 0)
    object.fail(
        object.who() +
        " ends a phase with an arrival that promised not to (noComplete). Arrive with fewer, or without it.");
}

void run_lane(WarpContext& w, const Inst& inst, MbarrierFlags flags, int lane, std::uint64_t at) {
  const Object object(w, inst, lane, at);
  const std::uint64_t given = is_set(inst.b) ? lane_value(w, inst.b, lane) : 1;
  if (flags.op == MbarrierOp::Init) return init(object, given);
  const std::uint64_t before = object.bits();
  MbarrierState state = object.load();
  switch (flags.op) {
    case MbarrierOp::Inval:
      return object.store(0);
    case MbarrierOp::ExpectBytes:
      add_bytes(object, state, static_cast<std::int64_t>(given));
      return object.store(state.encoded());
    case MbarrierOp::CompleteBytes:
      add_bytes(object, state, -static_cast<std::int64_t>(given));
      return object.settle_and_store(state);
    case MbarrierOp::Wait: {
      bool over = state.odd != ((given & 1) != 0);
      if (!flags.parity) {
        const auto then = MbarrierState::decoded(given);
        if (!then) object.fail(object.who() + " waits with a state that no arrival at a barrier has given.");
        over = state.odd != then->odd;
      }
      return set_lane_predicate(w, inst.dst, lane, over);
    }
    default:
      break;
  }
  if (flags.expect) add_bytes(object, state, static_cast<std::int64_t>(given));
  arrive(object, state, flags.expect ? 1 : given, flags);
  if (is_set(inst.dst)) set_lane_value(w, inst.dst, lane, before);
  object.settle_and_store(state);
}

// Lanes that name one object meet there together.
void meet_by_object(WarpContext& w, const AddressRow& row, Mask lanes, Meeting::Act act) {
  while (lanes != 0) {
    const std::uint64_t at = row.at[std::countr_zero(lanes)];
    Mask same = 0;
    for (Mask left = lanes; left != 0; left &= left - 1) {
      if (row.at[std::countr_zero(left)] == at) same |= left & (~left + 1);
    }
    w.block->meet(act, kInShared + at, w.place->warp, same);
    lanes &= ~same;
  }
}

}  // namespace

void shared_addresses(WarpContext& w, const Inst& inst, AddressRow& row, std::uint32_t width_bytes) {
  compute_addresses(w, inst, row);
  if (inst.space == Space::Generic) {
    SpacePart parts[4];
    const int count = split_spaces(w, row, parts);
    for (int p = 0; p < count; ++p) {
      if (parts[p].space == Space::Shared) continue;
      const int lane = std::countr_zero(parts[p].mask);
      w.block->fault(
          FaultKind::OutOfBounds, w, inst.pc, lane, row.at[lane],
          w.block->thread_name(w, lane) +
              " uses a barrier (mbarrier) that does not lie in shared memory. Declare it __shared__.");
    }
    describe_row(row, w.mask);
  }
  resolve(w, inst, Space::Shared, row, width_bytes, Direction::Update);
}

void mbarrier_complete_bytes(WarpContext& w, const Inst& inst, int lane, std::uint64_t at,
                             std::uint32_t bytes) {
  const Object object(w, inst, lane, at);
  MbarrierState state = object.load();
  w.block->meet(Meeting::Act::Arrive, kInShared + at, w.place->warp, Mask{1} << lane);
  add_bytes(object, state, -static_cast<std::int64_t>(bytes));
  object.settle_and_store(state);
}

void mbarrier_arrive(WarpContext& w, const Inst& inst, int lane, std::uint64_t at) {
  const Object object(w, inst, lane, at);
  MbarrierState state = object.load();
  w.block->meet(Meeting::Act::Arrive, kInShared + at, w.place->warp, Mask{1} << lane);
  arrive(object, state, 1, {});
  object.settle_and_store(state);
}

void exec_mbarrier(WarpContext& w, const Inst& inst) {
  const MbarrierFlags flags = MbarrierFlags::unpacked(inst.extra);
  if (flags.op == MbarrierOp::Pending) {
    for (Mask left = w.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const auto state = MbarrierState::decoded(lane_value(w, inst.b, lane));
      set_lane_value(w, inst.dst, lane, state ? state->pending : 0);
    }
    return;
  }
  AddressRow row;
  shared_addresses(w, inst, row, 8);
  const bool arrives = flags.op == MbarrierOp::Arrive || flags.op == MbarrierOp::ArriveDrop ||
                       flags.op == MbarrierOp::CompleteBytes;
  if (arrives) meet_by_object(w, row, w.mask, Meeting::Act::Arrive);
  for (Mask left = w.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    run_lane(w, inst, flags, lane, row.at[lane]);
  }
  if (flags.op != MbarrierOp::Wait) return;
  meet_by_object(w, row, w.mask & *w.row<Mask>(inst.dst), Meeting::Act::Leave);
}

}  // namespace lab::sim
