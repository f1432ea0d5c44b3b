// Compares what a block does in shared memory with what an earlier one did. See the header.
#include "common/sim/execute/shared_repeats.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lab::sim {
namespace {

constexpr std::uint32_t kMostMisses = 3;    // blocks in a row that go another way: a new one is recorded
constexpr std::uint32_t kMostRecords = 16;  // then blocks differ, and they are not compared any more

}  // namespace

void SharedRepeats::begin_launch(std::span<Observer* const> observers, std::span<const Inst> code,
                                 bool compares) {
  code_ = code;
  for (Observer* o : observers)
    if (o->policy().repeats() != Repeats::Each) spared_.push_back(o);
  useful_ = compares && !spared_.empty();
}

void SharedRepeats::begin_block(std::uint32_t slot, const WarpPlace& place) {
  slot_ = slot;
  place_ = place;
  turn_ = next_ = 0;
  value_at_.clear();
  values_.clear();
  state_ = !useful_ ? State::Off : known_ ? State::Follows : State::Records;
  recorded_ = state_ == State::Records;
  if (!recorded_) return;
  useful_ = recorded_ = ++records_ <= kMostRecords;
  if (!useful_) state_ = State::Off;
  forget();
}

void SharedRepeats::forget() {
  steps_.clear();
  rows_.clear();
  phases_.clear();
  block_.clear();
  phase_of_.clear();
  hash_ = begin_ = begin_rows_ = 0;
  known_ = spoilt_ = false;
  misses_ = 0;
}

void SharedRepeats::end_block() {
  if (state_ == State::Follows) misses_ = 0;
  if (state_ == State::Records) {
    end_phase();
    complete_ = true;
  }
  state_ = State::Off;
  if (!recorded_ || block_.empty()) return;
  for (Observer* check : spared_) spoilt_ = spoilt_ || !check->policy().found_nothing(slot_);
  known_ = !spoilt_;
}

bool SharedRepeats::is_plain(const Access& access) const {
  const Inst& inst = code_[access.pc];
  const bool moves = inst.elem_bytes != 0 && inst.takes_ramp && access.old_value == nullptr;
  return moves && (access.path == Path::SharedLoad || access.path == Path::SharedStore) &&
         !inst.order.strong() && !inst.may_be_narrow && !inst.checked_by_cas && !inst.tests_atomic &&
         (access.undefined == nullptr || access.undefined->lanes == 0);
}

SharedRepeats::Step SharedRepeats::step_of(const Access& access) {
  Step step;
  step.pc = access.pc;
  step.mask = access.mask;
  step.warp = static_cast<std::uint8_t>(access.place->warp);
  if (access.known()) step.ramps = access.ramps();
  step.path = access.path;
  step.first = static_cast<std::uint32_t>(access.address[std::countr_zero(access.mask)]);
  return step;
}

bool SharedRepeats::is(const Step& step, const Access& access) const {
  if (step.pc != access.pc || step.mask != access.mask || step.warp != access.place->warp ||
      step.path != access.path || step.ramps.known() != access.known())
    return false;
  if (!access.known()) return rows_[step.first] == addresses_of(access);
  return step.first == static_cast<std::uint32_t>(access.address[std::countr_zero(access.mask)]) &&
         step.ramps == access.ramps();
}

SharedRepeats::AddressesOfLanes SharedRepeats::addresses_of(const Access& access) {
  AddressesOfLanes at;
  for (std::size_t k = 0; k < kWarpLanes; ++k)
    at[k] = (access.mask >> k & 1u) != 0 ? static_cast<std::uint32_t>(access.address[k]) : 0;
  return at;
}

bool SharedRepeats::spares(const Access& access) {
  if (state_ == State::Off) return false;
  if (!is_plain(access)) {
    leave();
    return false;
  }
  if (state_ == State::Records) return false;
  const Phase& now = phase();
  if (now.first + next_ == now.end || !is(steps_[now.first + next_], access)) {
    ++misses_;
    leave();
    if (misses_ >= kMostMisses) known_ = false;  // the next block is recorded
    return false;
  }
  value_at_.push_back(values_.size());
  if (access.value != nullptr)
    values_.insert(values_.end(), access.value, access.value + std::size_t{kWarpLanes} * access.width_bytes);
  ++next_;
  return true;
}

void SharedRepeats::reported(const Access& access) {
  if (state_ != State::Records) return;
  if (access.undefined != nullptr && access.undefined->lanes != 0) spoilt_ = true;
  if (steps_.size() == kMostSteps) return leave();
  Step step = step_of(access);
  const auto add = [&](std::uint64_t word) { hash_ = std::rotl((hash_ ^ word) * 0x9e3779b97f4a7c15ull, 31); };
  add(std::uint64_t{step.pc} << 32 | step.mask);
  add(std::uint64_t{step.first} << 32 | std::uint32_t{step.warp} << 8 | static_cast<std::uint8_t>(step.path));
  add(static_cast<std::uint64_t>(step.ramps.stride_bytes + 3 * step.ramps.half_gap_bytes));
  if (!access.known()) {
    step.first = static_cast<std::uint32_t>(rows_.size());
    for (const std::uint32_t address : rows_.emplace_back(addresses_of(access))) add(address);
  }
  steps_.push_back(step);
}

bool SharedRepeats::same(const Step& step, const Step& other) const {
  if (step.ramps.known() || other.ramps.known()) return step == other;
  Step mine = step;
  mine.first = other.first;
  return mine == other && rows_[step.first] == rows_[other.first];
}

// A phase that is known is kept as its number.
void SharedRepeats::end_phase() {
  const auto [at, fresh] =
      phase_of_.try_emplace(std::exchange(hash_, 0), static_cast<std::uint32_t>(phases_.size()));
  const auto repeats = [&](const Phase& known) {
    return std::equal(steps_.begin() + static_cast<std::ptrdiff_t>(begin_), steps_.end(),
                      steps_.begin() + static_cast<std::ptrdiff_t>(known.first),
                      steps_.begin() + static_cast<std::ptrdiff_t>(known.end),
                      [&](const Step& a, const Step& b) { return same(a, b); });
  };
  if (!fresh && repeats(phases_[at->second])) {
    block_.push_back(at->second);
    return cut();
  }
  block_.push_back(static_cast<std::uint32_t>(phases_.size()));
  phases_.push_back({begin_, steps_.size()});
  begin_ = steps_.size();
  begin_rows_ = rows_.size();
}

// Drops what was recorded since the last phase ended.
void SharedRepeats::cut() {
  steps_.resize(begin_);
  rows_.resize(begin_rows_);
}

void SharedRepeats::barrier() {
  if (state_ == State::Records) {
    if (block_.size() == kMostPhases) return leave();
    return end_phase();
  }
  if (state_ != State::Follows) return;
  const bool last = turn_ + 1 == block_.size();
  if (phase().first + next_ != phase().end || (last && complete_)) return leave();
  ++turn_;
  next_ = 0;
  value_at_.clear();
  values_.clear();
  if (last) leave();  // nothing more is known
}

void SharedRepeats::leave() {
  const State before = state_;
  state_ = State::Off;
  if (before == State::Records) {
    complete_ = false;
    cut();
  }
  if (before != State::Follows) return;
  for (Observer* check : spared_) replay_to(*check);
}

// A check that needs the stores of the whole block gets those of each phase once.
void SharedRepeats::replay_to(Observer& check) {
  const bool loads_too = check.policy().repeats() == Repeats::SinceBarrier;
  std::vector<bool> done(phases_.size(), loads_too);
  for (std::size_t turn = 0; turn < turn_; ++turn) {
    if (done[block_[turn]]) continue;
    done[block_[turn]] = true;
    const Phase& earlier = phases_[block_[turn]];
    for (std::size_t k = earlier.first; k < earlier.end; ++k)
      if (writes(steps_[k].path)) replay(check, steps_[k], nullptr);
  }
  for (std::size_t k = 0; k < next_; ++k) {
    const Step& step = steps_[phase().first + k];
    if (loads_too || writes(step.path)) replay(check, step, values_.data() + value_at_[k]);
  }
}

void SharedRepeats::replay(Observer& check, const Step& step, const std::byte* value) {
  const Inst& inst = code_[step.pc];
  WarpPlace place = place_;
  place.warp = step.warp;
  place.first_thread = std::uint32_t{step.warp} * kWarpLanes;
  std::array<std::uint64_t, kWarpLanes> at{};
  const int first = std::countr_zero(step.mask);
  for (int k = 0; k < kWarpLanes; ++k) {
    const auto lane = static_cast<std::size_t>(k);
    at[lane] = step.ramps.known() ? lane_address(step.ramps, step.first, first, k) : rows_[step.first][lane];
  }
  Access access;
  access.pc = step.pc;
  access.space = Space::Shared;
  access.width_bytes = static_cast<std::uint8_t>(inst.elem_bytes * inst.vector);
  access.path = step.path;
  access.mask = step.mask;
  access.ramps() = step.ramps;
  access.address = at.data();
  access.place = &place;
  if (step.path == Path::SharedStore) access.value = value;
  check.access(slot_, access);
}

}  // namespace lab::sim
