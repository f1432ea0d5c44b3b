// Chapter 18: eight published bugs, other ones for each seat. Each page is named, then fixed, and its idea
// and its cost stay.

#include "common/course/judge/exam_pages.h"
#include "tests/chapters/cut_off.h"
#include "tests/chapters/findings.h"
#include "tests/chapters/flight.h"

namespace lab::chapter_18 {

using namespace lab::judge;
using namespace lab::course;

namespace {

constexpr const char* kAsynchronous = "The matrix came by cp.async before, and no longer does.";
constexpr const char* kTiles = "As many tiles as before, each as large as before.";
using Page = ExamPage;

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
  (void)check.subject().judged(problem, target, flight);
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

void is_fixed(Check& check, std::size_t number) {
  const Page page = exam_pages(check.subject().inputs().exam_key(), check.subject().seat()).at(number - 1);
  found(check, page.entry, [&](const Finding& finding) { return page.is(finding); });
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
  if (check.passing()) keeps_its_cost_when_cut_off(check, page, odd_cut_off(check, target), target);
  if (check.passing() && page.beyond_32_bits) right_beyond_32_bits(check, target);
}

}  // namespace

CHAPTER(listed_chapter("18_bugs_in_the_wild"));

GOAL("page-1", "page 1: named and fixed", 3) { is_fixed(check, 1); }
GOAL("page-2", "page 2: named and fixed", 3) { is_fixed(check, 2); }
GOAL("page-3", "page 3: named and fixed", 3) { is_fixed(check, 3); }
GOAL("page-4", "page 4: named and fixed", 3) { is_fixed(check, 4); }
GOAL("page-5", "page 5: named and fixed", 3) { is_fixed(check, 5); }
GOAL("page-6", "page 6: named and fixed", 3) { is_fixed(check, 6); }
GOAL("page-7", "page 7: named and fixed", 3) { is_fixed(check, 7); }
GOAL("page-8", "page 8: named and fixed", 3) { is_fixed(check, 8); }

}  // namespace lab::chapter_18
