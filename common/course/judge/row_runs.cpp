// Elements that a warp moves side by side in a row. See row_runs.h.
#include "common/course/judge/row_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "common/sim/base/lanes.h"

namespace lab::judge {
namespace {

using Sixteen [[gnu::vector_size(16)]] = std::uint8_t;

void take_most(std::uint8_t* into, const std::uint8_t* from, std::size_t count) {
  std::size_t i = 0;
  for (; i + sizeof(Sixteen) <= count; i += sizeof(Sixteen)) {
    Sixteen a, b;
    std::memcpy(&a, into + i, sizeof a);
    std::memcpy(&b, from + i, sizeof b);
    a = a > b ? a : b;
    std::memcpy(into + i, &a, sizeof a);
  }
  for (; i < count; ++i) into[i] = std::max(into[i], from[i]);
}

void raise(std::uint8_t* into, std::size_t count, std::uint8_t value) {
  if (value == sim::kWarpLanes) return void(std::memset(into, value, count));  // more there cannot be
  std::array<std::uint8_t, 2 * sizeof(Sixteen)> all;
  all.fill(value);
  for (std::size_t i = 0; i < count; i += all.size())
    take_most(into + i, all.data(), std::min(all.size(), count - i));
}

}  // namespace

void RowRuns::lies(const Problem& problem, std::uint64_t out, std::uint64_t in) {
  problem_ = problem;
  read_ = {in, std::vector<std::uint8_t>(static_cast<std::size_t>(problem.in_elems())), 0, 0};
  written_ = {out, std::vector<std::uint8_t>(static_cast<std::size_t>(problem.out_elems())), 0, 0};
}

std::unique_ptr<sim::Observer> RowRuns::clone() const {
  auto fresh = std::make_unique<RowRuns>();
  fresh->lies(problem_, written_.first, read_.first);
  return fresh;
}

void RowRuns::Side::merge(const Side& from) {
  const std::size_t common = std::min(lanes.size(), from.lanes.size());
  take_most(lanes.data(), from.lanes.data(), common);
  bytes += from.bytes;
  runs += from.runs;
}

void RowRuns::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const RowRuns&>(other);
  read_.merge(from.read_);
  written_.merge(from.written_);
}

void RowRuns::access(std::uint32_t /*slot*/, const sim::Access& access) {
  // Not atomics, nor bulk copies.
  if (access.path == sim::Path::GlobalLoad || access.path == sim::Path::GlobalAsync) take(read_, access);
  if (access.path == sim::Path::GlobalStore) take(written_, access);
}

// Two lanes at one place count once.
void RowRuns::take(Side& side, const sim::Access& access) const {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
  if (access.is_one_range(access.mask, access.width_bytes)) {
    const std::uint64_t from = access.address[first];
    return mark(side, from,
                from + static_cast<std::uint64_t>(std::popcount(access.mask)) * access.width_bytes,
                access.width_bytes);
  }
  std::array<std::uint64_t, sim::kWarpLanes> at;
  std::size_t count = 0;
  bool ascending = true;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t address = access.address[lane];
    ascending &= count == 0 || at[count - 1] <= address;
    at[count++] = address;
  }
  const auto end = at.begin() + static_cast<std::ptrdiff_t>(count);
  if (!ascending) std::sort(at.begin(), end);
  const std::uint32_t width = access.width_bytes;
  for (std::size_t i = 0; i < count;) {
    const std::uint64_t from = at[i];
    std::uint64_t to = from + width;
    for (++i; i < count && at[i] <= to; ++i) to = at[i] + width;
    mark(side, from, to, width);
  }
}

void RowRuns::mark(Side& side, std::uint64_t from, std::uint64_t to, std::uint32_t width) const {
  side.bytes += to - from;
  side.runs += width;
  if (from < side.first) return;
  const auto elem = static_cast<std::uint64_t>(problem_.elem_bytes);
  const std::uint64_t last = std::min<std::uint64_t>((to - side.first + elem - 1) / elem, side.lanes.size());
  const auto lanes = static_cast<std::uint8_t>(std::min<std::uint64_t>((to - from) / width, sim::kWarpLanes));
  const std::uint64_t begin = (from - side.first) / elem;
  if (begin < last) raise(side.lanes.data() + begin, last - begin, lanes);
}

namespace {

// The least of squares of 16 by 16, whose rows lie so far apart.
std::uint8_t least_of_square(const std::uint8_t* first, std::int64_t pitch) {
  Sixteen least;
  std::memcpy(&least, first, sizeof least);
  for (std::size_t row = 1; row < sizeof least; ++row) {
    Sixteen next;
    std::memcpy(&next, first + static_cast<std::int64_t>(row) * pitch, sizeof next);
    least = least < next ? least : next;
  }
  std::array<std::uint8_t, sizeof least> all;
  std::memcpy(all.data(), &least, sizeof least);
  return *std::min_element(all.begin(), all.end());
}

}  // namespace

// Columns [col0, end) of rows [row0, row1) of a matrix.
std::uint64_t RowRuns::together_in(std::int64_t batch, const Square& at) const {
  const Problem& p = problem_;
  const std::uint8_t* from = read_.lanes.data() + batch * p.in_stride() + at.row0 * p.in_pitch() + at.col0;
  const std::uint8_t* to = written_.lanes.data() + batch * p.out_stride() + at.col0 * p.out_pitch() + at.row0;
  const std::int64_t rows = at.row1 - at.row0, cols = at.col1 - at.col0;
  // Mostly all of them stand together.
  if (rows == kSquare && cols == kSquare &&
      std::uint32_t{least_of_square(from, p.in_pitch())} * least_of_square(to, p.out_pitch()) >=
          kLeastTogether)
    return kSquare * kSquare;
  std::uint64_t together = 0;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col)
      together +=
          std::uint32_t{from[row * p.in_pitch() + col]} * to[col * p.out_pitch() + row] >= kLeastTogether;
  return together;
}

RowRunFindings RowRuns::findings() const {
  RowRunFindings found{0, 0, read_.mean(), written_.mean()};
  const Problem& p = problem_;
  if (read_.lanes.empty()) return found;  // the launch was refused
  for (std::int64_t batch = 0; batch < p.batch; ++batch)
    for (std::int64_t col = 0; col < p.cols; col += kSquare)
      for (std::int64_t row = 0; row < p.rows; row += kSquare)
        found.together +=
            together_in(batch, {row, std::min(row + kSquare, p.rows), col, std::min(col + kSquare, p.cols)});
  found.elems = static_cast<std::uint64_t>(p.batch * p.rows * p.cols);
  return found;
}

}  // namespace lab::judge
