// Who wrote what came from whom. See exchange.h.
#include "common/course/judge/exchange.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::judge {
namespace {

constexpr std::size_t kMostTaken = 256;
// Room at first: what a thread of a tile takes, so that nothing grows word by word.
constexpr std::size_t kRoom = 16;
constexpr std::uint64_t kNoBlock = ~std::uint64_t{0};

std::uint32_t warp_of(std::uint32_t number) { return (number - 1) / sim::kWarpLanes; }

bool is_matrix(sim::Path path) {
  return path == sim::Path::SharedMatrixLoad || path == sim::Path::SharedMatrixStore;
}

// A unit of 2 bytes or 4.
std::uint32_t unit_at(const std::byte* bytes, std::uint32_t unit_bytes) {
  std::uint32_t unit = 0;
  if (unit_bytes == sizeof unit) {
    std::memcpy(&unit, bytes, sizeof unit);
  } else {
    std::memcpy(&unit, bytes, sizeof(std::uint16_t));
  }
  return unit;
}

// By thread; what one thread did stays in its order. Digit by digit, from the lowest.
template <class Deed>
void sort_by_thread(std::vector<Deed>& deeds) {
  constexpr unsigned kDigitBits = 11;
  std::uint32_t most = 0;
  for (const Deed& deed : deeds) most = std::max(most, deed.thread);
  std::vector<Deed> sorted(deeds.size());
  for (unsigned shift = 0; shift < 32 && most >> shift != 0; shift += kDigitBits) {
    std::array<std::size_t, 1u << kDigitBits> next{};
    const auto digit = [&](const Deed& deed) { return (deed.thread >> shift) % next.size(); };
    for (const Deed& deed : deeds) ++next[digit(deed)];
    std::size_t before = 0;
    for (std::size_t& count : next) before += std::exchange(count, before);
    for (const Deed& deed : deeds) sorted[next[digit(deed)]++] = deed;
    deeds.swap(sorted);
  }
}

}  // namespace

void Exchange::Taken::add(std::uint32_t word, std::uint32_t giver) {
  if (words_.capacity() == 0) words_.reserve(kRoom), givers_.reserve(kRoom);
  may_have_[bit_of(word) / 64] |= std::uint64_t{1} << bit_of(word) % 64;
  if (words_.size() < kMostTaken) {
    words_.push_back(word);
    givers_.push_back(giver);
    return;
  }
  words_[oldest_] = word;
  givers_[oldest_] = giver;
  oldest_ = (oldest_ + 1) % kMostTaken;
}

bool Exchange::Taken::may_have(std::uint32_t word) const {
  return (may_have_[bit_of(word) / 64] >> bit_of(word) % 64 & 1) != 0;
}

// Without a branch for each, so that the compiler takes several at once.
bool Exchange::Taken::has(std::uint32_t word) const {
  if (!may_have(word)) return false;
  unsigned found = 0;
  for (const std::uint32_t taken : words_) found |= static_cast<unsigned>(taken == word);
  return found != 0;
}

std::optional<std::uint32_t> Exchange::Taken::giver_of(std::uint32_t word) {
  if (!may_have(word)) return std::nullopt;
  const std::size_t count = words_.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = next_ + i;
    if (at >= count) at -= count;
    if (words_[at] != word) continue;
    next_ = at + 1 < count ? at + 1 : 0;
    return givers_[at];
  }
  return std::nullopt;
}

void Exchange::Givers::add(std::uint32_t giver) {
  const auto same =
      std::find_if(from.rbegin(), from.rend(), [&](const auto& one) { return one.first == giver; });
  if (same != from.rend()) return void(++same->second);
  if (from.capacity() == 0) from.reserve(kRoom);
  from.emplace_back(giver, 1);
}

void Exchange::Renaming::add(const Givers& givers) {
  written += givers.written;
  pc = std::max(pc, givers.pc);
  for (const auto& [giver, gave] : givers.from) {
    if (4 * gave <= 3 * givers.written) continue;
    From& warp = from_warp[warp_of(giver)];
    if (warp.lanes.insert(giver).second) warp.gave += gave;
  }
}

std::uint64_t Exchange::Renaming::in(std::uint32_t self) const {
  for (const auto& [warp, from] : from_warp)
    if (warp == self ? 2 * from.gave >= written : 4 * from.gave > 3 * written) return from.gave;
  return 0;
}

template <class F>
void Exchange::each_unit(const sim::Access& access, const std::byte* values, const F& f) const {
  const std::uint32_t unit = unit_bytes();
  const bool turned = turned_[access.pc] != 0;
  const bool matrix = is_matrix(access.path) && (unit == 2 || !turned);
  for (const std::uint32_t row : sim::lanes_of(access.mask)) {
    for (std::uint32_t at = 0; at < access.width_bytes; at += unit) {
      const std::byte* value = values == nullptr ? nullptr : values + row * access.width_bytes + at;
      // Lane t has elements 2(t % 4) and the next of row t / 4, turned: of column t / 4 (exec_matrix.cpp).
      const std::uint32_t in_matrix = row % 8, col = at / 2;
      const std::uint32_t lane = !matrix ? row : turned ? 4 * col + in_matrix / 2 : 4 * in_matrix + col / 2;
      f(lane, access.address[row] + at, value);
    }
  }
}

std::uint32_t Exchange::first_of(const sim::WarpPlace& place) const {
  return static_cast<std::uint32_t>(place.block_index * block_threads_ + place.first_thread + 1);
}

Exchange::Thread* Exchange::thread(std::uint32_t number) {
  if (number == 0) return nullptr;
  const std::uint64_t index = (number - 1) / block_threads_;
  const auto slot = slots_.find(index);
  if (slot == slots_.end() || blocks_[slot->second].index != index) return nullptr;
  return &blocks_[slot->second].threads[(number - 1) % block_threads_];
}

std::unique_ptr<sim::Observer> Exchange::clone() const {
  auto fresh = std::make_unique<Exchange>();
  fresh->out_is(out_, out_bytes_);
  fresh->follow_one_in(every_, rest_);
  fresh->unit_shift_ = unit_shift_;
  fresh->elements_are(numbers_of_, elements_);
  return fresh;
}

void Exchange::launch_begin(const sim::LaunchInfo& info) {
  deeds_.emplace_back();
  program_ = info.program;
  shared_units_ = (info.shared_bytes + unit_bytes() - 1) >> unit_shift_;
  block_threads_ = (static_cast<std::uint32_t>(info.block.count()) + 31) / 32 * 32;
  kept_by_pc_.resize(info.program->instruction_count());
  slots_.clear();
  looked_at_ = 0, most_looked_at_ = info.grid.count() <= kFewBlocks ? kFewBlocks : 2;
  turned_.assign(info.program->instruction_count(), 0);
  bool between_registers = false;  // movmatrix turns what ldmatrix loads, or what stmatrix takes
  for (std::uint32_t pc = 0; pc < turned_.size(); ++pc)
    between_registers |= info.program->opcode(pc).computes == sim::ptx::Computes::Transpose;
  for (std::uint32_t pc = 0; pc < turned_.size(); ++pc)
    if (info.program->opcode(pc).reader == sim::ptx::Reader::Matrix)
      turned_[pc] = sim::ptx::has(info.program->data().text(pc), "trans") != between_registers;
}

void Exchange::block_begin(std::uint32_t slot, const sim::WarpPlace& place) {
  if (slot >= blocks_.size()) {
    Block none;
    none.index = kNoBlock;
    blocks_.resize(slot + 1, none);
  }
  Block& block = blocks_[slot];
  block.followed = place.block_index % every_ == rest_;
  if (!block.followed) return;
  slots_.erase(block.index);
  slots_[place.block_index] = slot;
  block.index = place.block_index;
  block.written = block.exchanged = 0;
  block.stored_by.assign(shared_units_, 0);
  block.held.assign(looks_for_elements() ? shared_units_ : 0, 0);
  block.threads.resize(block_threads_);
  for (Thread& thread : block.threads) {
    thread.from_others.clear(), thread.from_global.clear();
    thread.givers.clear();
  }
}

void Exchange::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  Block& block = blocks_[slot];
  if (!block.followed) return;
  for (std::size_t first = 0; first < block.threads.size(); first += sim::kWarpLanes) {
    Renaming warp;
    for (std::size_t t = first; t < first + sim::kWarpLanes; ++t) warp.add(block.threads[t].givers);
    const std::uint64_t renamed =
        warp.in(static_cast<std::uint32_t>((block.index * block_threads_ + first) / sim::kWarpLanes));
    block.exchanged -= renamed;
    kept_by_pc_[warp.pc] += renamed;
  }
  written_ += block.written;
  exchanged_ += block.exchanged;
  if (4 * block.exchanged < 3 * block.written) kept_ += block.written;
  const auto stored = static_cast<std::uint64_t>(
      std::count_if(block.stored_by.begin(), block.stored_by.end(), [](std::uint32_t s) { return s != 0; }));
  most_words_ = std::max(most_words_, stored * unit_bytes() / 4);
  const auto first_held = std::find(block.held.begin(), block.held.end(), 1);
  if (first_held == block.held.end()) return;
  const auto behind = std::find(block.held.rbegin(), block.held.rend(), 1).base();
  element_span_ = std::max(element_span_, static_cast<std::uint64_t>(behind - first_held) * unit_bytes());
  element_words_ = std::max(element_words_,
                            static_cast<std::uint64_t>(std::count(block.held.begin(), block.held.end(), 1)));
}

void Exchange::access(std::uint32_t slot, const sim::Access& access) {
  if (!blocks_[slot].followed) return;
  const bool shared_space = access.space == sim::Space::Shared || access.space == sim::Space::Cluster;
  if (access.width_bytes < unit_bytes() && !shared_space) return;
  if (shared_space) shared(blocks_[slot], access);
  if (access.space == sim::Space::Global) global(blocks_[slot], access);
}

// An atomic reads what was there and then stores. What the TMA unit takes out, no thread has loaded.
void Exchange::shared(Block& block, const sim::Access& access) {
  if (access.path == sim::Path::SharedBulkLoad) {
    block.taken_out = access.address[std::countr_zero(access.mask)] >> unit_shift_;
    return;
  }
  const std::uint32_t first = first_of(*access.place);
  if (sim::reads(access.path) && access.width_bytes >= unit_bytes()) {
    const bool update = sim::writes(access.path);
    Thread* const readers = thread(first);  // in a cluster of another block than the memory
    each_unit(access, update ? access.old_value : access.value,
              [&](std::uint32_t lane, std::uint64_t address, const std::byte* value) {
                const std::uint64_t unit = address >> unit_shift_;
                if (value == nullptr || unit >= block.stored_by.size()) return;
                const std::uint32_t by = block.stored_by[unit], self = first + lane;
                if (by == 0 || by == self) return;
                if (keeps_deeds()) return keep(self, Act::TookFromOther, access.pc, value, by);
                if (readers != nullptr) readers[lane].from_others.add(unit_at(value, unit_bytes()), by);
              });
  }
  if (!sim::writes(access.path)) return;
  asked_words_.clear(), asked_units_.clear();
  each_unit(access, access.value, [&](std::uint32_t lane, std::uint64_t address, const std::byte* value) {
    const std::uint64_t unit = address >> unit_shift_;
    if (unit >= block.stored_by.size()) return;
    block.stored_by[unit] = first + lane;
    if (unit >= block.held.size() || block.held[unit] != 0) return;
    if (value == nullptr) {  // what copies bring are elements
      block.held[unit] = 1;
    } else if (access.width_bytes >= unit_bytes()) {
      asked_words_.push_back(unit_at(value, unit_bytes()));
      asked_units_.push_back(static_cast<std::uint32_t>(unit));
    }
  });
  if (asked_words_.empty()) return;
  numbers_of_(asked_words_);
  for (std::size_t i = 0; i < asked_words_.size(); ++i)
    if (asked_words_[i] < elements_) block.held[asked_units_[i]] = 1;
}

std::optional<std::uint32_t> Exchange::giver(Thread* thread, const std::byte* value) const {
  if (thread == nullptr || value == nullptr) return std::nullopt;
  const std::uint32_t unit = unit_at(value, unit_bytes());
  const auto by = thread->from_others.giver_of(unit);
  return by && !thread->from_global.has(unit) ? by : std::nullopt;
}

void Exchange::global(Block& block, const sim::Access& access) {
  if (access.path == sim::Path::GlobalBulkLoad) return;  // no thread has these in its registers
  const std::uint32_t first = access.place->first_thread, number = first_of(*access.place);
  const bool reads = sim::reads(access.path), writes = sim::writes(access.path);
  if (reads) {
    each_unit(access, writes ? access.old_value : access.value,
              [&](std::uint32_t lane, std::uint64_t, const std::byte* value) {
                if (value == nullptr) return;
                if (keeps_deeds())
                  keep(number + lane, Act::TookFromGlobal, access.pc, value);
                else
                  block.threads[first + lane].from_global.add(unit_at(value, unit_bytes()), 0);
              });
  }
  if (!writes) return;
  const bool engine = access.path == sim::Path::GlobalBulkStore;
  std::uint64_t unit = block.taken_out;
  each_unit(access, access.value, [&](std::uint32_t lane, std::uint64_t address, const std::byte* value) {
    const std::uint64_t from = unit++;
    if (address - out_ >= out_bytes_) return;
    if (keeps_deeds()) {
      const std::uint32_t by = !engine                         ? number + lane
                               : from < block.stored_by.size() ? block.stored_by[from]
                                                               : 0;
      return keep(by, Act::Wrote, access.pc, value);
    }
    ++block.written;
    Thread* writer = !engine                         ? &block.threads[first + lane]
                     : from < block.stored_by.size() ? thread(block.stored_by[from])
                                                     : nullptr;
    const std::optional<std::uint32_t> by = giver(writer, value);
    block.exchanged += by.has_value();
    kept_by_pc_[access.pc] += !by;
    if (writer == nullptr) return;
    ++writer->givers.written;
    writer->givers.pc = access.pc;
    if (by) writer->givers.add(*by);
  });
}

void Exchange::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const Exchange&>(other);
  if (program_ == nullptr) program_ = from.program_;
  kept_by_pc_.resize(std::max(kept_by_pc_.size(), from.kept_by_pc_.size()));
  for (std::size_t pc = 0; pc < from.kept_by_pc_.size(); ++pc) kept_by_pc_[pc] += from.kept_by_pc_[pc];
  written_ += from.written_;
  exchanged_ += from.exchanged_;
  kept_ += from.kept_;
  most_words_ = std::max(most_words_, from.most_words_);
  element_words_ = std::max(element_words_, from.element_words_);
  element_span_ = std::max(element_span_, from.element_span_);
  for (std::size_t k = 0; k < from.deeds_.size() && !deeds_.empty(); ++k)  // of this launch, the last
    deeds_.back().insert(deeds_.back().end(), from.deeds_[k].begin(), from.deeds_[k].end());
}

void Exchange::keep(std::uint32_t thread, Act act, std::uint32_t pc, const std::byte* value,
                    std::uint32_t giver) {
  deeds_.back().push_back({thread, pc, giver, act, value == nullptr ? std::byte{} : *value});
}

// All passes of one thread together. A thread that does something else in another pass has handed
// on nothing.
void Exchange::judge_deeds(std::span<const std::span<const Deed>> passes, bool whole,
                           WordTable<TakenWord>& words, ExchangeFindings& found,
                           std::vector<std::uint64_t>& kept, Givers& givers) {
  const std::span<const Deed> first = passes.front();
  words.clear();
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::uint32_t word = 0;
    for (std::size_t p = 0; whole && p < passes.size(); ++p)
      word |= std::to_integer<std::uint32_t>(passes[p][i].value) << 8 * p;
    TakenWord& taken = words.at(word);
    if (first[i].act == Act::TookFromGlobal) taken.from_global = true;
    if (first[i].act == Act::TookFromOther) taken.from_other = true, taken.giver = first[i].giver;
    if (first[i].act != Act::Wrote) continue;
    const bool handed = whole && taken.from_other && !taken.from_global;
    ++found.written;
    found.exchanged += handed;
    kept[first[i].pc] += !handed;
    ++givers.written;
    givers.pc = first[i].pc;
    if (handed) givers.add(taken.giver);
  }
}

void Exchange::judge_deeds(ExchangeFindings& found, std::vector<std::uint64_t>& kept) {
  for (Deeds& pass : deeds_) sort_by_thread(pass);
  std::unordered_map<std::uint32_t, Renaming> warps;
  WordTable<TakenWord> words;
  std::vector<std::span<const Deed>> left(deeds_.begin(), deeds_.end()), passes(deeds_.size());
  while (!left.front().empty()) {
    const std::uint32_t thread = left.front().front().thread;
    for (std::size_t p = 0; p < left.size(); ++p) {
      std::size_t begin = 0, end = 0;
      while (begin < left[p].size() && left[p][begin].thread < thread) ++begin;
      for (end = begin; end < left[p].size() && left[p][end].thread == thread;) ++end;
      passes[p] = left[p].subspan(begin, end - begin);
      left[p] = left[p].subspan(end);
    }
    const bool whole = std::all_of(passes.begin(), passes.end(),
                                   [&](const auto& pass) { return pass.size() == passes.front().size(); });
    Givers givers;
    judge_deeds(passes, whole, words, found, kept, givers);
    warps[warp_of(thread)].add(givers);
  }
  for (const auto& [number, warp] : warps) {
    const std::uint64_t renamed = warp.in(number);
    found.exchanged -= renamed;
    kept[warp.pc] += renamed;
  }
}

ExchangeFindings Exchange::findings() {
  ExchangeFindings found{written_, exchanged_, kept_, most_words_, element_words_, element_span_, {}, 0};
  std::vector<std::uint64_t> kept = kept_by_pc_;
  if (!deeds_.empty()) judge_deeds(found, kept);
  const auto worst = std::max_element(kept.begin(), kept.end());
  if (program_ == nullptr || worst == kept.end() || *worst == 0) return found;
  const auto source = program_->source(static_cast<std::uint32_t>(worst - kept.begin()));
  found.file = source.file, found.line = source.line;
  return found;
}

}  // namespace lab::judge
