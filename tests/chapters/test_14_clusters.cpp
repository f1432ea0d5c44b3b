// Chapter 14: blocks of a cluster hand each other parts of a tile that none of them holds alone.
#include <fmt/core.h>

#include <algorithm>

#include "common/sim/memory/memory.h"
#include "tests/chapters/everywhere.h"
#include "tests/chapters/footprint.h"

namespace lab::chapter_14 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(wide(exchanging(listed_chapter("14_clusters"))));

namespace {

std::uint64_t blocks_of_cluster(const Run& run) {
  return static_cast<std::uint64_t>(run.shape.cluster.x) * static_cast<std::uint64_t>(run.shape.cluster.y);
}

// What of the matrix is read by one block of a cluster and written by another, at least. Rows of `out` are
// put together from blocks that lie in a row, and each of these keeps its equal share; of 2 × 2 blocks two
// do.
std::uint64_t bytes_to_others(const Run& run) {
  const auto blocks = static_cast<std::uint64_t>(std::max(run.shape.cluster.x, run.shape.cluster.y));
  return 4 * elems(run) / blocks * (blocks - 1);
}

// A block that writes its own tile, or its neighbour's, has no longer rows than it has without a cluster.
void rows_of_several_blocks(Check& check, const Problem& problem) {
  Footprint footprint;
  const Run run = check.subject().judged(problem, {}, footprint);
  if (!run.correct()) return check.right(run);
  const FootprintFindings& found = footprint.findings();
  const std::uint64_t written = elems(run) / found.blocks;
  const std::uint64_t pieces = found.read.pieces / found.blocks * (found.written.pieces / found.blocks);
  if (4 * pieces <= 3 * written) return check.that(true, "short-runs", "");
  Reason reason;
  reason.code = "short-runs";
  reason.message =
      msg("shape {}: a block reads {} pieces of rows of `in` and writes {} pieces of rows of `out`, {} "
          "elements. A tile of its own gives it pieces as long as these.",
          describe(problem), found.read.pieces / found.blocks, found.written.pieces / found.blocks,
          lab::sim::grouped(written));
  reason.message.line("Let it put rows of `out` together from what both blocks have read.");
  reason.figures.push_back({"pieces read × pieces written", pieces, 3 * written / 4});
  reason.problem = problem;
  check.fail(std::move(reason));
}

}  // namespace

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("through-the-cluster", "elements go from block to block", 5) {
  // Each of two blocks hands on half of what it reads.
  on_measured(check, [&](const Run& run) {
    if (!run.correct()) return check.right(run);
    const lab::sim::PathCounters &store = run.counters[lab::sim::Path::ClusterStore],
                                 &load = run.counters[lab::sim::Path::ClusterLoad];
    const std::uint64_t bytes = store.bytes + load.bytes;
    const std::uint64_t goal = blocks_of_cluster(run) < 2 ? 2 * elems(run) : bytes_to_others(run);
    Reason reason;
    reason.figures.push_back({"bytes to or from other blocks", bytes, goal});
    if (bytes == 0) {
      reason.code = "not-used";
      reason.message = "No thread reaches the shared memory of another block.";
      return check.fail(std::move(reason));
    }
    if (bytes < goal) {
      reason.code = "few-remote";
      reason.message =
          msg("In a cluster of {} blocks each should hand the others all of its tile but its own share.",
              blocks_of_cluster(run));
      return check.fail(std::move(reason));
    }
    // A pack of 16 bytes per lane, in rows of the tile: 8 lines at once, and at most three of them in one
    // bank.
    check.that(
        2 * (store.cost + load.cost) <= 3 * (bytes / 128), "bank-conflict",
        "Accesses to the other block go by lines of 128 bytes, and a request touches more of them than "
        "its bytes need: 16 bytes per lane, and lanes that lie side by side.");
  });
  on_measured(check, [&](const Run& run) { rows_of_several_blocks(check, run.problem); });
  everywhere(check, {.lane_bytes = 16, .wavefronts = {14, 14, 14, 14}, .carrier = Carrier::Cluster},
             Ask::All);
  for (const Problem& p : a_few_everywhere(check, 129))
    if (check.passing()) rows_of_several_blocks(check, p);
}

KEEPS("wide-global", "16 bytes per lane in global memory", 2) {
  on_measured(check, [&](const Run& run) {
    whole_sectors(check, run);
    if (check.passing())
      check.at_most(run, Metric::GlobalRequests, 2 * vector_requests(run), "narrow-access",
                    "A request of 32 lanes moves 512 bytes when each lane moves a float4.");
    check.no_idle_blocks(run);
    if (check.passing()) check.rows_both_ways(run, kWholeRows);
  });
}

KEEPS("conflict-free", "conflict-free", 3) {
  // Each element enters the tile once and leaves it once, 128 bytes per wavefront. What goes to other blocks
  // is counted by lines, and judged above. Where that is some lanes of a request, the others are few, and
  // take the wavefronts of their groups.
  on_measured(check, [&](const Run& run) {
    const lab::sim::PathCounters &store = run.counters[lab::sim::Path::ClusterStore],
                                 &load = run.counters[lab::sim::Path::ClusterLoad];
    const std::uint64_t own =
        std::min(2 * scalar_requests(run), run.counters[lab::sim::Path::SharedLoad].ideal +
                                               run.counters[lab::sim::Path::SharedStore].ideal);
    check.at_most(
        run, Metric::SharedWavefronts, own + store.cost + load.cost, "bank-conflict",
        "8 lanes with 16 bytes each are served at once: their 8 float4 must lie in 8 different chunks of 16 "
        "bytes, counted modulo 128.");
  });
  if (check.passing()) check.exchanged();
}

KEEPS("small-tile", "no more shared memory than before", 1) {
  check.shared_bytes_at_most(check.measured(), 64 * 64 * 4,
                             "Each block keeps its share of the long tile, 16 KiB.");
}

PREDICTION("own-stores", "wavefronts of the stores to one's own tile", 1) {
  check.predicted(&lab::Predictions::shared_store_wavefronts,
                  check.measured().counters[lab::sim::Path::SharedStore].cost,
                  "Of two blocks each stores half of its elements to its own tile, and half to the other's.");
}

PREDICTION("own-loads", "wavefronts of the loads from one's own tile", 1) {
  check.predicted(&lab::Predictions::shared_load_wavefronts,
                  check.measured().counters[lab::sim::Path::SharedLoad].cost,
                  "What a block writes to `out` lies in its own tile when all have stored.");
}

}  // namespace lab::chapter_14
