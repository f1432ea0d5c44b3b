// Rows of neighbours, cut. See merge_rows.h.
#include "common/sim/analysis/merge_rows.h"

#include <algorithm>

namespace lab::sim {
namespace {

// The widest access that elements of this size become: four of 2 or 4 bytes, two of 8.
std::int64_t window_bytes(std::uint8_t element_bytes) { return element_bytes == 8 ? 16 : 4 * element_bytes; }

std::int64_t round_down(std::int64_t value, std::int64_t to) {
  return value >= 0 ? value / to * to : -((-value + to - 1) / to * to);
}

// The power of two that surely divides the address at which the row's grid begins, at most the window's.
std::int64_t known_bytes(const PlacedAccess& first) {
  return std::int64_t{1} << std::min(first.base_zeros, 4);
}

}  // namespace

void MergeRows::block_begins() {
  for (Row& row : rows_) row.open = row.open && row.members.front().access.is_load;
}

void MergeRows::stores_end(MergedSpace space) {
  for (Row& row : rows_)
    if (!row.members.front().access.is_load && row.members.front().access.space == space) row.open = false;
}

// The first member's base is where the grid begins: its alignment is the one that is known.
std::int64_t MergeRows::grid_place(const Row& row, const PlacedAccess& access) {
  const AddressValue& first = row.members.front().address;
  return access.address.offset - first.offset + first.base_offset;
}

bool MergeRows::fits(const Row& row, const PlacedAccess& access) const {
  const PlacedAccess& first = row.members.front();
  const PlacedAccess& last = row.members.back();
  const bool alike = row.open && first.access.is_load == access.access.is_load &&
                     first.access.space == access.access.space &&
                     first.access.element_bytes == access.access.element_bytes &&
                     first.address.root == access.address.root;
  if (!alike) return false;
  if (access.access.is_load) {
    return first.epoch == access.epoch && flow_.dominates(last.block, access.block) &&
           flow_.no_deeper(last.block, access.block);
  }
  const std::int64_t window = window_bytes(access.access.element_bytes);
  return round_down(grid_place(row, first), window) == round_down(grid_place(row, access), window);
}

void MergeRows::add(const PlacedAccess& access) {
  // A vector may be aligned better than its base shows: then it stands alone, at its own address.
  const std::int64_t known = known_bytes(access);
  const bool alone = access.address.base_offset % access.access.bytes != 0 || known < access.access.bytes;
  const bool stands_alone = alone && access.access.bytes > access.access.element_bytes;
  const auto row =
      stands_alone ? rows_.end()
                   : std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return fits(r, access); });
  const bool joins = row != rows_.end();
  const auto place = joins ? row - rows_.begin() : 0;
  if (!access.access.is_load) {
    for (Row& other : rows_)
      if (!(joins && &other == &rows_[static_cast<std::size_t>(place)]) &&
          !other.members.front().access.is_load && other.members.front().access.space == access.access.space)
        other.open = false;
  }
  if (joins) {
    rows_[static_cast<std::size_t>(place)].members.push_back(access);
    return;
  }
  Row fresh;
  fresh.members.push_back(access);
  if (stands_alone) {
    fresh.open = false;
    PlacedAccess& own = fresh.members.front();
    own.address.base_offset = 0;
    own.base_zeros = 4;
  }
  rows_.push_back(std::move(fresh));
}

void MergeRows::cut_row(const Row& row, CutAccesses& into) {
  const TextAccess& kind = row.members.front().access;
  const std::int64_t element = kind.element_bytes;
  const std::int64_t window = window_bytes(kind.element_bytes), pair = 2 * element;
  const std::int64_t known = known_bytes(row.members.front());
  std::map<std::int64_t, const PlacedAccess*> elements;  // by place: the first access to it
  std::vector<std::vector<MergedAccess>> instead(row.members.size());
  for (const PlacedAccess& member : row.members) {
    for (const std::uint8_t at : member.access.live) elements.emplace(grid_place(row, member) + at, &member);
  }
  const auto emit = [&](std::int64_t place, std::int64_t bytes) {
    const PlacedAccess* who = nullptr;
    for (std::int64_t p = place; p < place + bytes; p += element) {
      const auto found = elements.find(p);
      if (found == elements.end()) continue;
      if (who == nullptr || found->second < who)
        who = found->second;  // members in the order they are reached
      elements.erase(found);
    }
    instead[static_cast<std::size_t>(who - row.members.data())].push_back(
        {static_cast<std::int32_t>(place - grid_place(row, *who)), static_cast<std::uint8_t>(bytes)});
  };
  while (!elements.empty()) {
    const std::int64_t place = elements.begin()->first;
    const std::int64_t start = round_down(place, window), pair_start = round_down(place, pair);
    std::int64_t present = 0;
    for (std::int64_t p = start; p < start + window; p += element) present += elements.contains(p) ? 1 : 0;
    const std::int64_t all = window / element;
    if (known >= window && (present == all || (kind.is_load && all == 4 && present == 3))) {
      emit(start, window);
    } else if (known >= pair && elements.contains(pair_start) && elements.contains(pair_start + element)) {
      emit(pair_start, pair);
    } else {
      emit(place, element);
    }
  }
  for (std::size_t k = 0; k < row.members.size(); ++k) {
    const PlacedAccess& member = row.members[k];
    const auto phase =
        static_cast<std::uint64_t>(grid_place(row, member)) % static_cast<std::uint64_t>(known);
    into[member.at].push_back({member.turn, phase, static_cast<std::uint64_t>(known), std::move(instead[k])});
  }
}

CutAccesses MergeRows::cut() const {
  CutAccesses all;
  for (const Row& row : rows_) cut_row(row, all);
  return all;
}

}  // namespace lab::sim
