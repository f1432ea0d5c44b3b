// Sums of counters.
//
// Enters and leaves: counters.
#include "common/sim/observe/counters.h"

namespace lab::sim {
namespace {

PathCounters total(const Counters& counters, Space space) {
  PathCounters sum;
  for (const PathInfo& row : kPathTable) {
    if (row.weighs == space && !is_part(row.path)) sum += counters[row.path];
  }
  return sum;
}

}  // namespace

std::uint64_t profiler_value(const Counters& counters, Path path) {
  std::uint64_t value = counters[path].cost;
  if (info(path).space != Space::Shared) return value;
  for (const PathInfo& row : kPathTable)
    if (row.part_of == path && row.path != path) value -= counters[row.path].cost;
  return value;
}

Counters& Counters::operator+=(const Counters& other) {
  for (const PathInfo& row : kPathTable) (*this)[row.path] += other[row.path];
  return *this;
}

PathCounters Counters::global_total() const { return total(*this, Space::Global); }

PathCounters Counters::shared_total() const { return total(*this, Space::Shared); }

}  // namespace lab::sim
