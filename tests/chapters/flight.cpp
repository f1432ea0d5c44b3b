// How far ahead copies are started. See flight.h.
#include "tests/chapters/flight.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"

namespace lab::course {
namespace {

constexpr std::uint32_t kWordBytes = 4;

template <class T>
void add_once(std::vector<T>& to, const T& one) {
  if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

}  // namespace

void Flight::launch_begin(const sim::LaunchInfo& info) {
  program_ = info.program;
  block_threads_ = sim::warps_of(info.block.count()) * sim::kWarpLanes;
  shared_words_ = (info.shared_bytes + kWordBytes - 1) / kWordBytes;
  waited_by_pc_.resize(info.program->instruction_count());
  for (std::uint32_t pc = 0; pc < info.program->instruction_count(); ++pc) {
    const sim::ptx::OpcodeRow& row = info.program->opcode(pc);
    states_are_read_ |= row.reader == sim::ptx::Reader::Mbarrier && row.computes == sim::ptx::Computes::Other;
  }
}

void Flight::block_begin(std::uint32_t slot, const sim::WarpPlace& place) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  Block& block = blocks_[slot];
  block.watched = place.block_index % every_ == rest_;
  if (block.watched) block.begin(shared_words_, block_threads_);
}

void Flight::Block::begin(std::size_t shared_words, std::size_t threads) {
  steps.clear(), waits.clear(), handed.clear(), objects.clear(), copied.clear(), last_seen.clear();
  words.resize(shared_words);
  for (Word& word : words) word.written.clear(), word.read.clear(), word.copied = kNoStep;
  on_their_way.resize(threads);
  for (std::vector<Landing>& copies : on_their_way) copies.clear();
  started = {};
}

Flight::StepIndex Flight::add(Block& block, Step step, const std::vector<Wait>& waits) {
  step.first_wait = static_cast<std::uint32_t>(block.waits.size());
  step.waits = static_cast<std::uint32_t>(waits.size());
  block.waits.insert(block.waits.end(), waits.begin(), waits.end());
  block.steps.push_back(step);
  return static_cast<StepIndex>(block.steps.size() - 1);
}

void Flight::barrier(std::uint32_t slot) {
  if (blocks_[slot].watched) add(blocks_[slot], {.warp = kWholeBlock}, {});
}

void Flight::warp_sync(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes) {
  if (blocks_[slot].watched) add(blocks_[slot], {.warp = warp, .lanes = lanes}, {});
}

void Flight::meet(std::uint32_t slot, const sim::Meeting& meeting, bool /*whole_warp*/) {
  Block& block = blocks_[slot];
  if (!block.watched) return;
  Object& object = block.objects[meeting.object];
  const Step lanes{.warp = meeting.warp, .lanes = meeting.lanes};
  switch (meeting.act) {
    case sim::Meeting::Act::Arrive: {
      // Who reads the state that it gets knows of those before it; they knew of those before them.
      const auto from = static_cast<std::ptrdiff_t>(object.known == 0 ? 0 : object.known - 1);
      const std::vector<Wait> before(object.coming.begin() + from, object.coming.end());
      object.coming.push_back({add(block, lanes, states_are_read_ ? before : std::vector<Wait>{})});
      object.known = object.coming.size();
      break;
    }
    case sim::Meeting::Act::Turn:
      object.turned = add(block, {.warp = kNoWarp}, object.coming);
      object.coming.clear();
      object.known = 0;
      break;
    case sim::Meeting::Act::Leave:
      if (object.turned != kNoStep) add(block, lanes, {{object.turned}});
      break;
  }
}

void Flight::copies_arrive(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes, std::uint64_t object) {
  Block& block = blocks_[slot];
  if (!block.watched) return;
  for (const std::uint32_t lane : sim::lanes_of(lanes)) {
    std::vector<Landing>& copies = block.on_their_way[warp * sim::kWarpLanes + lane];
    for (const Landing& copy : copies) add_once(block.objects[object].coming, {copy.started, true});
    copies.clear();
  }
}

void Flight::copy(std::uint32_t slot, const sim::Copy& copy) {
  if (blocks_[slot].watched) blocks_[slot].started.start(copy);
}

void Flight::access(std::uint32_t slot, const sim::Access& access) {
  Block& block = blocks_[slot];
  if (!block.watched) return;
  if (access.path == sim::Path::GlobalAsync) return start(block, access);
  if (access.path == sim::Path::SharedAsync) return land(block, access);
  if (access.space == sim::Space::Global && sim::writes(access.path)) return store(block, access);
  if (access.space != sim::Space::Shared) return;
  if (sim::reads(access.path)) read(block, access);
  if (sim::writes(access.path)) write(block, access);
}

template <class Act>
void Flight::for_words(Block& block, std::uint64_t address, std::uint32_t bytes, const Act& act) {
  for (std::uint64_t word = address / kWordBytes; word * kWordBytes < address + bytes; ++word)
    if (word < block.words.size()) act(word, block.words[word]);
}

void Flight::start(Block& block, const sim::Access& access) {
  if (!block.started.take()) return;
  const std::uint32_t bytes = block.started.lane_bytes();
  std::vector<Wait> waits;
  for (const std::uint32_t lane : sim::lanes_of(block.started.reads())) {
    for_words(block, block.started.target(lane), bytes, [&](std::uint64_t, Word& word) {
      for (const StepIndex step : word.read) add_once(waits, {step});
      word.read.clear();
    });
  }
  const std::uint32_t warp = access.place->warp;
  const StepIndex step = add(block, {access.pc, warp, block.started.reads()}, waits);
  for (const std::uint32_t lane : sim::lanes_of(block.started.reads())) {
    const std::uint64_t to = block.started.target(lane);
    for_words(block, to, bytes, [&](std::uint64_t, Word& word) { word.copied = step; });
    block.on_their_way[warp * sim::kWarpLanes + lane].push_back({access.pc, to, step});
  }
  if (access.width_bytes != bytes) return;  // some lanes copy fewer
  for_values(access, [&](std::uint32_t value) { block.copied.at(value) = step; });
}

// Who lands here waits for it: what arrives at an mbarrier by itself is no longer on a thread's list.
void Flight::land(Block& block, const sim::Access& access) {
  std::vector<Wait> waits;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    std::vector<Landing>& copies = block.on_their_way[access.place->first_thread + lane];
    const auto found = std::find_if(copies.begin(), copies.end(), [&](const Landing& one) {
      return one.pc == access.pc && one.to == access.address[lane];
    });
    if (found == copies.end()) continue;
    add_once(waits, {found->started, true});
    copies.erase(found);
  }
  if (!waits.empty()) add(block, {access.pc, access.place->warp, access.mask}, waits);
}

// The first store to a word counts, of several since the thread last polled: it may
// have gone on as soon as that was there.
void Flight::read(Block& block, const sim::Access& access) {
  std::vector<Wait> waits;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t thread = access.place->first_thread + lane;
    for_words(block, access.address[lane], access.width_bytes, [&](std::uint64_t at, const Word& word) {
      if (word.copied != kNoStep) add_once(waits, {word.copied, true});
      if (word.written.empty()) return;
      std::uint32_t& seen = block.last_seen[thread << 32 | at];
      if (seen < word.written.size()) add_once(waits, {word.written[seen]});
      seen = static_cast<std::uint32_t>(word.written.size());
    });
  }
  if (waits.empty()) return;
  const StepIndex step = add(block, {access.pc, access.place->warp, access.mask}, waits);
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    for_words(block, access.address[lane], access.width_bytes, [&](std::uint64_t, Word& word) {
      if (word.copied != kNoStep && (word.read.empty() || word.read.back() != step))
        word.read.push_back(step);
    });
  }
}

void Flight::write(Block& block, const sim::Access& access) {
  const StepIndex step = add(block, {access.pc, access.place->warp, access.mask}, {});
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    for_words(block, access.address[lane], access.width_bytes, [&](std::uint64_t, Word& word) {
      word.copied = kNoStep;
      if (word.written.empty() || word.written.back() != step) word.written.push_back(step);
    });
  }
}

template <class Act>
void Flight::for_values(const sim::Access& access, const Act& act) {
  if (access.value == nullptr) return;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    for (std::uint32_t at = 0; at + kWordBytes <= access.width_bytes; at += kWordBytes) {
      std::uint32_t value = 0;
      std::memcpy(&value, access.value + lane * access.width_bytes + at, kWordBytes);
      act(value);
    }
  }
}

void Flight::store(Block& block, const sim::Access& access) {
  const auto lanes = static_cast<std::uint32_t>(std::popcount(access.mask));
  const StepIndex step =
      add(block, {access.pc, access.place->warp, access.mask, lanes * access.width_bytes}, {});
  const std::size_t first = block.handed.size();
  for_values(access, [&](std::uint32_t value) {
    const StepIndex* const from = block.copied.find(value);
    if (from == nullptr) return;
    const auto same =
        std::find_if(block.handed.begin() + static_cast<std::ptrdiff_t>(first), block.handed.end(),
                     [&](const Handed& one) { return one.started == *from; });
    if (same != block.handed.end()) return void(++same->words);
    block.handed.push_back({step, *from, 1});
  });
}

// The number of the tile that each step's copies belong to, in the order in which tiles are started; of
// copies that are never stored, none.
std::vector<std::uint32_t> Flight::tiles_of(const Block& block) {
  std::vector<StepIndex> above(block.steps.size());
  std::iota(above.begin(), above.end(), StepIndex{0});
  const auto top = [&](StepIndex step) {
    while (above[step] != step) step = above[step] = above[above[step]];
    return step;
  };
  std::vector<bool> starts(block.steps.size());
  for (const Handed& one : block.handed) {
    above[top(one.stored)] = top(one.started);
    starts[one.started] = true;
  }
  std::vector<std::uint32_t> tile(block.steps.size(), kNoTile), number(block.steps.size(), kNoTile);
  std::uint32_t tiles = 0;
  for (StepIndex step = 0; step < block.steps.size(); ++step) {
    if (!starts[step]) continue;
    std::uint32_t& of_all = number[top(step)];
    if (of_all == kNoTile) of_all = tiles++;
    tile[step] = of_all;
  }
  return tile;
}

// When each step of a block ends, if copies take so long; or, where tiles are given, if they land one by one,
// each so much later than the one before it.
struct Flight::Times {
  Times(const Block& block, std::size_t threads, std::uint64_t length,
        const std::vector<std::uint32_t>& tiles = {})
      : clock(threads), end(block.steps.size()) {
    const auto landed = [&](StepIndex step) {
      if (tiles.empty()) return end[step] + length;
      if (tiles[step] == kNoTile) return end[step];
      return length * (1 + std::max<std::uint64_t>(tiles[step], end[step] / length));
    };
    for (StepIndex i = 0; i < block.steps.size(); ++i) {
      const Step& step = block.steps[i];
      const std::uint64_t ready = lanes_at(step);
      std::uint64_t begin = ready;
      for (std::uint32_t k = step.first_wait; k < step.first_wait + step.waits; ++k) {
        const Wait& wait = block.waits[k];
        const std::uint64_t until = wait.landing ? landed(wait.step) : end[wait.step];
        if (wait.landing && until > begin) late.emplace_back(block.steps[wait.step].pc, until - begin);
        begin = std::max(begin, until);
      }
      end[i] = begin + step.stored;
      set_lanes(step, end[i]);
      all = std::max(all, end[i]);
    }
  }
  [[nodiscard]] std::uint64_t lanes_at(const Step& step) const {
    if (step.warp == kNoWarp) return 0;
    if (step.warp == kWholeBlock) return *std::max_element(clock.begin(), clock.end());
    std::uint64_t at = 0;
    for (const std::uint32_t lane : sim::lanes_of(step.lanes))
      at = std::max(at, clock[step.warp * sim::kWarpLanes + lane]);
    return at;
  }
  void set_lanes(const Step& step, std::uint64_t to) {
    if (step.warp == kNoWarp) return;
    if (step.warp == kWholeBlock) return std::fill(clock.begin(), clock.end(), to);
    for (const std::uint32_t lane : sim::lanes_of(step.lanes)) clock[step.warp * sim::kWarpLanes + lane] = to;
  }
  std::vector<std::uint64_t> clock, end;  // by thread, by step
  std::uint64_t all = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> late;  // pc of the copy, how long it is waited for
};

// Twice the mean time from a landing to the middle of a store; see the header.
std::uint64_t Flight::time_of_tile(const Block& block, const std::vector<std::uint32_t>& tiles,
                                   std::uint64_t at_once) const {
  std::uint64_t apart = 1;
  for (const Step& step : block.steps) apart += step.stored;
  const Times times(block, block_threads_, apart, tiles);
  std::uint64_t twice = 0, words = 0;
  for (const Handed& one : block.handed) {
    const std::uint64_t took = block.steps[one.stored].stored;
    twice += one.words * (2 * ((times.end[one.stored] - took) % apart) + took);
    words += one.words;
  }
  if (words == 0) return 0;
  std::uint32_t count = 0;
  for (const std::uint32_t one : tiles) count = std::max(count, one == kNoTile ? 0 : one + 1);
  const std::uint64_t alone = twice / words;
  return std::clamp(at_once / std::max(count, 1u), alone / 2, alone);
}

void Flight::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  const Block& block = blocks_[slot];
  if (!block.watched) return;
  const std::vector<std::uint32_t> tiles = tiles_of(block);
  const std::uint64_t at_once = Times(block, block_threads_, 0).all;
  const std::uint64_t tile = time_of_tile(block, tiles, at_once);
  for (const Handed& one : block.handed) handed_ += std::uint64_t{kWordBytes} * one.words;
  at_once_ += at_once;
  // Room for two tiles is never enough for 1.75: one and a half may be on their way on average.
  const Times times(block, block_threads_, 2 * tile - tile / 4);
  with_copies_ += times.all;
  tiles_ += tile;
  for (const auto& [pc, time] : times.late) waited_by_pc_[pc] += time;
}

void Flight::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const Flight&>(other);
  if (program_ == nullptr) program_ = from.program_;
  waited_by_pc_.resize(std::max(waited_by_pc_.size(), from.waited_by_pc_.size()));
  for (std::size_t pc = 0; pc < from.waited_by_pc_.size(); ++pc) waited_by_pc_[pc] += from.waited_by_pc_[pc];
  handed_ += from.handed_;
  at_once_ += from.at_once_;
  with_copies_ += from.with_copies_;
  tiles_ += from.tiles_;
}

FlightFindings Flight::findings() const {
  FlightFindings found{handed_, at_once_, with_copies_, tiles_, {}, 0};
  const auto most = std::max_element(waited_by_pc_.begin(), waited_by_pc_.end());
  if (program_ == nullptr || most == waited_by_pc_.end() || *most == 0) return found;
  const auto source = program_->source(static_cast<std::uint32_t>(most - waited_by_pc_.begin()));
  found.file = source.file, found.line = source.line;
  return found;
}

}  // namespace lab::course
