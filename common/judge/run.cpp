// The counters that goals speak of, by name.
#include "common/judge/run.h"

#include <array>
#include <cstddef>

namespace lab::judge {
namespace {

constexpr std::array<MetricInfo, 8> kMetrics = {{
    {"global load requests", "global_load", "requests"},
    {"global load sectors", "global_load", "sectors"},
    {"global store requests", "global_store", "requests"},
    {"global store sectors", "global_store", "sectors"},
    {"shared load requests", "shared_load", "requests"},
    {"shared load wavefronts", "shared_load", "wavefronts"},
    {"shared store requests", "shared_store", "requests"},
    {"shared store wavefronts", "shared_store", "wavefronts"},
}};

}  // namespace

const MetricInfo& info(Metric metric) { return kMetrics.at(static_cast<std::size_t>(metric)); }

std::uint64_t value(const sim::Counters& c, Metric metric) {
  switch (metric) {
    case Metric::GlobalLoadRequests:
      return c.global_load.requests;
    case Metric::GlobalLoadSectors:
      return c.global_load.sectors;
    case Metric::GlobalStoreRequests:
      return c.global_store.requests;
    case Metric::GlobalStoreSectors:
      return c.global_store.sectors;
    case Metric::SharedLoadRequests:
      return c.shared_load.requests;
    case Metric::SharedLoadWavefronts:
      return c.shared_load.wavefronts;
    case Metric::SharedStoreRequests:
      return c.shared_store.requests;
    case Metric::SharedStoreWavefronts:
      return c.shared_store.wavefronts;
  }
  return 0;
}

std::uint64_t bank_conflicts(const sim::Counters& c) {
  return c.shared_load.wavefronts - c.shared_load.ideal_wavefronts + c.shared_store.wavefronts -
         c.shared_store.ideal_wavefronts;
}

}  // namespace lab::judge
