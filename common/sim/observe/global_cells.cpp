// Rows and cells of lines. See global_cells.h.
#include "common/sim/observe/global_cells.h"

#include <algorithm>

namespace lab::sim {
namespace {

LinePlace placed(LinePlace::Form form, std::uint32_t number) {
  LinePlace place;
  place.number = number & 0x1fffffffu;
  place.form_ = static_cast<std::uint32_t>(form) & 3u;
  return place;
}

// Whether all tags have the bits of `mask` that the first one has, the number of the lane aside.
template <class Tag>
bool alike(const Tag* tags, std::uint32_t count) {
  Tag differ = 0;
  for (std::uint32_t k = 0; k < count; ++k) differ |= static_cast<Tag>(tags[k] ^ tags[0]);
  return differ >> 5 == 0;
}
template <class Tag>
bool counts_up(const Tag* tags, std::uint32_t count, std::uint32_t lane) {
  std::uint32_t differ = 0;
  for (std::uint32_t k = 0; k < count; ++k) differ |= tags[k] ^ (lane + k);
  return differ % 32 == 0;
}

}  // namespace

std::optional<std::uint32_t> LineCells::one_epoch(std::uint32_t plane, std::uint32_t first,
                                                  std::uint32_t count) const {
  const bool same = few_ != nullptr
                        ? alike(&few_->tags[plane][first], count)
                        : wide_->planes[plane] == 0 || alike(&(*planes_)[wide_->planes[plane]][first], count);
  return same ? std::optional(tag(plane, first) >> 5) : std::nullopt;
}

bool LineCells::begins_at(std::uint32_t lane, std::uint32_t plane, std::uint32_t first,
                          std::uint32_t count) const {
  return few_ != nullptr ? counts_up(&few_->tags[plane][first], count, lane)
                         : counts_up(&(*planes_)[wide_->planes[plane]][first], count, lane);
}

void LineStates::clear() {
  rows_.clear();
  few_.clear();
  wide_.clear();
  planes_.clear();
}

LineRows& LineStates::make_rows(LinePlace& place) {
  place = placed(LinePlace::Form::Rows, rows_.make());
  return rows_[place.number];
}

void LineStates::make_cells(LinePlace& place) {
  const LinePlace made = placed(LinePlace::Form::Few, few_.make());
  if (place.form() == LinePlace::Form::Rows) {
    Few& few = few_[made.number];
    std::uint8_t next = 0;
    for (const LineRow& row : rows_[place.number]) {
      const auto spread = [&](std::uint32_t mask, std::uint32_t epoch, bool reads) {
        if (mask == 0) return;
        few.epochs[next++] = epoch;
        for (std::uint32_t g = 0; g < kLineGranules; ++g) {
          if ((mask >> g & 1u) == 0) continue;
          const auto thread =
              static_cast<std::uint32_t>(row.home + static_cast<std::int32_t>(g >> row.shift));
          std::uint8_t& first = few.tags[reads ? 1 : 0][g];
          (reads && first != 0 ? few.tags[2][g] : first) = static_cast<std::uint8_t>(next << 5 | thread % 32);
        }
      };
      spread(row.writes, row.write_epoch, false);
      spread(row.reads, row.read_epoch, true);
    }
    rows_.give_back(place.number);
  }
  place = made;
}

void LineStates::forget_unused(Few& few) {
  std::array<bool, kFew + 1> used{};
  for (const auto& plane : few.tags) {
    for (const std::uint8_t tag : plane) used[tag >> 5] = true;
  }
  for (std::uint32_t k = 0; k < kFew; ++k) {
    if (!used[k + 1]) few.epochs[k] = 0;
  }
}

LineCells LineStates::open(LinePlace& place, std::uint32_t epoch) {
  if (place.form() == LinePlace::Form::Few) {
    Few& few = few_[place.number];
    const auto number_of = [&](std::uint32_t wanted) {
      std::uint32_t k = 0;
      while (k < kFew && few.epochs[k] != wanted) ++k;
      return k;
    };
    std::uint32_t number = number_of(epoch);
    if (number == kFew) {
      number = number_of(0);
      if (number == kFew) forget_unused(few), number = number_of(0);
      if (number != kFew) few.epochs[number] = epoch;
    }
    if (number != kFew) return {few, number + 1};
    widen(place);
  }
  return {wide_[place.number], planes_};
}

void LineStates::widen(LinePlace& place) {
  const LinePlace made = placed(LinePlace::Form::Wide, wide_.make());
  const LineCells from(few_[place.number], 0);
  LineCells to(wide_[made.number], planes_);
  for (std::uint32_t g = 0; g < kLineGranules; ++g) to.put(g, {}, from[g]);
  few_.give_back(place.number);
  place = made;
}

// Back to bytes, where so few epochs are left.
void LineStates::narrow(LinePlace& place) {
  Few few;
  std::uint32_t count = 0;
  for (std::uint32_t p = 0; p < kPlanes; ++p) {
    const std::uint32_t plane = wide_[place.number].planes[p];
    if (plane == 0) continue;
    for (std::uint32_t g = 0; g < kLineGranules; ++g) {
      const std::uint32_t tag = planes_[plane][g];
      if (tag == 0) continue;
      const auto end = few.epochs.begin() + count;
      const auto known = std::find(few.epochs.begin(), end, tag >> 5);
      if (known == end && count == kFew) return;
      if (known == end) few.epochs[count++] = tag >> 5;
      const auto number = static_cast<std::uint32_t>(known - few.epochs.begin()) + 1;
      few.tags[p][g] = static_cast<std::uint8_t>(number << 5 | (tag & 31u));
    }
  }
  for (const std::uint32_t plane : wide_[place.number].planes) {
    if (plane != 0) planes_.give_back(plane);
  }
  wide_.give_back(place.number);
  place = placed(LinePlace::Form::Few, few_.make());
  few_[place.number] = few;
}

void LineStates::tidy(LinePlace& place) {
  if (place.form() == LinePlace::Form::Few) forget_unused(few_[place.number]);
  if (place.form() != LinePlace::Form::Wide) return;
  for (std::uint32_t& plane : wide_[place.number].planes) {
    const auto unused = [](std::uint32_t tag) { return tag == 0; };
    if (plane == 0 || !std::all_of(planes_[plane].begin(), planes_[plane].end(), unused)) continue;
    planes_.give_back(plane);
    plane = 0;
  }
  narrow(place);
}

}  // namespace lab::sim
