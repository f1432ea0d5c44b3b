// Chapter 13: matrix instructions turn blocks of 8 × 8 elements of 16 bits.
#include "tests/chapters/everywhere.h"
#include "tests/chapters/matrix_turns.h"

namespace lab::chapter_13 {

using namespace lab::judge;
using namespace lab::course;

namespace {

// 32 lanes with 16 bytes each: 256 elements.
std::uint64_t pack_requests(const Run& run) { return elems(run) / 256; }
// 2-byte elements, one way: 16 in a sector. All banks once: 64 elements.
std::uint64_t sectors(const Run& run) { return elems(run) / 16; }
std::uint64_t wavefronts(const Run& run) { return elems(run) / 64; }

// On the way into the tile or out of it, or between registers: a thread that permutes elements itself needs
// no matrices.
void turned_by_hardware(Check& check, const Problem& problem) {
  MatrixTurns turns;
  const Run run = check.subject().judged(problem, {}, turns);
  if (!run.correct()) return check.right(run);
  check.that(turns.between_registers() || turns.bytes() >= 2 * elems(run), "few-matrices",
             "Matrix instructions load the elements, and do not turn them: ask for .trans on one side of the "
             "tile, or for movmatrix.");
}

}  // namespace

CHAPTER(exchanging(listed_chapter("13_matrix_moves")));

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

GOAL("by-matrices", "matrix instructions turn the tile", 4) {
  // Each element goes through one matrix, of 64 elements: loaded, stored, or both. One, two or four of them
  // in an instruction cost as many wavefronts.
  on_measured(check, [&](const Run& run) {
    const lab::sim::Counters& c = run.counters;
    const bool loads =
        c[lab::sim::Path::SharedMatrixLoad].bytes >= c[lab::sim::Path::SharedMatrixStore].bytes;
    check.that(
        c[lab::sim::Path::SharedMatrixLoad].requests + c[lab::sim::Path::SharedMatrixStore].requests != 0,
        "not-used",
        "No matrix instruction touches the tile. lab::load_matrices_turned turns four blocks of 8 × 8 "
        "while it loads them; lab::store_matrices_turned does so on the way into the tile.");
    if (check.passing())
      check.that(c[lab::sim::Path::SharedMatrixLoad].bytes + c[lab::sim::Path::SharedMatrixStore].bytes >=
                     2 * elems(run),
                 "few-matrices",
                 "Some of the elements go through no matrix instruction; all of them should.");
    // What a matrix instruction loads must be what is used: the same side of the tile has no other traffic
    // to speak of.
    const std::uint64_t others =
        loads ? c[lab::sim::Path::SharedLoad].requests - c[lab::sim::Path::SharedMatrixLoad].requests
              : c[lab::sim::Path::SharedStore].requests - c[lab::sim::Path::SharedMatrixStore].requests;
    if (check.passing())
      check.that(
          4 * others <= pack_requests(run), "other-path",
          "Elements also go by single accesses where the matrix instructions are; use what these load.");
  });
  if (check.passing()) turned_by_hardware(check, check.measured_runs().back()->problem);
  for (const Problem& p : a_few_everywhere(check, 64))
    if (check.passing()) turned_by_hardware(check, p);
  everywhere(check, {.lane_bytes = 16, .carrier = Carrier::Matrices}, Ask::All);
}

GOAL("one-pass", "the tile is written once and read once", 3) {
  // 1024 * 1024 elements of 2 bytes / 128 bytes of all banks = 16,384 wavefronts, each way.
  const char* why =
      "The eight rows of a matrix must lie in eight different chunks of 16 bytes, counted modulo 128; and "
      "the packs of eight neighbouring lanes must, too.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::SharedStoreWavefronts, wavefronts(run), "bank-conflict", why);
    check.at_most(run, Metric::SharedLoadWavefronts, wavefronts(run), "bank-conflict", why);
    if (check.passing())
      check.at_most(run, Metric::SharedWavefronts, 2 * wavefronts(run), "other-path", kAllPaths);
  });
  if (check.passing()) check.exchanged();
}

GOAL("few-instructions", "fewer instructions than by single elements", 3) {
  // The skeleton takes 25 to 27 for an element, the solution 13 to 15, with each of the compilers;
  // with 512 threads, two packs each, it is 19 to 21.
  constexpr std::uint64_t kMost = 22;
  on_measured(check, [&](const Run& run) {
    if (!run.correct()) return check.right(run);
    // An idle lane takes the place of a busy one.
    const std::uint64_t bound = kMost * elems(run), issued = 32 * run.warp_instructions;
    if (issued <= bound) return check.that(true, "many-instructions", "");
    Reason reason;
    reason.code = "many-instructions";
    reason.message =
        "The warps issue more instructions than the turn by matrices needs. A thread that moves "
        "two packs of eight elements spends most of them on finding its place: let it move four or more, and "
        "compute what they share once.";
    reason.figures.push_back({"instructions issued, by lanes", issued, bound});
    reason.problem = run.problem;
    check.fail(std::move(reason));
  });
}

KEEPS("whole-sectors", "16 bytes per lane, whole sectors", 3) {
  on_measured(check, [&](const Run& run) {
    const char* why = "A request of 32 lanes moves 512 bytes when each lane moves eight elements.";
    check.at_most(run, Metric::GlobalStoreSectors, sectors(run), "uncoalesced");
    check.at_most(run, Metric::GlobalLoadSectors, sectors(run), "uncoalesced");
    if (check.passing()) check.at_most(run, Metric::GlobalSectors, 2 * sectors(run), "other-path", kAllPaths);
    if (check.passing())
      check.at_most(run, Metric::GlobalRequests, 2 * pack_requests(run), "narrow-access", why);
    few_atomics(check, run);
    check.no_idle_blocks(run);
  });
}

PREDICTION("store-sectors", "sectors of one store", 1) {
  check.predicted(
      &lab::Predictions::global_store_sectors_per_request, 4 * 2 + 4 * 3,
      "A row of `out` is 2000 bytes, 62 sectors and a half. 64 bytes touch 2 sectors in every second "
      "row; in the others they start in the middle of a sector, and touch 3.");
}

PREDICTION("four-matrices", "wavefronts of a load of four matrices", 1) {
  check.predicted(
      &lab::Predictions::shared_load_wavefronts_per_request, 4 * 8,
      "Eight rows below each other have one phase, since row / 8 is the same for all: their packs lie in the "
      "same 4 banks, and each matrix takes 8 wavefronts. A matrix whose rows have eight phases takes one.");
}

}  // namespace lab::chapter_13
