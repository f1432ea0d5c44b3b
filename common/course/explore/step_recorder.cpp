// Recording steps. See step_recorder.h.
#include "common/course/explore/step_recorder.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::explore {
namespace {

// By pc: its line where it stands in that file, else 0. A file that a macro or an include brought in takes the
// main file's place where nothing stands in that one.
std::vector<int> statement_lines(const sim::Program& program, const std::string& main_file) {
  std::vector<int> lines(program.instruction_count());
  std::string file = main_file;
  const auto fill = [&] {
    bool any = false;
    for (std::uint32_t pc = 0; pc < lines.size(); ++pc) {
      const sim::InstSource source = program.source(pc);
      lines[pc] = source.file == file ? source.line : 0;
      any |= lines[pc] != 0;
    }
    return any;
  };
  if (fill()) return lines;
  for (std::uint32_t pc = 0; pc < lines.size(); ++pc) {
    if (program.source(pc).line == 0 || program.data().code[pc].of_header) continue;
    file = program.source(pc).file;
    break;
  }
  (void)fill();
  return lines;
}

bool of_copy(sim::Path path) { return sim::info(path).rule == sim::Rule::BothSides; }

sim::PathCounters difference(const sim::PathCounters& now, const sim::PathCounters& before) {
  return {now.requests - before.requests, now.cost - before.cost, now.ideal - before.ideal,
          now.active_lanes - before.active_lanes, now.bytes - before.bytes};
}

// Lanes side by side make one.
void add_span(std::vector<StepSpan>& spans, const StepSpan& more) {
  if (more.bytes == 0) return;
  if (!spans.empty() && spans.back().low + spans.back().bytes == more.low)
    spans.back().bytes += more.bytes;
  else
    spans.push_back(more);
}

}  // namespace

StepRecorder::StepRecorder(std::vector<std::uint64_t> blocks, std::string main_file, StepBounds bounds)
    : data_(std::make_shared<StepData>()), main_file_(std::move(main_file)), bounds_(bounds) {
  data_->blocks = std::move(blocks);
}

// The copy records into the same data: there is one host thread.
std::unique_ptr<sim::Observer> StepRecorder::clone() const {
  auto same = std::make_unique<StepRecorder>(*this);
  if (launches_ > 1) same->data_ = std::make_shared<StepData>(), same->recipes_ = std::make_shared<Recipes>();
  return same;
}

bool StepRecorder::pieces(std::uint32_t /*pc*/, const sim::WarpPlace& place) const {
  return number_of(place.block_index) >= 0;
}

void StepRecorder::launch_begin(const sim::LaunchInfo& info) {
  ++launches_;
  program_ = info.program;
  counter_.launch_begin(info);
  flights_.clear(), landed_.clear(), phases_.clear(), reading_.reset();
  lines_ = statement_lines(*program_, main_file_);
  data_->lines = {lines_.begin(), lines_.end()};
  data_->lines.erase(0);
  if (table_ != nullptr) variables_ = VariableReader(*table_, *program_);
  const std::size_t room = info.shared_bytes + 4096;  // what the hardware reserves lies behind it
  shared_writers_.assign(data_->blocks.size(), std::vector<std::int32_t>(room, kNoStep));
  out_writers_.assign(out_bytes_, kNoStep);
}

int StepRecorder::number_of(std::uint64_t block_index) const {
  const auto at = std::find(data_->blocks.begin(), data_->blocks.end(), block_index);
  return at == data_->blocks.end() ? -1 : static_cast<int>(at - data_->blocks.begin());
}

StepRecorder::AWarp* StepRecorder::warp_at(const sim::WarpPlace& place) {
  return number_of(place.block_index) < 0 ? nullptr : &warps_[{place.block_index, place.warp}];
}

void StepRecorder::block_begin(std::uint32_t slot, const sim::WarpPlace& place) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1, -1);
  blocks_[slot] = number_of(place.block_index);
}

WarpStep* StepRecorder::begin(AWarp* warp, WarpStep step) {
  StepData& d = *data_;
  if (d.full || d.steps.size() >= bounds_.most_steps || d.bytes >= bounds_.most_bytes) {
    d.full = true;
    return nullptr;
  }
  d.bytes += sizeof(WarpStep) + step.variables.bytes();
  step.landed = std::exchange(landed_, {});
  if (warp != nullptr) warp->step = static_cast<std::int32_t>(d.steps.size()), warp->line = step.line;
  d.steps.push_back(std::move(step));
  return &d.steps.back();
}

// A step that the recording had no room for is not there.
void StepRecorder::compute_recipes() {
  recipes_->compute([&](std::size_t step, std::size_t at, const std::uint64_t* values) {
    if (step < data_->steps.size())
      std::copy_n(values, sim::kWarpLanes, &data_->steps[step].variables.bits[at]);
  });
}

bool StepRecorder::exits(const sim::Stepped& stepped) const {
  return stepped.pc == program_->data().functions.front().exit_pc;
}

WarpStep* StepRecorder::goes_on(const AWarp& warp, const sim::Stepped& stepped) {
  if (warp.step == kNoStep || static_cast<std::size_t>(warp.step) + 1 != data_->steps.size()) return nullptr;
  WarpStep& step = data_->steps.back();
  const int line = lines_[stepped.pc], statement = statement_of(stepped.pc);
  const bool next_begins = statement >= 0 && statement != warp.statement;
  const bool same = !step.arrives && step.at == stepped.at &&
                    (line == 0 || (line == step.line && stepped.pc > warp.last_pc && !next_begins));
  return same ? &step : nullptr;
}

std::optional<std::uint32_t> StepRecorder::goes_first(std::uint32_t /*slot*/, const sim::Stepped& stepped) {
  if (turns_.empty() || data_->full || exits(stepped)) return std::nullopt;
  const auto chosen = turns_.find(data_->steps.size());
  if (chosen == turns_.end()) return std::nullopt;
  const AWarp* const warp = warp_at(*stepped.place);
  if (warp == nullptr || goes_on(*warp, stepped) != nullptr) return std::nullopt;
  return chosen->second;
}

void StepRecorder::instruction(std::uint32_t /*slot*/, const sim::Stepped& stepped) {
  AWarp* const warp = warp_at(*stepped.place);
  registers_ = stepped.registers;
  if (warp == nullptr || data_->full || exits(stepped)) return;
  const int line = lines_[stepped.pc];
  WarpStep* step = goes_on(*warp, stepped);
  if (step == nullptr) {
    WarpStep fresh;
    fresh.block = static_cast<std::uint32_t>(number_of(stepped.place->block_index));
    fresh.warp = stepped.place->warp;
    fresh.line = line != 0 ? line : warp->line;
    fresh.called_from = line != 0 ? program_->source(stepped.pc).call_line : 0;
    fresh.at = stepped.at;
    const int stop = variables_.stop_of(stepped.pc);
    if (line != 0 && stop >= 0 && stepped.registers != nullptr)
      fresh.variables = variables_.read(stop, stepped.at, *stepped.registers, data_->steps.size(), *recipes_);
    step = begin(warp, std::move(fresh));
    if (step == nullptr) return;
    warp->statement = statement_of(stepped.pc);
  }
  step->live = stepped.live;
  // All lanes ask where a branch leads, whichever take it.
  const sim::Control control = program_->data().code[stepped.pc].control;
  step->acting |= control == sim::Control::Plain ? stepped.acting : stepped.at;
  step->arrives = control == sim::Control::Barrier || control == sim::Control::ClusterWait;
  warp->last_pc = stepped.pc;
}

int StepRecorder::statement_of(std::uint32_t pc) const {
  const int stop = variables_.stop_of(pc);
  return stop < 0 ? -1 : table_->stops[static_cast<std::size_t>(stop)].statement;
}

// What a copy writes may land while another warp runs.
WarpStep* StepRecorder::step_of(const sim::WarpPlace& place, std::uint32_t pc) {
  AWarp* const warp = warp_at(place);
  if (warp == nullptr || data_->full) return nullptr;
  if (warp->step != kNoStep && static_cast<std::size_t>(warp->step) + 1 == data_->steps.size())
    return &data_->steps.back();
  WarpStep fresh;
  fresh.block = static_cast<std::uint32_t>(number_of(place.block_index));
  fresh.warp = place.warp;
  fresh.line = lines_[pc] != 0 ? lines_[pc] : warp->line;
  return begin(warp, std::move(fresh));
}

std::int32_t StepRecorder::writer(sim::Space space, std::uint32_t block, std::uint64_t at,
                                  std::uint32_t bytes, std::int32_t by) {
  std::span<std::int32_t> writers;
  if (space == sim::Space::Shared || space == sim::Space::Cluster) {
    writers = shared_writers_[block];
  } else if (space == sim::Space::Global && at >= out_) {
    writers = out_writers_;
    at -= out_;
  }
  std::int32_t last = kNoStep;
  for (std::uint64_t k = at; k < at + bytes && k < writers.size(); ++k) {
    last = std::max(last, writers[k]);
    if (by != kNoStep) writers[k] = by;
  }
  return last;
}

void StepRecorder::note_writers(StepAccess& made, sim::Space space) {
  const auto number = static_cast<std::int32_t>(data_->steps.size()) - 1;
  made.before.fill(kNoStep);
  // All are asked before any is written: lanes of one access do not come one behind the other.
  for (const std::size_t lane : sim::lanes_of<std::size_t>(made.mask))
    made.before[lane] = writer(space, made.block, made.address[lane], made.width_bytes, kNoStep);
  if (!sim::writes(made.path)) return;
  for (const std::size_t lane : sim::lanes_of<std::size_t>(made.mask))
    (void)writer(space, made.block, made.address[lane], made.width_bytes, number);
}

void StepRecorder::access(std::uint32_t slot, const sim::Access& access) {
  const int block = slot < blocks_.size() ? blocks_[slot] : -1;
  const bool in_block = access.space == sim::Space::Shared || access.space == sim::Space::Cluster;
  if (in_block && block < 0) return;  // of a block that is not recorded
  // Pieces of a bulk copy say who writes what; the copy itself is one event.
  const bool piece =
      of_copy(access.path) && access.path != sim::Path::GlobalAsync && access.path != sim::Path::SharedAsync;
  WarpStep* step = step_of(*access.place, access.pc);
  // The next copy of an unrolled statement: a load behind a store.
  if (statement_of(access.pc) < 0 && step != nullptr && !piece && !step->accesses.empty() &&
      sim::writes(step->accesses.back().path) && !sim::writes(access.path)) {
    WarpStep fresh = *step;
    fresh.variables = {};
    fresh.accesses.clear();
    fresh.copies.clear();
    step = begin(warp_at(*access.place), std::move(fresh));
  }
  if (step == nullptr) return;
  StepAccess made;
  made.path = access.path;
  made.width_bytes = access.width_bytes;
  made.mask = access.mask;
  made.block = block < 0 ? step->block : static_cast<std::uint32_t>(block);
  for (const std::size_t lane : sim::lanes_of<std::size_t>(access.mask))
    made.address[lane] = access.address[lane];
  note_writers(made, access.space);
  if (piece) return;
  if (access.path == sim::Path::SharedAsync) {
    sim::Mask lanes = access.mask;  // of the oldest first
    for (Flight& flight : flights_) {
      if (flight.pc != access.pc || !is_of_warp(flight, *step)) continue;
      const sim::Mask here = lanes & flight.lanes;
      flight.lanes &= ~here, lanes &= ~here;
    }
    land(step->landed, [](const Flight& flight) { return flight.lanes == 0; });
  }
  if (access.value != nullptr)
    made.value.assign(access.value, access.value + std::size_t{sim::kWarpLanes} * access.width_bytes);
  if (!of_copy(access.path)) {
    const sim::PathCounters before = counter_.at(access.pc, access.path);
    counter_.access(slot, access);
    made.cost = difference(counter_.at(access.pc, access.path), before);
  }
  data_->bytes += sizeof made + made.value.size();
  step->accesses.push_back(std::move(made));
}

bool StepRecorder::is_of_warp(const StepFlight& flight, const WarpStep& step) const {
  const WarpStep& began = data_->steps[flight.step];
  return began.warp == step.warp && began.block == step.block;
}

StepFlight StepRecorder::last_copy() const {
  const std::size_t last = data_->steps.size() - 1;
  return {static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(data_->steps[last].copies.size()) - 1};
}

template <class IsOver>
void StepRecorder::land(std::vector<StepFlight>& where, const IsOver& is_over) {
  const auto first = std::stable_partition(flights_.begin(), flights_.end(),
                                           [&](const Flight& flight) { return !is_over(flight); });
  const std::vector<StepFlight> over(first, flights_.end());
  flights_.erase(first, flights_.end());
  for (const StepFlight& flight : over)
    if (std::find(flights_.begin(), flights_.end(), flight) == flights_.end()) where.push_back(flight);
}

void StepRecorder::add_copy(WarpStep& step, std::uint32_t pc, StepCopy copy, const sim::PathCounters& reads,
                            const sim::PathCounters& writes) {
  copy.reads = difference(counter_.at(pc, copy.read), reads);
  copy.writes = difference(counter_.at(pc, copy.written), writes);
  data_->bytes += sizeof copy + (copy.shared.size() + copy.global.size()) * sizeof(StepSpan);
  step.copies.push_back(std::move(copy));
}

void StepRecorder::copy(std::uint32_t slot, const sim::Copy& copy) {
  WarpStep* const step = step_of(*copy.place, copy.pc);
  if (step == nullptr) return;
  StepCopy made;
  made.number = committed_copies(*registers_, static_cast<std::size_t>(std::countr_zero(copy.mask)));
  for (const std::size_t lane : sim::lanes_of<std::size_t>(copy.mask))
    add_span(made.shared, {copy.to[lane], copy.width_bytes, step->block, true});
  for (const std::size_t lane : sim::lanes_of<std::size_t>(copy.reads))
    add_span(made.global, {copy.from[lane], copy.width_bytes, 0, false});
  const sim::PathCounters reads = counter_.at(copy.pc, made.read),
                          writes = counter_.at(copy.pc, made.written);
  counter_.copy(slot, copy);
  add_copy(*step, copy.pc, std::move(made), reads, writes);
  flights_.push_back({last_copy(), copy.pc, copy.mask});
}

void StepRecorder::bulk(std::uint32_t slot, const sim::BulkCopy& copy) {
  const std::optional<sim::EngineEvent> reading = std::exchange(reading_, std::nullopt);
  WarpStep* const step = step_of(*copy.place, copy.pc);
  if (step == nullptr) return;
  StepCopy made;
  made.read = copy.read, made.written = copy.written;
  for (const sim::BulkPiece& piece : copy.pieces)
    add_span(made.global,
             {piece.global + piece.first, piece.last - piece.first, 0, sim::writes(copy.written) && reading});
  const sim::PathCounters reads = counter_.at(copy.pc, made.read),
                          writes = counter_.at(copy.pc, made.written);
  counter_.bulk(slot, copy);
  if (reading) made.shared.push_back({reading->low, reading->bytes, step->block, false});
  if (reading) made.number = reading->groups;
  add_copy(*step, copy.pc, std::move(made), reads, writes);
  // Its thread waits for it; a copy to another block ends at the barrier there, see start().
  if (reading && reading->barrier == StepCopy::kNoBarrier)
    flights_.push_back({last_copy(), copy.pc, reading->lanes});
}

// What the TMA unit writes to shared memory; its copy was reported just before.
void StepRecorder::start(std::uint32_t slot, const sim::EngineEvent& event) {
  if (data_->steps.empty() || data_->steps.back().copies.empty()) return;
  const auto block = static_cast<std::uint32_t>(blocks_[slot]);
  Flight flight{last_copy(), event.pc, event.lanes, event.id};
  StepCopy& copy = copy_of(flight);
  copy.barrier = event.barrier;
  const auto phase = phases_.find({block, sim::kInShared + event.barrier});
  copy.number = phase == phases_.end() ? 0 : phase->second;
  copy.shared.push_back({event.low, event.bytes, block, true});
  flights_.push_back(flight);
}

void StepRecorder::engine(std::uint32_t slot, const sim::EngineEvent& event) {
  using enum sim::EngineEvent::Act;
  if (data_->full || event.by_warpgroup || event.by_thread) return;
  const bool is_recorded = slot < blocks_.size() && blocks_[slot] >= 0;  // the block whose memory it is
  switch (event.act) {
    case Start:
      if (!event.writes) reading_ = event;
      if (event.writes && is_recorded && number_of(event.place->block_index) >= 0) start(slot, event);
      return;
    case Land:  // numbers are those of a cluster
      if (is_recorded) land(landed_, [&](const Flight& flight) { return flight.id == event.id; });
      return;
    case Waited:
    case Read: {
      WarpStep* const step = step_of(*event.place, event.pc);
      if (step == nullptr) return;
      return land(step->landed, [&](const Flight& flight) {
        const StepCopy& copy = copy_of(flight);
        return flight.id == Flight::kNoId && copy.read == sim::Path::SharedBulkLoad &&
               is_of_warp(flight, *step) && (flight.lanes & event.lanes) != 0 && copy.number < event.groups;
      });
    }
    case Init:
      if (is_recorded) phases_.erase({static_cast<std::uint32_t>(blocks_[slot]), sim::kInShared + event.low});
      return;
    default:
      return;
  }
}

void StepRecorder::barrier(std::uint32_t slot) {
  if (slot >= blocks_.size() || blocks_[slot] < 0) return;
  WarpStep step;
  step.what = WarpStep::What::Barrier;
  step.block = static_cast<std::uint32_t>(blocks_[slot]);
  (void)begin(nullptr, std::move(step));
}

void StepRecorder::meet(std::uint32_t slot, const sim::Meeting& meeting, bool /*whole_warp*/) {
  if (slot >= blocks_.size() || blocks_[slot] < 0 || meeting.act != sim::Meeting::Act::Turn) return;
  // That of the cluster was reported as a barrier just before.
  if (meeting.object == sim::kClusterBarrier) {
    if (!data_->full && !data_->steps.empty()) data_->steps.back().object = meeting.object;
    return;
  }
  WarpStep step;
  step.what = WarpStep::What::Phase;
  step.block = static_cast<std::uint32_t>(blocks_[slot]);
  step.object = meeting.object;
  step.phase = phases_[{step.block, step.object}]++;
  (void)begin(nullptr, std::move(step));
}

}  // namespace lab::explore
