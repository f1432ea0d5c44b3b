// Rows and cells of lines. See global_cells.h.
#include "common/sim/observe/global_cells.h"

#include <algorithm>

namespace lab::sim {
namespace {

using Form = LinePlace::Form;

LinePlace placed(Form form, std::uint32_t number) {
  LinePlace place;
  place.number = number & 0x1fffffffu;
  place.form_ = static_cast<std::uint32_t>(form) & 3u;
  return place;
}

}  // namespace

void LineStates::clear() {
  rows_.clear();
  few_.clear();
  wide_.clear();
  planes_.clear();
}

LineRows& LineStates::make_rows(LinePlace& place) {
  place = placed(Form::Rows, rows_.make());
  return rows_[place.number];
}

void LineStates::make_cells(LinePlace& place) {
  const LinePlace made = placed(Form::Few, few_.make());
  if (place.form() == Form::Rows) {
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

void LineStates::admit(LinePlace& place, std::uint32_t epoch) {
  if (place.form() != Form::Few) return;
  Few& few = few_[place.number];
  const auto has = [&](std::uint32_t wanted) {
    return std::find(few.epochs.begin(), few.epochs.end(), wanted) != few.epochs.end();
  };
  if (has(epoch)) return;
  if (!has(0)) forget_unused(few);
  const auto room = std::find(few.epochs.begin(), few.epochs.end(), 0u);
  if (room == few.epochs.end()) return widen(place);
  *room = epoch;
}

void LineStates::widen(LinePlace& place) {
  const LinePlace made = placed(Form::Wide, wide_.make());
  for (std::uint32_t g = 0; g < kLineGranules; ++g) put(made, g, {}, cell(place, g));
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
  place = placed(Form::Few, few_.make());
  few_[place.number] = few;
}

Cell LineStates::cell(const LinePlace& place, std::uint32_t granule) const {
  if (place.form() == Form::Few) {
    const Few& few = few_[place.number];
    return {tag_of(few, few.tags[0][granule]), tag_of(few, few.tags[1][granule]),
            tag_of(few, few.tags[2][granule])};
  }
  const Wide& wide = wide_[place.number];
  const auto tag = [&](std::uint32_t plane) { return plane == 0 ? 0 : planes_[plane][granule]; };
  return {tag(wide.planes[0]), tag(wide.planes[1]), tag(wide.planes[2])};
}

void LineStates::put(const LinePlace& place, std::uint32_t granule, const Cell& before, const Cell& after) {
  const auto set = [&](std::uint32_t p, std::uint32_t was, std::uint32_t tag) {
    if (was == tag) return;
    if (place.form() == Form::Few) {
      Few& few = few_[place.number];
      const auto known = std::find(few.epochs.begin(), few.epochs.end(), tag >> 5);
      const auto number = static_cast<std::uint32_t>(known - few.epochs.begin()) + 1;
      few.tags[p][granule] = tag == 0 ? 0 : static_cast<std::uint8_t>(number << 5 | (tag & 31u));
      return;
    }
    std::uint32_t plane = wide_[place.number].planes[p];
    if (plane == 0 && tag == 0) return;
    if (plane == 0) plane = wide_[place.number].planes[p] = planes_.make();
    planes_[plane][granule] = tag;
  };
  set(0, before.writer, after.writer);
  set(1, before.reader, after.reader);
  set(2, before.other, after.other);
}

void LineStates::tidy(LinePlace& place) {
  if (place.form() == Form::Few) forget_unused(few_[place.number]);
  if (place.form() != Form::Wide) return;
  for (std::uint32_t& plane : wide_[place.number].planes) {
    const auto nobody = [](std::uint32_t tag) { return tag == 0; };
    if (plane == 0 || !std::all_of(planes_[plane].begin(), planes_[plane].end(), nobody)) continue;
    planes_.give_back(plane);
    plane = 0;
  }
  narrow(place);
}

}  // namespace lab::sim
