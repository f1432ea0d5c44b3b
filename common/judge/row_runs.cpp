// Who stands side by side. See row_runs.h.
#include "common/judge/row_runs.h"

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

// Of two lanes at one place one counts.
void RowRuns::take(Side& side, const sim::Access& access) const {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
  const sim::Mask lanes = access.mask >> first;
  if (access.affine && access.stride_bytes == access.width_bytes && (lanes & (lanes + 1)) == 0) {
    const std::uint64_t from = access.address[first];
    return mark(side, from, from + static_cast<std::uint64_t>(std::popcount(lanes)) * access.width_bytes,
                access.width_bytes);
  }
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
  const auto elem = static_cast<std::uint64_t>(problem_.elem_bytes);
  const std::uint64_t last = std::min<std::uint64_t>((to - side.first + elem - 1) / elem, side.lanes.size());
  const auto lanes = static_cast<std::uint8_t>(std::min<std::uint64_t>((to - from) / width, sim::kWarpLanes));
  const std::uint64_t begin = (from - side.first) / elem;
  if (begin < last) raise(side.lanes.data() + begin, last - begin, lanes);
}

RowRunFindings RowRuns::findings() const {
  RowRunFindings found{0, 0, read_.mean(), written_.mean()};
  const Problem& p = problem_;
  if (read_.lanes.empty()) return found;  // the launch was refused
  constexpr std::int64_t kTogether = 16;  // columns: whole cache lines of `written_` are used
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    for (std::int64_t col0 = 0; col0 < p.cols; col0 += kTogether) {
      const std::int64_t end = std::min(col0 + kTogether, p.cols);
      for (std::int64_t row = 0; row < p.rows; ++row) {
        const std::uint8_t* from = read_.lanes.data() + batch * p.in_stride() + row * p.in_pitch();
        const std::uint8_t* to = written_.lanes.data() + batch * p.out_stride() + row;
        for (std::int64_t col = col0; col < end; ++col)
          found.together += std::uint32_t{from[col]} * to[col * p.out_pitch()] >= kLeastTogether;
      }
    }
  }
  found.elems = static_cast<std::uint64_t>(p.batch * p.rows * p.cols);
  return found;
}

}  // namespace lab::judge
