// Chapter 18: eight published bugs. Each page is named, then fixed, and its idea and its cost stay.
#include <string>

#include "common/judge/flight.h"

#include "tests/chapters/cut_off.h"
#include "tests/chapters/findings.h"

namespace lab::chapter_18 {

using namespace lab::judge;
using namespace lab::course;

namespace {

ChapterInfo pages() {
  ChapterInfo chapter = listed_chapter("18_bugs_in_the_wild");
  chapter.entry = "bug_1";
  return chapter;
}

constexpr std::uint32_t kTileBytes = 32 * 33 * 4;
constexpr const char* kAsynchronous = "The matrix came by cp.async before, and no longer does.";
constexpr const char* kTiles = "As many tiles as before, each of 32 rows of 33 floats.";

struct Page {
  const char* entry;
  SealedFinding finding;
  std::uint32_t shared_bytes;  // of the fixed kernel
  bool asynchronous = false;   // `in` comes by cp.async
};

// What was there before the bug was fixed must still be there: 32 lanes, one float each, whole sectors, no
// conflict.
void keeps_its_cost(Check& check, const Page& page, const Run& run) {
  check.no_idle_blocks(run);
  whole_sectors(check, run);
  check.exactly(run, Metric::GlobalRequests, 2 * scalar_requests(run), "changed-idea");
  check.exactly(run, Metric::SharedRequests, 2 * scalar_requests(run), "changed-idea");
  check.at_most(run, Metric::SharedLoadWavefronts, scalar_requests(run), "bank-conflict");
  check.at_most(run, Metric::SharedWavefronts, 2 * scalar_requests(run), "bank-conflict");
  if (page.asynchronous)
    check.that(run.counters[lab::sim::Path::GlobalAsync].requests == scalar_requests(run), "changed-idea",
               kAsynchronous);
  check.shared_bytes_at_most(run, page.shared_bytes, kTiles);
  check.that(run.shared_bytes >= page.shared_bytes, "changed-idea", kTiles);
}

// While a tile is stored, the next one is on its way. If a copy takes as long as storing two tiles, four
// tiles take 1.6 times as long as their stores; 2.3 times where each turn waits for the copy that it has just
// begun, 2.75 where it waits for its own.
void one_tile_ahead(Check& check, const Problem& problem, const Target& target) {
  Flight flight;
  (void)check.subject().observed(problem, target, flight);
  const FlightFindings found = flight.findings();
  check.that(
      found.with_copies <= 2 * found.at_once, "changed-idea",
      "The next tile was on its way while one was stored, and no longer is: a turn waits for all groups "
      "but the newest.");
}

void keeps_its_cost_when_cut_off(Check& check, const Page& page, const CutOff& matrix, const Target& target) {
  const Run& run = check.subject().run(matrix.problem, target);
  few_sectors_when_cut_off(check, {matrix}, kBothWays, target);
  check.at_most(run, Metric::SharedWavefronts, most_when_cut_off(matrix, 2), "bank-conflict",
                why_cut_off(matrix));
  if (page.asynchronous)
    check.that(run.counters[lab::sim::Path::GlobalAsync].bytes >= 4 * matrix.inside, "changed-idea",
               kAsynchronous);
}

void is_fixed(Check& check, const Page& page) {
  found(check, page.entry, page.entry, page.finding);
  if (!check.passing()) return;  // blind: nothing runs before something is named
  Target target;
  target.entry = page.entry;
  right_on_pages(check, target);
  for (const Problem& p : page_shapes(check, page.entry)) {
    if (check.passing()) keeps_its_cost(check, page, check.subject().run(p, target));
  }
  // Values are followed on one of them, from the key where it is short.
  const std::vector<Problem> shapes = page_shapes(check, page.entry);
  const Problem& known = shapes.front();
  const Problem& drawn = shapes.back();
  const Problem& watched = drawn.rows * drawn.cols > 1 << 17 ? known : drawn;
  if (check.passing()) check.exchanged(watched, target);
  if (check.passing() && page.asynchronous) one_tile_ahead(check, watched, target);
  for (const CutOff& matrix : small_cut_off(check, target)) {
    if (check.passing()) keeps_its_cost_when_cut_off(check, page, matrix, target);
  }
}

}  // namespace

CHAPTER(pages());

GOAL("page-1", "page 1: the padding is there", 3) {
  is_fixed(check, {"bug_1", {"4dd7b80cfaa7", "919cc57f6d088ec80e2c572f"}, kTileBytes});
}

GOAL("page-2", "page 2: + 1, as everybody does", 3) {
  is_fixed(check, {"bug_2", {"0dce4c7a3f68", "d9eb4339669a"}, kTileBytes});
}

GOAL("page-3", "page 3: worked for years", 3) {
  is_fixed(check, {"bug_3", {"80c404b57809", "b9cf00e3f43523c7799c7e13481d47905181"}, 4 * kTileBytes});
}

GOAL("page-4", "page 4: the last stage", 3) {
  is_fixed(check, {"bug_4", {"80557fe6921f", "e2511cb66398b9b38307f749da8b4d97b340"}, 2 * kTileBytes, true});
}

GOAL("page-5", "page 5: our tests pass", 3) {
  is_fixed(check, {"bug_5", {"a34718d9c801", "e79a76f88083"}, kTileBytes});
}

GOAL("page-6", "page 6: only the large model", 3) {
  is_fixed(check, {"bug_6", {"db1968cd0c3c", "f0532ff4e4a4939f00598df4"}, kTileBytes});
  Target target;
  target.entry = "bug_6";
  if (check.passing()) right_beyond_32_bits(check, target);
}

GOAL("page-7", "page 7: hangs with one driver", 3) {
  is_fixed(check, {"bug_7", {"86f9914e6f84", "24e0f2830e494e0202bb8bec"}, kTileBytes});
}

GOAL("page-8", "page 8: some tiles are missing", 3) {
  is_fixed(check, {"bug_8", {"afaad27616a3", "1cbc2051b5e3"}, kTileBytes});
}

}  // namespace lab::chapter_18
