// The memory of the race check for global memory. See global_shadow.h.
//
// Enters: accesses. Leaves: collisions. An access is cut into pieces, one a line: a row of neighbouring lanes
// at once, else lane by lane.
#include "common/sim/observe/global_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace lab::sim {
namespace {

constexpr std::size_t kMostEpochs = std::size_t{1} << 26;
constexpr std::size_t kMostCells = std::size_t{1} << 21;

// Bits first … first + count - 1.
std::uint32_t mask_of(std::uint32_t first, std::uint32_t count) {
  return (count == 32 ? ~0u : (1u << count) - 1) << first;
}

}  // namespace

// The access that is looked at.
struct GlobalShadow::Now {
  const Access& access;
  const BlockClock& clock;
  std::uint32_t run, epoch;
  std::uint32_t first_thread;
  bool writes, strong, narrow;
  GlobalCollision& collision;
  int width = 0;  // of the collision found: 0 none, 1 a lane, 2 a warp, 3 a block
};

struct GlobalShadow::Piece {
  DeviceAddress address = 0;                     // of the first granule
  std::uint32_t first = 0, count = 0, mask = 0;  // granules in the line
  std::int32_t home = 0;
  std::uint32_t shift = 0;
  [[nodiscard]] std::uint32_t thread(std::uint32_t granule) const {
    return static_cast<std::uint32_t>(home + static_cast<std::int32_t>(granule >> shift));
  }
};

GlobalShadow::GlobalShadow(const LaunchInfo& launch, const Memory& memory, const std::vector<Inst>& code)
    : memory_(memory),
      code_(code),
      shift_(static_cast<unsigned>(std::countr_zero(launch.smallest_global_access_bytes))),
      together_(launch.together),
      knows_written_(launch.knows_written),
      may_write_(launch.may_write),
      ranges_(code.size()),
      lines_(shift_ + 5),
      site_of_pc_(code.size()),
      runs_(1),
      epochs_(1) {}

void GlobalShadow::begin_block(std::uint32_t slot, std::uint64_t block_index) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot].run = static_cast<std::uint32_t>(runs_.size());
  runs_.push_back(block_index);
  if (together_) return;
  epochs_.resize(1);  // blocks that run apart look at lines of their own alone
  cells_.clear();
}

bool GlobalShadow::watched(std::uint32_t pc, DeviceAddress low) {
  Range& range = ranges_[pc];
  if (low >= range.low && low < range.high) return range.watched;
  const Allocation* a = memory_.find(low, 1);
  if (a == nullptr) return false;
  range = {a->base, a->base + a->size_bytes, !a->read_only};
  if (knows_written_ && std::find(may_write_.begin(), may_write_.end(), a->base) == may_write_.end())
    range.watched = false;
  return range.watched;
}

std::uint32_t GlobalShadow::epoch_of(Slot& slot, const Access& access, BlockClock& clock) {
  const std::uint32_t warp = access.place->warp;
  std::uint32_t& site = site_of_pc_[access.pc];
  if (site == 0) site = ++sites_;
  const std::size_t at = std::size_t{site} * kMaxWarps + warp;
  if (at >= slot.epochs.size()) slot.epochs.resize(std::size_t{site + 1} * kMaxWarps);
  std::uint32_t& epoch = slot.epochs[at];
  if (epoch != 0 && epoch < epochs_.size()) {
    const Epoch& last = epochs_[epoch];
    const bool own = last.run == slot.run && last.pc == access.pc && last.warp == warp;
    if (own && last.number >= clock.fresh(warp)) return epoch;
  }
  const Ordering& order = code_[access.pc].order;
  Epoch made{clock.new_number(access.pc), slot.run, access.pc, static_cast<std::uint16_t>(warp)};
  made.writes = writes(access.path);
  made.strong = order.strong() || code_[access.pc].checked_by_cas;
  made.narrow = order.scope == Scope::Block;
  if (epochs_.size() == kMostEpochs) return epoch;  // so many: later ones are taken for the last one
  epoch = static_cast<std::uint32_t>(epochs_.size());
  epochs_.push_back(made);
  return epoch;
}

bool GlobalShadow::touch(std::uint32_t slot_index, const Access& access, BlockClock& clock,
                         GlobalCollision& collision) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
  if (!watched(access.pc, access.address[first])) return false;
  Slot& slot = slots_[slot_index];
  const Ordering& order = code_[access.pc].order;
  Now now{access,
          clock,
          slot.run,
          epoch_of(slot, access, clock),
          access.place->first_thread,
          writes(access.path),
          order.strong() || code_[access.pc].checked_by_cas,
          order.scope == Scope::Block,
          collision};
  const std::uint32_t per_lane = std::max(1u, std::uint32_t{access.width_bytes} >> shift_);
  const auto shift = static_cast<std::uint32_t>(std::countr_zero(per_lane));
  const auto pieces = [&](DeviceAddress from, std::uint32_t granules, std::uint32_t thread) {
    while (granules != 0) {
      Piece piece;
      piece.address = from;
      piece.first = static_cast<std::uint32_t>(from >> shift_) % kLineGranules;
      piece.count = std::min(granules, kLineGranules - piece.first);
      piece.mask = mask_of(piece.first, piece.count);
      piece.shift = shift;
      piece.home = static_cast<std::int32_t>(thread) - static_cast<std::int32_t>(piece.first >> shift);
      touch_piece(piece, now);
      from += std::uint64_t{piece.count} << shift_;
      thread += piece.count >> shift;
      granules -= piece.count;
    }
  };
  const Mask run = access.mask >> first;
  if (access.affine && access.stride_bytes == access.width_bytes && (run & (run + 1)) == 0) {
    pieces(access.address[first], static_cast<std::uint32_t>(std::popcount(access.mask)) * per_lane,
           now.first_thread + first);
    return now.width != 0;
  }
  Mask mask = access.mask;
  if (!now.writes && access.affine && access.stride_bytes == 0) {
    // All lanes read one place: two of them collide with whatever any of them collides with.
    mask = (1u << first) | (0x80000000u >> std::countl_zero(access.mask));
  }
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    pieces(access.address[lane], per_lane, now.first_thread + lane);
  }
  return now.width != 0;
}

void GlobalShadow::touch_piece(const Piece& piece, Now& now) {
  Line& line = lines_.chunk_of(piece.address)[lines_.index_of(piece.address)];
  if (line.run != now.run) {
    if (!together_) {
      Lines::fold(line, runs_);
    } else if (line.run != 0 && line.cells == 0) {
      make_cells(line);
    }
    line.run = now.run;
  }
  if (!together_) {
    if (now.writes) {
      if (line.writes == 0) line.write_pc = now.access.pc;
      note_values(line, piece, now);
      line.writes |= piece.mask;
    } else {
      if (line.reads == 0) line.read_pc = now.access.pc;
      line.reads |= piece.mask;
    }
  }
  if (line.cells == 0 && in_rows(line, piece, now)) return;
  if (line.cells == 0 && cells_.size() >= kMostCells) return;
  if (line.cells == 0) make_cells(line);
  touch_cells(line, piece, now);
}

// Notes it in a row of the line, when that says all.
bool GlobalShadow::in_rows(Line& line, const Piece& piece, const Now& now) const {
  if (now.strong) return false;
  LineRow* free = nullptr;
  LineRow* own = nullptr;
  for (LineRow& row : line.rows) {
    if (!row.used()) {
      free = free == nullptr ? &row : free;
    } else if (row.home == piece.home && row.shift == piece.shift) {
      own = &row;
    } else if ((piece.mask & (now.writes ? row.reads | row.writes : row.writes)) != 0) {
      return false;
    }
  }
  if (own == nullptr) own = free;
  if (own == nullptr) return false;
  std::uint32_t& mask = now.writes ? own->writes : own->reads;
  std::uint32_t& epoch = now.writes ? own->write_epoch : own->read_epoch;
  if (mask != 0 && epoch != now.epoch && (mask & ~piece.mask) != 0) return false;
  mask |= piece.mask;
  epoch = now.epoch;
  own->home = piece.home;
  own->shift = piece.shift;
  return true;
}

void GlobalShadow::make_cells(Line& line) {
  if (cells_.size() == cells_.capacity()) cells_.reserve(std::max<std::size_t>(64, cells_.size() * 2));
  cells_.emplace_back();
  line.cells = static_cast<std::uint32_t>(cells_.size());
  std::array<Cell, 32>& cells = cells_.back();
  for (const LineRow& row : line.rows) {
    for (std::uint32_t g = 0; g < kLineGranules; ++g) {
      const auto lane = static_cast<std::uint32_t>(row.home + static_cast<std::int32_t>(g >> row.shift)) % 32;
      if ((row.writes >> g & 1u) != 0) cells[g].writer = row.write_epoch << 5 | lane;
      if ((row.reads >> g & 1u) == 0) continue;
      (cells[g].reader == 0 ? cells[g].reader : cells[g].other) = row.read_epoch << 5 | lane;
    }
  }
}

bool GlobalShadow::orders(std::uint32_t tag, std::uint32_t thread, const Now& now) const {
  const Epoch& epoch = epochs_[tag >> 5];
  const std::uint32_t earlier = thread_of(tag);
  if (epoch.run == now.run) return now.clock.ordered(thread, earlier, epoch.number);
  return now.clock.ordered_elsewhere(thread, runs_[epoch.run], earlier, epoch.number);
}

void GlobalShadow::touch_cells(Line& line, const Piece& piece, Now& now) {
  std::array<Cell, 32>& cells = cells_[line.cells - 1];
  for (std::uint32_t g = piece.first; g < piece.first + piece.count; ++g) {
    Cell& cell = cells[g];
    const std::uint32_t thread = piece.thread(g), mine = now.epoch << 5 | thread % 32;
    look(cell.writer, g, thread, piece, now);
    const bool other_writes = cell.other != 0 && epochs_[cell.other >> 5].writes;
    if (now.writes) look(cell.reader, g, thread, piece, now);
    if (now.writes || other_writes) look(cell.other, g, thread, piece, now);
    remember(cell, mine, thread, now);
  }
}

void GlobalShadow::look(std::uint32_t tag, std::uint32_t granule, std::uint32_t thread, const Piece& piece,
                        Now& now) {
  if (tag == 0) return;
  const Epoch& epoch = epochs_[tag >> 5];
  const bool other_block = epoch.run != now.run;
  const std::uint32_t earlier = thread_of(tag);
  if (!other_block && earlier == thread) return;
  // Both strong, and each within the other's scope.
  if (epoch.strong && now.strong && !(other_block && (epoch.narrow || now.narrow))) return;
  const int width = other_block ? 3 : earlier / 32 != thread / 32 ? 2 : 1;
  if (width <= now.width || orders(tag, thread, now)) return;
  if (now.writes && epoch.writes && !now.strong && same_value(granule, thread, tag, piece, now)) return;
  now.width = width;
  now.collision = {thread - now.first_thread,
                   piece.address + ((std::uint64_t{granule} - piece.first) << shift_),
                   earlier,
                   epoch.pc,
                   runs_[epoch.run],
                   epoch.writes,
                   by_this_store(granule, tag, piece, now)};
}

// Whether another lane of this very store wrote there: an epoch may hold several runs of one instruction.
bool GlobalShadow::by_this_store(std::uint32_t granule, std::uint32_t tag, const Piece& piece,
                                 const Now& now) const {
  const std::uint32_t other = tag & 31u;
  const DeviceAddress at = piece.address + ((std::uint64_t{granule} - piece.first) << shift_);
  return tag >> 5 == now.epoch && (now.access.mask >> other & 1u) != 0 &&
         at - now.access.address[other] < now.access.width_bytes;
}

// Whether a store leaves what the earlier one left.
bool GlobalShadow::same_value(std::uint32_t granule, std::uint32_t thread, std::uint32_t tag,
                              const Piece& piece, const Now& now) const {
  const Access& access = now.access;
  if (access.value == nullptr) return false;
  const std::uint32_t lane = thread - now.first_thread;
  const DeviceAddress at = piece.address + ((std::uint64_t{granule} - piece.first) << shift_);
  const std::size_t bytes = std::size_t{1} << shift_;
  const auto stored = [&](std::uint32_t by) {
    return access.value + std::size_t{by} * access.width_bytes + (at - access.address[by]);
  };
  if (by_this_store(granule, tag, piece, now))
    return std::memcmp(stored(lane), stored(tag & 31u), bytes) == 0;
  const Allocation* a = memory_.find(at, bytes);
  return a != nullptr && std::memcmp(a->host + (at - a->base), stored(lane), bytes) == 0;
}

void GlobalShadow::remember(Cell& cell, std::uint32_t mine, std::uint32_t thread, const Now& now) {
  if (now.writes && !now.strong) {
    cell = {mine, 0, 0};
  } else if (now.writes) {
    cell.other = mine;
  } else if (cell.reader == 0 || orders(cell.reader, thread, now)) {
    cell.reader = mine;
  } else if (cell.other == 0 || (!epochs_[cell.other >> 5].writes && orders(cell.other, thread, now)) ||
             (!epochs_[cell.other >> 5].writes &&
              epochs_[cell.other >> 5].warp == epochs_[cell.reader >> 5].warp &&
              epochs_[cell.other >> 5].run == epochs_[cell.reader >> 5].run)) {
    cell.other = mine;
  }
}

// Blocks that leave the same value in a place do not race: has this store changed what another block left? A
// store is told before memory has it.
void GlobalShadow::note_values(Line& line, const Piece& piece, const Now& now) const {
  const Access& access = now.access;
  if (access.value == nullptr || now.strong) {
    line.unknown = true;
    return;
  }
  const std::size_t bytes = std::size_t{1} << shift_;
  const std::uint32_t lane = piece.thread(piece.first) - now.first_thread;
  // Lanes of a piece are neighbours, in memory as in `value`.
  const std::byte* const values =
      access.value + std::size_t{lane} * access.width_bytes + (piece.address - access.address[lane]);
  line.left += marks_of(piece.first, piece.count, values, bytes);
  const std::uint32_t known = piece.mask & (line.past_writes | line.writes);
  if (known == 0) return;  // nobody has left anything here
  const Allocation* const a = memory_.find(piece.address, std::size_t{piece.count} << shift_);
  if (a == nullptr) {
    line.unknown = true;
    return;
  }
  const std::byte* const before = a->host + (piece.address - a->base);
  for (std::uint32_t rest = known; rest != 0; rest &= rest - 1) {
    const auto granule = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::size_t at = (granule - piece.first) * bytes;
    const std::uint32_t last = marks_of(granule, 1, before + at, bytes);
    line.left -= last;
    if ((line.past_writes >> granule & 1u) != 0)
      line.changed += marks_of(granule, 1, values + at, bytes) - last;
  }
}

void GlobalShadow::merge(GlobalShadow& other) {
  other.lines_.fold_all(other.runs_);
  if (other.lines_.empty()) return;
  if (lines_.empty()) {
    std::swap(lines_, other.lines_);
    return;
  }
  lines_.fold_all(runs_);
  // Whoever left another value than what stands there now met a block of another host thread.
  if (!compared_) lines_.compare_with(memory_, shift_);
  compared_ = true;
  other.lines_.compare_with(memory_, shift_);
  lines_.merge(other.lines_);
}

std::vector<BlocksMet> GlobalShadow::blocks_met() {
  if (together_) return {};
  lines_.fold_all(runs_);
  return lines_.blocks_met(shift_);
}

}  // namespace lab::sim
