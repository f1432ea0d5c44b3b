// Executes mbarrier instructions: arriving at, and asking for, barriers that lie in shared memory.
//
// Enters: the address of an object and a count, a state or a parity. Leaves: the object changed, lowest lane
// first. A waiting thread polls in a loop of the program, as on a GPU; when no other thread can go on, the
// copies that the object counts land. Observers see threads meet at the object (order.h): arrivals, the end of
// a phase, threads that have seen it.
#include "common/sim/execute/mbarrier.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/cluster.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {
namespace {

// Whether the phase that a lane asks for is an odd one; nothing: it gives no state of a barrier.
std::optional<bool> asked_phase(MbarrierFlags flags, std::uint64_t given) {
  if (flags.parity) return (given & 1) != 0;
  const auto then = MbarrierState::decoded(given);
  return then ? std::optional(then->odd) : std::nullopt;
}

// A lane's view of its object: read when made, written by `store`. It may lie in another block of the
// cluster.
class Object {
 public:
  Object(WarpContext& w, const Inst& inst, int lane, BlockRun& home, std::uint32_t at)
      : w_(w), inst_(inst), lane_(lane), home_(home), at_(at) {}
  [[noreturn]] void fail(const Message& what) const {
    w_.block->fault(FaultKind::BarrierDivergence, w_, inst_.pc, lane_, at_, what);
  }
  [[nodiscard]] Message who() const { return w_.block->thread_name(w_, lane_); }
  [[nodiscard]] std::uint64_t bits() const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, home_.shared.data() + at_, sizeof bits);
    return bits;
  }
  [[nodiscard]] MbarrierState load() const {
    const auto state = MbarrierState::decoded(bits());
    if (!state)
      fail(
          msg("{} uses a barrier in shared memory (mbarrier) that no thread has initialised. Let one thread "
              "call init(), then __syncthreads(), before any thread arrives.",
              who()));
    return *state;
  }
  // The manual forbids it; on a GPU the barrier goes on as if nothing were (measured on an H100).
  void forbid_if_ended(bool ends) const {
    if (home_.ended_mbarriers == 0) return;
    const auto log = home_.mbarriers.find(at_);
    if (log == home_.mbarriers.end() || log->second.ended_at == kNoPc) return;
    const Message line = w_.block->line_name(log->second.ended_at);
    w_.block->forbid(
        FaultKind::BarrierDivergence, w_, inst_.pc, lane_,
        ends
            ? msg("{} ends a barrier in shared memory (mbarrier) that was ended (mbarrier.inval, a "
                  "destructor) at {}. End it once.",
                  who(), line)
            : msg("{} uses a barrier in shared memory (mbarrier) that was ended (mbarrier.inval, a "
                  "destructor) at {}. End it behind a __syncthreads() that comes after everybody's last use.",
                  who(), line));
  }
  void end() const {
    forbid_if_ended(true);
    ++home_.ended_mbarriers;
    log().ended_at = inst_.pc;
  }
  void store(std::uint64_t bits) const { std::memcpy(home_.shared.data() + at_, &bits, sizeof bits); }
  void settle_and_store(MbarrierState state) const {
    const bool ended = state.settle();
    store(state.encoded());
    if (!ended) return;
    home_.phase_over(at_, w_.place->warp);
  }
  [[nodiscard]] MbarrierLog& log() const { return home_.mbarriers[at_]; }
  [[nodiscard]] bool land() const { return w_.block->cluster().land(home_.rank(), at_); }
  void report(EngineEvent::Act act, Mask lanes) const {
    if (!w_.block->observed()) return;
    home_.report(EngineEvent{.act = act, .pc = inst_.pc, .lanes = lanes, .place = w_.place, .low = at_});
  }
  // For the message about threads that wait for ever.
  void note_vain_wait(std::uint64_t asked, MbarrierFlags flags, Mask lanes) const {
    w_.block->vain_wait = {inst_.pc, at_, w_.place->warp, lane_, asked, flags.parity};
    Warp& warp = w_.block->warp_of(w_);
    warp.waited_in_vain = true;
    if (!flags.sleeps) return;
    MbarrierWaiters& waiters = warp.waiters;
    const bool odd = load().odd;  // the phase that runs is the one that they wait for
    if (waiters.offset != at_ || waiters.odd != odd) waiters = {at_, odd};
    waiters.asleep |= lanes;
    constexpr std::uint64_t kUnnamed = 1000;  // assumption: a GPU's own limit is no less
    const std::uint64_t limit = is_set(inst_.c) ? lane_value(w_, inst_.c, lane_) : kUnnamed;
    const auto known = find_timed_wait(warp, odd);
    if (known == warp.timed_waits.end())
      warp.timed_waits.push_back({at_, odd, limit});
    else
      known->nanoseconds += limit;
  }
  void note_end_seen(std::uint64_t asked, MbarrierFlags flags) const {
    Warp& warp = w_.block->warp_of(w_);
    if (warp.timed_waits.empty()) return;
    const auto known = find_timed_wait(warp, asked_phase(flags, asked).value_or(false));
    if (known != warp.timed_waits.end()) warp.timed_waits.erase(known);
  }

 private:
  [[nodiscard]] std::vector<TimedWait>::iterator find_timed_wait(Warp& warp, bool odd) const {
    return std::find_if(warp.timed_waits.begin(), warp.timed_waits.end(),
                        [&](const TimedWait& one) { return one.offset == at_ && one.odd == odd; });
  }
  WarpContext& w_;
  const Inst& inst_;
  int lane_;
  BlockRun& home_;
  std::uint32_t at_;
};

void set_lane_predicate(const WarpContext& w, const RowRef& row, int lane, bool value) {
  Mask& bits = *w.row<Mask>(row);
  bits = (bits & ~(Mask{1} << lane)) | Mask{value} << lane;
}

void init(const Object& object, std::uint64_t count) {
  if (count == 0 || count > kMostArrivals)
    object.fail(
        msg("{} initialises a barrier in shared memory (mbarrier) for {} arrivals. It takes 1 to 1048575.",
            object.who(), count));
  const auto arrivals = static_cast<std::uint32_t>(count);
  object.log() = {};
  object.store(MbarrierState{arrivals, arrivals, 0, false}.encoded());
}

void add_bytes(const Object& object, MbarrierState& state, std::int64_t bytes) {
  const std::int64_t sum = state.bytes + bytes;
  if (sum > std::int64_t{kMostArrivals} || sum < -std::int64_t{kMostArrivals})
    object.fail(
        msg("{} expects more bytes at a barrier in shared memory (mbarrier) than it can count (1048575).",
            object.who()));
  state.bytes = static_cast<std::int32_t>(sum);
}

void arrive(const Object& object, MbarrierState& state, std::uint64_t count, MbarrierFlags flags) {
  if (count == 0 || count > state.pending)
    object.fail(
        msg("{} arrives {} times at a barrier in shared memory (mbarrier) that waits for {} more. Is it "
            "initialised for the number of threads that arrive?",
            object.who(), count, state.pending));
  state.pending -= static_cast<std::uint32_t>(count);
  if (flags.op == MbarrierOp::ArriveDrop) state.expected -= static_cast<std::uint32_t>(count);
  if (flags.no_complete && state.pending == 0)
    object.fail(
        msg("{} ends a phase with an arrival that promised not to (noComplete). Arrive with fewer, or "
            "without it.",
            object.who()));
}

bool is_over(const Object& object, const MbarrierState& state, MbarrierFlags flags, std::uint64_t given) {
  const std::optional<bool> odd = asked_phase(flags, given);
  if (!odd) object.fail(msg("{} waits with a state that no arrival at a barrier has given.", object.who()));
  return state.odd != *odd;
}

// The count, the bytes, the state or the parity that a lane gives.
std::uint64_t given_to(const WarpContext& w, const Inst& inst, int lane) {
  return is_set(inst.b) ? lane_value(w, inst.b, lane) : 1;
}

void run_lane(WarpContext& w, const Inst& inst, MbarrierFlags flags, int lane, const Object& object) {
  const std::uint64_t given = given_to(w, inst, lane);
  if (flags.op == MbarrierOp::Init) {
    init(object, given);
    return object.report(EngineEvent::Act::Init, Mask{1} << lane);
  }
  const std::uint64_t before = object.bits();
  MbarrierState state = object.load();
  if (flags.op == MbarrierOp::Inval) return object.end();
  object.forbid_if_ended(false);
  switch (flags.op) {
    case MbarrierOp::ExpectBytes:
      add_bytes(object, state, static_cast<std::int64_t>(given));
      object.log().expected_bytes += given;
      return object.store(state.encoded());
    case MbarrierOp::CompleteBytes:
      add_bytes(object, state, -static_cast<std::int64_t>(given));
      object.log().landed_bytes += given;
      return object.settle_and_store(state);
    case MbarrierOp::Wait: {
      bool over = is_over(object, state, flags, given);
      // The last moment for copies that it waits for.
      if (!over && object.land()) over = is_over(object, object.load(), flags, given);
      if (over)
        object.note_end_seen(given, flags);
      else
        object.note_vain_wait(given, flags, Mask{1} << lane);
      return set_lane_predicate(w, inst.dst, lane, over);
    }
    default:
      break;
  }
  if (flags.expect) {
    add_bytes(object, state, static_cast<std::int64_t>(given));
    object.log().expected_bytes += given;
  }
  arrive(object, state, flags.expect ? 1 : given, flags);
  if (is_set(inst.dst)) set_lane_value(w, inst.dst, lane, before);
  object.settle_and_store(state);
}

// Whether all lanes that act name one object, of their own block.
bool name_one_object(const WarpContext& w, const AddressRow& row) {
  const std::uint64_t object = row.at[std::countr_zero(w.mask)];
  bool one = object >> kPeerShift == 0;
  for (const std::uint32_t lane : lanes_of(w.mask)) one = one && row.at[lane] == object;
  return one;
}

// Before threads meet there: one that arrives has used the barrier by then.
void record_use(WarpContext& w, const Inst& inst, const AddressRow& row) {
  if (name_one_object(w, row)) {
    const int first = std::countr_zero(w.mask);
    const PeerPlace place = peer_place(w, inst, first, row.at[first], 8);
    return Object(w, inst, first, *place.block, place.offset).report(EngineEvent::Act::Use, w.mask);
  }
  for (const int lane : lanes_of<int>(w.block->observed() ? w.mask : 0)) {
    const PeerPlace place = peer_place(w, inst, lane, row.at[lane], 8);
    Object(w, inst, lane, *place.block, place.offset).report(EngineEvent::Act::Use, Mask{1} << lane);
  }
}

// Whether all lanes that act ask one object for one phase: by its parity, or by states that arrivals have
// given.
bool ask_one_question(const WarpContext& w, const Inst& inst, MbarrierFlags flags, const AddressRow& row) {
  if (!name_one_object(w, row)) return false;
  const std::optional<bool> odd = asked_phase(flags, given_to(w, inst, std::countr_zero(w.mask)));
  bool one = odd.has_value();
  for (const std::uint32_t lane : lanes_of(w.mask))
    one = one && asked_phase(flags, given_to(w, inst, static_cast<int>(lane))) == odd;
  return one;
}

// Lanes that name one object meet there together.
void meet_by_object(WarpContext& w, const AddressRow& row, Mask lanes, Meeting::Act act) {
  while (lanes != 0) {
    const std::uint64_t at = row.at[std::countr_zero(lanes)];
    Mask same = 0;
    for (const int lane : lanes_of<int>(lanes)) {
      if (row.at[lane] == at) same |= Mask{1} << lane;
    }
    BlockRun& home = at >> kPeerShift == 0 || (at >> kPeerShift) > w.block->cluster().size()
                         ? *w.block
                         : w.block->cluster().block(static_cast<std::uint32_t>((at >> kPeerShift) - 1));
    home.meet(act, kInShared + (at & 0xffffffu), w.place->warp, same);
    lanes &= ~same;
  }
}

// Lanes that ask one question get the answer of the first; nothing can change between them.
void wait_together(WarpContext& w, const Inst& inst, MbarrierFlags flags, const AddressRow& row) {
  const int first = std::countr_zero(w.mask), last = kWarpLanes - 1 - std::countl_zero(w.mask);
  const PeerPlace place = peer_place(w, inst, first, row.at[first], 8);
  run_lane(w, inst, flags, first, Object(w, inst, first, *place.block, place.offset));
  Mask& over = *w.row<Mask>(inst.dst);
  const Object object(w, inst, last, *place.block, place.offset);
  if ((over >> first & 1u) == 0) {
    over &= ~w.mask;
    return object.note_vain_wait(given_to(w, inst, last), flags, w.mask);
  }
  over |= w.mask;
  if (flags.relaxed) return;
  object.report(EngineEvent::Act::Seen, w.mask);
  meet_by_object(w, row, w.mask, Meeting::Act::Leave);
}

// Lanes that waited, and slept when the phase ended, need not ask again: by now others may have ended the
// barrier, or begun another one in its place.
bool were_woken(WarpContext& w, const Inst& inst, MbarrierFlags flags, const AddressRow& row) {
  MbarrierWaiters& waiters = w.block->warp_of(w).waiters;
  const int first = std::countr_zero(w.mask);
  const bool woken = (w.mask & ~waiters.woken) == 0 && waiters.offset == row.at[first] &&
                     ask_one_question(w, inst, flags, row) &&
                     waiters.odd == *asked_phase(flags, given_to(w, inst, first));
  waiters.woken &= ~w.mask;
  return woken;
}

void answer_yes(WarpContext& w, const Inst& inst, MbarrierFlags flags, const AddressRow& row,
                BlockRun& home) {
  const int first = std::countr_zero(w.mask);
  *w.row<Mask>(inst.dst) |= w.mask;
  const Object object(w, inst, first, home, static_cast<std::uint32_t>(row.at[first]));
  object.note_end_seen(given_to(w, inst, first), flags);
  if (flags.relaxed) return;
  object.report(EngineEvent::Act::Seen, w.mask);
  meet_by_object(w, row, w.mask, Meeting::Act::Leave);
}

// Whether this test is answered "not yet" in any phase (let_copies_be_late).
bool answers_late(WarpContext& w, const AddressRow& row) {
  if (w.block->launch().options.schedule == 0) return false;
  const auto log = w.block->mbarriers.find(static_cast<std::uint32_t>(row.at[std::countr_zero(w.mask)]));
  if (log == w.block->mbarriers.end() || log->second.late_answers == 0) return false;
  --log->second.late_answers;
  ++w.block->late_answers;
  w.block->warp_of(w).waited_in_vain = true;
  return true;
}

}  // namespace

void shared_addresses(WarpContext& w, const Inst& inst, AddressRow& row, std::uint32_t width_bytes) {
  compute_addresses(w, inst, row);
  if (inst.space == Space::Generic) {
    SpacePart parts[kMostParts];
    const int count = split_spaces(w, inst, row, parts);
    for (int p = 0; p < count; ++p) {
      if (parts[p].space == Space::Shared || parts[p].space == Space::Cluster) continue;
      const int lane = std::countr_zero(parts[p].mask);
      w.block->fault(
          FaultKind::OutOfBounds, w, inst.pc, lane, row.at[lane],
          msg("{} uses a barrier (mbarrier) that does not lie in shared memory. Declare it __shared__.",
              w.block->thread_name(w, lane)));
    }
  }
  const Mask all = w.mask;
  Mask own = 0;
  for (const int lane : lanes_of<int>(all)) {
    if (row.at[lane] >> kPeerShift == 0 || row.at[lane] > 0xffffffffu) own |= Mask{1} << lane;
  }
  w.mask = own;
  if (own != 0) {
    describe_row(row, own);
    resolve(w, inst, Space::Shared, row, width_bytes, Direction::Update);
  }
  w.mask = all;
}

void BlockRun::phase_over(std::uint32_t offset, std::uint32_t warp) {
  MbarrierLog& log = mbarriers[offset];
  log = {0, 0, log.phase + 1, log.ended_at, log.late_answers};
  for (Warp& one : warps_) {
    if (one.waiters.offset == offset) one.waiters.woken |= std::exchange(one.waiters.asleep, 0);
  }
  meet(Meeting::Act::Turn, kInShared + offset, warp, 0);
}

// The bytes of a copy landed that a barrier of this block counts.
void BlockRun::bytes_landed(const InFlight& copy) {
  WarpContext who;
  who.block = this;
  who.place = &copy.place;
  const Object object(who, program_.code[copy.pc], copy.lane, *this, copy.barrier);
  MbarrierState state = object.load();
  meet(Meeting::Act::Arrive, kInShared + copy.barrier, copy.place.warp, Mask{1} << copy.lane);
  add_bytes(object, state, -static_cast<std::int64_t>(copy.counts));
  object.log().landed_bytes += copy.counts;
  object.settle_and_store(state);
}

// A swizzle may move the last bytes anywhere in their 128-byte line.
std::uint32_t touched_bytes(const BlockRun& block, std::uint32_t low, std::uint32_t bytes, Swizzle mode) {
  if (mode == Swizzle::None) return bytes;
  const std::uint64_t end = (std::uint64_t{low} + bytes + 127) / 128 * 128;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(end, block.shared.size()) - low);
}

void start_flight(WarpContext& w, const Inst& inst, InFlight copy) {
  ClusterRun& cluster = w.block->cluster();
  BlockRun& to = cluster.block(copy.block);
  const Object barrier(w, inst, copy.lane, cluster.block(copy.barrier_block), copy.barrier);
  static_cast<void>(barrier.load());
  let_copies_be_late(cluster.block(copy.barrier_block), copy.barrier);
  if (w.block->observed()) {
    EngineEvent event;
    event.act = EngineEvent::Act::Start;
    event.id = copy.id;
    event.pc = copy.pc;
    event.lanes = Mask{1} << copy.lane;
    event.place = w.place;
    event.writes = true;
    event.from_peer = &to != w.block;
    event.by_thread = copy.by_thread;
    event.low = copy.to;
    const auto size = static_cast<std::uint32_t>(copy.data.size());
    const std::uint32_t rows = copy.row_bytes == 0 ? 1 : size / copy.row_bytes;
    const std::uint32_t extent = rows == 1 ? size : (rows - 1) * copy.pitch_bytes + copy.row_bytes;
    event.bytes = touched_bytes(to, copy.to, extent, copy.mode);
    if (copy.barrier_block == copy.block) event.barrier = copy.barrier;
    to.report(event);
  }
  cluster.fly(std::move(copy));
}

void let_copies_be_late(BlockRun& home, std::uint32_t offset) {
  const std::uint64_t schedule = home.launch().options.schedule;
  if (schedule == 0) return;
  MbarrierLog& log = home.mbarriers[offset];
  // Mostly once or twice, since each answer costs a turn; sometimes longer than a loop that gives up asks: for
  // each warp two hundred times, ten times as often in one of eight of these, and so on. Long once in a phase,
  // whose copies are many. Never where questions are counted.
  constexpr std::uint32_t kVeryLate = 200, kLatest = 20'000, kMost = 1 << 15;
  const std::uint64_t drawn = (schedule >> 1) + home.block_index() + offset / 8 + log.phase;
  if (drawn % 64 != 0 || home.launch().options.count) {
    log.late_answers = 1 + static_cast<std::uint32_t>(drawn % 2);
    return;
  }
  std::uint32_t late = kVeryLate;
  for (std::uint64_t rarer = drawn / 64; late < kLatest && rarer % 8 == 0; rarer /= 8) late *= 10;
  if (!std::exchange(log.was_very_late, true))
    log.late_answers = std::min(late * static_cast<std::uint32_t>(home.warps().size()), kMost);
}

void mbarrier_arrive(WarpContext& w, const Inst& inst, int lane, std::uint64_t at) {
  const Object object(w, inst, lane, *w.block, static_cast<std::uint32_t>(at));
  MbarrierState state = object.load();
  object.report(EngineEvent::Act::Use, Mask{1} << lane);
  w.block->meet(Meeting::Act::Arrive, kInShared + at, w.place->warp, Mask{1} << lane);
  arrive(object, state, 1, {});
  object.settle_and_store(state);
}

void exec_mbarrier(WarpContext& w, const Inst& inst) {
  const MbarrierFlags flags = MbarrierFlags::unpacked(inst.extra);
  if (flags.op == MbarrierOp::Pending) {
    for (const int lane : lanes_of<int>(w.mask)) {
      const auto state = MbarrierState::decoded(lane_value(w, inst.b, lane));
      set_lane_value(w, inst.dst, lane, state ? state->pending : 0);
    }
    return;
  }
  AddressRow row;
  shared_addresses(w, inst, row, 8);
  if (flags.op == MbarrierOp::Wait && answers_late(w, row)) {
    *w.row<Mask>(inst.dst) &= ~w.mask;
    return;
  }
  if (flags.op == MbarrierOp::Wait && were_woken(w, inst, flags, row))
    return answer_yes(w, inst, flags, row, *w.block);
  const bool arrives = flags.op == MbarrierOp::Arrive || flags.op == MbarrierOp::ArriveDrop ||
                       flags.op == MbarrierOp::CompleteBytes;
  if (flags.op != MbarrierOp::Init && flags.op != MbarrierOp::Inval) record_use(w, inst, row);
  if (arrives && !flags.relaxed) meet_by_object(w, row, w.mask, Meeting::Act::Arrive);
  if (flags.op == MbarrierOp::Wait && ask_one_question(w, inst, flags, row))
    return wait_together(w, inst, flags, row);
  for (const int lane : lanes_of<int>(w.mask)) {
    const PeerPlace place = peer_place(w, inst, lane, row.at[lane], 8);
    const Object object(w, inst, lane, *place.block, place.offset);
    run_lane(w, inst, flags, lane, object);
    if (flags.op == MbarrierOp::Wait && !flags.relaxed && (*w.row<Mask>(inst.dst) >> lane & 1u) != 0)
      object.report(EngineEvent::Act::Seen, Mask{1} << lane);
  }
  if (flags.op != MbarrierOp::Wait || flags.relaxed) return;
  meet_by_object(w, row, w.mask & *w.row<Mask>(inst.dst), Meeting::Act::Leave);
}

}  // namespace lab::sim
