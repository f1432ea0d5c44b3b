// The timeline of a block. See timeline.h.
#include "common/course/explore/timeline.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"

namespace lab::explore {
namespace {

std::optional<Act> act_of(sim::Path path) {
  const sim::PathInfo& row = sim::info(path);
  if (row.weighs == sim::Space::Const || row.space == sim::Space::Local) return std::nullopt;
  if (row.direction == sim::Direction::Update) return Act::Atomic;
  const bool reads = row.direction == sim::Direction::Read;
  if (row.weighs == sim::Space::Global) return reads ? Act::Load : Act::Store;
  return reads ? Act::SharedLoad : Act::SharedStore;
}

bool same_steps(const std::vector<Step>& a, const std::vector<Step>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Step& x, const Step& y) { return x.same_as(y); });
}

}  // namespace

std::unique_ptr<sim::Observer> Timeline::clone() const { return std::make_unique<Timeline>(block_); }

void Timeline::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const Timeline&>(other);
  if (from.found_) *this = from;
}

void Timeline::launch_begin(const sim::LaunchInfo& info) {
  const std::size_t warps = sim::warps_of(info.block.count());
  *this = Timeline(block_);
  program_ = info.program;
  warps_.assign(warps, {{}});
  from_.assign(warps, 0);
}

void Timeline::block_begin(std::uint32_t slot, const sim::WarpPlace& place) {
  if (place.block_index != block_) return;
  found_ = running_ = true;
  slot_ = slot;
}

void Timeline::block_end(std::uint32_t /*slot*/, const sim::WarpPlace& place) {
  if (place.block_index == block_) running_ = false;
}

int Timeline::line_of(std::uint32_t pc) const { return program_->source(pc).line; }

// The next of a run of requests belongs to the run.
Timeline::Moment Timeline::add(std::uint32_t warp, Act act, int line, int requests, int from) {
  std::vector<std::vector<Step>>& intervals = warps_.at(warp);
  intervals.resize(static_cast<std::size_t>(interval_) + 1);
  std::vector<Step>& steps = intervals.back();
  const int next = steps.empty() ? 0 : steps.back().column + 1;
  from = std::max(from, from_[warp]);
  if (steps.empty() || steps.back().act != act || steps.back().line != line || steps.back().column < from)
    steps.push_back({.act = act, .line = line, .column = std::max(next, from), .requests = 0});
  steps.back().requests += requests;
  return {interval_, steps.back().column};
}

void Timeline::copy(std::uint32_t slot, const sim::Copy& copy) {
  if (running_ && slot == slot_) started_.start(copy);
}

void Timeline::access(std::uint32_t /*slot*/, const sim::Access& access) {
  if (!acts(*access.place)) return;
  if (access.path == sim::Path::GlobalAsync) return start(access);
  if (access.path == sim::Path::SharedAsync) return land(access);
  if (const std::optional<Act> act = act_of(access.path))
    (void)add(access.place->warp, *act, line_of(access.pc), 1);
}

void Timeline::start(const sim::Access& access) {
  if (!started_.take()) return;
  const int line = line_of(access.pc);
  const Moment moment = add(access.place->warp, Act::Start, line, 1);
  for (const std::uint32_t lane : sim::lanes_of(started_.reads())) {
    slots_[{access.pc, access.place->first_thread + lane, started_.target(lane)}] = flights_.size();
    flights_.push_back({.line = line, .bytes = started_.lane_bytes(), .first = moment, .last = moment});
  }
}

void Timeline::land(const sim::Access& access) {
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const auto found = slots_.find({access.pc, access.place->first_thread + lane, access.address[lane]});
    if (found == slots_.end()) continue;  // it read nothing: zeros have landed
    arrive(found->second, add(access.place->warp, Act::Wait, line_of(access.pc), 0));
    slots_.erase(found);
  }
}

// Several may wait for one copy: it is over for the first.
void Timeline::arrive(std::size_t flight, const Moment& moment) {
  Flight& f = flights_[flight];
  f.last = f.awaited ? std::min(f.last, moment) : moment;
  f.awaited = true;
}

void Timeline::engine(std::uint32_t /*slot*/, const sim::EngineEvent& event) {
  using enum sim::EngineEvent::Act;
  if (event.act == Land) {
    const auto found = bulks_.find(event.id);
    if (found != bulks_.end()) found->second.landed = true;
  } else if (event.place == nullptr || !acts(*event.place) || event.from_peer) {
    return;  // what other blocks send is theirs
  } else if (event.act == Start) {
    const int line = line_of(event.pc);
    const Moment moment = add(event.place->warp, Act::Start, line, 1);
    std::uint32_t thread = event.place->first_thread;
    for (const std::uint32_t lane : sim::lanes_of(event.lanes)) thread = event.place->first_thread + lane;
    bulks_[event.id] = {.flight = flights_.size(),
                        .thread = thread,
                        .barrier = event.barrier,
                        .group = event.groups,
                        .writes = event.writes,
                        .landed = false};
    flights_.push_back({.line = line, .bytes = event.bytes, .first = moment, .last = moment});
  } else if (event.act == Seen || event.act == Waited) {
    wait(event);
  }
}

void Timeline::wait(const sim::EngineEvent& event) {
  const bool seen = event.act == sim::EngineEvent::Act::Seen;
  const auto is_told = [&](const Bulk& bulk) {
    if (seen) return bulk.landed && bulk.writes && bulk.barrier == event.low;
    bool mine = false;
    for (const std::uint32_t lane : sim::lanes_of(event.lanes))
      mine |= bulk.thread == event.place->first_thread + lane;
    return !bulk.writes && mine && bulk.group < event.groups;
  };
  for (const auto& [id, bulk] : bulks_) {
    const Flight& flight = flights_[bulk.flight];
    // A later phase of the barrier is about later copies; only the warps of this phase may still come.
    if (!is_told(bulk) || (flight.awaited && flight.last.interval != interval_)) continue;
    const int from = flight.first.interval == interval_ ? flight.first.column + 1 : 0;
    arrive(bulk.flight, add(event.place->warp, Act::Wait, flight.line, 0, from));
  }
}

void Timeline::meet(std::uint32_t slot, const sim::Meeting& meeting, bool /*whole_warp*/) {
  if (!running_ || slot != slot_) return;
  using enum sim::Meeting::Act;
  if (meeting.act == Turn) {
    turned_[meeting.object] = std::exchange(arrived_[meeting.object], -1);
    return;
  }
  const auto& intervals = warps_.at(meeting.warp);
  const bool any = intervals.size() == static_cast<std::size_t>(interval_) + 1 && !intervals.back().empty();
  if (meeting.act == Arrive) {
    int& last = arrived_.try_emplace(meeting.object, -1).first->second;
    last = std::max(last, any ? intervals.back().back().column : -1);
  } else if (const auto turned = turned_.find(meeting.object); turned != turned_.end()) {
    from_[meeting.warp] = std::max(from_[meeting.warp], turned->second + 1);
  }
}

void Timeline::barrier(std::uint32_t slot) {
  if (!running_ || slot != slot_) return;
  ++interval_;
  std::fill(from_.begin(), from_.end(), 0);
  arrived_.clear();
  turned_.clear();
}

// The first column of each interval, and the one behind the last. Its barrier takes a column.
std::vector<int> Timeline::first_columns() const {
  std::vector<int> first(1, 0);
  for (std::size_t k = 0; k <= static_cast<std::size_t>(interval_); ++k) {
    int columns = 0;
    for (const auto& intervals : warps_)
      if (k < intervals.size() && !intervals[k].empty())
        columns = std::max(columns, intervals[k].back().column + 1);
    first.push_back(first.back() + columns + 1);
  }
  first.back() -= 1;  // no barrier at the end
  return first;
}

TimelineData Timeline::data() const {
  TimelineData data;
  data.block = block_;
  const std::vector<int> first = first_columns();
  data.columns = first.back();
  for (std::size_t k = 1; k + 1 < first.size(); ++k) data.barriers.push_back(first[k] - 1);
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    WarpSteps warp{static_cast<int>(w), static_cast<int>(w), {}};
    for (std::size_t k = 0; k < warps_[w].size(); ++k) {
      for (Step step : warps_[w][k]) {
        step.column += first[k];
        warp.steps.push_back(step);
      }
    }
    if (!data.warps.empty() && same_steps(data.warps.back().steps, warp.steps))
      data.warps.back().last_warp = warp.last_warp;
    else
      data.warps.push_back(std::move(warp));
  }
  std::map<std::tuple<int, int, int, bool>, std::uint64_t> bytes;
  const auto column = [&](const Moment& m) { return first[static_cast<std::size_t>(m.interval)] + m.column; };
  for (const Flight& f : flights_)
    bytes[{column(f.first), f.awaited ? column(f.last) : data.columns - 1, f.line, f.awaited}] += f.bytes;
  for (const auto& [key, sum] : bytes)
    data.copies.push_back({std::get<2>(key), std::get<0>(key), std::get<1>(key), sum, std::get<3>(key)});
  return data;
}

// A copy is on its way from the step that starts it up to the one that waits for it.
std::vector<std::uint64_t> TimelineData::bytes_on_their_way() const {
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(columns), 0);
  for (const OnTheWay& copy : copies)
    for (int c = copy.first; c < copy.last || (c == copy.last && !copy.awaited); ++c)
      bytes[static_cast<std::size_t>(c)] += copy.bytes;
  return bytes;
}

}  // namespace lab::explore
