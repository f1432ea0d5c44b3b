// The counters that goals speak of, by name.
#include "common/course/judge/run.h"

namespace lab::judge {
std::uint64_t value(const sim::Counters& c, const Metric& metric) {
  sim::PathCounters sum;
  for (const sim::PathInfo& row : sim::kPathTable) {
    if (metric.covers(row.path) && (metric.path || !sim::is_part(row.path))) sum += c[row.path];
  }
  switch (metric.unit) {
    case Unit::Requests:
      return sum.requests;
    case Unit::Cost:
      return sum.cost;
    case Unit::Bytes:
      return sum.bytes;
  }
  return 0;
}

std::uint64_t bank_conflicts(const sim::Counters& c) {
  return c[sim::Path::SharedLoad].cost - c[sim::Path::SharedLoad].ideal + c[sim::Path::SharedStore].cost -
         c[sim::Path::SharedStore].ideal;
}

}  // namespace lab::judge
