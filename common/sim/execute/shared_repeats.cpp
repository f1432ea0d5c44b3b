// Compares what a block does in shared memory with what an earlier one did. See the header.
#include "common/sim/execute/shared_repeats.h"

#include <bit>

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
  next_ = since_barrier_ = 0;
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
  known_ = spoilt_ = false;
  misses_ = 0;
}

void SharedRepeats::end_block() {
  if (state_ == State::Follows) misses_ = 0;
  if (state_ == State::Records) complete_ = true;
  state_ = State::Off;
  if (!recorded_ || steps_.empty()) return;
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
  Step step = step_of(access);
  bool same = next_ < steps_.size();
  if (same && !access.known()) {
    const std::uint32_t row = steps_[next_].first;
    same = !steps_[next_].ramps.known() && steps_[next_].pc != kNoPc && rows_[row] == addresses_of(access);
    step.first = row;
  }
  if (!same || !(steps_[next_] == step)) {
    if (next_ < steps_.size() || complete_) ++misses_;
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
  if (!access.known()) {
    step.first = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back(addresses_of(access));
  }
  steps_.push_back(step);
}

void SharedRepeats::barrier() {
  if (state_ == State::Records) steps_.emplace_back();
  if (state_ != State::Follows) return;
  if (next_ == steps_.size() || steps_[next_].pc != kNoPc) return leave();
  since_barrier_ = ++next_;
  value_at_.clear();
  values_.clear();
}

void SharedRepeats::leave() {
  const State before = state_;
  state_ = State::Off;
  if (before == State::Records) complete_ = false;
  if (before != State::Follows) return;
  for (Observer* check : spared_) {
    const std::size_t first = check->policy().repeats() == Repeats::SinceBarrier ? since_barrier_ : 0;
    for (std::size_t step = first; step < next_; ++step) replay(*check, step);
  }
}

void SharedRepeats::replay(Observer& check, std::size_t number) {
  const Step& step = steps_[number];
  if (step.pc == kNoPc) return;
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
  if (step.path == Path::SharedStore && number >= since_barrier_)
    access.value = values_.data() + value_at_[number - since_barrier_];
  check.access(slot_, access);
}

}  // namespace lab::sim
