// The metrics that goals speak of: by path, and over all paths of a space.
#include <doctest/doctest.h>

#include "common/course/judge/run.h"

using namespace lab;
using judge::Metric;

TEST_CASE("a metric of a space sees every path, and each byte once") {
  sim::Counters c;
  for (const sim::PathInfo& row : sim::kPathTable) c[row.path] += {1, 10, 5, 32, 128};
  CHECK(judge::value(c, Metric::GlobalLoadSectors) == 10);
  CHECK(judge::value(c, Metric::SharedStoreRequests) == 1);
  // Global: load, store, atomic, local and bulk each way, bulk reductions. Shared: load, store, atomic, bulk
  // each way, matrices of wgmma, a peer's four.
  CHECK(judge::value(c, Metric::GlobalRequests) == 8);
  CHECK(judge::value(c, Metric::GlobalSectors) == c.global_total().cost);
  CHECK(judge::value(c, Metric::GlobalBytes) == 8 * 128);
  CHECK(judge::value(c, Metric::SharedRequests) == 10);
  CHECK(judge::value(c, Metric::SharedWavefronts) == c.shared_total().cost);
  CHECK(judge::value(c, Metric::SharedBytes) == 10 * 128);
}

TEST_CASE("traffic that goes round loads and stores raises the metric of its space") {
  for (const sim::Path path : {sim::Path::GlobalAtomic, sim::Path::LocalStore, sim::Path::GlobalBulkStore}) {
    sim::Counters c;
    c[path] += {1, 32, 4, 32, 128};
    CHECK(judge::value(c, Metric::GlobalStoreSectors) == 0);
    CHECK(judge::value(c, Metric::GlobalSectors) == 32);
    CHECK(Metric::GlobalSectors.covers(path));
    CHECK_FALSE(Metric::SharedWavefronts.covers(path));
  }
}
