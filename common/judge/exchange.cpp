// Who wrote what came from whom. See exchange.h.
#include "common/judge/exchange.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/sim/program/program.h"

namespace lab::judge {
namespace {

constexpr std::size_t kMostTaken = 256;
constexpr std::uint32_t kWordBytes = 4;

// Calls f(lane, address, word's bytes or null) for each whole word that a lane touches.
template <class F>
void each_word(const sim::Access& access, const std::byte* values, const F& f) {
  for (sim::Mask left = access.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    for (std::uint32_t at = 0; at < access.width_bytes; at += kWordBytes) {
      const std::byte* value = values == nullptr ? nullptr : values + lane * access.width_bytes + at;
      f(lane, access.address[lane] + at, value);
    }
  }
}

std::uint32_t word_at(const std::byte* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, kWordBytes);
  return word;
}

}  // namespace

void Exchange::Taken::add(std::uint32_t word) {
  if (words_.size() < kMostTaken) {
    words_.push_back(word);
    return;
  }
  words_[oldest_] = word;
  oldest_ = (oldest_ + 1) % kMostTaken;
}

bool Exchange::Taken::has(std::uint32_t word) {
  const std::size_t count = words_.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = next_ + i;
    if (at >= count) at -= count;
    if (words_[at] != word) continue;
    next_ = at + 1 < count ? at + 1 : 0;
    return true;
  }
  return false;
}

std::unique_ptr<sim::Observer> Exchange::clone() const {
  auto fresh = std::make_unique<Exchange>();
  fresh->out_is(out_, out_bytes_);
  return fresh;
}

void Exchange::launch_begin(const sim::LaunchInfo& info) {
  program_ = info.program;
  shared_words_ = (info.shared_bytes + kWordBytes - 1) / kWordBytes;
  block_threads_ = static_cast<std::uint32_t>(info.block.count());
  kept_by_pc_.resize(info.program->instruction_count());
}

void Exchange::block_begin(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  Block& block = blocks_[slot];
  block.stored_by.assign(shared_words_, 0);
  block.threads.resize((block_threads_ + 31) / 32 * 32);
  for (Thread& thread : block.threads) thread.from_others.clear(), thread.from_global.clear();
}

void Exchange::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  const Block& block = blocks_[slot];
  const auto stored = static_cast<std::uint64_t>(
      std::count_if(block.stored_by.begin(), block.stored_by.end(), [](std::uint16_t s) { return s != 0; }));
  most_words_ = std::max(most_words_, stored);
}

void Exchange::access(std::uint32_t slot, const sim::Access& access) {
  if (access.width_bytes < kWordBytes && access.space != sim::Space::Shared) return;
  if (access.space == sim::Space::Shared) shared(blocks_[slot], access);
  if (access.space == sim::Space::Global) global(blocks_[slot], access);
}

// An atomic reads what was there and then stores.
void Exchange::shared(Block& block, const sim::Access& access) {
  const std::uint32_t first = access.place->first_thread;
  if (sim::reads(access.path) && access.width_bytes >= kWordBytes) {
    const bool update = sim::writes(access.path);
    each_word(access, update ? access.old_value : access.value,
              [&](std::uint32_t lane, std::uint64_t address, const std::byte* value) {
                const std::uint64_t word = address / kWordBytes;
                if (value == nullptr || word >= block.stored_by.size()) return;
                const std::uint16_t by = block.stored_by[word];
                if (by != 0 && by != first + lane + 1)
                  block.threads[first + lane].from_others.add(word_at(value));
              });
  }
  if (!sim::writes(access.path)) return;
  each_word(access, nullptr, [&](std::uint32_t lane, std::uint64_t address, const std::byte*) {
    const std::uint64_t word = address / kWordBytes;
    if (word < block.stored_by.size()) block.stored_by[word] = static_cast<std::uint16_t>(first + lane + 1);
  });
}

void Exchange::global(Block& block, const sim::Access& access) {
  const std::uint32_t first = access.place->first_thread;
  const bool reads = sim::reads(access.path), writes = sim::writes(access.path);
  if (reads) {
    each_word(access, writes ? access.old_value : access.value,
              [&](std::uint32_t lane, std::uint64_t, const std::byte* value) {
                if (value != nullptr) block.threads[first + lane].from_global.add(word_at(value));
              });
  }
  if (!writes) return;
  each_word(access, access.value, [&](std::uint32_t lane, std::uint64_t address, const std::byte* value) {
    if (address - out_ >= out_bytes_) return;
    ++written_;
    Thread& thread = block.threads[first + lane];
    const bool handed =
        value != nullptr && thread.from_others.has(word_at(value)) && !thread.from_global.has(word_at(value));
    exchanged_ += handed;
    kept_by_pc_[access.pc] += !handed;
  });
}

void Exchange::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const Exchange&>(other);
  if (program_ == nullptr) program_ = from.program_;
  kept_by_pc_.resize(std::max(kept_by_pc_.size(), from.kept_by_pc_.size()));
  for (std::size_t pc = 0; pc < from.kept_by_pc_.size(); ++pc) kept_by_pc_[pc] += from.kept_by_pc_[pc];
  written_ += from.written_;
  exchanged_ += from.exchanged_;
  most_words_ = std::max(most_words_, from.most_words_);
}

ExchangeFindings Exchange::findings() const {
  ExchangeFindings found{written_, exchanged_, most_words_, {}, 0};
  const auto worst = std::max_element(kept_by_pc_.begin(), kept_by_pc_.end());
  if (program_ == nullptr || worst == kept_by_pc_.end() || *worst == 0) return found;
  const auto source = program_->source(static_cast<std::uint32_t>(worst - kept_by_pc_.begin()));
  found.line = source.line;
  found.file = program_->file_name(source.file);
  return found;
}

}  // namespace lab::judge
