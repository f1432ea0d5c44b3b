// Where threads meet in global memory: the lines that have cells. See global_shadow.h.
//
// Enters: a piece of an access. Leaves: the widest collision with those that were there before, and a cell
// for each granule that knows of it.
#include "common/sim/observe/global_pieces.h"

namespace lab::sim {

DeviceAddress GlobalShadow::place_of(const Piece& piece, std::uint32_t granule) const {
  return piece.address + ((std::uint64_t{granule} - piece.first) << shift_);
}

bool GlobalShadow::orders(std::uint32_t tag, std::uint32_t thread, const Now& now) const {
  const Epoch& epoch = epochs_[tag >> 5];
  const std::uint32_t earlier = thread_of(tag);
  const Run& run = runs_[epoch.run];
  const Number number = run.first + epoch.number;
  if (epoch.run == now.run) return now.clock.ordered(thread, earlier, number);
  return now.clock.ordered_elsewhere(thread, run.block, earlier, number);
}

void GlobalShadow::touch_cells(LinePlace& place, const Piece& piece, Now& now) {
  LineCells cells = states_.open(place, now.epoch);
  if (touch_row(cells, piece, now)) return;
  for (std::uint32_t g = piece.first; g < piece.first + piece.count; ++g) {
    const Cell before = cells[g];
    const std::uint32_t thread = piece.thread(g), mine = now.epoch << 5 | thread % 32;
    look(before.writer, g, thread, piece, now);
    const bool other_writes = before.other != 0 && kind_of(epochs_[before.other >> 5]).writes;
    if (now.writes) look(before.reader, g, thread, piece, now);
    if (now.writes || other_writes) look(before.other, g, thread, piece, now);
    if (now.strong) note_readers(place_of(piece, g), thread, now);
    Cell cell = before;
    remember(cell, mine, thread, now);
    cells.put(g, before, cell);
  }
}

// Neighbouring threads where each plane of cells has neighbouring threads too, or nothing, and none of them
// collides: what holds of the first granule holds of all. False: that is not known, and nothing is noted.
bool GlobalShadow::touch_row(LineCells& cells, const Piece& piece, const Now& now) {
  const std::uint32_t first = piece.thread(piece.first), lane = first % 32, warp = first / 32;
  if (!by_rows_ || piece.count == 1 || piece.shift != 0 || now.strong || now.non_coherent ||
      !now.clock.knows_by_warps(warp))
    return false;
  enum class Was { Nobody, Same, Before, Beside, Unknown };
  std::array<std::uint32_t, FewCells::kPlanes> epochs{};
  const auto was = [&](std::uint32_t plane) {
    const auto epoch = cells.one_epoch(plane, piece.first, piece.count);
    if (!epoch) return Was::Unknown;
    epochs[plane] = *epoch;
    if (*epoch == 0) return Was::Nobody;
    const Epoch& earlier = epochs_[*epoch];
    if (earlier.run != now.run) return Was::Unknown;
    if (earlier.warp == warp)
      return cells.begins_at(lane, plane, piece.first, piece.count) ? Was::Same : Was::Unknown;
    return orders(cells.tag(plane, piece.first), first, now) ? Was::Before : Was::Beside;
  };
  const Was writer = was(0), reader = was(1), other = was(2);
  const auto is_clear = [](Was by) { return by == Was::Nobody || by == Was::Same; };
  const auto put = [&](std::uint32_t plane, std::uint32_t tag) {
    cells.fill(plane, piece.first, piece.count, tag);
  };
  const std::uint32_t mine = now.epoch << 5 | lane;
  if (!is_clear(writer) || reader == Was::Unknown || other == Was::Unknown) return false;
  if (now.writes) {
    if (!is_clear(reader) || !is_clear(other)) return false;
    put(0, mine), put(1, 0), put(2, 0);
    return true;
  }
  if (other != Was::Nobody && kind_of(epochs_[epochs[2]]).writes) return false;
  if (reader != Was::Beside) {
    put(1, mine);
  } else if (other != Was::Beside || epochs_[epochs[2]].warp == epochs_[epochs[1]].warp) {
    put(2, mine);
  }
  return true;
}

void GlobalShadow::look(std::uint32_t tag, std::uint32_t granule, std::uint32_t thread, const Piece& piece,
                        Now& now) {
  if (tag == 0) return;
  const Epoch& epoch = epochs_[tag >> 5];
  const Kind& kind = kind_of(epoch);
  const bool other_block = epoch.run != now.run;
  const std::uint32_t earlier = thread_of(tag);
  const bool stale = now.non_coherent && kind.writes;
  if (!other_block && earlier == thread && !stale) return;
  // Both strong, and each within the other's scope.
  const bool volatile_stores =
      kind.only_stores && now.only_stores && overwrites_unread(epoch, place_of(piece, granule), thread, now);
  bool only_announced = false;
  if (kind.strong && now.strong && !(other_block && (kind.narrow || now.narrow)) && !volatile_stores) {
    only_announced = this->only_announced(epoch, earlier, place_of(piece, granule), thread, now);
    if (!only_announced) return note_test(tag, thread, now);
  }
  const int width = other_block ? 3 : earlier / 32 != thread / 32 ? 2 : 1;
  if (width <= now.width || (!stale && orders(tag, thread, now))) return;
  if (now.writes && kind.writes && (!now.strong || volatile_stores) &&
      same_value(granule, thread, tag, piece, now))
    return;
  now.width = width;
  now.collision = {thread - now.first_thread,
                   place_of(piece, granule),
                   earlier,
                   epoch.pc,
                   runs_[epoch.run].block,
                   kind.writes,
                   by_this_store(granule, tag, piece, now),
                   stale,
                   only_announced};
}

// A plain read that an atomic behind it repeats is harmless, and to be recorded all the same.
void GlobalShadow::note_test(std::uint32_t tag, std::uint32_t thread, const Now& now) {
  const std::uint32_t pc = now.access.pc, other = epochs_[tag >> 5].pc;
  const std::uint32_t test = code_[pc].tests_atomic ? pc : other, atomic = test == pc ? other : pc;
  if (!code_[test].tests_atomic || code_[atomic].tests_atomic || tests_.covers(test, atomic) ||
      orders(tag, thread, now))
    return;
  tests_.note(test, atomic);
}

void GlobalShadow::remember(Cell& cell, std::uint32_t mine, std::uint32_t thread, const Now& now) {
  if (now.writes && !now.strong) {
    cell = {mine, 0, 0};
  } else if (now.writes) {
    cell.other = mine;
  } else if (cell.reader == 0 || orders(cell.reader, thread, now)) {
    cell.reader = mine;
  } else {
    const Epoch& other = epochs_[cell.other >> 5];
    const Epoch& reader = epochs_[cell.reader >> 5];
    const bool reads = cell.other != 0 && !kind_of(other).writes;
    const bool of_one_warp = other.warp == reader.warp && other.run == reader.run;
    if (cell.other == 0 || (reads && (of_one_warp || orders(cell.other, thread, now)))) cell.other = mine;
  }
}

}  // namespace lab::sim
