// What bytes of memory a piece of work reads or writes. See touched.h.
#include "common/run/cudart/touched.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <utility>

#include "common/sim/program/program_data.h"

namespace lab::cudart {
namespace {

// The bits of a word of 64 bytes at `start` that lie from `low` up to `high`.
std::uint64_t bits_between(std::uint64_t start, std::uint64_t low, std::uint64_t high) {
  if (high <= start || low >= start + 64 || low >= high) return 0;
  const std::uint64_t first = low > start ? low - start : 0, end = std::min<std::uint64_t>(high - start, 64);
  return (~0ull >> (64 - (end - first))) << first;
}

// The pieces of memory that an access touches, as few as ramps show: neighbouring lanes without a gap between
// them, or at one place, are one piece.
template <class Act>
void for_pieces(const sim::Access& access, const Act& act) {
  const int first = std::countr_zero(access.mask), last = sim::kWarpLanes - 1 - std::countl_zero(access.mask);
  const auto lanes = [&](int from, int to) {
    const auto [low, high] = std::minmax(access.address[from], access.address[to]);
    act(low, high - low + access.width_bytes);
  };
  const bool dense = access.known() && std::abs(access.stride_bytes) <= access.width_bytes;
  if (dense && access.affine && (access.stride_bytes == 0 || sim::is_run(access.mask)))
    return lanes(first, last);
  if (dense && access.halves) {
    lanes(0, sim::kHalfWarp - 1);
    return lanes(sim::kHalfWarp, sim::kWarpLanes - 1);
  }
  for (sim::Mask rest = access.mask; rest != 0; rest &= rest - 1)
    act(access.address[std::countr_zero(rest)], access.width_bytes);
}

}  // namespace

constinit ByteSet::Page ByteSet::full_ = [] {
  Page page{};
  for (std::uint64_t& word : page) word = ~0ull;
  return page;
}();

void ByteSet::set_page(std::uint64_t number, Page* page) {
  Entry& entry = table_[slot_of(number)];
  if (entry.page != nullptr) {
    entry.page = page;
    return;
  }
  entry = {number, page};
  if (2 * ++pages_ <= table_.size()) return;
  const std::vector<Entry> before = std::exchange(table_, std::vector<Entry>(2 * table_.size()));
  for (const Entry& of : before)
    if (of.page != nullptr) table_[slot_of(of.number)] = of;
}

ByteSet::Page* ByteSet::new_page(std::uint64_t number) {
  if (room_ == 0) {
    room_ = std::clamp<std::size_t>(pages_, kNeighbours, 4096);
    pieces_.push_back(std::make_unique<Page[]>(room_));
  }
  Page* page = &pieces_.back()[--room_];
  set_page(number, page);
  return page;
}

void ByteSet::add_words(sim::DeviceAddress low, std::uint64_t bytes) {
  const sim::DeviceAddress high = low + bytes;
  for (std::uint64_t number = low / kPageBytes; number * kPageBytes < high; ++number) {
    const std::uint64_t start = number * kPageBytes;
    if (low <= start && start + kPageBytes <= high)
      set_page(number, &full_);
    else if (Page* page = page_of(number))
      for (std::size_t k = low > start ? (low - start) / 64 : 0; k < page->size() && start + 64 * k < high;
           ++k)
        (*page)[k] |= bits_between(start + 64 * k, low, high);
  }
}

void ByteSet::add(const ByteSet& other) {
  for (const auto& [number, from] : other.table_) {
    if (from == nullptr) continue;
    if (from == &full_)
      set_page(number, &full_);
    else if (Page* to = page_of(number))
      for (std::size_t k = 0; k < to->size(); ++k) (*to)[k] |= (*from)[k];
  }
}

bool ByteSet::whole(sim::DeviceAddress low, sim::DeviceAddress high) const {
  if (low >= high) return true;
  for (std::uint64_t number = low / kPageBytes; number * kPageBytes < high; ++number) {
    const Page* page = find(number);
    if (page == nullptr) return false;
    if (page == &full_) continue;
    if (low <= number * kPageBytes && (number + 1) * kPageBytes <= high) {
      if (std::any_of(page->begin(), page->end(), [](std::uint64_t word) { return word != ~0ull; }))
        return false;
      continue;
    }
    for (std::size_t k = 0; k < page->size(); ++k)
      if ((~(*page)[k] & bits_between(number * kPageBytes + 64 * k, low, high)) != 0) return false;
  }
  return true;
}

bool ByteSet::meets(const ByteSet& other, sim::DeviceAddress low, sim::DeviceAddress high) const {
  for (const auto& [number, page] : table_) {
    if (page == nullptr || number * kPageBytes >= high || (number + 1) * kPageBytes <= low) continue;
    const Page* found = other.find(number);
    if (found == nullptr) continue;
    for (std::size_t k = 0; k < page->size(); ++k) {
      const std::uint64_t asked = bits_between(number * kPageBytes + 64 * k, low, high);
      if (((*page)[k] & (*found)[k] & asked) != 0) return true;
    }
  }
  return false;
}

bool overlap(const Touched& a, const Touched& b) {
  const sim::DeviceAddress low = std::max(a.low, b.low), high = std::min(a.high, b.high);
  if (low >= high) return false;
  if (a.bytes && b.bytes) return a.bytes->meets(*b.bytes, low, high);
  if (!a.bytes && !b.bytes) return true;
  ByteSet all;
  all.add(low, high - low);
  return (a.bytes ? a.bytes : b.bytes)->meets(all, low, high);
}

Touched touched_rows(sim::DeviceAddress low, std::uint64_t width_bytes, std::uint64_t pitch_bytes,
                     std::uint64_t count, bool writes) {
  Touched rows{.low = low, .high = low + (count - 1) * pitch_bytes + width_bytes, .writes = writes};
  if (count == 1 || pitch_bytes <= width_bytes) return rows;
  const auto bytes = std::make_shared<ByteSet>();
  for (std::uint64_t k = 0; k < count; ++k) bytes->add(low + k * pitch_bytes, width_bytes);
  rows.bytes = bytes;
  return rows;
}

bool touches(const Touched& range, sim::DeviceAddress at) { return overlap(range, {at, at + 1}); }

std::unique_ptr<sim::Observer> TouchObserver::clone() const {
  return std::make_unique<TouchObserver>(overlaps_, of_);
}

void TouchObserver::launch_begin(const sim::LaunchInfo& info) {
  const std::vector<sim::Inst>& code = info.program->data().code;
  by_pc_.assign(code.size() * 4, {.low = ~sim::DeviceAddress{0}});
  runs_.assign(by_pc_.size(), {});
  for (std::size_t k = 0; k < by_pc_.size(); ++k) {
    const sim::Ordering& order = code[k / 4].order;
    by_pc_[k].writes = k % 2 == 1;
    by_pc_[k].early = k % 4 >= 2;
    const sim::ptx::OpcodeRow& row = info.program->opcode(static_cast<std::uint32_t>(k / 4));
    const bool reduces = row.is(sim::ptx::Unit::Bulk, sim::Direction::Update);  // of the GPU's scope
    by_pc_[k].strong = order.scope >= sim::Scope::Device || reduces;
    by_pc_[k].system = order.scope == sim::Scope::System;
    by_pc_[k].to_host = order.is_volatile || order.scope == sim::Scope::System;
    releases_to_host_ = releases_to_host_ || (order.release && order.scope == sim::Scope::System);
  }
  for (auto& bytes : bytes_) bytes = std::make_shared<ByteSet>();
}

void TouchObserver::fence(std::uint32_t slot, std::uint32_t warp, sim::Mask /*lanes*/, bool /*whole_warp*/,
                          sim::Scope scope) {
  if (scope == sim::Scope::System) fenced_[slot] |= 1u << warp;
}

const std::shared_ptr<ByteSet>& TouchObserver::bytes_of(const Touched& range) const {
  return bytes_[(range.early ? 4u : 0u) + (range.strong ? 2u : 0u) + (range.writes ? 1u : 0u)];
}

void TouchObserver::block_begin(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  if (fenced_.size() <= slot) fenced_.resize(slot + 1);
  fenced_[slot] = 0;
  if (!overlaps_) return;
  if (waited_.size() <= slot) waited_.resize(slot + 1);
  waited_[slot] = 0;
}

void TouchObserver::wait_for_kernels(std::uint32_t slot, std::uint32_t warp) {
  waits_ = true;
  if (overlaps_) waited_[slot] |= 1u << warp;
}

void TouchObserver::barrier(std::uint32_t slot) {
  if (fenced_[slot] != 0) fenced_[slot] = ~0u;
  if (overlaps_ && waited_[slot] != 0) waited_[slot] = ~0u;
}

bool TouchObserver::is_early(std::uint32_t slot, std::uint32_t warp) const {
  return overlaps_ && (waited_[slot] >> warp & 1) == 0;
}

void TouchObserver::access(std::uint32_t slot, const sim::Access& access) {
  // Variables that are __constant__ lie in global memory, and copies of the host change them.
  if (access.space != sim::Space::Global && access.space != sim::Space::Const) return;
  if (ignores(access.address[std::countr_zero(access.mask)])) return;
  Touched& range = by_pc_[std::size_t{access.pc} * 4 + (is_early(slot, access.place->warp) ? 2 : 0) +
                          (sim::writes(access.path) ? 1 : 0)];
  releases_to_host_ = releases_to_host_ ||
                      (range.writes && fenced_[slot] != 0 && (fenced_[slot] >> access.place->warp & 1) != 0);
  for_pieces(access,
             [&](sim::DeviceAddress low, std::uint64_t size_bytes) { touch(range, low, size_bytes); });
}

// Where neighbouring lanes leave no gap, a warp is one piece, and so are warps that leave none.
bool TouchObserver::band(std::uint32_t slot, const sim::Access& first, const sim::WarpBand& band,
                         std::uint32_t warps) {
  const bool dense = band.lane_step == 0 || (band.lane_step == first.width_bytes && sim::is_run(first.mask));
  if (!dense || overlaps_ || fenced_[slot] != 0) return false;
  if (ignores(band.start)) return true;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(first.mask));
  const std::uint64_t low = band.start + lane * band.lane_step;
  const std::uint64_t bytes = band.lane_step == 0
                                  ? first.width_bytes
                                  : static_cast<std::uint64_t>(std::popcount(first.mask)) * band.lane_step;
  Touched& range = by_pc_[std::size_t{first.pc} * 4 + (sim::writes(first.path) ? 1 : 0)];
  if (band.warp_step == bytes) return touch(range, low, warps * bytes), true;
  for (std::uint32_t w = 0; w < (band.warp_step == 0 ? 1 : warps); ++w)
    touch(range, low + w * band.warp_step, bytes);
  return true;
}

void TouchObserver::touch(Touched& range, sim::DeviceAddress low, std::uint64_t size_bytes) {
  Run& run = runs_[&range - by_pc_.data()];
  range.low = std::min(range.low, low);
  range.high = std::max(range.high, low + size_bytes);
  if (run.low <= low && low <= run.high) {
    run.high = std::max(run.high, low + size_bytes);
  } else {
    bytes_of(range)->add(run.low, run.high - run.low);
    run = {low, low + size_bytes};
  }
}

void TouchObserver::close_runs() const {
  for (std::size_t k = 0; k < runs_.size(); ++k)
    bytes_of(by_pc_[k])->add(runs_[k].low, runs_[k].high - runs_[k].low);
}

void TouchObserver::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const TouchObserver&>(other);
  from.close_runs();
  for (std::size_t k = 0; k < from.by_pc_.size(); ++k) {
    by_pc_[k].low = std::min(by_pc_[k].low, from.by_pc_[k].low);
    by_pc_[k].high = std::max(by_pc_[k].high, from.by_pc_[k].high);
  }
  for (std::size_t k = 0; k < bytes_.size(); ++k) bytes_[k]->add(*from.bytes_[k]);
  releases_to_host_ = releases_to_host_ || from.releases_to_host_;
  waits_ = waits_ || from.waits_;
}

std::vector<Touched> TouchObserver::touched() const {
  close_runs();
  std::vector<Touched> list;
  std::map<const ByteSet*, Run> known;  // a range that is whole: instructions of a loop touch nearly the same
  for (Touched range : by_pc_) {
    if (range.low >= range.high) continue;
    const std::shared_ptr<const ByteSet> bytes = bytes_of(range);
    Run& whole = known[bytes.get()];
    const bool meets = range.low <= whole.high && whole.low <= range.high;
    if (!meets) whole = {range.low, range.low};
    if (bytes->whole(range.low, whole.low) && bytes->whole(whole.high, range.high))
      whole = {std::min(whole.low, range.low), std::max(whole.high, range.high)};
    else
      range.bytes = bytes;
    range.waits_later = waits_;
    range.to_host = range.to_host || releases_to_host_;
    list.push_back(std::move(range));
  }
  return list;
}

}  // namespace lab::cudart
