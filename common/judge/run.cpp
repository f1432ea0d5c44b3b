// The counters that goals speak of, by name.
#include "common/judge/run.h"

#include <array>
#include <cstddef>

namespace lab::judge {
namespace {

constexpr std::array<MetricInfo, 23> kMetrics = [] {
  using enum sim::Space;
  using enum sim::Path;
  using enum Unit;
  return std::array<MetricInfo, 23>{{
      {"global load requests", Global, GlobalLoad, Requests},
      {"global load sectors", Global, GlobalLoad, Cost},
      {"global store requests", Global, GlobalStore, Requests},
      {"global store sectors", Global, GlobalStore, Cost},
      {"shared load requests", Shared, SharedLoad, Requests},
      {"shared load wavefronts", Shared, SharedLoad, Cost},
      {"shared store requests", Shared, SharedStore, Requests},
      {"shared store wavefronts", Shared, SharedStore, Cost},
      {"global requests, all paths", Global, std::nullopt, Requests},
      {"global sectors, all paths", Global, std::nullopt, Cost},
      {"global bytes, all paths", Global, std::nullopt, Bytes},
      {"shared requests, all paths", Shared, std::nullopt, Requests},
      {"shared wavefronts, all paths", Shared, std::nullopt, Cost},
      {"shared bytes, all paths", Shared, std::nullopt, Bytes},
      {"global bulk load requests", Global, GlobalBulkLoad, Requests},
      {"global bulk load sectors", Global, GlobalBulkLoad, Cost},
      {"global bulk store requests", Global, GlobalBulkStore, Requests},
      {"global bulk store sectors", Global, GlobalBulkStore, Cost},
      {"shared matrix load requests", Shared, SharedMatrixLoad, Requests},
      {"shared matrix store requests", Shared, SharedMatrixStore, Requests},
      {"link load sectors", Global, LinkLoad, Cost},
      {"link store sectors", Global, LinkStore, Cost},
      {"link atomic sectors", Global, LinkAtomic, Cost},
  }};
}();

sim::PathCounters total(const sim::Counters& c, const MetricInfo& m) {
  sim::PathCounters sum;
  for (const sim::PathInfo& row : sim::kPathTable) {
    if (m.covers(row.path) && (m.path || !sim::is_part(row.path))) sum += sim::counters_of(c, row.path);
  }
  return sum;
}

}  // namespace

const MetricInfo& info(Metric metric) { return kMetrics.at(static_cast<std::size_t>(metric)); }

std::uint64_t value(const sim::Counters& c, Metric metric) {
  const MetricInfo& m = info(metric);
  const sim::PathCounters sum = total(c, m);
  return m.unit == Unit::Requests ? sum.requests : m.unit == Unit::Bytes ? sum.bytes : sum.cost;
}

std::uint64_t bank_conflicts(const sim::Counters& c) {
  return c.shared_load.wavefronts - c.shared_load.ideal_wavefronts + c.shared_store.wavefronts -
         c.shared_store.ideal_wavefronts;
}

}  // namespace lab::judge
