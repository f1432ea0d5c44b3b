// Padding, and what is none. See padding.h.
#include "common/run/cudart/padding.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "common/sim/memory/memory.h"

namespace lab::cudart {
namespace {

using Marks = std::span<const std::uint8_t>;

constexpr std::size_t kMostAlign = 16;     // of a member
constexpr std::size_t kMostStruct = 4096;  // bytes: what a kernel takes as an argument
// So short a period that members narrower than its alignment are likelier (alignas) than blocks that each
// miss an element.
constexpr std::size_t kShort = 32;

bool is_written(std::uint8_t mark) { return mark == sim::Allocation::kWritten; }

struct Gap {
  std::size_t first = 0, end = 0;
};

std::vector<Gap> gaps_of(Marks marks, std::size_t most_bytes) {
  std::vector<Gap> gaps;
  for (std::size_t k = 0; k < std::min(marks.size(), most_bytes); ++k) {
    if (is_written(marks[k])) continue;
    Gap gap{k, k};
    while (gap.end < marks.size() && !is_written(marks[gap.end])) ++gap.end;
    gaps.push_back(gap);
    k = gap.end;
  }
  return gaps;
}

bool recurs(Marks marks, std::size_t period) {
  return std::memcmp(marks.data(), marks.data() + period, marks.size() - period) == 0;
}

// The distance after which all is as it was, twice at least; 0: there is none.
std::size_t period_of(Marks marks, const std::vector<Gap>& gaps) {
  for (std::size_t k = 1; k < gaps.size(); ++k) {
    const std::size_t period = gaps[k].first - gaps[0].first;
    if (period > std::min(kMostStruct, marks.size() / 2)) return 0;
    if (recurs(marks, period)) return period;
    if (k == 64) return 0;  // members of one struct, at the most
  }
  return 0;
}

// Some member is that wide and written: what asks for the alignment.
bool has_member(Marks marks, std::size_t offset, std::size_t bytes) {
  for (std::size_t k = (bytes - offset % bytes) % bytes; k + bytes <= marks.size(); k += bytes) {
    const Marks member = marks.subspan(k, bytes);
    if (std::all_of(member.begin(), member.end(), is_written)) return true;
  }
  return false;
}

}  // namespace

std::size_t first_unwritten(Marks marks, std::size_t offset, std::size_t widest_store) {
  if (marks.empty()) return 0;
  const bool alike =
      std::memcmp(marks.data(), marks.data() + 1, marks.size() - 1) == 0;  // most copies, and large
  if (alike && is_written(marks.front())) return marks.size();
  const auto none = std::find_if_not(marks.begin(), marks.end(), is_written);
  if (none == marks.end()) return marks.size();
  const std::vector<Gap> gaps = gaps_of(marks, 2 * kMostStruct);
  if (gaps.empty()) return static_cast<std::size_t>(none - marks.begin());  // far behind much that is written
  const std::size_t period = period_of(marks, gaps);
  if (period == 0 && marks.size() > kMostStruct) return gaps.front().first;
  const Marks one = period == 0 ? marks : marks.first(2 * period);
  for (const Gap& gap : gaps) {
    if (gap.first >= one.size()) break;
    const std::size_t align = std::bit_ceil(gap.end - gap.first + 1);
    const bool fits = align <= kMostAlign && (offset + gap.end) % align == 0 && period % align == 0;
    const bool stored = widest_store >= align || (period != 0 && period <= kShort);
    if (!fits || !stored || !has_member(one, offset, align)) return gap.first;
  }
  return marks.size();
}

}  // namespace lab::cudart
