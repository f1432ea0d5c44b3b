// The memory of the race check for global memory. See global_shadow.h.
//
// Enters: accesses. Leaves: collisions. An access is cut into pieces, one a line: a row of neighbouring lanes
// at once, else lane by lane.
#include "common/sim/observe/global_shadow.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/global_pieces.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

constexpr std::size_t kMostEpochs = std::size_t{1} << 26;
constexpr std::size_t kFirstEpochs = std::size_t{1} << 16;
constexpr std::uint64_t kLeastLimit = std::uint64_t{32} << 20;

// Bits first … first + count - 1.
std::uint32_t mask_of(std::uint32_t first, std::uint32_t count) {
  return (count == 32 ? ~0u : (1u << count) - 1) << first;
}

}  // namespace

GlobalShadow::GlobalShadow(const LaunchInfo& launch, const Memory& memory, const std::vector<Inst>& code,
                           std::uint64_t limit_bytes)
    : memory_(memory),
      code_(code),
      shift_(static_cast<unsigned>(std::countr_zero(launch.smallest_global_access_bytes))),
      together_(launch.together),
      knows_written_(launch.knows_written),
      by_rows_(launch.program->data().shortcuts == Shortcuts::On),
      may_write_(launch.may_write),
      ranges_(code.size()),
      kinds_(code.size()),
      lines_(shift_ + 5, together_),
      site_of_pc_(code.size()),
      runs_(1),
      epochs_(1) {
  if (together_) {
    limit_bytes_ = limit_bytes != 0 ? limit_bytes : std::max(kLeastLimit, 2 * memory.allocated_bytes());
    epochs_.reserve(epochs_room_ = kFirstEpochs);
  } else if (limit_bytes != 0) {
    choose_buffers(limit_bytes);
  }
}

// Blocks that run apart are spread over host threads: what is watched must not depend on them, so that it is
// chosen beforehand, buffer by buffer in the order of their addresses.
void GlobalShadow::choose_buffers(std::uint64_t limit_bytes) {
  std::uint64_t taken = 0;
  for (const Allocation* a : memory_.allocations()) {
    const bool written =
        !knows_written_ || std::find(may_write_.begin(), may_write_.end(), a->base) != may_write_.end();
    if (a->read_only || !written) continue;
    const std::uint64_t needed = ((a->size_bytes >> (shift_ + 5)) + 1) * Lines::line_bytes(together_);
    if (taken + needed <= limit_bytes) {
      taken += needed;
    } else {
      left_out_.push_back(a->base);
      unwatched_bytes_ += a->size_bytes;
    }
  }
}

void GlobalShadow::begin_block(std::uint32_t slot, std::uint64_t block_index) {
  end_block();
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot].run = static_cast<std::uint32_t>(runs_.size());
  runs_.push_back({block_index, 0});
}

// Blocks that run apart: lines of the last one are past, and all that is finer is forgotten.
void GlobalShadow::end_block() {
  if (together_) return;
  for (const LinePresent& present : present_)
    lines_.fold(present, static_cast<std::uint32_t>(runs_.back().block));
  present_.clear();
  states_.clear();
  epochs_.resize(1);
  runs_.resize(1);
}

bool GlobalShadow::watched(std::uint32_t pc, DeviceAddress low) {
  Range& range = ranges_[pc];
  if (low >= range.low && low < range.high) return range.watched;
  const Allocation* a = memory_.find(low, 1);
  if (a == nullptr) return false;
  range = {a->base, a->base + a->size_bytes, low, !a->read_only};
  if (knows_written_ && std::find(may_write_.begin(), may_write_.end(), a->base) == may_write_.end())
    range.watched = false;
  if (std::find(left_out_.begin(), left_out_.end(), a->base) != left_out_.end()) range.watched = false;
  return range.watched;
}

const std::uint32_t& GlobalShadow::epoch_of(Slot& slot, const Access& access, BlockClock& clock) {
  const std::uint32_t warp = access.place->warp;
  std::uint32_t& site = site_of_pc_[access.pc];
  if (site == 0) site = ++sites_;
  const std::size_t at = std::size_t{site} * kMaxWarps + warp;
  if (at >= slot.epochs.size()) slot.epochs.resize(std::size_t{site + 1} * kMaxWarps);
  std::uint32_t& epoch = slot.epochs[at];
  if (epoch != 0 && epoch < epochs_.size()) {
    const Epoch& last = epochs_[epoch];
    const bool own = last.run == slot.run && last.pc == access.pc && last.warp == warp;
    if (own && runs_[last.run].first + last.number >= clock.fresh(warp)) return epoch;
  }
  if (together_ && epochs_.size() == epochs_room_) drop_unnamed();
  if (epochs_.size() == kMostEpochs) return epoch;  // so many: later ones are taken for the last one
  Run& run = runs_[slot.run];
  const Number number = clock.new_number(access.pc);
  if (run.first == 0) run.first = number;
  epoch = static_cast<std::uint32_t>(epochs_.size());
  epochs_.push_back({static_cast<std::uint32_t>(number - run.first), slot.run, access.pc, warp});
  return epoch;
}

const GlobalShadow::Kind& GlobalShadow::kind_of(const Access& access) {
  Kind& kind = kinds_[access.pc];
  if (kind.known) return kind;
  const Inst& inst = code_[access.pc];
  kind.known = true;
  kind.writes = writes(access.path);
  kind.strong = inst.order.strong() || inst.checked_by_cas;
  kind.narrow = inst.order.scope == Scope::Block;
  kind.is_volatile = inst.order.is_volatile && kind.writes;
  kind.only_stores = inst.only_stores || (kind.strong && kind.writes && !reads(access.path));
  return kind;
}

// Epochs that no line names any more can meet no access: the others move together.
void GlobalShadow::drop_unnamed() {
  std::vector<std::uint32_t> moved(epochs_.size(), 0);
  const auto mark = [&](std::uint32_t& epoch) { moved[epoch] = 1; };
  lines_.for_all([&](Line& line) {
    states_.tidy(line.place);
    states_.for_epochs(line.place, mark);
  });
  for (Slot& slot : slots_) {
    for (std::uint32_t& epoch : slot.epochs) {
      if (epochs_[epoch].run != slot.run) epoch = 0;
      mark(epoch);
    }
  }
  std::uint32_t next = 1;
  for (std::uint32_t k = 1; k < epochs_.size(); ++k) {
    if (moved[k] == 0) continue;
    epochs_[next] = epochs_[k];
    moved[k] = next++;
  }
  moved[0] = 0;
  const auto move = [&](std::uint32_t& epoch) { epoch = moved[epoch]; };
  lines_.for_all([&](Line& line) { states_.for_epochs(line.place, move); });
  for (Slot& slot : slots_) std::for_each(slot.epochs.begin(), slot.epochs.end(), move);
  epochs_.resize(next);
  epochs_room_ = std::min(kMostEpochs, std::max(kFirstEpochs, std::size_t{2} * next));
  epochs_.reserve(epochs_room_);
}

bool GlobalShadow::touch(std::uint32_t slot_index, const Access& access, BlockClock& clock,
                         GlobalCollision& collision) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
  const DeviceAddress low = access.address[first];
  if (!watched(access.pc, low)) return false;
  if (!together_) {
    DeviceAddress& last = ranges_[access.pc].last;
    lines_.fetch_ahead(low + (low - last));
    last = low;
  }
  Slot& slot = slots_[slot_index];
  const Kind& kind = kind_of(access);
  const std::uint32_t& epoch = epoch_of(slot, access, clock);
  Now now{access,
          clock,
          slot.run,
          epoch,
          access.place->first_thread,
          kind.writes,
          kind.strong,
          kind.narrow,
          kind.is_volatile,
          kind.only_stores,
          code_[access.pc].takes_data,
          code_[access.pc].non_coherent,
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
  if (access.is_one_range(access.mask, access.width_bytes)) {
    pieces(access.address[first], static_cast<std::uint32_t>(std::popcount(access.mask)) * per_lane,
           now.first_thread + first);
    return now.width != 0;
  }
  Mask mask = access.mask;
  if (!now.writes && access.affine && access.stride_bytes == 0) {
    // All lanes read one place: two of them collide with whatever any of them collides with.
    mask = (1u << first) | (0x80000000u >> std::countl_zero(access.mask));
  }
  // Blocks of 16 × 16 threads stand in two ranges.
  const auto lanes_side_by_side = [&](std::uint32_t lane) {
    std::uint32_t count = 1;
    while (by_rows_ && lane + count < kWarpLanes && (mask >> (lane + count) & 1) != 0 &&
           access.address[lane + count] == access.address[lane] + count * std::uint64_t{access.width_bytes})
      ++count;
    return count;
  };
  if (together_) {
    for (const std::uint32_t lane : lanes_of(mask)) lines_.fetch_ahead(access.address[lane], states_);
  } else {
    for (const std::uint32_t lane : lanes_of(mask)) lines_.fetch_ahead(access.address[lane]);
  }
  while (mask != 0) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    const std::uint32_t count = lanes_side_by_side(lane);
    pieces(access.address[lane], count * per_lane, now.first_thread + lane);
    mask &= ~mask_of(lane, count);
  }
  return now.width != 0;
}

void GlobalShadow::touch_piece(const Piece& piece, Now& now) {
  using Form = LinePlace::Form;
  const Lines::Chunk chunk = lines_.chunk_of(piece.address);
  const std::uint32_t index = lines_.index_of(piece.address);
  if (together_ && chunk.lines[index].run != now.run) {
    Line& line = chunk.lines[index];
    if (line.place.form() == Form::Rows && has_room(line.place)) states_.make_cells(line.place);
    line.run = now.run;
  }
  LinePlace& place = together_ ? chunk.lines[index].place : place_at_present(chunk.past[index], piece, now);
  if (place.form() <= Form::Rows) {
    const bool nothing = place.form() == Form::Nothing;
    if (nothing && !has_room(place)) return;
    if (in_rows(place, piece, now)) return;
    if (!nothing && !has_room(place)) return;
    states_.make_cells(place);
  }
  touch_cells(place, piece, now);
}

// Whether the limit lets a line have more.
bool GlobalShadow::has_room(LinePlace& place) {
  if (!together_) return true;
  const auto taken = [&] { return lines_.bytes() + states_.bytes() + epochs_.capacity() * sizeof(Epoch); };
  if (!full_ && taken() > limit_bytes_) {
    drop_unnamed();
    full_ = taken() > limit_bytes_ / 8 * 7;
  }
  if (full_ && place.refused == 0) unwatched_bytes_ += std::uint64_t{kLineGranules} << shift_;
  if (full_) place.refused = 1;
  return !full_;
}

// What the block that runs does with the line, of which this is a part; holds until another line comes. A line is
// named by its first instructions, of whichever warp.
inline LinePresent& GlobalShadow::note_present(LinePast& past, const Piece& piece, std::uint32_t pc,
                                               bool writes) {
  if (past.present == 0) {
    present_.emplace_back().past = &past;
    past.present = static_cast<std::uint32_t>(present_.size());
  }
  LinePresent& present = present_[past.present - 1];
  std::uint32_t& granules = writes ? present.writes : present.reads;
  std::uint32_t& first_pc = writes ? present.write_pc : present.read_pc;
  first_pc = granules == 0 ? pc : std::min(first_pc, pc);
  granules |= piece.mask;
  return present;
}

// Where the line stands for the block that runs; holds until another line comes.
LinePlace& GlobalShadow::place_at_present(LinePast& past, const Piece& piece, const Now& now) {
  const Access& access = now.access;
  const std::uint32_t before = past.present == 0 ? 0 : present_[past.present - 1].writes;
  LinePresent& present = note_present(past, piece, access.pc, now.writes);
  if (!now.writes) return present.place;
  // Lanes of a piece are neighbours, in memory as in `value`.
  const std::uint32_t lane = piece.thread(piece.first) - now.first_thread;
  const bool known = access.value != nullptr && !now.strong;
  note_values(
      present, piece, before,
      known ? access.value + std::size_t{lane} * access.width_bytes + (piece.address - access.address[lane])
            : nullptr,
      &access);
  return present.place;
}

void GlobalShadow::touch_band(const Access& first, const WarpBand& band, std::uint32_t warps) {
  const bool writes = sim::writes(first.path);
  const std::uint32_t width = first.width_bytes;
  const auto lane_of_first = static_cast<std::uint32_t>(std::countr_zero(first.mask));
  const DeviceAddress low = band.start + lane_of_first * band.lane_step;
  if (!watched(first.pc, low)) return;
  lines_.fetch_ahead(low + (low - std::exchange(ranges_[first.pc].last, low)));
  const auto range = [&](DeviceAddress from, std::uint32_t bytes, const std::byte* values) {
    for (std::uint32_t left = std::max(1u, bytes >> shift_); left != 0;) {
      Piece piece;
      piece.address = from;
      piece.first = static_cast<std::uint32_t>(from >> shift_) % kLineGranules;
      piece.count = std::min(left, kLineGranules - piece.first);
      piece.mask = mask_of(piece.first, piece.count);
      LinePast& past = lines_.chunk_of(from).past[lines_.index_of(from)];
      const std::uint32_t before = past.present == 0 ? 0 : present_[past.present - 1].writes;
      LinePresent& present = note_present(past, piece, first.pc, writes);
      if (writes) note_values(present, piece, before, values, nullptr);
      left -= piece.count;
      from += std::uint64_t{piece.count} << shift_;
      values += writes ? std::size_t{piece.count} << shift_ : 0;
    }
  };
  const bool side_by_side = band.lane_step == width && is_run(first.mask);
  if (side_by_side && band.warp_step == kWarpLanes * band.lane_step)
    return range(low, warps * kWarpLanes * width, first.value);
  for (std::uint32_t w = 0; w < (band.warp_step == 0 ? 1 : warps); ++w) {
    const std::uint64_t at = band.start + w * band.warp_step;
    const std::byte* const values = writes ? first.value + std::size_t{w} * kWarpLanes * width : nullptr;
    if (side_by_side) {
      range(low + w * band.warp_step, static_cast<std::uint32_t>(std::popcount(first.mask)) * width,
            writes ? values + std::size_t{lane_of_first} * width : nullptr);
      continue;
    }
    for (const std::uint32_t lane : lanes_of(band.lane_step == 0 ? 1u << lane_of_first : first.mask))
      range(at + lane * band.lane_step, width, writes ? values + std::size_t{lane} * width : nullptr);
  }
}

// Notes it in a row of the line, when that says all.
bool GlobalShadow::in_rows(LinePlace& place, const Piece& piece, const Now& now) {
  if (now.strong) return false;
  const bool nothing = place.form() == LinePlace::Form::Nothing;
  LineRows& rows = nothing ? states_.make_rows(place) : states_.rows(place);
  LineRow* free = nullptr;
  LineRow* own = nullptr;
  for (LineRow& row : rows) {
    if (now.non_coherent && (piece.mask & row.writes) != 0) return false;
    if (!row.used()) {
      free = free == nullptr ? &row : free;
    } else if (row.home == piece.home && row.shift == piece.shift) {
      own = &row;
    } else if ((piece.mask & (now.writes ? row.reads | row.writes : row.writes)) != 0) {
      return false;
    }
  }
  if (own == nullptr) own = free;
  if (own == nullptr) return read_by_two(rows, piece, now);
  std::uint32_t& mask = now.writes ? own->writes : own->reads;
  std::uint32_t& epoch = now.writes ? own->write_epoch : own->read_epoch;
  if (mask != 0 && epoch != now.epoch && (mask & ~piece.mask) != 0) return false;
  mask |= piece.mask;
  epoch = now.epoch;
  own->home = static_cast<std::int16_t>(piece.home);
  own->shift = static_cast<std::uint8_t>(piece.shift);
  return true;
}

// A read behind those of two other warps, none of which is ordered before it: cells would keep just these two
// (remember()), and so do rows.
bool GlobalShadow::read_by_two(const LineRows& rows, const Piece& piece, const Now& now) const {
  const std::uint32_t thread = piece.thread(piece.first), warp = thread / 32;
  if (now.writes || together_ || !by_rows_ || !now.clock.knows_by_warps(warp)) return false;
  for (const LineRow& row : rows) {
    if ((piece.mask & ~row.reads) != 0 || epochs_[row.read_epoch].warp == warp ||
        orders(row.read_epoch << 5, thread, now))
      return false;
  }
  return epochs_[rows[0].read_epoch].warp != epochs_[rows[1].read_epoch].warp;
}

void GlobalShadow::merge(GlobalShadow& other) {
  unwatched_bytes_ = std::max(unwatched_bytes_, other.unwatched_bytes_);
  tests_.join(other.tests_);
  if (together_) return;
  other.end_block();
  if (other.lines_.empty()) return;
  if (lines_.empty()) {
    std::swap(lines_, other.lines_);
    return;
  }
  end_block();
  lines_.merge(other.lines_, memory_);
}

std::vector<BlocksMet> GlobalShadow::blocks_met() {
  if (together_) return {};
  end_block();
  return lines_.blocks_met(shift_);
}

}  // namespace lab::sim
