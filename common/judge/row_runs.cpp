// Who stands side by side. See row_runs.h.
#include "common/judge/row_runs.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/sim/base/lanes.h"

namespace lab::judge {

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
  const std::size_t count = std::min(lanes.size(), from.lanes.size());
  std::uint8_t* const own =
      lanes.data();  // bytes may alias anything: vector code only with pointers of its own
  const std::uint8_t* const theirs = from.lanes.data();
  for (std::size_t i = 0; i < count; ++i) own[i] = std::max(own[i], theirs[i]);
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

// Of two lanes at one place one counts.
void RowRuns::take(Side& side, const sim::Access& access) const {
  std::array<std::uint64_t, sim::kWarpLanes> at;
  std::size_t count = 0;
  bool ascending = true;
  sim::for_lanes(access.mask, [&](std::uint32_t lane) {
    const std::uint64_t address = access.address[lane];
    ascending &= count == 0 || at[count - 1] <= address;
    at[count++] = address;
  });
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
  // Powers of two, and asked for every run of every request.
  const int elem_log = std::countr_zero(static_cast<std::uint64_t>(problem_.elem_bytes)),
            width_log = std::countr_zero(width);
  const std::uint64_t elem = std::uint64_t{1} << elem_log;
  const std::uint64_t last =
      std::min<std::uint64_t>((to - side.first + elem - 1) >> elem_log, side.lanes.size());
  const auto lanes =
      static_cast<std::uint8_t>(std::min<std::uint64_t>((to - from) >> width_log, sim::kWarpLanes));
  std::uint8_t* const at = side.lanes.data();
  for (std::uint64_t i = (from - side.first) >> elem_log; i < last; ++i) at[i] = std::max(at[i], lanes);
}

RowRunFindings RowRuns::findings() const {
  RowRunFindings found{0, 0, read_.mean(), written_.mean()};
  const Problem& p = problem_;
  constexpr std::int64_t kTogether = 64;  // columns: a line of both matrices serves many elements
  if (read_.lanes.empty() || written_.lanes.empty()) return found;
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    const std::uint8_t* const read = read_.lanes.data() + batch * p.in_stride();
    const std::uint8_t* const written = written_.lanes.data() + batch * p.out_stride();
    for (std::int64_t col0 = 0; col0 < p.cols; col0 += kTogether) {
      const std::int64_t end = std::min(col0 + kTogether, p.cols);
      for (std::int64_t row = 0; row < p.rows; ++row)
        for (std::int64_t col = col0; col < end; ++col)
          found.together +=
              std::uint32_t{read[row * p.in_pitch() + col]} * written[col * p.out_pitch() + row] >=
              kLeastTogether;
    }
  }
  found.elems = static_cast<std::uint64_t>(p.batch * p.rows * p.cols);
  return found;
}

}  // namespace lab::judge
