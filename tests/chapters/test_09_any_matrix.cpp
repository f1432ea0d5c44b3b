// Chapter 09: any shape, pitch, batch and element type, each at the cost that its alignment allows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/chapters/course_checks.h"

using namespace lab::judge;
using namespace lab::course;

CHAPTER(exchanging(listed_chapter("09_any_matrix")));

namespace {

constexpr std::array kElemBytes = {1, 2, 4, 8, 16};
constexpr std::array kSides = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 20};

// Plain, pitched on either side, pitched so that packs fit or not, batched.
std::vector<Problem> any_matrices(int elem_bytes) {
  std::vector<Problem> all;
  const auto add = [&](std::int64_t rows, std::int64_t cols, std::int64_t in_pad, std::int64_t out_pad,
                       std::int64_t batch) {
    all.push_back({.rows = rows,
                   .cols = cols,
                   .elem_bytes = elem_bytes,
                   .in_pitch_elems = cols + in_pad,
                   .out_pitch_elems = rows + out_pad,
                   .batch = batch});
  };
  for (const Problem& p : smaller_awkward_shapes(elem_bytes)) add(p.rows, p.cols, 0, 0, 1);
  for (const int rows : kSides) {
    for (const int cols : kSides) add(rows, cols, cols % 3, rows % 5, 1 + rows % 3);
  }
  add(64, 64, 16, 32, 3);  // packs fit everywhere
  add(64, 96, 1, 0, 2);    // rows of `in` start anywhere
  add(96, 64, 0, 3, 2);    // rows of `out` start anywhere
  add(61, 67, 61, 67, 2);  // ends inside a pack of an aligned row
  add(128, 132, 4, 8, 1);  // a last tile that is not full
  add(260, 36, 12, 4, 4);
  return all;
}

// 1024 × 1024, 32 bytes a sector.
std::uint64_t ideal_sectors(int elem_bytes) { return kElems * static_cast<std::uint64_t>(elem_bytes) / 32; }

Problem square(int elem_bytes) { return {.rows = 1024, .cols = 1024, .elem_bytes = elem_bytes}; }

constexpr std::array<Problem, 3> kRagged = {Problem{1000, 777}, Problem{777, 1000}, Problem{1023, 1025}};

// Wavefronts over what the same words would take side by side.
void no_conflicts(Check& check, const Run& run) {
  const char* why =
      "Lanes that are served together must lie in different banks, with one element a lane too.";
  check.at_most(run, Metric::SharedStoreWavefronts, run.counters.shared_store.ideal_wavefronts,
                "bank-conflict", why);
  check.at_most(run, Metric::SharedLoadWavefronts, run.counters.shared_load.ideal_wavefronts, "bank-conflict",
                why);
}

// Both sides together against the least of both. The side that is further from its own least is blamed, and
// that is its goal.
void both_at_least(Check& check, const Run& run, std::uint64_t least_load, std::uint64_t least_store) {
  const std::uint64_t load = run.counters.global_load.sectors, store = run.counters.global_store.sectors;
  const bool reached = load + store <= least_load + least_store;
  const bool blame_load = load + least_store > store + least_load;
  const std::string why =
      fmt::format("A matrix of {} floats: neighbouring lanes should touch neighbouring elements here too.",
                  describe(run.problem));
  check.at_most(run, blame_load ? Metric::GlobalLoadSectors : Metric::GlobalStoreSectors,
                reached      ? std::max(load, store)
                : blame_load ? least_load
                             : least_store,
                "uncoalesced", why);
  if (check.passing())
    check.at_most(run, Metric::GlobalSectors, least_load + least_store, "other-path", kAllPaths);
}

}  // namespace

HOLDS("right", "right on every shape", 3) { check.right_on_every_shape(); }

HOLDS("right-pitched", "right for every pitch, batch and element", 3) {
  for (const int bytes : kElemBytes) check.right_on(any_matrices(bytes), pitched_target(bytes));
}

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("wide-access", "16 bytes a lane", 2) {
  // As in chapter 08.
  const char* why = "Where all rows start on 16 bytes, a lane can move a float4.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::GlobalLoadRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::GlobalStoreRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::SharedLoadRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::SharedStoreRequests, vector_requests(run), "narrow-access", why);
    if (!check.passing()) return;
    check.at_most(run, Metric::GlobalRequests, 2 * vector_requests(run), "other-path", kAllPaths);
    check.at_most(run, Metric::SharedRequests, 2 * vector_requests(run), "other-path", kAllPaths);
  });
  if (check.passing()) check.exchanged();
}

GOAL("whole-sectors", "whole sectors for every element type", 3) {
  for (const int bytes : kElemBytes) {
    const Run& run = check.subject().run(square(bytes), pitched_target(bytes));
    const std::string why = fmt::format("This is the matrix of 1024×1024 {}-byte elements.", bytes);
    check.at_most(run, Metric::GlobalLoadSectors, ideal_sectors(bytes), "uncoalesced", why);
    check.at_most(run, Metric::GlobalStoreSectors, ideal_sectors(bytes), "uncoalesced", why);
    if (check.passing())
      check.at_most(run, Metric::GlobalSectors, 2 * ideal_sectors(bytes), "other-path", kAllPaths);
    check.no_idle_blocks(run);
  }
}

GOAL("ragged-rows", "ragged rows at their least", 3) {
  // Rows of 777 floats start anywhere, so a lane can move 4 bytes at once and a request 32 neighbours: 128
  // bytes that touch 4 sectors or 5. sectors_of_rows adds that up, row by row. Both ways count together: a
  // block may read some rows twice in order to write whole sectors, when it saves more than it costs.
  for (const Problem& p : kRagged) {
    const Run& run = check.subject().run(p);
    both_at_least(check, run, sectors_of_rows(p.rows, p.cols, p.cols, 4, 32),
                  sectors_of_rows(p.cols, p.rows, p.rows, 4, 32));
  }
}

KEEPS("conflict-free", "conflict-free", 3) {
  for (const int bytes : kElemBytes)
    no_conflicts(check, check.subject().run(square(bytes), pitched_target(bytes)));
  for (const Problem& p : kRagged) no_conflicts(check, check.subject().run(p));
}

GOAL("whole-writes", "no sector written in two pieces", 2) {
  // What a row of `out` covers is the least that any kernel can write; a sector in which one row ends and the
  // next begins counts for both. It is reached when each block's share of a row begins and ends with a
  // sector.
  for (const Problem& p : kRagged) {
    const Run& run = check.subject().run(p);
    check.at_most(
        run, Metric::GlobalStoreSectors, sectors_of_rows(p.cols, p.rows, p.rows, 4, p.rows), "uncoalesced",
        fmt::format("A matrix of {} floats: where the shares of two blocks meet inside a sector, it is "
                    "written in two pieces.",
                    describe(p)));
  }
}
